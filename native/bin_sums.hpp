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

// The sums of one column, each kind in a list of its own so that several bins are judged at once. Of a number,
// a bin has the sums of all bins up to it, since these are what a cut sends left; a category has its own sums.
// Missing values come after `end`, if the column has any.
struct ColumnSums {
    const double *slopes, *curves, *masses;  // null where masses are not kept
    int end;                                 // whole lanes: the last bins may be empty
    bool lacking;
    BinSums bin(int bin) const {
        const int at = bin == kMissingBin ? end : bin;
        return {slopes[at], curves[at], masses ? masses[at] : 0.0, 0.0};
    }
    BinSums missing() const { return lacking ? bin(kMissingBin) : BinSums{}; }
};

// Room for the sums of all columns.
using LeafSums = std::vector<double>;

// How the sums of a column are stored.
struct ColumnPlace {
    int first, end;  // where its bins are, and their number in whole lanes
    bool lacking, nominal;
    int size() const { return end + kLanes * lacking; }
};

// Writes the sums of bins (missing values at the end) as a column has them, and forgets them.
inline void settle(const ColumnPlace& place, BinSums* bins, double* slopes, double* curves, double* masses) {
    Vec sum{};
    const Vec carried = splat(place.nominal ? 0.0 : 1.0);
    for (int bin = 0; bin < place.end; bin += kLanes) {
        Vec each[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) {
            sum = sum * carried + load(&bins[bin + lane].slope);
            each[lane] = sum;
            store(&bins[bin + lane].slope, Vec{});
        }
        store(slopes + bin, Vec{each[0][0], each[1][0], each[2][0], each[3][0]});
        store(curves + bin, Vec{each[0][1], each[1][1], each[2][1], each[3][1]});
        if (masses) store(masses + bin, Vec{each[0][2], each[1][2], each[2][2], each[3][2]});
    }
    if (!place.lacking) return;
    BinSums& missing = bins[place.end];
    slopes[place.end] = missing.slope, curves[place.end] = missing.curve;
    if (masses) masses[place.end] = missing.mass;
    missing = {};
}

// The rows of a job with their slopes, and sums of these for each column and bin.
class BinnedRows {
public:
    explicit BinnedRows(std::int64_t rows) : of_row_(rows), moved_(rows) {}

    // Takes the columns of a job with so many rows; at most `kMostTreeColumns`.
    void take(const BoostJob& job) {
        rows_ = job.rows, bins_ = job.bins, numbers_ = job.classes == 0, size_ = 0;
        places_.clear();
        for (int column = 0; column < job.columns; ++column) {
            int end = 0;
            bool lacking = false;
            for (std::int64_t row = 0; row < rows_; ++row) {
                const int bin = bins_[column * rows_ + row];
                lacking |= bin == kMissingBin;
                end = std::max(end, bin == kMissingBin ? 0 : bin + 1);
            }
            places_.push_back(
                {size_, (end + kLanes - 1) / kLanes * kLanes, lacking, static_cast<bool>(job.nominal[column])});
            size_ += places_.back().size();
        }
        cells_.resize(static_cast<std::size_t>(rows_) * job.columns);
        for (int column = 0; column < job.columns; ++column) {
            const ColumnPlace& place = places_[column];
            for (std::int64_t row = 0; row < rows_; ++row) {
                const int bin = bins_[column * rows_ + row];
                cells_[row * job.columns + column] =
                    static_cast<std::uint16_t>(place.first + (bin == kMissingBin ? place.end : bin));
            }
        }
        bin_sums_.assign(size_, {});
    }

    BinSums& operator[](RowNumber row) { return of_row_[row]; }
    double value(const Tree& tree, RowNumber row) const { return evaluate(tree.data(), bins_ + row, rows_); }

    BinSums total(const RowNumber* rows, std::size_t count) const {
        BinSums parts[kLanes];  // several, because each sum waits for the one before
        std::size_t i = 0;
        for (; i + kLanes <= count; i += kLanes)
            for (int part = 0; part < kLanes; ++part) parts[part] += of_row_[rows[i + part]];
        for (; i < count; ++i) parts[0] += of_row_[rows[i]];
        for (int part = 1; part < kLanes; ++part) parts[0] += parts[part];
        return parts[0];
    }

    // Masses are kept where they are asked for; numbers have the same curves.
    std::size_t room(bool masses) const { return static_cast<std::size_t>(size_) * (masses && !numbers_ ? 3 : 2); }

    ColumnSums column(const LeafSums& sums, int column) const {
        const ColumnPlace& place = places_[column];
        const double* slopes = &sums[place.first];
        const double* curves = slopes + size_;
        const double* masses = numbers_                                            ? curves
                               : sums.size() > 2 * static_cast<std::size_t>(size_) ? curves + size_
                                                                                   : nullptr;
        return {slopes, curves, masses, place.end, place.lacking};
    }

    // Adds up the sums of some columns, row after row: cells of one row seldom wait for each other's sums, as
    // those of one column would. So many columns at a time that these stay in cache.
    void add_up(const RowNumber* rows, std::size_t count, const std::vector<int>& columns, LeafSums& sums) {
        const std::size_t width = places_.size();
        for (std::size_t first = 0; first < columns.size(); first += kAtOnce) {
            const std::size_t end = std::min(first + kAtOnce, columns.size());
            const auto add = [&](const auto& cell) {
                for (std::size_t i = 0; i < count; ++i) {
                    const std::uint16_t* cells = &cells_[rows[i] * width];
                    const Vec own = load(&of_row_[rows[i]].slope);
                    for (std::size_t at = first; at < end; ++at) {
                        double* to = &bin_sums_[cell(cells, at)].slope;
                        store(to, load(to) + own);
                    }
                }
            };
            if (columns.size() == width)
                add([](const std::uint16_t* cells, std::size_t at) { return cells[at]; });
            else
                add([&](const std::uint16_t* cells, std::size_t at) { return cells[columns[at]]; });
            for (std::size_t at = first; at < end; ++at) {
                const ColumnPlace& place = places_[columns[at]];
                double* to = &sums[place.first];
                settle(place, &bin_sums_[place.first], to, to + size_,
                       sums.size() > 2 * static_cast<std::size_t>(size_) ? to + 2 * size_ : nullptr);
            }
        }
    }

    void subtract(const std::vector<int>& columns, LeafSums& sums, const LeafSums& less) const {
        for (const int column : columns) {
            const ColumnPlace& place = places_[column];
            for (std::size_t first = place.first; first < less.size(); first += size_)
                for (int bin = 0; bin < place.size(); bin += kLanes)
                    store(&sums[first + bin], load(&sums[first + bin]) - load(&less[first + bin]));
        }
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

    std::int64_t rows_ = 0;
    const std::uint8_t* bins_ = nullptr;  // (columns, rows)
    bool numbers_ = false;                // whether the outcome is a number
    int size_ = 0;                        // of the sums of all columns, of one kind
    std::vector<ColumnPlace> places_;     // of columns
    std::vector<std::uint16_t> cells_;    // (rows, columns): where a cell adds its slopes
    std::vector<BinSums> bin_sums_;       // where they are added up; all 0 in between
    std::vector<BinSums> of_row_;
    std::vector<RowNumber> moved_;
};

}  // namespace vicinal::VICINAL_PATH
