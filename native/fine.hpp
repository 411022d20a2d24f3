// Finer codes of the rows, a byte for each value, for many queries: an eighth of the
// bytes to fetch for a floor of the key, so that most rows are ruled out before their values, far
// away in memory, are asked for. Numbers come first, then categories, from a whole eight on. A missing value has
// a code of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "types.hpp"

namespace vicinal {

// Columns to code, ascending: what they count as, and their residuals.
class CodedColumns {
public:
    struct Column {
        int number;
        std::uint8_t kind;
        double residual;
    };

    explicit CodedColumns(const Metric& metric) {
        for (const int column : metric.active) all_.push_back({column, metric.kinds[column], metric.residuals[column]});
    }

    const std::vector<Column>& all() const { return all_; }

    // Whether all columns of others are there, as what they are.
    bool include(const CodedColumns& others) const {
        return std::includes(all_.begin(), all_.end(), others.all_.begin(), others.all_.end(), before);
    }

    // Adds those of others, unless one column is something else there.
    void add(const CodedColumns& others) {
        std::vector<Column> both;
        std::set_union(all_.begin(), all_.end(), others.all_.begin(), others.all_.end(), std::back_inserter(both),
                       before);
        const auto same = [](const Column& a, const Column& b) { return a.number == b.number; };
        if (std::adjacent_find(both.begin(), both.end(), same) == both.end()) all_ = std::move(both);
    }

private:
    // Residuals only say how wide cells are.
    static bool before(const Column& a, const Column& b) {
        return a.number < b.number || (a.number == b.number && a.kind < b.kind);
    }

    std::vector<Column> all_;
};

// Of each column of numbers that counts the middle, twenty times as wide as its usual bin or so wide that a cell is
// an eighth of the residual, is cut into 255 cells of one width. Values beyond, where outliers may be, belong to the
// outermost cells. Categories are scattered over 255 codes: where two have the same, they are taken for equal.
class FineCodes {
public:
    static constexpr int kCells = 255;
    static constexpr std::uint8_t kMissing = 255;
    static constexpr int kCodes = kCells + 1;
    static constexpr double kReach = 10.0;              // from the middle, in bins,
    static constexpr double kFarReach = 16.0;           // or in residuals, where that is farther
    static constexpr int kEight = 8;                    // numbers are filled up to these where categories follow
    static constexpr int kPadding = 16;                 // codes that may be read behind a row's own
    static constexpr std::int64_t kRowsPerQuery = 128;  // for fewer queries it takes too long to make them,
    static constexpr std::int64_t kManyQueries = 512;   // though for so many of any table it does not

    static bool pay(std::int64_t rows, std::int64_t queries) {
        return queries >= std::min(kManyQueries, rows / kRowsPerQuery);
    }

    // For sums of terms, of their squares or logarithms. Cycles have terms of their own.
    static bool suit(const Metric& metric) {
        if ((metric.p != 0 && metric.p != 1 && metric.p != 2) || metric.active.empty()) return false;
        return std::none_of(metric.active.begin(), metric.active.end(),
                            [&](int column) { return metric.kinds[column] == kCyclic; });
    }

    FineCodes(const Table& table, const CodedColumns& columns) : table_(table) {
        for (const auto& [column, kind, residual] : columns.all())
            if (kind == kNumeric) slots_.push_back(cells_of(column, table.bins + column * kBins * 2, residual));
        numbers_ = slots_.size();
        for (const auto& [column, kind, residual] : columns.all()) {
            if (kind != kNominal) continue;
            while (numbers_ % kEight != 0) slots_.push_back(Slot{}), ++numbers_;
            slots_.push_back(Slot{column, 0.0, 0.0, 0.0, false});
        }
        for (Slot& slot : slots_) slot.lacks = !slot.fills && table.lacking[slot.column];
        codes_.resize(table.rows * slots_.size() + kPadding);
    }

    void encode(std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            std::uint8_t* codes = codes_.data() + row * slots_.size();
            for (std::size_t s = 0; s < slots_.size(); ++s) {
                const double value = table_.value(row, slots_[s].column);
                codes[s] = value != value ? kMissing : s < numbers_ ? number_code(s, value) : category_code(value);
            }
        }
    }

    [[gnu::always_inline]] std::size_t slots() const { return slots_.size(); }
    [[gnu::always_inline]] std::size_t numbers() const { return numbers_; }
    [[gnu::always_inline]] const std::uint8_t* row(std::int64_t r) const { return codes_.data() + r * slots_.size(); }

    // The column of a slot; of one that fills up an eight it is not to be asked for.
    [[gnu::always_inline]] int column(std::size_t s) const { return slots_[s].column; }
    [[gnu::always_inline]] bool filler(std::size_t s) const { return s < numbers_ && slots_[s].fills; }

    // Whether any row lacks the column of a slot.
    [[gnu::always_inline]] bool lacks(std::size_t s) const { return slots_[s].lacks; }

    // Where a number lies, from 0 to 255 cells; and the width of a cell, 0 for a column that tells nothing.
    [[gnu::always_inline]] double place(std::size_t s, double value) const {
        const double cells = (value - slots_[s].first) * slots_[s].per_cell;
        return cells > 0 ? std::min(cells, 1.0 * kCells) : 0.0;
    }
    [[gnu::always_inline]] double width(std::size_t s) const { return slots_[s].width; }

    [[gnu::always_inline]] std::uint8_t number_code(std::size_t s, double value) const {
        return static_cast<std::uint8_t>(std::min(place(s, value), kCells - 1.0));
    }
    [[gnu::always_inline]] static std::uint8_t category_code(double value) {
        // The two zeros are one category.
        const std::uint64_t code = std::bit_cast<std::uint64_t>(value + 0.0) * 0x9E3779B97F4A7C15u >> 56;
        return static_cast<std::uint8_t>(std::min<std::uint64_t>(code, kCells - 1));
    }

private:
    struct Slot {
        int column = 0;
        double first = 0.0, width = 0.0, per_cell = 0.0;
        bool fills = true;  // up an eight, for no column
        bool lacks = false;
    };

    static Slot cells_of(int column, const double* bins, double residual) {
        std::vector<double> starts, steps;  // of the bins that are not empty, and from one to the next
        double most = 0.0;
        for (int bin = 0; bin < kBins; ++bin) {
            if (!(bins[2 * bin] <= bins[2 * bin + 1])) continue;
            if (!starts.empty()) steps.push_back(bins[2 * bin] - starts.back());
            starts.push_back(bins[2 * bin]);
            most = bins[2 * bin + 1];
        }
        if (starts.empty()) return {column, 0.0, 0.0, 0.0, false};
        double first = starts.front(), last = most;
        if (!steps.empty()) {
            std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
            const double reach = std::max(kReach * steps[steps.size() / 2], kFarReach * residual),
                         middle = starts[starts.size() / 2];
            first = std::max(first, middle - reach);
            last = std::min(last, middle + reach);
        }
        const double width = (last - first) / kCells, per_cell = 1.0 / width;
        if (!(width > 0 && std::isfinite(width) && std::isfinite(per_cell))) return {column, 0.0, 0.0, 0.0, false};
        return {column, first, width, per_cell, false};
    }

    const Table& table_;
    std::vector<Slot> slots_;
    std::size_t numbers_ = 0;  // slots of numbers, with those that fill up
    std::vector<std::uint8_t> codes_;
};

}  // namespace vicinal
