// Cells of the values of all rows, 64 to a column and about as many rows in each, for searches of many queries on
// processors that look up 64 bytes at once: the bounds of four times as many bins leave a third of the rows.
//
// What must hold:
// - Cells are made of the finer codes: a cell of numbers reaches from one of those to another. Categories of one
//   cell may differ, and are taken for equal. Missing values are in the last cell, which has no numbers then.
// - Codes are in lines of 64 bytes, one for the rows of a block in a slot, so that no load crosses a line of the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "fine.hpp"
#include "types.hpp"

namespace vicinal {

// Rows of a block, a bit each.
struct BlockRows {
    std::int64_t block;
    std::uint64_t bits;
};

struct alignas(kBlock) CellLine {
    std::uint8_t of[kBlock];
};

class CellCodes {
public:
    static constexpr int kCells = 64;
    static constexpr std::int64_t kManyQueries = 1024;  // for fewer it takes too long to make them,
    static constexpr std::int64_t kAtOnce = 64;         // and fewer at once would not fill the tiles

    CellCodes(const Table& table, const FineCodes& fine)
        : fine_(fine), rows_(table.rows), cell_of_(fine.slots()), starts_(fine.slots()) {
        double fullest = 0.0;
        for (std::size_t s = 0; s < fine.slots(); ++s)
            if (s < fine.numbers())
                fullest += divide(s);
            else
                for (int code = 0; code < FineCodes::kCodes; ++code) cell_of_[s][code] = category_cell(code);
        tell_more_ = fullest <= kFullest * static_cast<double>(fine.numbers());
        if (tell_more_) lines_.resize(table.blocks() * fine.slots());
    }

    // Whether cells tell more than bins do, or are not even made: not where many rows have one code in each column.
    bool tell_more() const { return tell_more_; }

    void encode(std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            const std::uint8_t* codes = fine_.row(row);
            CellLine* lines = &lines_[row / kBlock * fine_.slots()];
            for (std::size_t s = 0; s < fine_.slots(); ++s) lines[s].of[row % kBlock] = cell_of_[s][codes[s]];
        }
    }

    const FineCodes& fine() const { return fine_; }
    // Of the rows of a block, slot after slot.
    const CellLine* lines_of(std::int64_t block) const { return &lines_[block * fine_.slots()]; }
    std::size_t slots() const { return fine_.slots(); }
    // The cell of a finer code.
    std::uint8_t cell_of(std::size_t slot, int code) const { return cell_of_[slot][code]; }
    // The finer codes that the cells of numbers begin at; one more says where the last one ends.
    const double* starts(std::size_t slot) const { return starts_[slot].data(); }
    static std::uint8_t category_cell(int code) {
        return static_cast<std::uint8_t>(code / (FineCodes::kCodes / kCells));
    }

private:
    static constexpr std::int64_t kSample = 8192;  // rows that say where most are
    static constexpr double kFullest = 0.25;       // part of them in the fullest code, in the mean of the columns

    // Cells begin where so many of the rows are below. Returns the part of them in the fullest code.
    double divide(std::size_t slot) {
        std::int64_t counts[FineCodes::kCodes] = {}, sampled = 0, below = 0;
        const std::int64_t step = std::max<std::int64_t>(1, rows_ / kSample);
        for (std::int64_t row = step / 2; row < rows_; row += step, ++sampled) ++counts[fine_.row(row)[slot]];
        const std::int64_t known = sampled - counts[FineCodes::kMissing], cells = kCells - fine_.lacks(slot);
        int cell = 0;
        starts_[slot].fill(FineCodes::kCells);
        starts_[slot][0] = 0.0;
        for (int code = 0; code < FineCodes::kCells; below += counts[code++]) {
            const std::int64_t middle = (2 * below + counts[code]) * cells / std::max<std::int64_t>(2 * known, 1);
            const int next = static_cast<int>(std::min(middle, cells - 1));
            while (cell < next) starts_[slot][++cell] = code;
            cell_of_[slot][code] = static_cast<std::uint8_t>(cell);
        }
        cell_of_[slot][FineCodes::kMissing] = kCells - 1;
        return static_cast<double>(*std::max_element(counts, std::end(counts))) / static_cast<double>(sampled);
    }

    const FineCodes& fine_;
    std::int64_t rows_;
    std::vector<std::array<std::uint8_t, FineCodes::kCodes>> cell_of_;  // by finer codes
    std::vector<std::array<double, kCells + 1>> starts_;
    std::vector<CellLine> lines_;
    bool tell_more_ = false;
};

// Queries side by side: their tables of 64 bytes, slot after slot of those that count.
struct CellTile {
    static constexpr int kQueries = 8;
    const CellCodes* cells;
    const std::size_t* slots;
    std::size_t count;  // of slots, at least one
    const CellLine* tables;
};

// A scan of the blocks [from, to) by all queries of a tile. The live rows of each block that a query's bytes leave are
// listed from `ends` on, which move on; there is room for one more than there are blocks.
struct CellScan {
    CellTile tile;
    const std::uint64_t* alive;
    std::int64_t from, to;
    BlockRows** ends;
};

// The sums of the bytes of one query, the first of the tables, for the rows of some blocks: 64 for each.
struct CellSums {
    CellTile tile;
    const std::int64_t *blocks, *end;
    std::uint8_t* sums;
};

struct CellKernels {
    void (*scan)(const CellScan& scan);
    void (*sum)(const CellSums& asked);
};

}  // namespace vicinal
