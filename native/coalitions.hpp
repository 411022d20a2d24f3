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
#include "partial_scores.hpp"
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
          sums_((deepest(job) + 1) * kStride), keys_(job.nodes), lists_(job.slots), scores_(job, deepest(job), units_),
          teams_(job), answers_(job) {
        for (std::size_t c = 0; c < metric_.active.size(); ++c) place_[metric_.active[c]] = static_cast<int>(c);
        lay_out_terms();
    }

    void run(std::int64_t at) {
        query_.prepare(metric_, job_.queries + at * table_.columns, table_.lacking);
        query_.against_missing = job_.against_missing;
        query_.first_row = table_.values;
        const double* parts = job_.query_parts + at * job_.n_players * job_.n_scores;
        scores_.begin(parts);
        answers_.begin(query_, parts, job_.exclude[at]);
        for (auto& list : lists_) list.reset(job_.k, job_.ranks, table_.rows);
        pass(job_.exclude[at]);
        for (std::int64_t slot = 0; slot < job_.slots; ++slot) {
            lists_[slot].cut();
            answers_.conclude(at, slot, lists_[slot]);
        }
    }

private:
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

    bool wanted(std::int64_t row) const {
        return (table_.alive[row / kBlock] >> (row % kBlock) & 1) && !missing(table_.row(row)[job_.required]) &&
               answers_.weight_of(row) > 0;
    }

    // Offers rows to coalitions, every row once. Those that come first are to be near, so that others soon
    // need no second look: the rows around the case itself, since cases that are alike are kept together, or
    // around the nearest of a sample.
    void pass(std::int64_t own) {
        std::int64_t home = own;
        if (own < 0) {
            least_ = std::numeric_limits<double>::infinity();
            sampling_ = true;
            for (std::int64_t row = 0; row < table_.rows; row += kSeedStep) offer(row);
            flush();
            sampling_ = false;
            home = nearest_;
        }
        const std::int64_t around = std::max<std::int64_t>(kSpan / 2, job_.k);
        const std::int64_t first = std::max<std::int64_t>(home - around, 0),
                           last = std::min(home + around, table_.rows);
        const auto seen = [&](std::int64_t row) { return own < 0 && row % kSeedStep == 0; };
        for (std::int64_t row = first; row < last; ++row)
            if (!seen(row)) offer(row);
        flush();
        for (auto& list : lists_) list.cut();
        for (std::int64_t row = 0; row < table_.rows; ++row)
            if (!seen(row) && (row < first || row >= last)) offer(row);
        flush();
    }

    // What a span needs of its rows comes from far, so it is asked for as they are gathered.
    void offer(std::int64_t row) {
        if (wanted(row)) {
            rows_.push_back(row);
            fetch(table_.row(row) + metric_.active.front(), metric_.active.back() - metric_.active.front() + 1);
            scores_.fetch_parts(row);
        }
        if (rows_.size() == kSpan) span();
    }
    void flush() {
        if (!rows_.empty()) span();
    }

    void span() {
        fill_terms();
        std::fill_n(sums_.begin(), kSpan, 0.0);
        // Places without a row are farther than any limit.
        for (std::size_t r = rows_.size(); r < kSpan; ++r) sums_[r] = std::numeric_limits<double>::infinity();
        if (sampling_) find_nearest();
        if (teams_.used())
            add_teams();
        else
            find_keys();
        if (job_.n_scores > 0)
            walk<true>();
        else
            walk<false>();
        rows_.clear();
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
                if (total[lane] < least_) {
                    least_ = total[lane];
                    nearest_ = rows_[r + lane];
                }
        }
    }

    double limit(std::int64_t slot) const { return slot < 0 ? -1.0 : lists_[slot].limit; }

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
                lists_[slot].offer(keys[at], rows_[r + at]);
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
                lists_[slot].offer(keys[at], rows_[r + at]);
                most = limit(slot);
            }
        }
        const bool on = std::min(std::min(least[0], least[1]), std::min(least[2], least[3])) <= keys_[n];
        if (Scored && on && job_.ends[n] > n + 1) scores_.keep(depth, player);
        return on;
    }

    void fill_terms() {
        const std::size_t count = rows_.size();
        double terms[kSpan * kLanes];  // of four columns, row after row
        query_.each_group_of(
            count, [&](std::size_t r) { return table_.row(rows_[r]); },
            [&](const Group& g, std::size_t r, Vec s) {
                store(terms + r * kLanes, units_.of(s, load(g.weight)));
                if (r + 1 < count) return;
                for (int lane = 0; lane < kLanes; ++lane) {
                    if (!(g.weight[lane] > 0)) continue;
                    double* to = &terms_[place_[g.column[lane]] * kStride];
                    for (std::size_t i = 0; i < count; ++i) to[i] = terms[i * kLanes + lane];
                }
            });
        for (const int column : query_.unknown) {
            double* to = &terms_[place_[column] * kStride];
            for (std::size_t r = 0; r < count; ++r) {
                const Vec s = splat(query_.unknown_term(column, table_.row(rows_[r])));
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
        scores_.fill(rows_);
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
    Query query_;
    bool sampling_ = false;
    double least_ = 0.0;                // key of the nearest row of the sample
    std::int64_t nearest_ = 0;          // and that row
    std::vector<std::int64_t> rows_;    // of the span at hand
    std::vector<double> terms_, sums_;  // by column and by depth
    std::vector<double> keys_;          // greatest limit of each node and all below it
    std::vector<Shortlist> lists_;
    PartialScores<P, kStride> scores_;
    Teams teams_;
    CoalitionAnswers<P> answers_;
};

}  // namespace vicinal::VICINAL_PATH
