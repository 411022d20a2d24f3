// Whole numbers by their steps: where a column takes few values, such as counts, ratings or
// categories, its terms are few too, and are looked up in a table instead of worked out for each row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "types.hpp"

namespace vicinal {

constexpr int kMostSteps = 64;  // of one column

// The range of a column, as long as it is of few whole numbers.
class StepRange {
public:
    // Takes in a value; false if it is no whole number, or too far from the others. A missing one fits in.
    [[gnu::always_inline]] bool take(double value) {
        constexpr double kWhole = 4503599627370496.0;  // 2^52: up to here differences are exact
        if (value != value) return true;
        if (!(value > -kWhole && value < kWhole) || static_cast<double>(static_cast<std::int64_t>(value)) != value)
            return false;
        least_ = std::min(least_, value);
        most_ = std::max(most_, value);
        return most_ - least_ < kMostSteps;
    }
    double first() const { return steps() ? least_ : 0.0; }
    int steps() const { return least_ <= most_ ? static_cast<int>(most_ - least_) + 1 : 0; }

private:
    double least_ = std::numeric_limits<double>::infinity(), most_ = -std::numeric_limits<double>::infinity();
};

// A missing value has the step behind the last.
[[gnu::always_inline]] inline std::uint8_t step_code(double value, double first, int steps) {
    return static_cast<std::uint8_t>(value == value ? static_cast<int>(value - first) : steps);
}

// One column by its steps, where these are few beside the rows.
struct StepColumn {
    std::vector<double> values;       // of the steps, and NaN if one is missing; empty where there are no steps
    std::vector<std::uint8_t> codes;  // of the rows, and some to fill up an eight

    StepColumn(const double* column, std::int64_t rows) {
        constexpr std::int64_t kSpare = 8;
        constexpr std::int64_t kRowsPerStep = 8;  // else a table of steps is hardly shorter than the column
        StepRange range;
        bool lacking = false;
        for (std::int64_t row = 0; row < rows; ++row) {
            if (!range.take(column[row])) return;
            lacking |= column[row] != column[row];
        }
        if (range.steps() * kRowsPerStep > rows) return;
        for (int step = 0; step < range.steps(); ++step) values.push_back(range.first() + step);
        if (lacking) values.push_back(std::numeric_limits<double>::quiet_NaN());
        codes.resize(rows + kSpare);
        for (std::int64_t row = 0; row < rows; ++row) codes[row] = step_code(column[row], range.first(), range.steps());
    }
};

// Rows by their steps, for searches of many queries, if every column that counts has few. A byte for
// each: how far its value lies above the least one, in steps of 1.
// Columns stand in the order in which `Query` adds up their terms, each kind by itself in groups of
// four, so that a sum of what tables say has the same bits.
class StepCodes {
public:
    static constexpr std::int64_t kMostPairs = 1 << 17;  // of steps, in all columns: their terms are to stay in cache
    static constexpr int kTogether = 4;                  // columns whose terms are added at once

    StepCodes(const Table& table, const Metric& metric) : table_(table), places_(metric.active.size()) {
        // Of equal weights the logarithms of terms are not added one by one.
        if (metric.active.empty() || (metric.p == 0 && metric.uniform)) return;
        for (const std::uint8_t kind : {kNumeric, kCyclic, kNominal}) {
            for (std::size_t place = 0; place < places_.size(); ++place) {
                if (metric.kinds[metric.active[place]] != kind) continue;
                places_[place] = slots_.size();
                slots_.push_back(Slot{metric.active[place]});
            }
            while (slots_.size() % kTogether != 0) slots_.push_back(Slot{});
        }
        suit_ = find_steps();
    }

    // Whether the rows have steps at all.
    bool suit() const { return suit_; }

    void encode(std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            std::uint8_t* codes = codes_.data() + row * slots_.size();
            for (std::size_t s = 0; s < slots_.size(); ++s) {
                const Slot& slot = slots_[s];
                if (slot.column >= 0) codes[s] = step_code(table_.value(row, slot.column), slot.first, slot.steps);
            }
        }
    }

    struct Slot {
        int column = -1;  // none: it fills up a group
        double first = 0.0;
        int steps = 0;  // that values may have; a missing one has the next
    };

    [[gnu::always_inline]] const std::vector<Slot>& slots() const { return slots_; }
    [[gnu::always_inline]] const std::uint8_t* row(std::int64_t r) const { return codes_.data() + r * slots_.size(); }
    [[gnu::always_inline]] int widest() const {
        return widest_;
    }  // most steps of a column, with that of a missing value

    // The slot of the active column at a place.
    [[gnu::always_inline]] std::size_t slot_at(std::size_t place) const { return places_[place]; }

    // The step of a value, or -1 for one that lies on none.
    [[gnu::always_inline]] int step(std::size_t s, double value) const {
        const double above = value - slots_[s].first;
        if (!(above >= 0 && above < slots_[s].steps)) return -1;
        const int step = static_cast<int>(above);
        return slots_[s].first + step == value ? step : -1;
    }

private:
    // Most tables without steps in every column show it in the first rows.
    bool find_steps() {
        std::vector<StepRange> ranges(slots_.size());
        for (std::int64_t row = 0; row < table_.rows; ++row)
            for (std::size_t s = 0; s < slots_.size(); ++s)
                if (slots_[s].column >= 0 && !ranges[s].take(table_.value(row, slots_[s].column))) return false;
        std::int64_t pairs = 0;
        for (std::size_t s = 0; s < slots_.size(); ++s) {
            Slot& slot = slots_[s];
            slot.first = ranges[s].first();
            slot.steps = ranges[s].steps();
            pairs += static_cast<std::int64_t>(slot.steps) * (slot.steps + 1);
            widest_ = std::max(widest_, slot.steps + 1);
        }
        if (pairs > kMostPairs) return false;
        codes_.assign(table_.rows * slots_.size(), 0);
        return true;
    }

    const Table& table_;
    std::vector<Slot> slots_;
    std::vector<std::size_t> places_;
    bool suit_ = false;
    int widest_ = 1;
    std::vector<std::uint8_t> codes_;
};

}  // namespace vicinal
