// Slopes of rows, added up by bin, from which the splits of a boosted tree are chosen.
//
// What must hold: sums are added up in the order of the rows, so that no bit depends on how.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "boost_job.hpp"
#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

using RowNumber = std::int32_t;

// Of some rows. The last number is room, so that all are added at once.
struct alignas(32) BinSums {
    double slope = 0.0, curve = 0.0, mass = 0.0, room = 0.0;
    VICINAL_INLINE void operator+=(const BinSums& o) { store(&slope, load(&slope) + load(&o.slope)); }
    VICINAL_INLINE void operator-=(const BinSums& o) { store(&slope, load(&slope) - load(&o.slope)); }
    double worth(double ridge) const { return slope * slope / (curve + ridge); }
};

// The rows of a job with their slopes, and sums of these for each column and bin.
class BinnedRows {
public:
    explicit BinnedRows(const BoostJob& job) : of_row_(job.rows), moved_(job.rows) { take(job); }

    // Takes the columns of a job, which has the same rows.
    void take(const BoostJob& job) {
        columns_ = job.columns, rows_ = job.rows, bins_ = job.bins;
        by_row_.resize(static_cast<std::size_t>(rows_) * columns_);
        ends_.assign(columns_, 0);
        for (int column = 0; column < columns_; ++column)
            for (std::int64_t row = 0; row < rows_; ++row) {
                const std::uint8_t bin = bins_[column * rows_ + row];
                by_row_[row * columns_ + column] = bin;
                if (bin != kMissingBin) ends_[column] = std::max(ends_[column], bin + 1);
            }
    }

    int end(int column) const { return ends_[column]; }  // of its bins, but for that of missing values
    const std::uint8_t* row(RowNumber row) const { return &by_row_[static_cast<std::size_t>(row) * columns_]; }
    BinSums& operator[](RowNumber row) { return of_row_[row]; }

    BinSums total(const RowNumber* rows, std::size_t count) const {
        BinSums total;
        for (std::size_t i = 0; i < count; ++i) total += of_row_[rows[i]];
        return total;
    }

    // Room for the sums of all columns and bins.
    std::size_t size() const { return static_cast<std::size_t>(columns_) * kBoostBins; }

    // Adds up the sums of some columns, row after row: cells of one row seldom wait for each other's sums, as
    // those of one column would. So many columns at a time that these stay in cache.
    void add_up(const RowNumber* rows, std::size_t count, const std::vector<int>& columns, BinSums* sums) const {
        each_bin(columns, [&](std::size_t at) { sums[at] = {}; });
        for (std::size_t first = 0; first < columns.size(); first += kAtOnce) {
            const int *from = &columns[first], *end = from + std::min(kAtOnce, columns.size() - first);
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint8_t* bins = row(rows[i]);
                const Vec own = load(&of_row_[rows[i]].slope);
                for (const int* column = from; column != end; ++column) {
                    double* to = &sums[*column * kBoostBins + bins[*column]].slope;
                    store(to, load(to) + own);
                }
            }
        }
    }

    void subtract(const std::vector<int>& columns, BinSums* sums, const BinSums* less) const {
        each_bin(columns, [&](std::size_t at) { sums[at] -= less[at]; });
    }

    // Moves rows that a split sends left before the others, all in their order, and returns their number.
    std::size_t divide(RowNumber* rows, std::size_t count, int column, std::uint64_t left) {
        const std::uint8_t* bins = bins_ + column * rows_;
        std::size_t lefts = 0, rights = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const RowNumber row = rows[i];
            const bool goes_left = left >> bins[row] & 1;
            rows[lefts] = moved_[rights] = row;
            lefts += goes_left, rights += !goes_left;
        }
        std::copy_n(moved_.begin(), rights, rows + lefts);
        return lefts;
    }

private:
    static constexpr std::size_t kAtOnce = 8;

    template <class Use>
    void each_bin(const std::vector<int>& columns, const Use& use) const {
        for (const int column : columns) {
            const std::size_t first = static_cast<std::size_t>(column) * kBoostBins;
            for (int bin = 0; bin < ends_[column]; ++bin) use(first + bin);
            use(first + kMissingBin);
        }
    }

    int columns_;
    std::int64_t rows_;
    const std::uint8_t* bins_;          // (columns, rows)
    std::vector<std::uint8_t> by_row_;  // (rows, columns)
    std::vector<int> ends_;
    std::vector<BinSums> of_row_;
    std::vector<RowNumber> moved_;
};

}  // namespace vicinal::VICINAL_PATH
