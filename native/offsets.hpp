// How far neighbors lie from their query, feature by feature, with sign.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "types.hpp"

namespace vicinal {

// How far one case lies from another in one column, `gap` being the difference of their values (NaN
// where one lacks it: then it is 0). `differs` stands for categories that differ, and scale(gap) is
// the offset of a difference of numbers; of a cycle it is that the shorter way round.
template <class Scale>
double offset_of(Kind kind, double period, double gap, double differs, const Scale& scale) {
    if (kind == kNominal) {
        gap = gap != gap ? 0.0 : gap != 0 ? differs : 0.0;
    } else {
        if (kind == kCyclic) gap -= gap > period / 2 ? period : gap < -period / 2 ? -period : 0.0;
        gap = scale(gap);
        gap = gap != gap ? 0.0 : gap;
    }
    return std::clamp(gap, -kFarthestOffset, kFarthestOffset);
}

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

    // value(column) is that of the case.
    template <class Value>
    void run(const double* query, const Value& value, double* out) const {
        for (std::size_t at = 0; at < directions_.size(); ++at) {
            const int column = directions_[at].column;
            *out++ = one(at, value(column) - query[column]);
        }
    }

    // The offset in one of the directions, of values that differ by so much.
    double one(std::size_t at, double gap) const {
        const Direction& d = directions_[at];
        return offset_of(d.kind, d.period, gap, d.factor, [&](double x) { return x * d.factor; });
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
