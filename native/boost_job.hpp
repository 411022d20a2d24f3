// What boosted trees are grown from.
#pragma once

#include <cstdint>

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
    double faster;  // what each round adds to the rate, as a part of the first one's
    int width() const { return classes > 2 ? classes : 1; }
};

}  // namespace vicinal
