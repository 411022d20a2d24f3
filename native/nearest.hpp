// The nearest of a pool whose excess terms are at hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace vicinal {

// Fills places (k) and totals (k) with the smallest weighted sums of excess (columns, pool), ties to
// the lower place; `own` (or -1) is left out. Where there are fewer, places stay as they are.
class Nearest {
public:
    Nearest(const float* weights, int columns, std::int64_t pool, int k)
        : weights_(weights), columns_(columns), k_(k), totals_(pool) {}

    void run(const float* excess, std::int64_t own, std::int64_t* places, double* totals) {
        const auto pool = static_cast<std::int64_t>(totals_.size());
        std::fill(totals_.begin(), totals_.end(), 0.0f);
        for (int i = 0; i < columns_; ++i) {
            const float weight = weights_[i];
            const float* terms = excess + i * pool;
            for (std::int64_t at = 0; at < pool; ++at) totals_[at] += weight * terms[at];
        }
        order_.clear();
        for (std::int64_t at = 0; at < pool; ++at)
            if (at != own) order_.push_back({totals_[at], at});
        const std::size_t count = std::min<std::size_t>(k_, order_.size());
        if (count < order_.size()) std::nth_element(order_.begin(), order_.begin() + count, order_.end());
        std::sort(order_.begin(), order_.begin() + count);
        for (std::size_t j = 0; j < count; ++j) {
            totals[j] = order_[j].first;
            places[j] = order_[j].second;
        }
    }

private:
    const float* weights_;
    const int columns_, k_;
    std::vector<float> totals_;
    std::vector<std::pair<float, std::int64_t>> order_;
};

}  // namespace vicinal
