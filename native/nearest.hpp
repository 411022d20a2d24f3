// The nearest of a pool whose excess terms are at hand.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

class NearestOfPool {
public:
    using Place = std::pair<float, std::int64_t>;  // weighted sum, and where in the pool

    NearestOfPool(int columns, std::int64_t pool, int k)
        : columns_(columns), pool_(pool), k_(k), totals_((pool + kSingles - 1) / kSingles * kSingles) {}

    // The k smallest weighted sums of excess (columns, pool), which are not negative, of the places that
    // `counts` lets in, with all that tie with the last of them; ascending, the lower place first.
    template <class Counts>
    const std::vector<Place>& find(const float* excess, const float* weights, const Counts& counts) {
        std::int64_t at = 0;
        for (; at + 4 * kSingles <= pool_; at += 4 * kSingles) add_up<4>(excess + at, weights, at);
        for (; at + kSingles <= pool_; at += kSingles) add_up<1>(excess + at, weights, at);
        for (; at < pool_; ++at) {
            float total = 0.0f;
            for (int i = 0; i < columns_; ++i) total += weights[i] * excess[i * pool_ + at];
            totals_[at] = total;
        }
        std::fill(totals_.begin() + pool_, totals_.end(), kNever);
        for (at = 0; at < pool_; ++at)
            if (!counts(at)) totals_[at] = kNever;
        choose();
        return found_;
    }

private:
    // Sums too large for a single are infinite; this is how those are marked that do not count. Its bits
    // are beyond those of infinity.
    static constexpr float kNever = std::numeric_limits<float>::quiet_NaN();

    template <int Count>
    VICINAL_INLINE void add_up(const float* excess, const float* weights, std::int64_t at) {
        Single sums[Count];
        for (Single& sum : sums) sum = splat_single(0.0f);
        for (int i = 0; i < columns_; ++i, excess += pool_)
            for (int v = 0; v < Count; ++v) sums[v] += splat_single(weights[i]) * load(excess + v * kSingles);
        for (int v = 0; v < Count; ++v) store(&totals_[at + v * kSingles], sums[v]);
    }

    static std::int32_t bits_of(float x) { return std::bit_cast<std::int32_t>(x); }

    int how_many(std::int32_t most) const {
        SingleBits count = splat_bits32(0);
        for (std::size_t at = 0; at < totals_.size(); at += kSingles) {
            SingleBits bits;
            std::memcpy(&bits, &totals_[at], sizeof bits);
            count -= bits <= splat_bits32(most);  // a true comparison is -1
        }
        int sum = 0;
        for (int lane = 0; lane < kSingles; ++lane) sum += count[lane];
        return sum;
    }

    // Numbers that are not negative are ordered as their bits are, so the k-th smallest is found by
    // halving these: no branch is ever guessed wrong.
    void choose() {
        constexpr std::int32_t kInfinite = 0x7f800000;
        std::int32_t low = 0, high = kInfinite;
        while (low < high) {
            const std::int32_t middle = low + (high - low) / 2;
            const int count = how_many(middle);
            if (count >= k_)
                high = middle;
            else
                low = middle + 1;
            if (count == k_) break;
        }
        found_.clear();
        for (std::int64_t at = 0; at < pool_; ++at)
            if (bits_of(totals_[at]) <= high) found_.push_back({totals_[at], at});
        std::sort(found_.begin(), found_.end());
    }

    const int columns_;
    const std::int64_t pool_;
    const int k_;
    std::vector<float> totals_;
    std::vector<Place> found_;
};

}  // namespace vicinal::VICINAL_PATH
