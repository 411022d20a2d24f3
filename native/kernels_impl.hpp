// The entry points of one instruction path; included by kernels_plain.cpp and kernels_avx2.cpp.
#pragma once

#include "boost.hpp"
#include "center.hpp"
#include "coalitions.hpp"
#include "entropy.hpp"
#include "excess.hpp"
#include "kernel_means.hpp"
#include "kernels.hpp"
#include "nearest.hpp"
#include "offsets.hpp"
#include "pair_terms.hpp"
#include "search.hpp"
#include "sweep.hpp"

namespace vicinal::VICINAL_PATH {

inline void search(const SearchJob& job, std::int64_t first, std::int64_t last) {
    with_power(job.metric->p, [&](auto power) { Searcher<power()>(job).run(first, last); });
}

inline void sweep(const SweepJob& job, std::int64_t first, std::int64_t last) {
    with_power(job.metric->p, [&](auto power) {
        Sweeper<power()> sweeper(job);
        for (std::int64_t at = first; at < last; ++at) sweeper.run(at);
    });
}

inline void coalitions(const CoalitionJob& job, std::int64_t first, std::int64_t last) {
    with_power(job.metric->p, [&](auto power) { CoalitionSweep<power()>(job).run(first, last); });
}

inline std::unique_ptr<BoostRun> boost(const BoostJob& job, std::int64_t run) {
    return std::make_unique<Booster>(job, run);
}

// Where nothing is said of two missing values, they count as any two.
inline void fill_both_missing(Metric& metric) {
    for (const int column : metric.active)
        if (missing(metric.both_missing[column])) metric.both_missing[column] = random_pair_term(metric, column);
}

// Of the rows [first, last) the terms of a column against a missing value.
inline void fill_against_missing(const Table& table, const Metric& metric, int column, std::int64_t first,
                                 std::int64_t last, double* out) {
    for (std::int64_t row = first; row < last; ++row)
        out[row] = one_missing_term(metric, column, table.value(row, column));
}

inline void terms(const Table& table, const Metric& metric, const double* query, const std::int64_t* rows, int count,
                  double* out) {
    Query prepared;
    prepared.prepare(metric, query, table.lacking);
    RowReader read(table, metric.active);
    for (int j = 0; j < count; ++j)
        if (rows[j] >= 0) prepared.terms(read(rows[j]), rows[j], out + static_cast<std::int64_t>(j) * table.columns);
}

inline void excess(const Table& table, const Metric& metric, const double* query, const std::int64_t* rows, int count,
                   float* out) {
    Excess(table, metric, query).run(rows, count, out);
}

// The excess terms of the pool against a value, which may be missing.
inline void pair_excess(const PairJob& pairs, int column, double value, std::int64_t from, float* out) {
    PairTerms(pairs).fill(column, value, from, out);
}

// Of every row the floor of its key, where there is one: what searches rule rows out by. By finer codes, if there are
// any, in whole numbers where these suit.
inline void floors(const Table& table, const Metric& metric, const FineCodes* codes, bool whole, const double* query,
                   double* out) {
    Query prepared;
    prepared.prepare(metric, query, table.lacking);
    with_power(metric.p, [&](auto power) {
        if (!codes && !prepared.template has_floor<power()>()) return;
        FineQuery fine;
        WholeQuery in_whole;
        std::optional<WholeTerms> terms;
        UnknownTerms unknown(table, metric, codes);
        if (codes) fine.template prepare<power()>(*codes, prepared, unknown);
        if (codes && whole) terms.emplace(*codes, metric);
        if (terms && terms->suit()) in_whole.prepare(*terms, prepared, unknown);
        RowReader read(table, metric.active);
        for (std::int64_t row = 0; row < table.rows; ++row) {
            if (terms && terms->suit())
                in_whole.key_floors(&row, 1, out + row);
            else
                out[row] = codes ? fine.template key_floor<power()>(codes->row(row))
                                 : prepared.template key_floor<power()>(read(row), row);
        }
    });
}

inline void influences(const double* logits, const double* offsets, std::int64_t count, int k, int columns,
                       double ridge, bool linear, double* out) {
    Centring centring(k, columns, ridge);
    for (std::int64_t q = 0; q < count; ++q)
        centring.run(logits + q * k, offsets + q * k * columns, linear, out + q * k);
}

// Sums go from neighbor to neighbor, so that they do not depend on how many places are empty.
inline void path_means(const PathJob& job, std::int64_t first, std::int64_t last) {
    const std::int64_t k = job.k, width = job.classes ? job.classes : 1;
    Centring centring(job.k, job.columns, job.ridges[0]);
    for (std::int64_t q = first; q < last; ++q) {
        const double* outcomes = job.outcomes + q * k;
        const auto add_up = [&](int r, const double* shares) {
            double* out = job.out + (r * job.count + q) * width;
            for (std::int64_t j = 0; j < k; ++j)
                if (job.classes)
                    out[static_cast<std::int64_t>(outcomes[j])] += shares[j];
                else
                    out[0] += shares[j] * outcomes[j];
        };
        centring.run_path(job.logits + q * k, job.offsets + q * k * job.columns, job.scale, job.ridges, job.n_ridges,
                          job.linear, job.rough, add_up);
    }
}

inline void kernel_means(const MeansJob& job, std::int64_t first, std::int64_t last) {
    KernelMeans means(job);
    for (std::int64_t row = first; row < last; ++row) means.run(row);
}

// Offsets are worked out, used and forgotten query by query: those of all would fill memory.
inline void balanced_shares(const ShareJob& job, std::int64_t first, std::int64_t last) {
    const int k = job.k, width = job.directions;
    Centring centring(k, width, 1.0);
    std::vector<double> offsets(static_cast<std::size_t>(k) * width), logits(k);
    for (std::int64_t q = first; q < last; ++q) {
        const double* query = job.queries + q * job.table->columns;
        for (int j = 0; j < k; ++j) {
            double* to = offsets.data() + static_cast<std::size_t>(j) * width;
            if (const std::int64_t row = job.rows[q * k + j]; row >= 0)
                job.offsets->run(query, [&](int column) { return job.table->value(row, column); }, to);
            else
                std::fill_n(to, width, 0.0);
        }
        double bandwidth = -1.0;
        for (int m = 0; m < job.members; ++m) {
            const Influence& member = job.influences[m];
            if (member.bandwidth != bandwidth) {
                bandwidth = member.bandwidth;
                for (int j = 0; j < k; ++j)
                    logits[j] = (job.logs ? job.logs[q * k + j] : 0.0) - bandwidth * job.excess[q * k + j];
                centring.begin(logits.data(), offsets.data(), std::sqrt(bandwidth));
            }
            centring.find(member.ridge, member.rule == kLinear, job.out + (m * job.count + q) * k);
        }
    }
}

// Fills places (k) and totals (k); `own` (or -1) is left out. Where there are fewer, they stay as they are;
// of more that tie for the last of them those at the lowest places are named.
inline void nearest_of_pool(const PairJob& pairs, const float* weights, const std::int64_t* rows,
                            const std::int64_t* own, std::int64_t count, int k, std::int64_t* places, double* totals) {
    PairTerms terms(pairs);
    NearestOfPool nearest(static_cast<int>(pairs.metric->active.size()), pairs.pool, k);
    for (std::int64_t q = 0; q < count; ++q) {
        const auto& found = nearest.find(terms.of(rows[q]), weights, [&](float* totals) {
            if (own[q] >= 0) totals[own[q]] = NearestOfPool::kNever;
        });
        for (std::size_t j = 0; j < std::min(found.size(), static_cast<std::size_t>(k)); ++j) {
            totals[q * k + j] = found[j].first;
            places[q * k + j] = found[j].second;
        }
    }
}

inline void descend(const EntropyJob& job, double* logs) { Descent(job, logs).run(logs); }

inline double entropy_loss(const EntropyJob& job, const double* logs, double* gradient) {
    std::vector<double> slope(job.columns);
    const double loss = EntropyLoss(job, logs)(std::vector<double>(logs, logs + job.columns), slope);
    std::copy(slope.begin(), slope.end(), gradient);
    return loss;
}

}  // namespace vicinal::VICINAL_PATH
