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
//
// What must hold: sums stay below 2^51 units, where doubles hold every whole number, because the
// weights of the columns sum to one; spans are filled up with rows at an infinite distance.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "coalition_answers.hpp"
#include "shortlist.hpp"
#include "terms.hpp"

#if defined(VICINAL_AVX2)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

constexpr std::int64_t kSpan = 256;                // rows treated at a time
constexpr std::int64_t kSeedStep = 16;             // of so many rows one is seen early, for the first limits
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

// Terms beyond this count as this, when neighbors are sought.
inline double most_term(double p) { return p > 0 ? std::min(16384.0, kSame * std::exp2(24.0 / p)) : 16384.0; }

template <Power P>
class CoalitionSweep {
public:
    explicit CoalitionSweep(const CoalitionJob& job)
        : job_(job), table_(*job.table), metric_(*job.metric), count_(metric_.active.size()),
          farthest_(most_term(metric_.p)), place_(metric_.columns(), -1), terms_(count_ * kSpan),
          sums_((count_ + 1) * kSpan), keys_(job.nodes), lists_(job.slots), answers_(job) {
        base_key_ = to_key<P>(splat(kSame), metric_.p)[0];
        const double most = to_key<P>(splat(farthest_), metric_.p)[0] - base_key_;
        unit_ = kMostUnits / most;  // the weights of the columns sum to one
        for (std::size_t c = 0; c < count_; ++c) place_[metric_.active[c]] = static_cast<int>(c);
    }

    void run(std::int64_t at) {
        query_.prepare(metric_, job_.queries + at * table_.columns, table_.lacking);
        answers_.begin(query_, job_.exclude[at]);
        for (auto& list : lists_) list.reset(job_.k);
        pass([&](std::int64_t slot, double key, std::int64_t row) { lists_[slot].offer(key, row); },
             [&](std::int64_t slot) { return lists_[slot].limit; });
        for (auto& list : lists_) list.cut();
        gather_ties();
        for (std::int64_t slot = 0; slot < job_.slots; ++slot) answers_.conclude(at, slot, lists_[slot]);
    }

private:
    bool wanted(std::int64_t row) const {
        return (table_.alive[row / kBlock] >> (row % kBlock) & 1) && !missing(table_.row(row)[job_.required]) &&
               answers_.weight_of(row) > 0;
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
                const Vec whole = in_units(s, load(g.weight));
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
        bool any = false;
        for (std::int64_t slot = 0; slot < job_.slots; ++slot) {
            if (!lists_[slot].tied()) continue;
            any = true;
            answers_.begin_ties(slot);
        }
        if (!any) return;
        pass_by_number(
            [&](std::int64_t slot, double key, std::int64_t row) {
                if (key == lists_[slot].last()) answers_.add_tie(slot, row);
            },
            [&](std::int64_t slot) { return lists_[slot].tied() ? lists_[slot].last() : -1.0; });
    }

    const CoalitionJob& job_;
    const Table& table_;
    const Metric& metric_;
    const std::size_t count_;
    const double farthest_;
    double base_key_ = 0.0, unit_ = 1.0;
    std::vector<int> place_;  // of a column among those that count
    Query query_;
    std::vector<std::int64_t> rows_;    // of the span at hand
    std::vector<double> terms_, sums_;  // by column and by depth
    std::vector<double> keys_;          // greatest limit of each node and all below it
    std::vector<Shortlist> lists_;
    CoalitionAnswers<P> answers_;
};

}  // namespace vicinal::VICINAL_PATH
