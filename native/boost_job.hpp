// What boosted trees are grown from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trees.hpp"

namespace vicinal {

struct BoostJob {
    const std::uint8_t* bins;     // (columns - own_columns, rows)
    const std::uint8_t* own;      // (runs, own_columns, rows): of the last columns, which each run sees in its own way
    const std::uint8_t* nominal;  // (columns,)
    const double* weights;        // (rows,)
    const double* truth;          // (rows,): class codes, or numbers with mean 0 and variance 1
    const std::uint8_t* held;     // (runs, rows): whether a run is grown without the row
    std::int64_t rows;
    int columns, own_columns, classes;  // 0 classes for a number
    int runs, rounds, patience, patience_together, leaves, path_columns;
    int most_columns;  // of more columns, trees look at those that promise most
    bool symmetric;
    double rate, ridge, nominal_ridge, least_mass;
    double faster;  // what each round adds to the rate, as a part of the first one's
    int width() const { return classes > 2 ? classes : 1; }
};

// The job as one run sees it: without columns of its own, which are copied to `room` after the others.
inline BoostJob of_run(BoostJob job, std::int64_t run, std::vector<std::uint8_t>& room) {
    if (!job.own_columns) return job;
    const std::int64_t own = job.own_columns * job.rows, others = job.columns * job.rows - own;
    room.assign(job.bins, job.bins + others);
    room.insert(room.end(), job.own + run * own, job.own + (run + 1) * own);
    job.bins = room.data(), job.own = nullptr, job.own_columns = 0;
    return job;
}

// One run of a job: the trees of one round after the other, and the losses of the rows it does without.
class BoostRun {
public:
    virtual ~BoostRun() = default;
    virtual void grow_on(int rounds) = 0;  // so many more rounds, unless the run has ended

    // After so many rounds; the last one stands for those that are not grown.
    double loss(int rounds) const { return losses[std::min(static_cast<std::size_t>(rounds), losses.size() - 1)]; }

    std::vector<Tree> trees;
    std::vector<double> losses;  // before the first round, and after each
};

}  // namespace vicinal
