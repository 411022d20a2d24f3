// The power mean: how terms turn into keys, and keys into distances.
//
// h(s) = ln s for p = 0, else s^p; keys are weighted means of h(s), and distances h^-1 of them. Terms
// are positive. The usual powers have code of their own, so that nothing is asked in inner loops.
#pragma once

#include <cmath>
#include <type_traits>

#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

enum class Power { kZero, kOne, kTwo, kOther };

// Calls use(power), where power() is a constant: the one place that turns a number into one.
template <class Use>
VICINAL_INLINE auto with_power(double p, const Use& use) {
    if (p == 0) return use(std::integral_constant<Power, Power::kZero>{});
    if (p == 1) return use(std::integral_constant<Power, Power::kOne>{});
    if (p == 2) return use(std::integral_constant<Power, Power::kTwo>{});
    return use(std::integral_constant<Power, Power::kOther>{});
}

template <Power P>
VICINAL_INLINE Vec to_key(Vec s, double p) {
    if constexpr (P == Power::kZero) return logarithm(s);
    if constexpr (P == Power::kOne) return s;
    if constexpr (P == Power::kTwo) return s * s;
    return exponential(splat(p) * logarithm(s));
}

VICINAL_INLINE Vec to_key(Vec s, double p) {
    return with_power(p, [&](auto power) __attribute__((always_inline)) { return to_key<power()>(s, p); });
}

template <Power P>
double to_distance(double key, double p) {
    if constexpr (P == Power::kZero) return exponential(splat(key))[0];
    if constexpr (P == Power::kOne) return key;
    if constexpr (P == Power::kTwo) return std::sqrt(key);
    return exponential(logarithm(splat(key)) / splat(p))[0];
}

}  // namespace vicinal::VICINAL_PATH
