// Look-up tables by cells, of eight queries side by side, and the scan of all blocks by such a tile.
#pragma once

#include <algorithm>
#include <deque>

#include "cells.hpp"
#include "tiles.hpp"

namespace vicinal::VICINAL_PATH {

class CellTiles {
public:
    static constexpr std::size_t kStride = CellTile::kQueries;  // lines from slot to slot

    explicit CellTiles(const SearchJob& job) : job_(job) {
        if (!job.cells) return;
        const FineCodes& fine = job.cells->fine();
        for (std::size_t s = 0; s < fine.slots(); ++s)
            if (!fine.filler(s) && job.metric->weights[fine.column(s)] > 0) slots_.push_back(s);
    }

    // The slots that count.
    const std::vector<std::size_t>& slots() const { return slots_; }

    // The tables of the query at a place.
    CellLine* at(std::size_t place) {
        while (tiles_.size() <= place / kStride) tiles_.emplace_back(slots_.size() * kStride);
        return &tiles_[place / kStride][place % kStride];
    }

    // The sums of the bytes of the query at a place, for the rows of some blocks.
    void sum(std::size_t place, const std::int64_t* blocks, const std::int64_t* end, std::uint8_t* sums) {
        job_.by_cells->sum({tile(at(place)), blocks, end, sums});
    }

    // The first `count` queries pass over all blocks while a chunk of codes is in cache. visit(place, block, bits) is
    // given the live rows that the bytes leave, block after block.
    template <class Visit>
    void scan(std::size_t count, const Visit& visit) {
        if (count == 0) return;
        const auto line = static_cast<std::int64_t>(sizeof(CellLine) * job_.cells->slots());
        const std::int64_t blocks = job_.table->blocks(), chunk = std::max<std::int64_t>(1, kChunkBytes / line);
        for (std::int64_t from = 0; from < blocks; from += chunk)
            for (std::size_t first = 0; first < count; first += kStride)
                scan_tile(first, std::min(kStride, count - first), from, std::min(from + chunk, blocks), visit);
    }

private:
    CellTile tile(const CellLine* tables) const { return {job_.cells, slots_.data(), slots_.size(), tables}; }

    template <class Visit>
    void scan_tile(std::size_t first, std::size_t queries, std::int64_t from, std::int64_t to, const Visit& visit) {
        const std::size_t room = to - from + 1;
        left_.resize(kStride * room);
        BlockRows* ends[kStride];
        for (std::size_t q = 0; q < kStride; ++q) ends[q] = &left_[q * room];
        job_.by_cells->scan({tile(at(first)), job_.table->alive, from, to, ends});
        for (std::size_t q = 0; q < queries; ++q)
            for (const BlockRows* left = &left_[q * room]; left != ends[q]; ++left)
                visit(first + q, left->block, left->bits);
    }

    const SearchJob& job_;
    std::vector<std::size_t> slots_;
    std::deque<std::vector<CellLine>> tiles_;  // queries keep pointers into them
    std::vector<BlockRows> left_;              // for each query of a tile, block by block
};

}  // namespace vicinal::VICINAL_PATH
