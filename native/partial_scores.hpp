// Scores as far as the players of a coalition make them up.
//
// A score is a sum of parts, one for each player. A coalition knows the parts of its own players only;
// by a score, two cases differ there by the sum of what these parts differ by. A node of the tree of
// coalitions adds what the parts of its player differ by to the sums of its parent.
//
// What must hold: differences are whole multiples of a unit that is a power of two, chosen for each
// query and score such that sums stay below 2^51 units. So they are exact, whatever the order in which
// players are added, and cases with equal parts tie.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fetch.hpp"
#include "whole_units.hpp"

namespace vicinal::VICINAL_PATH {

// A line below the terms above those of equal values.
struct Tangent {
    double slope, drop;
};

template <Power P>
class PartialScores {
public:
    // What lies side by side of the rows of a span is `stride` from one player, score or depth to the next.
    PartialScores(const CoalitionJob& job, std::int64_t deepest, std::int64_t stride, const WholeUnits<P>& units)
        : job_(job), units_(units), players_(job.n_players), scores_(job.n_scores), stride_(stride), scale_(scores_),
          factor_(scores_), parts_(players_ * scores_ * stride_), gaps_(parts_.size()),
          sums_((deepest + 1) * scores_ * stride_) {
        for (std::size_t s = 0; s < scores_; ++s) {
            weight_.push_back(job.metric->weights[job.scores[s]]);
            floor_limit_ = std::min(floor_limit_, weight_[s] * kMostUnits * kBelow);
            heaviest_first_.push_back(s);
        }
        std::stable_sort(heaviest_first_.begin(), heaviest_first_.end(),
                         [&](std::size_t a, std::size_t b) { return weight_[a] > weight_[b]; });
    }

    void begin(const double* query) {
        query_ = query;
        for (std::size_t s = 0; s < scores_; ++s) {
            double most = 0.0;
            for (std::size_t i = s; i < players_ * scores_; i += scores_)
                most += job_.most_part[i] + std::abs(query[i]);
            int exponent = 0;  // most < 2^exponent
            std::frexp(most, &exponent);
            scale_[s] = std::ldexp(1.0, std::min(50 - exponent, 1023));
            factor_[s] = std::min(1.0 / job_.metric->residuals[job_.scores[s]] / scale_[s],
                                  std::numeric_limits<double>::max());  // 0 times it is 0
        }
    }

    void fetch_parts(std::int64_t row) const {
        const std::size_t parts = players_ * scores_;
        if (parts > 0) fetch(job_.case_parts + row * static_cast<std::int64_t>(parts), parts);
    }

    // Lays out the parts of these rows side by side; where fewer are left than lanes, the last one stands in.
    void gather(const std::vector<std::int64_t>& rows) {
        const std::size_t parts = players_ * scores_;
        count_ = parts > 0 ? rows.size() : 0;
        for (std::size_t r = 0; r < count_; r += kLanes) {
            const double* of[kLanes];
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                of[lane] = job_.case_parts + rows[std::min(r + lane, count_ - 1)] * static_cast<std::int64_t>(parts);
            for (std::size_t at = 0; at < parts; ++at)
                store(&parts_[at * stride_ + r], Vec{of[0][at], of[1][at], of[2][at], of[3][at]});
        }
    }

    // What the parts of the rows gathered differ by from those of the query.
    void fill() {
        for (std::size_t i = 0, at = 0; i < players_; ++i)
            for (std::size_t s = 0; s < scores_; ++s, ++at)
                for (std::size_t r = 0; r < count_; r += kLanes) {
                    const Vec gap = (load(&parts_[at * stride_ + r]) - splat(query_[at])) * splat(scale_[s]);
                    store(&gaps_[at * stride_ + r], gap + splat(kRounder) - splat(kRounder));
                }
    }

    // What the parts of a player differ by in a score, row by row of those gathered; whole units.
    const double* gaps_of(std::size_t player, std::size_t score) const {
        return &gaps_[(player * scores_ + score) * stride_];
    }

    // The same of eight rows in single precision, wrong by half a unit more than singles round.
    VICINAL_INLINE Single rough_gaps(std::size_t player, std::size_t score, std::int64_t row) const {
        const std::size_t at = player * scores_ + score;
        const double* parts = &parts_[at * stride_ + row];
        const Vec own = splat(query_[at]), scale = splat(scale_[score]);
        return to_single((load(parts) - own) * scale, (load(parts + kLanes) - own) * scale);
    }

    // How many keys a unit of these differences and a key of a score's terms count; heaviest scores first.
    double factor(std::size_t score) const { return factor_[score]; }
    double units_per_key(std::size_t score) const { return weight_[score] * units_.per_key(); }
    const std::vector<std::size_t>& heaviest_first() const { return heaviest_first_; }

    // Adds up what some players differ by, for `terms_of`.
    void add_up(const Players& players) {
        wholes_.assign(scores_ * stride_, 0.0);
        for (const std::size_t player : players)
            for (std::size_t at = 0; at < wholes_.size(); at += kLanes)
                store(&wholes_[at], load(&wholes_[at]) + load(&gaps_[player * wholes_.size() + at]));
    }

    // The terms of all scores of four rows, as far as some players make them up, or all others that were added up.
    Vec terms_of(const Players& players, bool others, std::int64_t row) const {
        Vec sum = splat(0.0);
        for (std::size_t s = 0; s < scores_; ++s) {
            Vec gap = splat(0.0);
            for (const std::size_t player : players) gap += load(gaps_of(player, s) + row);
            if (others) gap = load(&wholes_[s * stride_ + row]) - gap;
            sum += units_.of(laplace_term(absolute(gap) * splat(factor_[s])), splat(weight_[s]));
        }
        return sum;
    }

    // The same of one row with these parts, by player and score.
    double terms_of_row(const double* parts, const Players& players) const {
        double sum = 0.0;
        for (std::size_t first = 0; first < scores_; first += kLanes) {
            Vec t = splat(0.0), weights = splat(0.0);
            for (std::size_t s = first; s < std::min<std::size_t>(first + kLanes, scores_); ++s) {
                double gap = 0.0;
                for (const std::size_t player : players) {
                    const std::size_t at = player * scores_ + s;
                    gap += (parts[at] - query_[at]) * scale_[s] + kRounder - kRounder;
                }
                t[s - first] = std::abs(gap) * factor_[s];
                weights[s - first] = weight_[s];
            }
            sum += sum_lanes(units_.of(laplace_term(t), weights));  // 0 where there is no score
        }
        return sum;
    }

    // Keeps the sums of a coalition for those below it.
    void keep(std::int64_t depth, std::int64_t player) {
        const double* above = &sums_[(depth - 1) * scores_ * stride_];
        const double* gaps = &gaps_[player * scores_ * stride_];
        double* sums = &sums_[depth * scores_ * stride_];
        for (std::size_t at = 0; at < scores_ * stride_; at += kLanes)
            store(sums + at, load(above + at) + load(gaps + at));
    }

    // The terms of all scores of four rows, in units.
    VICINAL_INLINE Vec terms(std::int64_t depth, std::int64_t player, std::int64_t row) const {
        const double* above = &sums_[(depth - 1) * scores_ * stride_ + row];
        const double* gaps = &gaps_[player * scores_ * stride_ + row];
        Vec sum = splat(0.0);
        for (std::size_t s = 0; s < scores_; ++s) {
            const Vec t = absolute(load(above + s * stride_) + load(gaps + s * stride_)) * splat(factor_[s]);
            sum += units_.of(laplace_term(t), splat(weight_[s]));
        }
        return sum;
    }

    // The same of all players together, of four rows of the span.
    Vec whole_terms(std::int64_t row) const {
        Vec sum = splat(0.0);
        for (std::size_t s = 0; s < scores_; ++s) {
            Vec gap = splat(0.0);
            for (std::size_t i = 0; i < players_; ++i) gap += load(&gaps_[(i * scores_ + s) * stride_ + row]);
            sum += units_.of(laplace_term(absolute(gap) * splat(factor_[s])), splat(weight_[s]));
        }
        return sum;
    }

    // Whether floors hold for keys up to a limit: beyond, terms that are cut off might be below them.
    bool has_floor(double limit) const { return P == Power::kOne && limit < floor_limit_; }

    // A lower bound of these terms, for a quarter of the work. f is convex, so it lies above its
    // tangents, with room for rounding: a part of each term, and two units.
    VICINAL_INLINE Vec floor(std::int64_t depth, std::int64_t player, std::int64_t row) const {
        const double* above = &sums_[(depth - 1) * scores_ * stride_ + row];
        const double* gaps = &gaps_[player * scores_ * stride_ + row];
        Vec sum = splat(-2.0 * static_cast<double>(scores_));
        for (std::size_t s = 0; s < scores_; ++s) {
            const Vec t = absolute(load(above + s * stride_) + load(gaps + s * stride_)) * splat(factor_[s]);
            sum += floor_of(s, t);
        }
        return sum;
    }

private:
    VICINAL_INLINE Vec floor_of(std::size_t s, Vec t) const {
        Vec highest = splat(0.0);
        for (const Tangent& one : kTangents)
            highest = maximum(highest, t * splat(one.slope * kBelow) - splat(one.drop));
        return highest * splat(weight_[s] * units_.per_key());
    }

    // Where f rises by 0.37, by 0.69, and at infinity; drops are rounded up.
    static constexpr Tangent kTangents[] = {{0.37, 0.1424}, {0.69, 0.5454}, {1.0, 1.5}};
    static constexpr double kBelow = 1.0 - 1e-9;

    const CoalitionJob& job_;
    const WholeUnits<P>& units_;
    const std::size_t players_, scores_, stride_;
    const double* query_ = nullptr;
    double floor_limit_ = std::numeric_limits<double>::infinity();
    std::vector<double> weight_, scale_, factor_;  // by score
    std::vector<std::size_t> heaviest_first_;      // of the scores
    std::size_t count_ = 0;                        // of the rows gathered
    std::vector<double> parts_, gaps_;             // by player and score
    std::vector<double> sums_;                     // by depth and score
    std::vector<double> wholes_;                   // by score: what players differ by together
};

}  // namespace vicinal::VICINAL_PATH
