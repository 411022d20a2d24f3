// Hashes of rows that tell what they hold, whatever the unit, zero point or sign of a column.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace vicinal {

// Scatters the bits: the finalizer of the SplitMix64 generator.
inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// Adds to each hash how many equal ones stand before it, so that equal rows are told apart.
inline void tell_apart(std::uint64_t* hashes, std::int64_t rows) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> order(rows);
    for (std::int64_t row = 0; row < rows; ++row) order[row] = {hashes[row], row};
    std::sort(order.begin(), order.end());
    std::uint64_t before = 0;
    for (std::int64_t at = 1; at < rows; ++at) {
        before = order[at].first == order[at - 1].first ? before + 1 : 0;
        hashes[order[at].second] += before;
    }
}

// Every value is hashed by where it lies in the range of its column, cut into steps: coarse enough that
// rounding in a change of unit is not seen, fine enough to tell rows apart.
class RowHashes {
public:
    static constexpr std::int64_t kFew = 4096;  // rows of which the distinct values are told apart

    RowHashes(const double* values, std::int64_t rows, std::int64_t columns)
        : values_(values), rows_(rows), columns_(columns), ranges_(columns) {
        find_ranges();
        if (rows <= kFew) {
            turn_few();
            return;
        }
        std::vector<std::int64_t> totals(columns_), counts(columns_);
        add_places(totals.data(), counts.data());
        for (std::int64_t c = 0; c < columns_; ++c)
            if (turned(totals[c], counts[c])) ranges_[c].sign = -1;
    }

    // The rows are some of many, whose ranges are known. Where signs are, too, they are 1 or -1.
    RowHashes(const double* values, std::int64_t rows, std::int64_t columns, const double* low, const double* high,
              const std::int64_t* signs = nullptr)
        : values_(values), rows_(rows), columns_(columns), ranges_(columns) {
        for (std::int64_t c = 0; c < columns; ++c) {
            ranges_[c].low = low[c];
            ranges_[c].high = high[c];
            ranges_[c].settle();
            if (signs) ranges_[c].sign = static_cast<int>(signs[c]);
        }
    }

    // Adds the places of all values of each column, and counts them: the sums of parts are those of the whole.
    void add_places(std::int64_t* totals, std::int64_t* counts) const {
        for (std::int64_t row = 0; row < rows_; ++row)
            for (std::int64_t c = 0; c < columns_; ++c) {
                const std::int32_t at = place(ranges_[c], values_[row * columns_ + c]);
                if (at == kMissing) continue;
                totals[c] += at;
                ++counts[c];
            }
    }

    // Whether a column of many rows is turned round.
    static bool turned(std::int64_t total, std::int64_t count) { return total < -count; }

    void run(std::uint64_t seed, std::uint64_t* out) const {
        std::fill(out, out + rows_, mix(seed));
        // A block of rows at a time, so that they are in cache and none waits for another.
        for (std::int64_t from = 0; from < rows_; from += kTogether) {
            const std::int64_t to = std::min(from + kTogether, rows_);
            for (std::int64_t c = 0; c < columns_; ++c)
                for (std::int64_t row = from; row < to; ++row) {
                    const std::int64_t step =
                        few_.empty() ? place(ranges_[c], values_[row * columns_ + c]) : few_[c * rows_ + row];
                    out[row] = mix(out[row] ^
                                   mix(static_cast<std::uint64_t>(step == kMissing ? step : ranges_[c].sign * step)));
                }
        }
    }

private:
    static constexpr double kSteps = 2097152.0;  // 2^21, on either side of the middle
    static constexpr std::int64_t kTogether = 64;
    static constexpr std::int32_t kMissing = 1 << 23;  // beyond all steps

    struct Range {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        double span = 1.0, middle = 0.0;  // the middle is in units of the span
        int sign = 1;

        void settle() {
            if (!(low <= high)) return;  // nothing is known
            span = high - low;
            if (span == 0) span = 1.0;
            middle = (low / span + high / span) / 2;
        }
    };

    void find_ranges() {
        for (std::int64_t row = 0; row < rows_; ++row)
            for (std::int64_t c = 0; c < columns_; ++c) {
                const double value = values_[row * columns_ + c];
                if (value < ranges_[c].low) ranges_[c].low = value;
                if (value > ranges_[c].high) ranges_[c].high = value;
            }
        for (Range& range : ranges_) range.settle();
    }

    // Where a value lies about the middle; rounded as halves to even, by what a double can hold.
    static std::int32_t place(const Range& range, double value) {
        constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52
        const double place = (value / range.span - range.middle) * (2 * kSteps);
        if (place >= -2 * kSteps && place <= 2 * kSteps)
            return static_cast<std::int32_t>((place + kRounder) - kRounder);
        // Only the middle of huge values overflows, where all are alike.
        return value == value ? 0 : kMissing;
    }

    // A change of sign is not to be seen: the sum of places says which way a column is turned. Of few rows
    // distinct places alone count, so that repeated rows change nothing. Places that lie evenly about the
    // middle, but for rounding by a step each, stay as they are: to fold them would make the two values of a
    // column of zeros and ones alike, and all rows of a table of such columns.
    void turn_few() {
        const int bits = std::bit_width(static_cast<std::uint64_t>(2 * rows_));
        const std::size_t size = std::size_t{1} << bits;
        std::vector<std::int32_t> seen(size);
        few_.resize(rows_ * columns_);
        for (std::int64_t row = 0; row < rows_; ++row)
            for (std::int64_t c = 0; c < columns_; ++c)
                few_[c * rows_ + row] = place(ranges_[c], values_[row * columns_ + c]);
        for (std::int64_t c = 0; c < columns_; ++c) {
            std::fill(seen.begin(), seen.end(), kMissing);
            std::int64_t total = 0, count = 0;
            for (std::int64_t row = 0; row < rows_; ++row) {
                const std::int32_t at = few_[c * rows_ + row];
                // The upper bits, since the lower ones of places far apart may all be zero.
                std::size_t slot = bits ? static_cast<std::uint32_t>(at) * 0x9E3779B1u >> (32 - bits) : 0;
                while (seen[slot] != kMissing && seen[slot] != at) slot = (slot + 1) & (size - 1);
                if (seen[slot] == at || at == kMissing) continue;
                seen[slot] = at;
                total += at;
                ++count;
            }
            if (total < -count) ranges_[c].sign = -1;
        }
    }

    const double* values_;
    const std::int64_t rows_, columns_;
    std::vector<Range> ranges_;
    std::vector<std::int32_t> few_;  // (columns, rows): places, where the rows are few
};

}  // namespace vicinal
