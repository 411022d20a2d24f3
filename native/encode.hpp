// Packing rows into 4-bit codes, 64 rows to a block.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "types.hpp"

namespace vicinal {

constexpr int kEdges = kBins - 1;
constexpr double kMostCategories = 2147483648.0;

struct Packing {
    const std::uint8_t* kinds;
    const double* edges;  // (columns, kEdges), ascending; a value equal to an edge lies above it
    std::uint8_t* codes;
    std::uint8_t* summary;
    double* bins;  // widened to hold the rows packed
    std::uint8_t* lacking;
};

inline int code_of(double value, Kind kind, const double* edges) {
    if (value != value) return kMissingCode;
    if (kind == kNominal) {
        if (!(value >= 0 && value < kMostCategories)) throw std::invalid_argument("a category code is out of range");
        return static_cast<int>(static_cast<std::int64_t>(value) % kBins);
    }
    int code = 0;
    for (int e = 0; e < kEdges; ++e) code += value >= edges[e];
    return code;
}

// The place of row `row` of column `column` in packed codes.
struct Nibble {
    std::uint8_t* byte;
    int shift;
    Nibble(std::uint8_t* codes, std::int64_t row, std::int64_t column, std::int64_t columns)
        : byte(codes + (row / kBlock * columns + column) * kBlockBytes + row % kBlockBytes),
          shift(row % kBlock < kBlockBytes ? 0 : 4) {}
    int get() const { return *byte >> shift & 15; }
    void set(int code) const { *byte = static_cast<std::uint8_t>((*byte & (0xf0 >> shift)) | code << shift); }
};

// Takes one more row of a block into its summary.
inline void summarize(std::uint8_t* summary, std::int64_t row, int column, int columns, Kind kind, int code) {
    const Nibble least(summary, row / kBlock, 2 * column, 2 * columns);
    const Nibble most(summary, row / kBlock, 2 * column + 1, 2 * columns);
    const bool first = row % kBlock == 0;
    if (kind == kNominal) {
        least.set(first || least.get() == code ? code : kMixed);
        return;
    }
    // Missing values do not tell: any block of a column that has some is bounded by the term against them as well.
    if (code == kMissingCode && !first) return;
    least.set(first ? code : std::min(least.get(), code));
    most.set(first || most.get() == kMissingCode ? code : std::max(most.get(), code));
}

// From the row `first` on.
inline void pack_rows(const Rows& rows, std::int64_t first, const Packing& to) {
    const int columns = rows.columns;
    for (std::int64_t row = first; row < rows.rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const double value = rows.value(row, column);
            const Kind kind = static_cast<Kind>(to.kinds[column]);
            const int code = code_of(value, kind, to.edges + column * kEdges);
            Nibble(to.codes, row, column, columns).set(code);
            summarize(to.summary, row, column, columns, kind, code);
            if (code == kMissingCode) {
                to.lacking[column] = 1;
                continue;
            }
            double* bin = to.bins + (column * kBins + code) * 2;
            bin[0] = std::min(bin[0], value);
            bin[1] = std::max(bin[1], value);
        }
}

}  // namespace vicinal
