// Products and sums of vectors that fill whole lanes.
#pragma once

#include <vector>

#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

inline double dot(const double* a, const double* b, int width) {
    Vec sum = splat(0.0);
    for (int i = 0; i < width; i += kLanes) sum += load(a + i) * load(b + i);
    return sum_lanes(sum);
}
inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return dot(a.data(), b.data(), static_cast<int>(a.size()));
}

inline void add_multiple(std::vector<double>& to, double factor, const double* from) {
    for (std::size_t i = 0; i < to.size(); i += kLanes) store(&to[i], load(&to[i]) + splat(factor) * load(from + i));
}

}  // namespace vicinal::VICINAL_PATH
