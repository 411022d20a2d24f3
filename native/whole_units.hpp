// Weighted terms as whole multiples of a small unit, held in doubles, so that their sums are exact.
#pragma once

#include <algorithm>
#include <cmath>

#include "terms.hpp"

namespace vicinal::VICINAL_PATH {

constexpr double kMostUnits = 2251799813685248.0;  // 2^51: sums below it are exact

// Terms beyond this count as this, when neighbors are sought.
inline double most_term(double p) { return p > 0 ? std::min(16384.0, kSame * std::exp2(24.0 / p)) : 16384.0; }

// What must hold: weights sum to one, so that sums stay below kMostUnits.
template <Power P>
class WholeUnits {
public:
    explicit WholeUnits(double p) : p_(p), farthest_(most_term(p)) {
        base_key_ = to_key<P>(splat(kSame), p)[0];
        unit_ = kMostUnits / (to_key<P>(splat(farthest_), p)[0] - base_key_);
    }

    // The terms above those of equal values.
    VICINAL_INLINE Vec of(Vec s, Vec weight) const {
        const Vec key = to_key<P>(smaller(s, splat(farthest_)), p_) - splat(base_key_);
        return larger(key * weight * splat(unit_) + splat(kRounder) - splat(kRounder), splat(0.0));
    }

    // How many units there are to one of a key, for a weight of one.
    double per_key() const { return unit_; }

private:
    const double p_, farthest_;
    double base_key_ = 0.0, unit_ = 1.0;
};

}  // namespace vicinal::VICINAL_PATH
