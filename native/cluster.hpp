// An order of the rows in which each block of 64 holds rows that are alike, so that whole blocks
// can be ruled out. Answers do not depend on it, only their speed does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "types.hpp"

namespace vicinal {

// Splits the rows in two at the median of the column that varies most, in units of its scale, and
// each half again, down to single blocks.
class Clustering {
public:
    Clustering(const Rows& rows, const std::uint8_t* kinds, const double* scales)
        : rows_(rows), kinds_(kinds), scales_(scales) {}

    void run(std::int64_t* order) {
        std::iota(order, order + rows_.rows, std::int64_t{0});
        pairs_.resize(rows_.rows);
        split(order, 0, rows_.rows);
    }

private:
    static constexpr std::int64_t kSample = 96;

    void split(std::int64_t* order, std::int64_t first, std::int64_t last) {
        while (last - first > kBlock) {
            const int column = widest(order, first, last);
            if (column < 0) return;  // all rows are alike
            const std::int64_t half = ((last - first) / 2 + kBlock - 1) / kBlock * kBlock;
            const std::int64_t middle = first + half;
            for (std::int64_t i = first; i < last; ++i) pairs_[i] = {key(order[i], column), order[i]};
            std::nth_element(pairs_.begin() + first, pairs_.begin() + middle, pairs_.begin() + last);
            for (std::int64_t i = first; i < last; ++i) order[i] = pairs_[i].second;
            split(order, first, middle);
            first = middle;
        }
    }

    // What rows are sorted by: the value, or the bin of the category; missing ones come last.
    double key(std::int64_t row, int column) const {
        const double v = rows_.value(row, column);
        if (v != v) return std::numeric_limits<double>::infinity();
        if (kinds_[column] != kNominal) return v;
        return v >= 0 && v < 2147483648.0 ? static_cast<double>(static_cast<std::int64_t>(v) % kBins) : 0.0;
    }

    // The column whose middle 70 % of values spread widest, by a sample of the rows.
    int widest(const std::int64_t* order, std::int64_t first, std::int64_t last) {
        const std::int64_t step = std::max<std::int64_t>(1, (last - first) / kSample);
        int best = -1;
        double most = 0.0;
        for (int column = 0; column < rows_.columns; ++column) {
            sample_.clear();
            for (std::int64_t i = first + step / 2; i < last; i += step) {
                const double v = key(order[i], column);
                if (v < std::numeric_limits<double>::infinity()) sample_.push_back(v);
            }
            const double spread = kinds_[column] == kNominal ? nominal_spread(column) : numeric_spread(column);
            if (spread > most) most = spread, best = column;
        }
        return best;
    }

    double numeric_spread(int column) {
        if (sample_.size() < 4 || !(scales_[column] > 0)) return 0.0;
        const auto low = sample_.begin() + sample_.size() * 15 / 100,
                   high = sample_.begin() + sample_.size() * 85 / 100;
        std::nth_element(sample_.begin(), low, sample_.end());
        const double at_low = *low;
        std::nth_element(sample_.begin(), high, sample_.end());
        return (*high - at_low) / scales_[column];
    }

    // A differing category costs its contrast: the scale, times how often two rows differ.
    double nominal_spread(int column) const {
        double same = 0.0;
        int counts[kBins] = {};
        for (const double bin : sample_) ++counts[static_cast<int>(bin)];
        for (const int count : counts) same += static_cast<double>(count) * count;
        const double size = static_cast<double>(sample_.size());
        return sample_.empty() ? 0.0 : scales_[column] * (1.0 - same / (size * size));
    }

    const Rows& rows_;
    const std::uint8_t* kinds_;
    const double* scales_;
    std::vector<std::pair<double, std::int64_t>> pairs_;
    std::vector<double> sample_;
};

}  // namespace vicinal
