// Terms above those of equal values, column by column, eight rows at a time: what weights are
// learned from. Singles do, because only their sums count.
#pragma once

#include <algorithm>

#include "rows.hpp"
#include "terms.hpp"

namespace vicinal::VICINAL_PATH {

constexpr double kMostExcess = 1e30;  // far from what a single can hold

inline float above_same(double term) { return static_cast<float>(std::min(term - kSame, kMostExcess)); }

VICINAL_INLINE Single excess_of_categories(Vec low, Vec high, Vec query, Vec contrast) {
    return to_single(choose(low == query, splat(0.0), contrast), choose(high == query, splat(0.0), contrast));
}

// Of gaps in residuals, of any number of lanes.
template <class V>
VICINAL_INLINE V excess_of_residuals(V t) {
    t = smaller(t, V{} + static_cast<float>(kMostExcess));
    const V s = (t - 1.5f) + 0.5f * exponential(-t) * (3.0f + t);
    return larger(s, V{});
}

VICINAL_INLINE Single excess_of_gaps(Vec low, Vec high, Vec factor) {
    return excess_of_residuals(to_single(low * factor, high * factor));
}

class Excess {
public:
    Excess(const Table& table, const Metric& metric, const double* query)
        : metric_(metric), read_(table, metric.active, kSingles) {
        for (const int column : metric.active) {
            const double value = query[column];
            const bool lacks = missing(value);
            const double unknown = lacks                   ? metric.both_missing[column]
                                   : table.lacking[column] ? one_missing_term(metric, column, value)
                                                           : kSame;
            columns_.push_back({column, lacks, table.lacking[column] != 0, value, 1.0 / metric.residuals[column],
                                above_same(unknown)});
        }
    }

    // Fills out (active columns, count); rows below 0 are none, and have 0.
    void run(const std::int64_t* rows, int count, float* out) {
        for (int j = 0; j < count; j += kSingles) {
            const double* cases[kSingles];
            const int here = std::min(kSingles, count - j);
            bool all = here == kSingles;
            for (int lane = 0; lane < kSingles; ++lane) {
                const std::int64_t row = lane < here ? rows[j + lane] : -1;
                all &= row >= 0;
                cases[lane] = read_(std::max<std::int64_t>(row, 0), lane);
            }
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                const int number = columns_[c].number;
                Vec low, high;
                for (int lane = 0; lane < kLanes; ++lane) {
                    low[lane] = cases[lane][number];
                    high[lane] = cases[lane + kLanes][number];
                }
                const Single excess = of_column(columns_[c], low, high);
                float* to = out + static_cast<std::int64_t>(c) * count + j;
                if (all) {
                    store(to, excess);
                    continue;
                }
                for (int lane = 0; lane < here; ++lane) to[lane] = rows[j + lane] >= 0 ? excess[lane] : 0.0f;
            }
        }
    }

private:
    struct Column {
        int number;
        bool lacks, gaps;  // whether the query lacks it, and whether a row may
        double query, factor;
        float unknown;  // against a row that lacks it
    };

    VICINAL_INLINE Single of_column(const Column& column, Vec low, Vec high) const {
        const auto value = [&](int lane) { return lane < kLanes ? low[lane] : high[lane - kLanes]; };
        Single excess;
        if (column.lacks)
            for (int lane = 0; lane < kSingles; ++lane)
                excess[lane] = missing(value(lane)) ? column.unknown
                                                    : above_same(one_missing_term(metric_, column.number, value(lane)));
        else
            excess = of_values(column, low, high);
        if (column.gaps)
            for (int lane = 0; lane < kSingles; ++lane)
                if (missing(value(lane))) excess[lane] = column.unknown;
        return excess;
    }

    VICINAL_INLINE Single of_values(const Column& column, Vec low, Vec high) const {
        const Vec query = splat(column.query), factor = splat(column.factor);
        if (metric_.kinds[column.number] == kNominal)
            return excess_of_categories(low, high, query, splat(metric_.residuals[column.number]));
        if (metric_.kinds[column.number] == kCyclic) {
            const Vec period = splat(metric_.periods[column.number]);
            return excess_of_gaps(cyclic_gap(low, query, period), cyclic_gap(high, query, period), factor);
        }
        return excess_of_gaps(absolute(low - query), absolute(high - query), factor);
    }

    const Metric& metric_;
    RowReader read_;
    std::vector<Column> columns_;
};

}  // namespace vicinal::VICINAL_PATH
