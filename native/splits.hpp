// What boosted trees are grown from, and how splits of their leaves are judged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trees.hpp"

namespace vicinal {

struct BoostJob {
    const std::uint8_t* bins;     // (columns, rows)
    const std::uint8_t* nominal;  // (columns,)
    const double* weights;        // (rows,)
    const double* truth;          // (rows,): class codes, or numbers with mean 0 and variance 1
    const std::uint8_t* held;     // (runs, rows): whether a run is grown without the row
    std::int64_t rows;
    int columns, classes;  // 0 classes for a number
    int runs, rounds, patience, leaves, path_columns;
    int most_columns;  // of more columns, trees look at those that promise most
    bool symmetric;
    double rate, ridge, nominal_ridge, least_mass;
    int width() const { return classes > 2 ? classes : 1; }
};

struct BinSums {
    double slope = 0.0, curve = 0.0, mass = 0.0;
    void operator+=(const BinSums& o) { slope += o.slope, curve += o.curve, mass += o.mass; }
    void operator-=(const BinSums& o) { slope -= o.slope, curve -= o.curve, mass -= o.mass; }
    double worth(double ridge) const { return slope * slope / (curve + ridge); }
};

// Of splits that gain the same but for rounding, the first one is taken: which of them it is must not
// depend on the unit of the target.
constexpr double kBetter = 1.0 + 1e-9;

// The set of bins that a split sends to the first child.
struct Split {
    double gain = 0.0;
    int column = -1;
    std::uint64_t left = 0;
    void offer(double other, int which, std::uint64_t set) {
        if (other > gain * kBetter) gain = other, column = which, left = set;
    }
};
constexpr double kLeastGain = 1e-9;

// The bins of a category that a split may separate, in the order of their mean slopes: the best set of
// them is a prefix.
inline std::vector<int> ordered_categories(const BinSums* sums, const BoostJob& job) {
    std::vector<std::pair<double, int>> order;
    for (int bin = 0; bin < kBoostBins; ++bin)
        if (sums[bin].mass > 0.5 * job.least_mass)
            order.emplace_back(sums[bin].slope / (sums[bin].curve + job.nominal_ridge), bin);
    std::sort(order.begin(), order.end());
    std::vector<int> bins;
    for (const auto& [slope, bin] : order) bins.push_back(bin);
    return bins;
}

}  // namespace vicinal
