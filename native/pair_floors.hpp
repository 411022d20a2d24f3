// Which rows may be near by pairs of coalitions: bounds of their keys, in single precision.
//
// Terms of columns and differences of scores are rounded to singles, eight rows to a vector, and added up by
// teams of players. All that a few rows need fits into the nearest cache.
//
// What must hold, with n players and columns together, and e = 2^-24, the part by which a single rounds:
// - Sums of terms, which are not negative, are wrong by at most (n + 2) e times themselves. What a row has less
//   a sum, for the others of a pair, is wrong by (2n + 7) e times what the row has.
// - Sums of differences are wrong by at most (2n + 5) e times the sum of their sizes, and half a unit for each.
// - Terms themselves are wrong by a part of `kRough`, and a unit for each column; those of scores, for which
//   two units are allowed for, by no more.
// So `slack_` = (2n + 2 scores + 16) e and `kRough` of each are taken off, and allowed for in limits.
// - f(t) - f(0) is at least t^2/4 - t^4/48, since its second derivative, (1 + t) e^-t / 2, is at least
//   1/2 - t^2/4; and at least its tangents. A part of 2e-6 is room for rounding; where the polynomial cancels,
//   beyond t = 2, tangents lie far above it. Its slope is at most t/2, and 1.
// - Differences are below 2^51, and factors at most 2^-20, so nothing overflows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "rough_excess.hpp"
#include "simd.hpp"
#include "teams.hpp"
#include "types.hpp"

#if defined(VICINAL_AVX2)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

// One bit for each lane that is not above the limit.
VICINAL_INLINE std::uint32_t lanes_within(Single x, float limit) {
    const SingleBits within = x <= splat_single(limit);
#if defined(VICINAL_AVX2)
    return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<Single>(within)));
#else
    std::uint32_t bits = 0;
    for (int lane = 0; lane < kSingles; ++lane) bits |= (within[lane] & 1u) << lane;
    return bits;
#endif
}

class PairFloors {
public:
    static constexpr std::int64_t kRows = 32;  // at a time

    // One bit for each row that may be near by the few players of a pair, and by the others.
    struct Near {
        std::uint32_t few, others;
    };

    PairFloors(const CoalitionJob& job, const Teams& teams)
        : teams_(teams), players_(job.n_players), scores_(job.n_scores), sums_(1 + scores_),
          columns_(job.metric->active.size()), units_(static_cast<float>(2 * scores_ + columns_)),
          slack_(std::ldexp(static_cast<float>(2 * (players_ + columns_ + scores_) + 16), -24)), factor_(scores_),
          weight_(scores_), slacks_(scores_ * kRows), wholes_(sums_ * kRows),
          values_((players_ + teams.several().size()) * sums_ * kRows) {}

    // The scores of a query: by how much a unit of their differences, and a key of their terms, count.
    void set_score(std::size_t score, double factor, double key) {
        factor_[score] = static_cast<float>(std::min(factor, std::ldexp(1.0, -20)) * kBelow);
        weight_[score] = static_cast<float>(key * kBelow);
    }

    // Takes in what players bring to some rows: terms_of(player), gaps_of(player, score, r) of eight rows from r on.
    // Rows that are out of the question have infinity in `out`, others 0.
    template <class Terms, class Gaps>
    void take(const double* out, const Terms& terms_of, const Gaps& gaps_of) {
        std::fill(wholes_.begin(), wholes_.end(), 0.0f);
        std::fill(slacks_.begin(), slacks_.end(), static_cast<float>(players_));
        for (const std::size_t player : teams_.everyone()) {
            const float* terms = terms_of(player);
            for (std::int64_t r = 0; r < kRows; r += kSingles) take_in(player, 0, r, load(terms + r));
            for (std::size_t s = 0; s < scores_; ++s)
                for (std::int64_t r = 0; r < kRows; r += kSingles) {
                    const Single gap = gaps_of(player, s, r);
                    take_in(player, 1 + s, r, gap);
                    add(&slacks_[s * kRows + r], absolute(gap) * splat_single(slack_));
                }
        }
        for (std::int64_t r = 0; r < kRows; r += kSingles) {
            store(out_ + r, to_single(load(out + r), load(out + r + kLanes)));
            store(&wholes_[r], load(&wholes_[r]) * splat_single(1.0f - slack_));
        }
        std::size_t team = players_;
        for (const auto& [leader, others] : teams_.several()) {
            const float *a = at(leader, 0), *b = at(others, 0);
            float* sum = at(team++, 0);
            for (std::size_t r = 0; r < sums_ * kRows; r += kSingles) store(sum + r, load(a + r) + load(b + r));
        }
    }

    // Bounds of the keys of eight rows from `first` on, by the few players of a pair or by the others.
    void estimate(const Teams::Pair& pair, bool others, std::int64_t first, float* lower, float* upper) const {
        Single low = add_up(pair.teams, 0, first), high;
        if (others) {
            const Single whole = load(&wholes_[first]);
            low = larger(whole - low, splat_single(0.0f));
            high = low + whole * splat_single(3.0f * slack_);
        } else {
            high = low;
        }
        for (std::size_t s = 0; s < scores_; ++s) {
            Single gap = add_up(pair.teams, 1 + s, first);
            if (others) gap = load(&wholes_[(1 + s) * kRows + first]) - gap;
            const Single t = absolute(gap) * splat_single(factor_[s]);
            const Single wrong = load(&slacks_[s * kRows + first]) * splat_single(1.001f * factor_[s]);
            const Single excess = laplace_excess(smaller(t, splat_single(kFarthestScales)));
            const Single most = wrong * smaller((t + wrong) * splat_single(0.5f), splat_single(1.0f));
            low += larger(excess - most, splat_single(0.0f)) * splat_single(weight_[s]);
            high += (excess + most) * splat_single(weight_[s]);
        }
        const Single out = load(out_ + first);
        store(lower, (low + out) * splat_single(1.0f - slack_ - kRough) - splat_single(units_));
        store(upper, (high + out) * splat_single(1.0f + slack_ + kRough) + splat_single(units_));
    }

    // `scored` are the scores whose terms have floors, heaviest first, as far as limits allow for them.
    Near near(const Teams::Pair& pair, double few_limit, bool few_floors, double others_limit, bool others_floors,
              const std::vector<std::size_t>& scored) const {
        Single sums[kVectors], few[kVectors], others[kVectors];
        const float few_most = within(few_limit), others_most = within(others_limit);
        add_up(pair.teams, 0, sums);
        Near near{0, 0};
        for (int v = 0; v < kVectors; ++v) {
            const Single out = load(out_ + v * kSingles);
            few[v] = sums[v] + out;
            others[v] = (load(&wholes_[v * kSingles]) - sums[v]) + out;
            near.few |= lanes_within(few[v], few_most) << (v * kSingles);
            near.others |= lanes_within(others[v], others_most) << (v * kSingles);
        }
        if (pair.others < 0) near.others = 0;
        few_floors = few_floors && near.few != 0;
        others_floors = others_floors && near.others != 0;
        for (const std::size_t s : scored) {
            if (!few_floors && !others_floors) break;
            add_up(pair.teams, 1 + s, sums);
            const float *whole = &wholes_[(1 + s) * kRows], *slack = &slacks_[s * kRows];
            if (few_floors) {
                near.few = 0;
                for (int v = 0; v < kVectors; ++v) {
                    few[v] += floor_of(s, absolute(sums[v]) - load(slack + v * kSingles));
                    near.few |= lanes_within(few[v], few_most) << (v * kSingles);
                }
                few_floors = near.few != 0;
            }
            if (others_floors) {
                near.others = 0;
                for (int v = 0; v < kVectors; ++v) {
                    const Single gap = absolute(load(whole + v * kSingles) - sums[v]);
                    others[v] += floor_of(s, gap - load(slack + v * kSingles));
                    near.others |= lanes_within(others[v], others_most) << (v * kSingles);
                }
                others_floors = near.others != 0;
            }
        }
        return near;
    }

private:
    static constexpr int kVectors = kRows / kSingles;
    static constexpr double kBelow = 1.0 - 2e-6, kAbove = 1.0 + 2e-6;

    float* at(std::size_t team, std::size_t sum) { return &values_[(team * sums_ + sum) * kRows]; }
    const float* at(std::size_t team, std::size_t sum) const { return &values_[(team * sums_ + sum) * kRows]; }

    VICINAL_INLINE void add(float* to, Single x) const { store(to, load(to) + x); }

    VICINAL_INLINE void take_in(std::size_t player, std::size_t sum, std::int64_t r, Single x) {
        store(at(player, sum) + r, x);
        add(&wholes_[sum * kRows + r], x);
    }

    VICINAL_INLINE void add_up(const Players& teams, std::size_t sum, Single* sums) const {
        for (int v = 0; v < kVectors; ++v) sums[v] = splat_single(0.0f);
        for (const std::size_t team : teams) {
            const float* values = at(team, sum);
            for (int v = 0; v < kVectors; ++v) sums[v] += load(values + v * kSingles);
        }
    }

    VICINAL_INLINE Single add_up(const Players& teams, std::size_t sum, std::int64_t first) const {
        Single total = splat_single(0.0f);
        for (const std::size_t team : teams) total += load(at(team, sum) + first);
        return total;
    }

    // A limit with room for rounding: of sums, of terms in whole units, and of itself. It is finite, so
    // that rows that are out of the question are beyond it.
    float within(double limit) const {
        const double most = (limit + units_) * (1.0 + slack_ + kRough) * (1.0 + 0x1p-22);
        return static_cast<float>(std::min(most, 1e38));
    }

    VICINAL_INLINE Single floor_of(std::size_t s, Single gap) const {
        const Single t = larger(gap, splat_single(0.0f)) * splat_single(factor_[s]);
        const Single t2 = t * t;
        const Single small = t2 * (splat_single(0.25 * kBelow) - t2 * splat_single(kAbove / 48));
        const Single middle = t * splat_single(0.69 * kBelow) - splat_single(0.5454 * kAbove);
        const Single large = t * splat_single(kBelow) - splat_single(1.5 * kAbove);
        return larger(small, larger(middle, large)) * splat_single(weight_[s]);
    }

    const Teams& teams_;
    const std::size_t players_, scores_, sums_, columns_;
    const float units_, slack_;
    std::vector<float> factor_, weight_;  // by score
    std::vector<float> slacks_;           // by score and row
    std::vector<float> wholes_;           // what all players have together, by sum and row: terms, then differences
    std::vector<float> values_;           // by player or team, sum and row
    float out_[kRows] = {};
};

}  // namespace vicinal::VICINAL_PATH
