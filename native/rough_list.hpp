// The rows that may be the nearest of one coalition, known by bounds of their keys.
//
// What must hold: at least k rows have keys up to the limit, and rows whose lower bound is beyond it are no
// neighbors. So all of the k nearest are on the list at the end, with those that tie for the last place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

class RoughList {
public:
    float limit = std::numeric_limits<float>::infinity();  // rows beyond it need not be offered

    void reset(int k) {
        k_ = static_cast<std::size_t>(k);
        most_ = k_ + std::max<std::size_t>(k_ / 2, 64);
        more_ = std::max<std::size_t>(2 * k_ / 3, 40);
        count_ = 0;
        make_room();
        limit = std::numeric_limits<float>::infinity();
        crowded_ = false;
    }
    void offer(float lower, float upper, std::int64_t row) {
        if (crowded_) return;
        lower_[count_] = lower;
        upper_[count_] = upper;
        rows_[count_] = static_cast<std::int32_t>(row);
        if (++count_ >= next_cut_) cut();
    }
    void cut() { cut(most_); }
    // The same after a sample, of which few more than k should be left.
    void cut_sample() { cut(k_ + std::max<std::size_t>(k_ / 8, 8)); }
    // Whether too many rows may be the last ones, as where many tie. Then only the limit is known.
    bool crowded() const { return crowded_; }
    std::size_t count() const { return count_; }
    std::int64_t row(std::size_t at) const { return rows_[at]; }
    float lower(std::size_t at) const { return lower_[at]; }
    float upper(std::size_t at) const { return upper_[at]; }

private:
    static constexpr int kHalvings = 30;

    void cut(std::size_t most) {
        if (count_ < k_ || crowded_) return;
        limit = kth_upper();
        std::size_t kept = 0;
        for (std::size_t at = 0; at < count_; ++at) {  // without a branch that would often be guessed wrong
            const float lower = lower_[at];
            lower_[kept] = lower;
            upper_[kept] = upper_[at];
            rows_[kept] = rows_[at];
            kept += lower <= limit;
        }
        count_ = kept;
        crowded_ = count_ > most;
        if (crowded_) count_ = 0;
        make_room();
    }

    void make_room() {
        next_cut_ = count_ + more_ + (count_ < k_ ? k_ - count_ : 0);
        if (rows_.size() >= next_cut_ + kSingles) return;
        lower_.resize(next_cut_ + kSingles);
        upper_.resize(next_cut_ + kSingles);
        rows_.resize(next_cut_ + kSingles);
    }

    // An upper bound that at least k rows do not exceed: the least one, unless others are about as large. By halving
    // where it may be, which takes as long however the rows come.
    float kth_upper() {
        const std::size_t end = (count_ + kSingles - 1) / kSingles * kSingles;
        std::fill(upper_.begin() + static_cast<std::ptrdiff_t>(count_),
                  upper_.begin() + static_cast<std::ptrdiff_t>(end), std::numeric_limits<float>::infinity());
        float low = 0.0f,
              high = *std::max_element(upper_.begin(), upper_.begin() + static_cast<std::ptrdiff_t>(count_));
        for (int n = 0; n < kHalvings; ++n) {
            const float middle = low + (high - low) * 0.5f;
            const std::size_t within = count_within(middle, end);
            (within < k_ ? low : high) = middle;
            if (within == k_) break;
        }
        return high;
    }

    std::size_t count_within(float most, std::size_t end) const {
        SingleBits counts = splat_bits32(0);
        for (std::size_t at = 0; at < end; at += kSingles) counts -= load(&upper_[at]) <= splat_single(most);
        std::int32_t count = 0;
        for (int lane = 0; lane < kSingles; ++lane) count += counts[lane];
        return static_cast<std::size_t>(count);
    }

    std::size_t k_ = 1, most_ = 1;
    std::size_t more_ = 1, next_cut_ = 1;  // rows beyond those that are kept, before they are cut down
    bool crowded_ = false;
    std::size_t count_ = 0;
    std::vector<float> lower_, upper_;  // bounds of the key,
    std::vector<std::int32_t> rows_;    // and of which row; behind the last one there is room
};

}  // namespace vicinal::VICINAL_PATH
