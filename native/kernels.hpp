// What each instruction path offers. All paths give the same bits.
#pragma once

#include <memory>

#include "boost_job.hpp"
#include "types.hpp"

namespace vicinal {

struct Kernels {
    const char* name;
    int group, fine_group;  // queries to hand to one call of search, without and with finer codes
    void (*search)(const SearchJob& job, std::int64_t first, std::int64_t last);
    void (*fill_both_missing)(Metric& metric);
    void (*fill_against_missing)(const Table& table, const Metric& metric, int column, std::int64_t first,
                                 std::int64_t last, double* out);
    void (*terms)(const Table& table, const Metric& metric, const double* query, const std::int64_t* rows, int count,
                  double* out);
    void (*excess)(const Table& table, const Metric& metric, const double* query, const std::int64_t* rows, int count,
                   float* out);
    void (*pair_excess)(const PairJob& pairs, int column, double value, std::int64_t from, float* out);
    void (*floors)(const Table& table, const Metric& metric, const FineCodes* fine, bool whole, const double* query,
                   double* out);
    void (*sweep)(const SweepJob& job, std::int64_t first, std::int64_t last);
    void (*influences)(const double* logits, const double* offsets, std::int64_t count, int k, int columns,
                       double ridge, bool linear, double* out);
    void (*path_means)(const PathJob& job, std::int64_t first, std::int64_t last);
    void (*kernel_means)(const MeansJob& job, std::int64_t first, std::int64_t last);
    void (*balanced_shares)(const ShareJob& job, std::int64_t first, std::int64_t last);
    void (*nearest_of_pool)(const PairJob& pairs, const float* weights, const std::int64_t* rows,
                            const std::int64_t* own, std::int64_t count, int k, std::int64_t* places, double* totals);
    void (*descend)(const EntropyJob& job, double* logs);
    double (*entropy_loss)(const EntropyJob& job, const double* logs, double* gradient);
    void (*coalitions)(const CoalitionJob& job, std::int64_t first, std::int64_t last);
    std::unique_ptr<BoostRun> (*boost)(const BoostJob& job, std::int64_t run);
    const CellKernels* by_cells = nullptr;  // where these are faster than scans of the 4-bit codes
};

const Kernels& plain_kernels();
#if defined(VICINAL_HAVE_AVX2)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

}  // namespace vicinal
