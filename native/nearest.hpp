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
        : columns_(columns), pool_(pool), k_(k), totals_((pool + kSingles - 1) / kSingles * kSingles), bits_(pool),
          places_(pool) {}

    // Marks a place of the pool that does not count. Sums too large for a single are infinite; the bits of this
    // are beyond those of infinity.
    static constexpr float kNever = std::numeric_limits<float>::quiet_NaN();

    // The k smallest weighted sums of excess, column by column (columns, pool), which are not negative, with all that
    // tie with the last of them; ascending, the lower place first. `leave_out` marks those of the sums that do not
    // count.
    template <class LeaveOut>
    const std::vector<Place>& find(const float* const* excess, const float* weights, const LeaveOut& leave_out) {
        std::int64_t at = 0;
#if defined(VICINAL_AVX512)
        for (; at + 4 * kWideSingles <= pool_; at += 4 * kWideSingles) {
            WideSingle sums[4]{};
            for (int i = 0; i < columns_; ++i)
                for (int v = 0; v < 4; ++v) sums[v] += weights[i] * load_wide(excess[i] + at + v * kWideSingles);
            for (int v = 0; v < 4; ++v) store(&totals_[at + v * kWideSingles], sums[v]);
        }
#endif
        for (; at + 4 * kSingles <= pool_; at += 4 * kSingles) add_up<4>(excess, weights, at);
        for (; at + kSingles <= pool_; at += kSingles) add_up<1>(excess, weights, at);
        for (; at < pool_; ++at) {
            float total = 0.0f;
            for (int i = 0; i < columns_; ++i) total += weights[i] * excess[i][at];
            totals_[at] = total;
        }
        std::fill(totals_.begin() + pool_, totals_.end(), kNever);
        leave_out(totals_.data());
        choose();
        return found_;
    }

private:
    template <int Count>
    VICINAL_INLINE void add_up(const float* const* excess, const float* weights, std::int64_t at) {
        Single sums[Count];
        for (Single& sum : sums) sum = splat_single(0.0f);
        for (int i = 0; i < columns_; ++i)
            for (int v = 0; v < Count; ++v) sums[v] += splat_single(weights[i]) * load(excess[i] + at + v * kSingles);
        for (int v = 0; v < Count; ++v) store(&totals_[at + v * kSingles], sums[v]);
    }

    VICINAL_INLINE static SingleBits load_bits(const void* from) {
        SingleBits bits;
        std::memcpy(&bits, from, sizeof bits);
        return bits;
    }

    VICINAL_INLINE static int sum_of(SingleBits counts) {
        int sum = 0;
        for (int lane = 0; lane < kSingles; ++lane) sum += counts[lane];
        return sum;
    }

    int how_many(std::int32_t most) const {
        SingleBits count = splat_bits32(0);
        for (std::size_t at = 0; at < totals_.size(); at += kSingles)
            count -= load_bits(&totals_[at]) <= splat_bits32(most);  // a true comparison is -1
        return sum_of(count);
    }

    // The least number, and a bound that at least k lie within: the largest of the least numbers of as many parts.
    std::pair<std::int32_t, std::int32_t> limits() const {
        const std::size_t vectors = totals_.size() / kSingles,
                          wanted = (static_cast<std::size_t>(k_) - 1) / kSingles + 1;
        const std::size_t parts = std::min(wanted, vectors);
        SingleBits least = splat_bits32(INT32_MAX), most = splat_bits32(0);
        for (std::size_t part = 0, at = 0; part < parts; ++part) {
            SingleBits low = splat_bits32(INT32_MAX);
            for (const std::size_t end = (part + 1) * vectors / parts; at < end; ++at) {
                const SingleBits bits = load_bits(&totals_[at * kSingles]);
                low = bits < low ? bits : low;
            }
            least = low < least ? low : least;
            most = low > most ? low : most;
        }
        std::int32_t low = kInfinite, high = parts < wanted ? kInfinite : 0;
        for (int lane = 0; lane < kSingles; ++lane) low = std::min(low, least[lane]), high = std::max(high, most[lane]);
        return {std::max(low, 0), std::min(high, kInfinite)};  // rounding may leave a sum below 0
    }

    // Numbers that are not negative are ordered as their bits are, so a bound that few more than k of them lie
    // within is found by halving these: no branch is ever guessed wrong.
    void choose() {
        auto [low, high] = limits();
        while (low < high) {
            const std::int32_t middle = low + (high - low) / 2;
            const int count = how_many(middle);
            if (count >= k_)
                high = middle;
            else
                low = middle + 1;
            if (count >= k_ && count <= k_ + kSpare) break;
        }
        std::size_t count = 0;
        for (std::int64_t at = 0; at < pool_; ++at) {
            const auto bits = std::bit_cast<std::int32_t>(totals_[at]);
            bits_[count] = bits, places_[count] = at;
            count += bits <= high;
        }
        put_in_order(count);
        const auto k = static_cast<std::size_t>(k_);
        while (count > k && found_[count - 1].first > found_[k - 1].first) --count;
        found_.resize(count);
    }

    // A number comes after all that are smaller, which are counted, and after equal ones before it.
    void put_in_order(std::size_t count) {
        found_.resize(count);
        if (count > kMostCounted) {
            for (std::size_t i = 0; i < count; ++i) found_[i] = {std::bit_cast<float>(bits_[i]), places_[i]};
            std::sort(found_.begin(), found_.end());
            return;
        }
        std::int32_t bits[kMostCounted], equals[kMostCounted] = {};
        std::copy_n(bits_.begin(), count, bits);
        std::fill(bits + count, bits + (count + kSingles - 1) / kSingles * kSingles, INT32_MAX);
        for (std::size_t i = 0; i < count; ++i) {
            SingleBits smaller = splat_bits32(0);
            for (std::size_t j = 0; j < count; j += kSingles) smaller -= load_bits(bits + j) < splat_bits32(bits[i]);
            const int before = sum_of(smaller);
            found_[before + equals[before]++] = {std::bit_cast<float>(bits[i]), places_[i]};
        }
    }

    static constexpr std::int32_t kInfinite = 0x7f800000;
    static constexpr int kSpare = 16;                    // more than k that are put in order, too
    static constexpr std::size_t kMostCounted = 64 * 8;  // of more, counting would take longer than sorting

    const int columns_;
    const std::int64_t pool_;
    const int k_;
    std::vector<float> totals_;
    std::vector<std::int32_t> bits_;    // of those within the bound,
    std::vector<std::int64_t> places_;  // and where in the pool they are
    std::vector<Place> found_;
};

}  // namespace vicinal::VICINAL_PATH
