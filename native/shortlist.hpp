// The nearest rows of one coalition, ties and all.
//
// Keys are whole numbers, held in doubles, so that they are compared exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "types.hpp"

namespace vicinal::VICINAL_PATH {

// Some of the rows that have passed, cut down to k now and then.
class Shortlist {
public:
    double limit = std::numeric_limits<double>::infinity();  // rows beyond it need not be offered
    void reset(int k) {
        k_ = static_cast<std::size_t>(k);
        rows_.clear();
        last_ = limit = std::numeric_limits<double>::infinity();
        tied_ = false;
    }
    void offer(double key, std::int64_t row) {
        rows_.emplace_back(key, row);
        if (rows_.size() >= 3 * k_ + 16) cut();
    }
    void cut() {
        if (rows_.size() < k_) return;
        std::nth_element(rows_.begin(), rows_.begin() + (k_ - 1), rows_.end(), NearerRow{});
        const double last = rows_[k_ - 1].first;
        if (last < last_) tied_ = false;
        for (std::size_t j = k_; j < rows_.size(); ++j) tied_ |= rows_[j].first == last;
        rows_.resize(k_);
        last_ = last;
        // Keys are whole numbers: once it is known that others tie with the last one, they may go.
        limit = tied_ ? last - 1.0 : last;
    }
    bool tied() const { return tied_; }
    double last() const { return last_; }
    std::vector<KeyedRow>& rows() { return rows_; }

private:
    std::size_t k_ = 1;
    double last_ = 0.0;
    bool tied_ = false;
    std::vector<KeyedRow> rows_;
};

}  // namespace vicinal::VICINAL_PATH
