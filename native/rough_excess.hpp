// The excess of terms over those of equal values, in single precision: what bounds are made of.
#pragma once

#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

constexpr float kFarthestScales = 16384.0f;  // differences in scales beyond it count as this; see `most_term`
constexpr float kRough = 5e-5f;              // the part by which an excess may be wrong, with room for rounding

// f(t) - f(0) = t - 3/2 + e^-t (3 + t) / 2 for t in [0, kFarthestScales], wrong by less than a part of 2.4e-5. All
// coefficients are positive, so nothing cancels.
VICINAL_INLINE Single laplace_excess(Single t) {
    const Single over =
        splat_single(0.24999859f) +
        t * (splat_single(0.09784347f) + t * (splat_single(0.00994184f) + t * splat_single(0.00321055f)));
    const Single under =
        splat_single(1.0f) +
        t * (splat_single(0.39167013f) +
             t * (splat_single(0.1215625f) + t * (splat_single(0.01473785f) + t * splat_single(0.00321055f))));
    return t * t * over / under;
}

}  // namespace vicinal::VICINAL_PATH
