// The rows that may be the nearest of one coalition, known by bounds of their keys.
//
// What must hold: at least k rows have keys up to the limit, and rows whose lower bound is beyond it are no
// neighbors. So all of the k nearest are on the list at the end, with those that tie for the last place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "types.hpp"

namespace vicinal::VICINAL_PATH {

class RoughList {
public:
    struct Bounded {
        float lower, upper;  // of the key
        std::int32_t row;
    };

    float limit = std::numeric_limits<float>::infinity();  // rows beyond it need not be offered

    void reset(int k) {
        k_ = static_cast<std::size_t>(k);
        most_ = k_ + std::max<std::size_t>(k_ / 2, 64);
        more_ = std::max<std::size_t>(2 * k_ / 3, 40);
        next_cut_ = k_ + more_;
        rows_.clear();
        limit = std::numeric_limits<float>::infinity();
        crowded_ = false;
    }
    void offer(float lower, float upper, std::int64_t row) {
        if (crowded_) return;
        rows_.push_back({lower, upper, static_cast<std::int32_t>(row)});
        if (rows_.size() >= next_cut_) cut();
    }
    void cut() { cut(most_); }
    // The same after a sample, of which few more than k should be left.
    void cut_sample() { cut(k_ + std::max<std::size_t>(k_ / 8, 8)); }
    // Whether too many rows may be the last ones, as where many tie. Then only the limit is known.
    bool crowded() const { return crowded_; }
    const std::vector<Bounded>& rows() const { return rows_; }

private:
    void cut(std::size_t most) {
        if (rows_.size() < k_ || crowded_) return;
        std::nth_element(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(k_ - 1), rows_.end(),
                         [](const Bounded& a, const Bounded& b) { return a.upper < b.upper; });
        limit = rows_[k_ - 1].upper;
        std::erase_if(rows_, [&](const Bounded& one) { return one.lower > limit; });
        next_cut_ = rows_.size() + more_;
        crowded_ = rows_.size() > most;
        if (crowded_) rows_.clear();
    }

    std::size_t k_ = 1, most_ = 1;
    std::size_t more_ = 1, next_cut_ = 1;  // rows beyond those that are kept, before they are cut down
    bool crowded_ = false;
    std::vector<Bounded> rows_;
};

}  // namespace vicinal::VICINAL_PATH
