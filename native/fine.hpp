// Finer codes of the rows, a byte for each value, for searches of many queries: an eighth of the
// bytes to fetch for a floor of the key, so that most rows are ruled out before their values, far
// away in memory, are asked for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "types.hpp"

namespace vicinal {

// Of each column that counts the middle, twenty times as wide as its usual bin, is cut into 256 cells
// of one width. Values beyond, where outliers may be, belong to the outermost cells.
class FineCodes {
public:
    static constexpr int kCells = 256;
    static constexpr double kReach = 10.0;                // from the middle, in bins
    static constexpr int kPadding = 8;                    // codes that may be read behind a row's own
    static constexpr std::size_t kFewestQueries = 1024;  // for fewer it takes too long to make them

    // For sums of terms or of their squares, and for numbers without gaps: categories, cycles and
    // missing values have terms of their own.
    static bool suit(const Table& table, const Metric& metric) {
        if ((metric.p != 1 && metric.p != 2) || metric.active.empty()) return false;
        return std::all_of(metric.active.begin(), metric.active.end(), [&](int column) {
            return table.kinds[column] == kNumeric && metric.kinds[column] == kNumeric && !table.lacking[column];
        });
    }

    FineCodes(const Table& table, const Metric& metric)
        : table_(table), active_(metric.active), codes_(table.rows * active_.size() + kPadding) {
        for (const int column : active_) columns_.push_back(cells_of(table.bins + column * kBins * 2));
    }

    void encode(std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row)
            for (std::size_t c = 0; c < active_.size(); ++c)
                codes_[row * active_.size() + c] =
                    static_cast<std::uint8_t>(std::min(place(c, table_.row(row)[active_[c]]), kCells - 1.0));
    }

    // What kernels call is inlined: a copy made for one instruction set must not serve another.
    [[gnu::always_inline]] std::size_t columns() const { return active_.size(); }
    [[gnu::always_inline]] const std::uint8_t* row(std::int64_t r) const { return codes_.data() + r * active_.size(); }

    // Where a value lies, from 0 to 256 cells; and the width of a cell, 0 for a column that tells nothing.
    [[gnu::always_inline]] double place(std::size_t c, double value) const {
        const double cells = (value - columns_[c].first) * columns_[c].per_cell;
        return cells > 0 ? std::min(cells, 1.0 * kCells) : 0.0;
    }
    [[gnu::always_inline]] double width(std::size_t c) const { return columns_[c].width; }

private:
    struct Column {
        double first, width, per_cell;
    };

    static Column cells_of(const double* bins) {
        std::vector<double> starts, steps;  // of the bins that are not empty, and from one to the next
        double most = 0.0;
        for (int bin = 0; bin < kBins; ++bin) {
            if (!(bins[2 * bin] <= bins[2 * bin + 1])) continue;
            if (!starts.empty()) steps.push_back(bins[2 * bin] - starts.back());
            starts.push_back(bins[2 * bin]);
            most = bins[2 * bin + 1];
        }
        if (starts.empty()) return {0.0, 0.0, 0.0};
        double first = starts.front(), last = most;
        if (!steps.empty()) {
            std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
            const double reach = kReach * steps[steps.size() / 2], middle = starts[starts.size() / 2];
            first = std::max(first, middle - reach);
            last = std::min(last, middle + reach);
        }
        const double width = (last - first) / kCells, per_cell = 1.0 / width;
        if (!(width > 0 && std::isfinite(width) && std::isfinite(per_cell))) return {0.0, 0.0, 0.0};
        return {first, width, per_cell};
    }

    const Table& table_;
    const std::vector<int>& active_;
    std::vector<Column> columns_;
    std::vector<std::uint8_t> codes_;
};

}  // namespace vicinal
