// What every coalition of features predicts for a query, in one pass over the rows.
//
// The weighted terms of a query and a stretch of rows are computed once. Coalitions form a tree in
// which each node adds one column to its parent's, so a node costs one addition and one comparison
// per row. Terms are whole multiples of a small unit, held in doubles, so that sums are exact: they
// do not depend on the order of the columns, and equal cases tie. The nearest cases of a coalition
// are found by these sums; what they say is then worked out from the terms themselves.
//
// Few features leave many cases at the same distance. Cases that tie for the last places share
// them, standing as one case at their mean, summed up by case number, so that the order in which
// rows are kept cannot be seen.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "centre.hpp"
#include "terms.hpp"

#if defined(VICINAL_AVX2)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

constexpr std::int64_t kSpan = 256;        // rows treated at a time
constexpr std::int64_t kSeedStep = 16;     // of so many rows one is seen early, for the first limits
constexpr double kMostUnits = 2251799813685248.0;  // 2^51: sums below it are exact

VICINAL_INLINE Vec minimum(Vec a, Vec b) {
#if defined(VICINAL_AVX2)
    return _mm256_min_pd(a, b);
#else
    return smaller(a, b);
#endif
}

// One bit for each lane that is not above the limit.
VICINAL_INLINE unsigned lanes_within(Vec x, double limit) {
    const Bits within = x <= splat(limit);
#if defined(VICINAL_AVX2)
    return static_cast<unsigned>(_mm256_movemask_pd(as_vec(within)));
#else
    return (within[0] & 1) | (within[1] & 2) | (within[2] & 4) | (within[3] & 8);
#endif
}

// Terms beyond this count as this, when neighbours are sought.
inline double most_term(double p) { return p > 0 ? std::min(16384.0, kSame * std::exp2(24.0 / p)) : 16384.0; }

// The nearest rows of one coalition: some that have passed, cut down to k now and then.
class Shortlist {
public:
    double limit = std::numeric_limits<double>::infinity();  // rows beyond it need not be offered
    void reset(int k) {
        k_ = static_cast<std::size_t>(k);
        rows_.clear();
        last_ = limit = std::numeric_limits<double>::infinity();
        tied_ = false;
    }
    void offer(double key, std::int64_t row) {
        rows_.emplace_back(key, row);
        if (rows_.size() >= 3 * k_ + 16) cut();
    }
    void cut() {
        if (rows_.size() < k_) return;
        const auto nearer = [](const auto& a, const auto& b) { return a.first < b.first; };
        std::nth_element(rows_.begin(), rows_.begin() + (k_ - 1), rows_.end(), nearer);
        const double last = rows_[k_ - 1].first;
        if (last < last_) tied_ = false;
        for (std::size_t j = k_; j < rows_.size(); ++j) tied_ |= rows_[j].first == last;
        rows_.resize(k_);
        last_ = last;
        // Keys are whole numbers: once it is known that others tie with the last one, they may go.
        limit = tied_ ? last - 1.0 : last;
    }
    bool tied() const { return tied_; }
    double last() const { return last_; }
    std::vector<std::pair<double, std::int64_t>>& rows() { return rows_; }

private:
    std::size_t k_ = 1;
    double last_ = 0.0;
    bool tied_ = false;
    std::vector<std::pair<double, std::int64_t>> rows_;
};

// Cases that tie for the last places of a coalition.
struct TiedCases {
    std::int64_t first = -1;  // the one of the lowest number
    double rows = 0.0, mass = 0.0;
    std::vector<double> outcomes, offsets;
};

template <Power P>
class CoalitionSweep {
public:
    explicit CoalitionSweep(const CoalitionJob& job)
        : job_(job), table_(*job.table), metric_(*job.metric), count_(metric_.active.size()),
          farthest_(most_term(metric_.p)), place_(metric_.columns(), -1), terms_(count_ * kSpan),
          sums_((count_ + 1) * kSpan), keys_(job.nodes), lists_(job.slots), members_(job.slots) {
        base_key_ = to_key<P>(splat(kSame), metric_.p)[0];
        const double most = to_key<P>(splat(farthest_), metric_.p)[0] - base_key_;
        unit_ = kMostUnits / most;  // the weights of the columns sum to one
        for (std::size_t c = 0; c < count_; ++c) place_[metric_.active[c]] = static_cast<int>(c);
        for (int column = 0; column < metric_.columns(); ++column) {
            root_.push_back(std::sqrt(metric_.weights[column] * job.total));
            root_contrast_.push_back(std::sqrt(metric_.residuals[column]));
        }
        std::vector<int> path;
        for (std::int64_t n = 0; n < job.nodes; ++n) {
            path.resize(job.depths[n] - 1);
            path.push_back(job.columns[n]);
            if (job.slot_of[n] < 0) continue;
            members_[job.slot_of[n]] = path;
            std::sort(members_[job.slot_of[n]].begin(), members_[job.slot_of[n]].end());
        }
    }

    void run(std::int64_t at) {
        own_ = job_.exclude[at];
        query_.prepare(metric_, job_.queries + at * table_.columns, table_.lacking);
        for (auto& list : lists_) list.reset(job_.k);
        pass([&](std::int64_t slot, double key, std::int64_t row) { lists_[slot].offer(key, row); },
             [&](std::int64_t slot) { return lists_[slot].limit; });
        for (auto& list : lists_) list.cut();
        gather_ties();
        for (std::int64_t slot = 0; slot < job_.slots; ++slot) conclude(at, slot);
    }

private:
    double weight_of(std::int64_t row) const {
        return (job_.case_weights ? job_.case_weights[row] : 1.0) - (row == own_ ? 1.0 : 0.0);
    }
    bool wanted(std::int64_t row) const {
        return (table_.alive[row / kBlock] >> (row % kBlock) & 1) && !missing(table_.row(row)[job_.required]) &&
               weight_of(row) > 0;
    }

    // Offers rows to coalitions, every row once: a sample of them first, then the others as they lie.
    template <class Offer, class Limit>
    void pass(const Offer& offer, const Limit& limit) {
        for (const bool seeds : {true, false})
            for (std::int64_t row = 0; row < table_.rows; row += seeds ? kSeedStep : 1)
                if (seeds || row % kSeedStep != 0) show(row, offer, limit);
        if (!rows_.empty()) span(offer, limit);
    }

    // The same in the order of case numbers.
    template <class Offer, class Limit>
    void pass_by_number(const Offer& offer, const Limit& limit) {
        for (std::int64_t at = 0; at < table_.rows; ++at) show(job_.by_number[at], offer, limit);
        if (!rows_.empty()) span(offer, limit);
    }

    template <class Offer, class Limit>
    void show(std::int64_t row, const Offer& offer, const Limit& limit) {
        if (wanted(row)) rows_.push_back(row);
        if (rows_.size() == kSpan) span(offer, limit);
    }

    template <class Offer, class Limit>
    void span(const Offer& offer, const Limit& limit) {
        fill_terms();
        std::fill_n(sums_.begin(), kSpan, 0.0);
        // Places without a row are farther than any limit.
        for (std::size_t r = rows_.size(); r < kSpan; ++r) sums_[r] = std::numeric_limits<double>::infinity();
        for (std::int64_t n = job_.nodes - 1; n >= 0; --n) {
            keys_[n] = job_.slot_of[n] < 0 ? -1.0 : limit(job_.slot_of[n]);
            for (std::int64_t child = n + 1; child < job_.ends[n]; child = job_.ends[child])
                keys_[n] = std::max(keys_[n], keys_[child]);
        }
        for (std::int64_t n = 0; n < job_.nodes;) n = visit(n, offer, limit) ? n + 1 : job_.ends[n];
        rows_.clear();
    }

    // Adds a column; says whether any row may still be near by the coalitions further down.
    template <class Offer, class Limit>
    bool visit(std::int64_t n, const Offer& offer, const Limit& limit) {
        const double* above = &sums_[(job_.depths[n] - 1) * kSpan];
        const double* term = &terms_[place_[job_.columns[n]] * kSpan];
        double* sum = &sums_[job_.depths[n] * kSpan];
        const std::int64_t slot = job_.slot_of[n];
        double most = slot < 0 ? -1.0 : limit(slot);
        Vec least = splat(std::numeric_limits<double>::infinity());
        for (std::int64_t r = 0; r < kSpan; r += 4 * kLanes) {
            unsigned near = 0;
            for (int step = 0; step < 4 * kLanes; step += kLanes) {
                const Vec s = load(above + r + step) + load(term + r + step);
                store(sum + r + step, s);
                least = minimum(s, least);
                near |= lanes_within(s, most) << step;
            }
            for (; near; near &= near - 1) {
                const std::int64_t row = r + std::countr_zero(near);
                if (!(sum[row] <= most) || sum[row] == std::numeric_limits<double>::infinity()) continue;
                offer(slot, sum[row], rows_[row]);
                most = limit(slot);
            }
        }
        return std::min(std::min(least[0], least[1]), std::min(least[2], least[3])) <= keys_[n];
    }

    void fill_terms() {
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const double* values = table_.row(rows_[r]);
            query_.each_group(values, [&](const Group& g, Vec s) {
                const Vec whole = in_units(s, g.weight);
                for (int lane = 0; lane < kLanes; ++lane)
                    if (g.weight[lane] > 0) terms_[place_[g.column[lane]] * kSpan + r] = whole[lane];
            });
            for (const int column : query_.unknown) {
                const Vec s = splat(query_.unknown_term(column, values[column]));
                terms_[place_[column] * kSpan + r] = in_units(s, splat(metric_.weights[column]))[0];
            }
        }
    }

    VICINAL_INLINE Vec in_units(Vec s, Vec weight) const {
        const Vec key = to_key<P>(smaller(s, splat(farthest_)), metric_.p) - splat(base_key_);
        return larger(key * weight * splat(unit_) + splat(kRounder) - splat(kRounder), splat(0.0));
    }

    // A second pass, for the coalitions that have more ties than places. Sums of doubles depend on
    // their order in the last bits, so that this one must not be that in which rows are kept.
    void gather_ties() {
        ties_.assign(job_.slots, {});
        bool any = false;
        for (std::int64_t slot = 0; slot < job_.slots; ++slot) {
            if (!lists_[slot].tied()) continue;
            any = true;
            begin_ties(slot);
        }
        if (!any) return;
        pass_by_number(
            [&](std::int64_t slot, double key, std::int64_t row) {
                if (key == lists_[slot].last()) add_tie(slot, row);
            },
            [&](std::int64_t slot) { return lists_[slot].tied() ? lists_[slot].last() : -1.0; });
    }

    void begin_ties(std::int64_t slot) {
        ties_[slot].first = -1;
        ties_[slot].rows = ties_[slot].mass = 0.0;
        ties_[slot].outcomes.assign(job_.width, 0.0);
        ties_[slot].offsets.assign(members_[slot].size(), 0.0);
    }

    void add_tie(std::int64_t slot, std::int64_t row) {
        TiedCases& ties = ties_[slot];
        const double weight = weight_of(row);
        if (ties.first < 0) ties.first = row;
        ties.rows += 1.0;
        ties.mass += weight;
        add_outcome(ties.outcomes.data(), weight, row);
        for (std::size_t i = 0; i < members_[slot].size(); ++i)
            ties.offsets[i] += weight * offset(members_[slot][i], table_.row(row));
    }

    void add_outcome(double* to, double share, std::int64_t row) const {
        if (job_.classes) {
            to[static_cast<std::int64_t>(job_.outcomes[row])] += share;
            return;
        }
        for (int c = 0; c < job_.width; ++c) to[c] += share * job_.outcomes[row * job_.width + c];
    }

    // How far a case lies from the query in one column, with sign; as in `Offsets`.
    double offset(int column, const double* values) const {
        const double own = query_.values[column], other = values[column];
        double gap = other - own;
        if (missing(gap)) return 0.0;
        if (metric_.kinds[column] == kNominal) {
            gap = gap != 0 ? root_contrast_[column] : 0.0;
        } else {
            const double period = metric_.periods[column];
            if (metric_.kinds[column] == kCyclic && std::abs(gap) > period / 2) gap -= std::copysign(period, gap);
            gap /= metric_.residuals[column];
        }
        return std::clamp(gap * root_[column], -kFarthestOffset, kFarthestOffset);
    }

    // The columns in which a coalition is centred: all, or the heaviest.
    std::vector<int> directions(const std::vector<int>& columns) const {
        std::vector<int> places(columns.size());
        for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i);
        if (places.size() <= kMostDirections) return places;
        std::stable_sort(places.begin(), places.end(), [&](int a, int b) {
            return metric_.weights[columns[a]] > metric_.weights[columns[b]];
        });
        places.resize(kMostDirections);
        std::sort(places.begin(), places.end());
        return places;
    }

    // One neighbour, or the cases that tie for the last places.
    struct Neighbour {
        double count, excess, distance;
        std::int64_t row;  // -1 for tied cases
    };

    void conclude(std::int64_t at, std::int64_t slot) {
        auto& rows = lists_[slot].rows();
        std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
            return a.first < b.first || (a.first == b.first && table_.numbers[a.second] < table_.numbers[b.second]);
        });
        choose_neighbours(slot);
        if (neighbours_.empty()) return;
        double* out = job_.out + (at * job_.slots + slot) * job_.width;
        double* timid = job_.timid ? job_.timid + (at * job_.slots + slot) * job_.width : nullptr;
        fill_offsets(slot);
        for (int m = 0; m < job_.members; ++m) {
            const Influence& member = job_.influences[m];
            const bool plain = member.rule <= kProbability || !std::isfinite(member.ridge);
            fill_logits(member);
            if (plain || (timid && member.rule == kLinear)) {
                kernel_shares();
                if (plain) add_up(slot, member.share, out);
                if (timid && (plain || member.rule == kLinear)) add_up(slot, member.share, timid);
            }
            if (plain) continue;
            centred_shares(member);
            add_up(slot, member.share, out);
            if (timid && member.rule != kLinear) add_up(slot, member.share, timid);
        }
    }

    // Nearest first, each case takes as many places as it weighs; those that tie where the places
    // end share what is left, whether some were dropped from the list or all are on it.
    void choose_neighbours(std::int64_t slot) {
        const auto& rows = lists_[slot].rows();
        neighbours_.clear();
        double before = 0.0;
        for (std::size_t first = 0, last; first < rows.size() && before < job_.k; first = last) {
            double mass = 0.0;
            for (last = first; last < rows.size() && rows[last].first == rows[first].first; ++last)
                mass += weight_of(rows[last].second);
            const double room = job_.k - before;
            if (last == rows.size() && lists_[slot].tied()) {
                const TiedCases& ties = ties_[slot];
                const double part = ties.mass * static_cast<double>(last - first) / ties.rows;
                neighbours_.push_back(measured(slot, ties.first, std::min(room, part)));
                neighbours_.back().row = -1;
                return;
            }
            if (mass > room) {
                begin_ties(slot);
                for (std::size_t j = first; j < last; ++j) add_tie(slot, rows[j].second);
                neighbours_.push_back(measured(slot, rows[first].second, room));
                neighbours_.back().row = -1;
                return;
            }
            for (std::size_t j = first; j < last; ++j)
                neighbours_.push_back(measured(slot, rows[j].second, weight_of(rows[j].second)));
            before += mass;
        }
    }

    Neighbour measured(std::int64_t slot, std::int64_t row, double count) {
        row_terms_.resize(table_.columns);
        query_.terms(table_.row(row), row_terms_.data());
        double key = 0.0, weights = 0.0;
        for (const int column : members_[slot]) {
            key += metric_.weights[column] * to_key<P>(splat(row_terms_[column]), metric_.p)[0];
            weights += metric_.weights[column];
        }
        const double distance = to_distance(key / weights, metric_.p);
        return {count, std::max(distance - kSame, 0.0) * weights * job_.total, distance, row};
    }

    void fill_offsets(std::int64_t slot) {
        chosen_ = directions(members_[slot]);
        const std::size_t d = chosen_.size();
        offsets_.assign(job_.k * d, 0.0);
        for (std::size_t j = 0; j < neighbours_.size(); ++j)
            for (std::size_t i = 0; i < d; ++i)
                offsets_[j * d + i] = neighbours_[j].row < 0
                                          ? ties_[slot].offsets[chosen_[i]] / ties_[slot].mass
                                          : offset(members_[slot][chosen_[i]], table_.row(neighbours_[j].row));
    }

    void fill_logits(const Influence& member) {
        logits_.assign(job_.k, -std::numeric_limits<double>::infinity());
        for (std::size_t j = 0; j < neighbours_.size(); ++j) {
            const Neighbour& one = neighbours_[j];
            logits_[j] = std::log(one.count) -
                         (member.rule == kInverse ? std::log(one.distance) : member.bandwidth * one.excess);
        }
    }

    void kernel_shares() {
        const double highest = *std::max_element(logits_.begin(), logits_.end());
        shares_.resize(job_.k);
        double total = 0.0;
        for (int j = 0; j < job_.k; ++j) total += shares_[j] = std::exp(logits_[j] - highest);
        for (double& share : shares_) share /= total;
    }

    void centred_shares(const Influence& member) {
        const int d = static_cast<int>(chosen_.size());
        scaled_ = offsets_;
        for (double& z : scaled_) z *= std::sqrt(member.bandwidth);
        auto& solver = solvers_.try_emplace({d, member.ridge}, job_.k, d, member.ridge).first->second;
        shares_.resize(job_.k);
        solver.run(logits_.data(), scaled_.data(), member.rule == kLinear, shares_.data());
    }

    void add_up(std::int64_t slot, double part, double* out) const {
        for (std::size_t j = 0; j < neighbours_.size(); ++j) {
            const double share = part * shares_[j];
            if (neighbours_[j].row >= 0) {
                add_outcome(out, share, neighbours_[j].row);
                continue;
            }
            for (int c = 0; c < job_.width; ++c) out[c] += share * ties_[slot].outcomes[c] / ties_[slot].mass;
        }
    }

    const CoalitionJob& job_;
    const Table& table_;
    const Metric& metric_;
    const std::size_t count_;
    const double farthest_;
    double base_key_ = 0.0, unit_ = 1.0;
    std::vector<int> place_;                  // of a column among those that count
    std::vector<double> root_, root_contrast_;  // square roots of weights and residuals
    Query query_;
    std::int64_t own_ = -1;                   // the case that is left out
    std::vector<std::int64_t> rows_;          // of the span at hand
    std::vector<double> terms_, sums_;        // by column and by depth
    std::vector<double> keys_;                // greatest limit of each node and all below it
    std::vector<Shortlist> lists_;
    std::vector<TiedCases> ties_;
    std::vector<std::vector<int>> members_;   // columns of each coalition, ascending
    std::vector<Neighbour> neighbours_;
    std::vector<int> chosen_;
    std::vector<double> row_terms_, offsets_, scaled_, logits_, shares_;
    std::map<std::pair<int, double>, Centring> solvers_;
};

}  // namespace vicinal::VICINAL_PATH
