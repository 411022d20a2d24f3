// What every coalition of features predicts for a query, in one pass over the rows.
//
// The weighted terms of a query and a stretch of rows are computed once. Coalitions form a tree in
// which each node adds one player, a feature with its columns, to its parent's, so a node costs one
// addition and one comparison per row. Terms are whole multiples of a small unit, held in doubles, so
// that sums are exact: they do not depend on the order of the players, and equal cases tie. The nearest
// cases of a coalition are found by these sums; what they say is then worked out from the terms
// themselves.
//
// A score is made of parts of all players, and a coalition knows those of its own only. So the terms
// of scores are computed at each node, for rows that are near by the columns. They may fall where a
// player is added; what lies below a node is ruled out by columns alone.
//
// Few features leave many cases at the same distance. Cases that tie for the last places share
// them, standing as one case at their mean, summed up by case number, so that the order in which
// rows are kept cannot be seen.
//
// What must hold: sums stay below 2^51 units, where doubles hold every whole number, because the
// weights of the columns sum to one; spans are filled up with rows at an infinite distance.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include "coalition_answers.hpp"
#include "fetch.hpp"
#include "pair_floors.hpp"
#include "partial_scores.hpp"
#include "rough_list.hpp"
#include "rows.hpp"
#include "shortlist.hpp"
#include "span_terms.hpp"
#include "teams.hpp"
#include "whole_units.hpp"

#if defined(VICINAL_AVX2)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

constexpr std::int64_t kSparse = 32;    // rows to a neighbor, where keys of few are worked out
constexpr std::int64_t kSeedStep = 16;  // of so many rows one is in the sample that is seen first

// One bit for each lane that is not above the limit.
VICINAL_INLINE unsigned lanes_within(Vec x, double limit) {
    const Bits within = x <= splat(limit);
#if defined(VICINAL_AVX2)
    return static_cast<unsigned>(_mm256_movemask_pd(as_vec(within)));
#else
    return (within[0] & 1) | (within[1] & 2) | (within[2] & 4) | (within[3] & 8);
#endif
}

template <Power P>
class CoalitionSweep {
public:
    explicit CoalitionSweep(const CoalitionJob& job)
        : job_(job), table_(*job.table), metric_(*job.metric), units_(metric_.p), span_(job),
          terms_(job, span_, units_), teams_(job), sums_((depths() + 1) * span_.stride), keys_(job.nodes),
          scores_(job, depths(), span_.stride, units_), floors_(job, teams_), spans_(table_, metric_.active),
          answers_(job, teams_.used() && has_bounds()) {}

    // A few queries together, which share what comes from far.
    void run(std::int64_t first, std::int64_t last) {
        asked_.resize(last - first);
        for (std::int64_t at = first; at < last; ++at) prepare(asked_[at - first], at);
        pass();
        look_again(kSeedStep);
        for (std::int64_t at = first; at < last; ++at) {
            Asked& one = asked_[at - first];
            scores_.begin(one.parts);
            answers_.begin(one.query, one.parts, one.own);
            for (std::int64_t slot = 0; slot < job_.slots; ++slot) {
                if (teams_.used() && !one.exact[slot])
                    answers_.sort_out(slot, one.rough[slot], one.lists[slot], scores_);
                one.lists[slot].cut();
                answers_.conclude(at, slot, one.lists[slot]);
            }
        }
    }

private:
    struct Asked {
        Query query;
        const double* parts;           // its own, of scores
        std::int64_t own;              // the case that is left out, or -1
        std::int64_t first, last;      // the rows around it, which it has seen
        double least;                  // key of the nearest row of the sample
        std::int64_t nearest;          // and that row
        std::vector<Shortlist> lists;  // by coalition
        std::vector<RoughList> rough;  // and what bounds leave, in pairs of coalitions,
        std::vector<bool> exact;       // unless that is too much: then it is not used
        std::vector<bool> ask_again;   // whether rows that it was asked of have to come again
    };

    void prepare(Asked& one, std::int64_t at) {
        one.query.prepare(metric_, job_.queries + at * table_.columns, table_.lacking);
        one.query.against_missing = job_.against_missing;
        one.parts = job_.query_parts + at * job_.n_players * job_.n_scores;
        one.own = one.nearest = job_.exclude[at];
        one.first = one.last = 0;
        one.least = std::numeric_limits<double>::infinity();
        one.lists.resize(job_.slots);
        for (auto& list : one.lists) list.reset(job_.k, job_.ranks, table_.rows);
        if (!teams_.used()) return;
        one.rough.resize(job_.slots);
        one.exact.assign(job_.slots, !has_bounds());
        one.ask_again.assign(job_.slots, false);
        for (auto& list : one.rough) list.reset(job_.k);
    }

    // How far down the tree sums are kept: not at all if teams are.
    std::int64_t depths() const {
        return job_.nodes == 0 || teams_.used() ? 0 : *std::max_element(job_.depths, job_.depths + job_.nodes);
    }

    double weight_of(std::int64_t row) const { return job_.case_weights ? job_.case_weights[row] : 1.0; }

    bool wanted(std::int64_t row) const {
        return (table_.alive[row / kBlock] >> (row % kBlock) & 1) && !missing(table_.value(row, job_.required)) &&
               weight_of(row) > 0;
    }

    // Offers rows to the coalitions of all queries, every row once. Those that come first are to be near, so that
    // others soon need no second look: a sample, then the rows around the case itself, since cases that are alike
    // are kept together, or around the nearest of the sample.
    void pass() {
        std::vector<Asked*> every;
        for (Asked& one : asked_) every.push_back(&one);
        phase_ = Phase::kSample;
        offer_all(every, 0, 1);
        for (Asked& one : asked_)
            for (auto& list : one.rough) list.cut_sample();
        look_again(1);
        phase_ = Phase::kRest;
        const std::int64_t around = std::max<std::int64_t>(span_.rows / 2, job_.k);
        for (Asked& one : asked_) {
            const std::int64_t first = std::max<std::int64_t>(one.nearest - around, 0),
                               last = std::min(one.nearest + around, table_.rows);
            for (std::int64_t row = first; row < last; ++row) offer(row, {&one});
            if (!rows_.empty()) span({&one});
            one.first = first;
            one.last = last;
            for (auto& list : one.lists) list.cut();
            for (auto& list : one.rough) list.cut();
        }
        offer_all(every, 1, kSeedStep);
        for (Asked& one : asked_)
            for (auto& list : one.rough) list.cut();
    }

    // Keys have bounds, but for those that take a power of the terms of scores. Where many rows are neighbors, the
    // keys themselves are found as soon.
    bool has_bounds() const { return (P == Power::kOne || job_.n_scores == 0) && table_.rows >= kSparse * job_.k; }

    // Goes through the rows so far once more, for coalitions of which bounds leave too many. From now on these know
    // the keys of rows.
    void look_again(std::int64_t parts) {
        std::vector<Asked*> some;
        for (Asked& one : asked_) {
            bool crowded = false;
            for (std::int64_t slot = 0; slot < job_.slots && teams_.used(); ++slot) {
                one.ask_again[slot] = one.rough[slot].crowded() && !one.exact[slot];
                if (!one.ask_again[slot]) continue;
                crowded = one.exact[slot] = true;
                one.lists[slot].limit = static_cast<double>(one.rough[slot].limit);
            }
            if (crowded) some.push_back(&one);
        }
        phase_ = Phase::kAgain;
        if (!some.empty()) offer_all(some, 0, parts);
    }

    // Every so manyth row from the first on, then from the second on, and so on: neighbors are kept together, and
    // would come all at once, be it late.
    void offer_all(const std::vector<Asked*>& queries, std::int64_t from, std::int64_t to) {
        for (std::int64_t start = from; start < to; ++start)
            for (std::int64_t row = start; row < table_.rows; row += kSeedStep) offer(row, queries);
        if (!rows_.empty()) span(queries);
    }

    // What a span needs of its rows comes from far, so it is asked for as they are gathered.
    VICINAL_INLINE void offer(std::int64_t row, const std::vector<Asked*>& queries) {
        if (!wanted(row)) return;
        rows_.push_back(row);
        spans_.fetch_row(row);
        scores_.fetch_parts(row);
        if (std::ssize(rows_) == span_.rows) span(queries);
    }

    void span(const std::vector<Asked*>& queries) {
        terms_.gather(rows_);
        scores_.gather(rows_);
        for (Asked* one : queries) {
            at_hand_ = one;
            scores_.begin(one->parts);
            mark_seen();
            const bool seek = phase_ == Phase::kSample && one->own < 0;
            const bool exactly = seek || needs_keys(*one);
            if (exactly) {
                terms_.fill(one->query, rows_);
                scores_.fill();
            }
            if (seek) find_nearest();
            if (teams_.used()) {
                if (exactly)
                    terms_.narrow();
                else
                    terms_.fill_roughly(one->query, rows_);
                offer_to_pairs();
                continue;
            }
            find_keys();
            if (job_.n_scores > 0)
                walk<true>();
            else
                walk<false>();
        }
        rows_.clear();
    }

    // Whether keys themselves are asked for, not only bounds.
    bool needs_keys(const Asked& one) const {
        return !teams_.used() || !has_bounds() ||
               std::find(one.exact.begin(), one.exact.end(), true) != one.exact.end();
    }

    // Rows that the query has seen, or that are not there, are farther than any limit.
    void mark_seen() {
        const Asked& one = *at_hand_;
        const bool sampled = phase_ == Phase::kRest;
        for (std::int64_t r = 0; r < span_.rows; ++r) {
            bool left = r < std::ssize(rows_);
            if (left) {
                const std::int64_t row = rows_[r];
                const bool around = phase_ != Phase::kAgain && row >= one.first && row < one.last;
                left = !around && !(sampled && row % kSeedStep == 0) && !(row == one.own && weight_of(row) <= 1.0);
            }
            sums_[r] = left ? 0.0 : std::numeric_limits<double>::infinity();
        }
    }

    void find_keys() {
        for (std::int64_t n = job_.nodes - 1; n >= 0; --n) {
            keys_[n] = limit(job_.slot_of[n]);
            for (std::int64_t child = n + 1; child < job_.ends[n]; child = job_.ends[child])
                keys_[n] = std::max(keys_[n], keys_[child]);
        }
    }

    // The nearest row to the query by all players together, of those seen so far.
    void find_nearest() {
        for (std::int64_t r = 0; r < static_cast<std::int64_t>(rows_.size()); r += kLanes) {
            Vec total = load(&sums_[r]) + scores_.whole_terms(r);
            for (std::int64_t player = 0; player < job_.n_players; ++player) total += load(terms_.of(player) + r);
            for (int lane = 0; lane < kLanes; ++lane)
                if (total[lane] < at_hand_->least) {
                    at_hand_->least = total[lane];
                    at_hand_->nearest = rows_[r + lane];
                }
        }
    }

    double limit(std::int64_t slot) const { return slot < 0 ? -1.0 : at_hand_->lists[slot].limit; }

    template <bool Scored>
    void walk() {
        for (std::int64_t n = 0; n < job_.nodes;) n = visit<Scored>(n) ? n + 1 : job_.ends[n];
    }

    // Offers the rows of the span that bounds do not rule out to pairs of coalitions.
    void offer_to_pairs() {
        if (needs_keys(*at_hand_)) add_up_everyone();
        for (std::int64_t s = 0; s < job_.n_scores; ++s)
            floors_.set_score(s, scores_.factor(s), scores_.units_per_key(s));
        for (std::int64_t first = 0; first < static_cast<std::int64_t>(rows_.size()); first += PairFloors::kRows) {
            floors_.take(
                &sums_[first], [&](std::size_t player) { return terms_.roughly_of(player) + first; },
                [&](std::size_t player, std::size_t score, std::int64_t r)
                    __attribute__((always_inline)) { return scores_.rough_gaps(player, score, first + r); });
            for (const Teams::Pair& pair : teams_.pairs()) {
                const double few = pair_limit(pair.few), others = pair_limit(pair.others);
                const PairFloors::Near near = floors_.near(pair, few, scores_.has_floor(few), others,
                                                           scores_.has_floor(others), scores_.heaviest_first());
                if (near.few) offer_some(pair, false, near.few, first);
                if (near.others) offer_some(pair, true, near.others, first);
            }
        }
    }

    // What keys are to be within: nothing is, for a coalition that is not there or not asked again.
    double pair_limit(std::int64_t slot) const {
        if (slot < 0 || (phase_ == Phase::kAgain && !at_hand_->ask_again[slot]))
            return -std::numeric_limits<double>::infinity();
        return at_hand_->exact[slot] ? limit(slot) : static_cast<double>(at_hand_->rough[slot].limit);
    }

    void offer_some(const Teams::Pair& pair, bool others, std::uint32_t rows, std::int64_t first) {
        if (at_hand_->exact[others ? pair.others : pair.few])
            offer_exactly(pair, others, rows, first);
        else
            offer_roughly(pair, others, rows, first);
    }

    void offer_roughly(const Teams::Pair& pair, bool others, std::uint32_t rows, std::int64_t first) {
        RoughList& list = at_hand_->rough[others ? pair.others : pair.few];
        float lower[kSingles], upper[kSingles];
        for (std::int64_t r = 0; r < PairFloors::kRows; r += kSingles) {
            std::uint32_t some = rows >> r & ((1u << kSingles) - 1);
            if (some) floors_.estimate(pair, others, r, lower, upper);
            for (; some; some &= some - 1) {
                const int at = std::countr_zero(some);
                if (lower[at] <= list.limit) list.offer(lower[at], upper[at], rows_[first + r + at]);
            }
        }
    }

    void add_up_everyone() {
        scores_.add_up(teams_.everyone());
        wholes_.assign(span_.rows, 0.0);
        for (const std::size_t player : teams_.everyone())
            for (std::int64_t r = 0; r < span_.rows; r += kLanes)
                store(&wholes_[r], load(&wholes_[r]) + load(terms_.of(player) + r));
    }

    void offer_exactly(const Teams::Pair& pair, bool others, std::uint32_t rows, std::int64_t first) {
        const std::int64_t slot = others ? pair.others : pair.few;
        for (std::int64_t r = 0; r < PairFloors::kRows; r += kLanes) {
            const std::uint32_t some = rows >> r & ((1u << kLanes) - 1);
            if (!some) continue;
            Vec keys = splat(0.0);
            for (const std::size_t player : pair.players) keys += load(terms_.of(player) + first + r);
            if (others) keys = load(&wholes_[first + r]) - keys;
            if (job_.n_scores > 0) keys += scores_.terms_of(pair.players, others, first + r);
            for (unsigned near = some & lanes_within(keys, limit(slot)); near; near &= near - 1) {
                const int at = std::countr_zero(near);
                if (keys[at] <= limit(slot)) at_hand_->lists[slot].offer(keys[at], rows_[first + r + at]);
            }
        }
    }

    // Adds a player; says whether any row may still be near by the coalitions further down.
    template <bool Scored>
    bool visit(std::int64_t n) {
        const std::int64_t depth = job_.depths[n], player = job_.players[n], slot = job_.slot_of[n];
        const double* above = &sums_[(depth - 1) * span_.stride];
        const double* term = terms_.of(player);
        double* sum = &sums_[depth * span_.stride];
        double most = limit(slot);
        Vec least = splat(std::numeric_limits<double>::infinity());
        double scored[Scored ? 4 * kLanes : 1];
        for (std::int64_t r = 0; r < span_.rows; r += 4 * kLanes) {
            const double* keys = Scored ? scored : sum + r;
            unsigned near = 0;
            for (int step = 0; step < 4 * kLanes; step += kLanes) {
                const Vec s = load(above + r + step) + load(term + r + step);
                store(sum + r + step, s);
                least = minimum(s, least);
                unsigned within = lanes_within(s, most);
                if constexpr (Scored) {
                    if (within == 0) continue;
                    if (scores_.has_floor(most) && !lanes_within(s + scores_.floor(depth, player, r + step), most))
                        continue;
                    const Vec key = s + scores_.terms(depth, player, r + step);
                    store(scored + step, key);
                    within = lanes_within(key, most);
                }
                near |= within << step;
            }
            for (; near; near &= near - 1) {
                const int at = std::countr_zero(near);
                if (!(keys[at] <= most) || keys[at] == std::numeric_limits<double>::infinity()) continue;
                at_hand_->lists[slot].offer(keys[at], rows_[r + at]);
                most = limit(slot);
            }
        }
        const bool on = std::min(std::min(least[0], least[1]), std::min(least[2], least[3])) <= keys_[n];
        if (Scored && on && job_.ends[n] > n + 1) scores_.keep(depth, player);
        return on;
    }

    const CoalitionJob& job_;
    const Table& table_;
    const Metric& metric_;
    const WholeUnits<P> units_;
    const Span span_;
    SpanTerms<P> terms_;
    Teams teams_;
    std::vector<Asked> asked_;
    Asked* at_hand_ = nullptr;
    enum class Phase { kSample, kRest, kAgain } phase_ = Phase::kRest;
    std::vector<std::int64_t> rows_;  // of the span at hand
    std::vector<double> sums_;        // by depth
    std::vector<double> keys_;        // greatest limit of each node and all below it
    std::vector<double> wholes_;      // what all players of coalitions have together
    PartialScores<P> scores_;
    PairFloors floors_;
    ColumnSpans spans_;
    CoalitionAnswers<P> answers_;
};

}  // namespace vicinal::VICINAL_PATH
