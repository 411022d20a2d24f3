// Sums of the rows of a matrix, each times a factor.
#pragma once

#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

template <int Count>
VICINAL_INLINE void add_some(const double* rows, int stride, int count, const double* factors, double* to) {
    Vec sums[Count];
    for (Vec& sum : sums) sum = splat(0.0);
    for (int j = 0; j < count; ++j, rows += stride) {
        const Vec factor = splat(factors[j]);
        for (int v = 0; v < Count; ++v) sums[v] += factor * load(rows + v * kLanes);
    }
    for (int v = 0; v < Count; ++v) store(to + v * kLanes, sums[v]);
}

// Adds up `count` rows of some matrix, each times its factor, many columns at a time: sums stay in
// registers, and none waits for another.
inline void add_up(const double* rows, int stride, int count, const double* factors, int width, double* to) {
    for (; width >= 8 * kLanes; width -= 8 * kLanes, rows += 8 * kLanes, to += 8 * kLanes)
        add_some<8>(rows, stride, count, factors, to);
    switch (width / kLanes) {
        case 7: return add_some<7>(rows, stride, count, factors, to);
        case 6: return add_some<6>(rows, stride, count, factors, to);
        case 5: return add_some<5>(rows, stride, count, factors, to);
        case 4: return add_some<4>(rows, stride, count, factors, to);
        case 3: return add_some<3>(rows, stride, count, factors, to);
        case 2: return add_some<2>(rows, stride, count, factors, to);
        case 1: return add_some<1>(rows, stride, count, factors, to);
    }
}

}  // namespace vicinal::VICINAL_PATH
