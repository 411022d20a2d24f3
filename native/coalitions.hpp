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
#include "partial_scores.hpp"
#include "rows.hpp"
#include "shortlist.hpp"
#include "teams.hpp"
#include "whole_units.hpp"

#if defined(VICINAL_AVX2)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

constexpr std::int64_t kSpan = 256;  // rows treated at a time
// From one column or depth to the next. Were it a power of two, all of them would be kept in the same few
// lines of the processor's cache, and drive each other out.
constexpr std::int64_t kStride = kSpan + 2 * kLanes;
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
        : job_(job), table_(*job.table), metric_(*job.metric), units_(metric_.p), place_(metric_.columns(), -1),
          sums_((deepest(job) + 1) * kStride), keys_(job.nodes), scores_(job, deepest(job), units_), teams_(job),
          spans_(table_, metric_.active), answers_(job) {
        for (std::size_t c = 0; c < metric_.active.size(); ++c) place_[metric_.active[c]] = static_cast<int>(c);
        lay_out_terms();
    }

    // A few queries together, which share what comes from far.
    void run(std::int64_t first, std::int64_t last) {
        asked_.resize(last - first);
        for (std::int64_t at = first; at < last; ++at) prepare(asked_[at - first], at);
        pass();
        for (std::int64_t at = first; at < last; ++at) {
            Asked& one = asked_[at - first];
            answers_.begin(one.query, one.parts, one.own);
            for (std::int64_t slot = 0; slot < job_.slots; ++slot) {
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
    }

    static std::int64_t deepest(const CoalitionJob& job) {
        return job.nodes == 0 ? 0 : *std::max_element(job.depths, job.depths + job.nodes);
    }

    // Terms are laid out by column. Behind them come those of players without any, which are all 0,
    // and the sums of those of players with several.
    void lay_out_terms() {
        std::size_t count = metric_.active.size();
        std::vector<std::vector<int>> places(job_.n_players);
        for (const int column : metric_.active)
            if (job_.player_of[column] >= 0) places[job_.player_of[column]].push_back(place_[column]);
        const std::size_t nothing = count++;
        for (const auto& own : places) {
            place_of_player_.push_back(own.empty() ? nothing : own.size() == 1 ? own[0] : count);
            if (own.size() > 1) shared_.push_back({count++, own});
        }
        for (std::size_t team = 0; team < teams_.several().size(); ++team) place_of_player_.push_back(count++);
        scores_.make_room(teams_.several().size());
        terms_.assign(count * kStride, 0.0);
    }

    double weight_of(std::int64_t row) const { return job_.case_weights ? job_.case_weights[row] : 1.0; }

    bool wanted(std::int64_t row) const {
        return (table_.alive[row / kBlock] >> (row % kBlock) & 1) && !missing(table_.value(row, job_.required)) &&
               weight_of(row) > 0;
    }

    // Offers rows to the coalitions of all queries, every row once. Those that come first are to be near, so that
    // others soon need no second look: the rows around the case itself, since cases that are alike are kept
    // together, or around the nearest of a sample.
    void pass() {
        std::vector<Asked*> every, fresh;
        for (Asked& one : asked_) {
            every.push_back(&one);
            if (one.own < 0) fresh.push_back(&one);
        }
        sampling_ = true;
        if (!fresh.empty()) offer_all(fresh, 0, table_.rows, kSeedStep);
        sampling_ = false;
        const std::int64_t around = std::max<std::int64_t>(kSpan / 2, job_.k);
        for (Asked& one : asked_) {
            const std::int64_t first = std::max<std::int64_t>(one.nearest - around, 0),
                               last = std::min(one.nearest + around, table_.rows);
            offer_all({&one}, first, last, 1);
            one.first = first;
            one.last = last;
            for (auto& list : one.lists) list.cut();
        }
        offer_all(every, 0, table_.rows, 1);
    }

    // What a span needs of its rows comes from far, so it is asked for as they are gathered.
    void offer_all(const std::vector<Asked*>& queries, std::int64_t first, std::int64_t last, std::int64_t step) {
        for (std::int64_t row = first; row < last; row += step) {
            if (!wanted(row)) continue;
            rows_.push_back(row);
            spans_.fetch_row(row);
            scores_.fetch_parts(row);
            if (rows_.size() == kSpan) span(queries);
        }
        if (!rows_.empty()) span(queries);
    }

    void span(const std::vector<Asked*>& queries) {
        gather();
        for (Asked* one : queries) {
            at_hand_ = one;
            scores_.begin(one->parts);
            fill_terms();
            mark_seen();
            if (sampling_) find_nearest();
            if (teams_.used())
                add_teams();
            else
                find_keys();
            if (job_.n_scores > 0)
                walk<true>();
            else
                walk<false>();
        }
        rows_.clear();
    }

    // Rows that the query has seen, or that are not there, are farther than any limit.
    void mark_seen() {
        const Asked& one = *at_hand_;
        const bool sampled = one.own < 0 && !sampling_;
        for (std::size_t r = 0; r < kSpan; ++r) {
            bool left = r < rows_.size();
            if (left) {
                const std::int64_t row = rows_[r];
                left = (row < one.first || row >= one.last) && !(sampled && row % kSeedStep == 0) &&
                       !(row == one.own && weight_of(row) <= 1.0);
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

    void add_teams() {
        std::size_t team = job_.n_players;
        for (const auto& [leader, others] : teams_.several()) {
            const double *a = terms_of(leader), *b = terms_of(others);
            double* sum = &terms_[place_of_player_[team] * kStride];
            for (std::int64_t r = 0; r < kSpan; r += kLanes) store(sum + r, load(a + r) + load(b + r));
            scores_.add_team(team++, leader, others);
        }
    }

    const double* terms_of(std::size_t player) const { return &terms_[place_of_player_[player] * kStride]; }

    // The nearest row to the query by all players together, of those seen so far.
    void find_nearest() {
        for (std::int64_t r = 0; r < static_cast<std::int64_t>(rows_.size()); r += kLanes) {
            Vec total = load(&sums_[r]) + scores_.whole_terms(r);
            for (std::int64_t player = 0; player < job_.n_players; ++player) total += load(terms_of(player) + r);
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
        if (teams_.used()) {
            for (std::int64_t slot = 0; slot < job_.slots; ++slot) add_up<Scored>(slot);
            return;
        }
        for (std::int64_t n = 0; n < job_.nodes;) n = visit<Scored>(n) ? n + 1 : job_.ends[n];
    }

    // Offers the rows of the span to a coalition of a few teams.
    template <bool Scored>
    void add_up(std::int64_t slot) {
        const std::vector<std::size_t>& teams = teams_.of(slot);
        double most = limit(slot), keys[4 * kLanes];
        for (std::int64_t r = 0; r < kSpan; r += 4 * kLanes) {
            Vec sums[4];
            for (int v = 0; v < 4; ++v) sums[v] = load(&sums_[r + v * kLanes]);
            for (const std::size_t team : teams) {
                const double* terms = terms_of(team) + r;
                for (int v = 0; v < 4; ++v) sums[v] += load(terms + v * kLanes);
            }
            unsigned near = 0;
            for (int v = 0; v < 4; ++v) {
                unsigned within = lanes_within(sums[v], most);
                if (Scored && within != 0) {
                    sums[v] = scores_.add_terms(sums[v], teams, r + v * kLanes, most);
                    within = lanes_within(sums[v], most);
                }
                store(keys + v * kLanes, sums[v]);
                near |= within << (v * kLanes);
            }
            for (; near; near &= near - 1) {
                const int at = std::countr_zero(near);
                if (!(keys[at] <= most) || keys[at] == std::numeric_limits<double>::infinity()) continue;
                at_hand_->lists[slot].offer(keys[at], rows_[r + at]);
                most = limit(slot);
            }
        }
    }

    // Adds a player; says whether any row may still be near by the coalitions further down.
    template <bool Scored>
    bool visit(std::int64_t n) {
        const std::int64_t depth = job_.depths[n], player = job_.players[n], slot = job_.slot_of[n];
        const double* above = &sums_[(depth - 1) * kStride];
        const double* term = &terms_[place_of_player_[player] * kStride];
        double* sum = &sums_[depth * kStride];
        double most = limit(slot);
        Vec least = splat(std::numeric_limits<double>::infinity());
        double scored[Scored ? 4 * kLanes : 1];
        for (std::int64_t r = 0; r < kSpan; r += 4 * kLanes) {
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

    // The values of the rows at hand, column after column; scores are made up of parts.
    void gather() {
        values_.resize(metric_.active.size() * kStride);
        for (std::size_t c = 0; c < metric_.active.size(); ++c) {
            const int column = metric_.active[c];
            if (job_.player_of[column] < 0) continue;
            double* to = &values_[c * kStride];
            for (std::size_t r = 0; r < rows_.size(); ++r) to[r] = table_.value(rows_[r], column);
        }
        scores_.gather(rows_);
    }

    void fill_terms() {
        const Query& query = at_hand_->query;
        query.each_column_of(
            rows_.size(),
            [&](int column) { return job_.player_of[column] < 0 ? nullptr : &values_[place_[column] * kStride]; },
            [&](int column, double weight, std::size_t r, Vec s) {
                store(&terms_[place_[column] * kStride + r], units_.of(s, splat(weight)));
            });
        for (const int column : query.unknown) {
            double* to = &terms_[place_[column] * kStride];
            for (std::size_t r = 0; r < rows_.size(); ++r) {
                const Vec s = splat(query.unknown_term(column, table_.value(rows_[r], column), rows_[r]));
                to[r] = units_.of(s, splat(metric_.weights[column]))[0];
            }
        }
        for (const SeveralColumns& one : shared_) {
            double* sum = &terms_[one.place * kStride];
            std::fill_n(sum, kSpan, 0.0);
            for (const int own : one.columns)
                for (std::int64_t r = 0; r < kSpan; r += kLanes)
                    store(sum + r, load(sum + r) + load(&terms_[own * kStride + r]));
        }
        scores_.fill();
    }

    struct SeveralColumns {
        std::size_t place;
        std::vector<int> columns;
    };

    const CoalitionJob& job_;
    const Table& table_;
    const Metric& metric_;
    const WholeUnits<P> units_;
    std::vector<int> place_;                    // of a column among those that count
    std::vector<std::size_t> place_of_player_;  // where its terms are; those of teams follow
    std::vector<SeveralColumns> shared_;        // by player that has several
    std::vector<Asked> asked_;
    Asked* at_hand_ = nullptr;
    bool sampling_ = false;
    std::vector<std::int64_t> rows_;             // of the span at hand
    std::vector<double> values_, terms_, sums_;  // by column, by column and by depth
    std::vector<double> keys_;                   // greatest limit of each node and all below it
    PartialScores<P, kStride> scores_;
    Teams teams_;
    ColumnSpans spans_;
    CoalitionAnswers<P> answers_;
};

}  // namespace vicinal::VICINAL_PATH
