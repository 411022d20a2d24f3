// How far neighbours lie from their query, feature by feature, with sign.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "types.hpp"

namespace vicinal {

class Offsets {
public:
    // `factors` multiply what numbers differ by in residuals, and stand for categories that differ.
    Offsets(const Metric& metric, const std::int64_t* columns, const double* factors, int count) {
        for (int c = 0; c < count; ++c) {
            const auto column = static_cast<int>(columns[c]);
            const auto kind = static_cast<Kind>(metric.kinds[column]);
            directions_.push_back({column, kind, metric.periods[column],
                                   kind == kNominal ? factors[c] : factors[c] / metric.residuals[column]});
        }
    }

    void run(const double* query, const double* row, double* out) const {
        for (const Direction& d : directions_) {
            double gap = row[d.column] - query[d.column];
            if (d.kind == kNominal) {
                gap = gap != gap ? 0.0 : gap != 0 ? d.factor : 0.0;
            } else {
                if (d.kind == kCyclic) gap -= gap > d.period / 2 ? d.period : gap < -d.period / 2 ? -d.period : 0.0;
                gap *= d.factor;
                gap = gap != gap ? 0.0 : gap;
            }
            *out++ = std::clamp(gap, -kFarthestOffset, kFarthestOffset);
        }
    }

private:
    struct Direction {
        int column;
        Kind kind;
        double period, factor;  // of numbers the factor is over their residual
    };
    std::vector<Direction> directions_;
};

}  // namespace vicinal
