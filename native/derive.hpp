// Columns made of others, cell by cell: bins, ranks, and hashes of whole rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "hashes.hpp"

namespace vicinal {

// Where the numbers of each of some columns begin in one array; one more than there are columns.
struct Lists {
    const std::int64_t* starts;
    const double* values;
    const double* begin(std::size_t place) const { return values + starts[place]; }
    const double* end(std::size_t place) const { return values + starts[place + 1]; }
};

// The bin of a number, by ascending cuts.
inline std::int64_t bin_of_number(const double* begin, const double* end, double value) {
    return std::upper_bound(begin, end, value) - begin;
}

// The bin of a category, by ascending codes of those that have one; `others` if it has none.
inline std::int64_t bin_of_category(const double* begin, const double* end, double code, int others) {
    const double* found = std::lower_bound(begin, end, code);
    return found != end && *found == code ? found - begin : others;
}

// A function that is linear between points, and constant beyond them; NaN where there are none.
inline double interpolated(const double* begin, const double* end, const double* heights, double value) {
    if (value != value || begin == end) return std::numeric_limits<double>::quiet_NaN();
    if (value <= *begin) return heights[0];
    if (value >= end[-1]) return heights[end - begin - 1];
    const std::int64_t at = std::upper_bound(begin, end, value) - begin - 1;
    if (value == begin[at]) return heights[at];
    const double slope = (heights[at + 1] - heights[at]) / (begin[at + 1] - begin[at]);
    return slope * (value - begin[at]) + heights[at];
}

// Where a number lies about the middle of a range, in whole steps of a part of its half width.
struct Grain {
    double steps, farthest;  // steps in a half, and halves, at most
    std::int64_t place(double value, double middle, double half) const {
        // Halved first, because a difference of huge numbers would overflow.
        const double far = (value / 2 - middle / 2) / (half / 2);
        if (far != far) return std::numeric_limits<std::int64_t>::min();
        return static_cast<std::int64_t>(std::nearbyint(std::clamp(far, -farthest, farthest) * steps) +
                                         farthest * steps);
    }
};

}  // namespace vicinal
