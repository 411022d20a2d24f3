// The excess terms between a case and a pool that is the same for all cases, worked out when they are asked for:
// kept, those of all pairs would fill memory, and take about as long to read again.
#pragma once

#include <algorithm>
#include <vector>

#include "excess.hpp"

namespace vicinal::VICINAL_PATH {

class PairTerms {
public:
    explicit PairTerms(const PairJob& job) : job_(job), metric_(*job.metric), columns_(metric_.active.size()) {}

    // Those of one of the cases, column by column (active columns, pool); the same as `Excess` has for these rows.
    const float* const* of(std::int64_t at) {
        const std::size_t count = columns_.size();
        terms_.resize(count * job_.pool);
        const double* query = job_.queries + at * metric_.columns();
        const std::int64_t* where = job_.where + job_.views[at] * count;
        const std::int64_t* known = job_.known_at + at * count;
        for (std::size_t c = 0; c < count; ++c) {
            if (known[c] >= 0) {
                columns_[c] = job_.known + known[c] * job_.pool;
                continue;
            }
            float* out = terms_.data() + c * job_.pool;
            fill(metric_.active[c], query[metric_.active[c]], where[c], out);
            columns_[c] = out;
        }
        return columns_.data();
    }

    // Those of one column against a value.
    void fill(int column, double value, std::int64_t from, float* out) const {
        const double* values = job_.values + from * job_.pool;
        if (missing(value)) {
            const float both = above_same(metric_.both_missing[column]);
            for (std::int64_t j = 0; j < job_.pool; ++j)
                out[j] = missing(values[j]) ? both : above_same(one_missing_term(metric_, column, values[j]));
            return;
        }
        const Vec query = splat(value), factor = splat(1.0 / metric_.residuals[column]);
        if (metric_.kinds[column] == kNominal) {
            const Vec contrast = splat(metric_.residuals[column]);
            each(values, out, 0, [=](Vec low, Vec high) { return excess_of_categories(low, high, query, contrast); });
        } else if (metric_.kinds[column] == kCyclic) {
            const Vec period = splat(metric_.periods[column]);
            each(values, out, 0, [=](Vec low, Vec high) {
                return excess_of_gaps(cyclic_gap(low, query, period), cyclic_gap(high, query, period), factor);
            });
        } else {
            const std::int64_t done = gaps_of_many(values, value, 1.0 / metric_.residuals[column], out);
            each(values, out, done, [=](Vec low, Vec high) {
                return excess_of_gaps(absolute(low - query), absolute(high - query), factor);
            });
        }
        if (!job_.gaps[from]) return;
        const float unknown = above_same(one_missing_term(metric_, column, value));
        for (std::int64_t j = 0; j < job_.pool; ++j) out[j] = missing(values[j]) ? unknown : out[j];
    }

private:
    // Writes those of numbers, sixteen at a time where the processor can, and returns how many.
    VICINAL_INLINE std::int64_t gaps_of_many([[maybe_unused]] const double* values, [[maybe_unused]] double value,
                                             [[maybe_unused]] double factor, [[maybe_unused]] float* out) const {
        std::int64_t j = 0;
#if defined(VICINAL_AVX512)
        for (; j + kWideSingles <= job_.pool; j += kWideSingles) {
            const WideVec low = absolute(load_wide(values + j) - value) * factor;
            const WideVec high = absolute(load_wide(values + j + kSingles) - value) * factor;
            store(out + j, excess_of_residuals(to_single(low, high)));
        }
#endif
        return j;
    }

    // Writes the terms of the values of a column from the given one on, eight at a time.
    template <class Term>
    VICINAL_INLINE void each(const double* values, float* out, std::int64_t j, const Term& term) const {
        const std::int64_t count = job_.pool;
        for (; j + kSingles <= count; j += kSingles) store(out + j, term(load(values + j), load(values + j + kLanes)));
        if (j == count) return;
        double last[kSingles];
        for (int lane = 0; lane < kSingles; ++lane) last[lane] = values[std::min(j + lane, count - 1)];
        const Single excess = term(load(last), load(last + kLanes));
        for (int lane = 0; j + lane < count; ++lane) out[j + lane] = excess[lane];
    }

    const PairJob& job_;
    const Metric& metric_;
    std::vector<float> terms_;           // of the case asked about last, where they are not known
    std::vector<const float*> columns_;  // where those of each column are
};

}  // namespace vicinal::VICINAL_PATH
