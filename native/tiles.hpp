// Look-up tables of bytes, of four queries side by side, and the scan of all blocks by such a tile.
//
// What must hold:
// - A tile has kTableStride bytes for each column that counts, and each of its four queries kTableBytes
//   of them; 255 in all of them rules every row out, and stands where there is no query.
// - Tiles stay where they are while others are added: queries keep pointers into them.
#pragma once

#include <algorithm>
#include <deque>

#include "scan.hpp"

namespace vicinal::VICINAL_PATH {

constexpr std::int64_t kChunkBytes = 1 << 17;  // codes that stay in cache while a group of queries passes

class Tiles {
public:
    Tiles(const Table& table, const Metric& metric) : table_(table), metric_(metric) {}

    // The tables of the query at a place: tile * kTile + place in the tile.
    std::uint8_t* at(std::size_t place) {
        const std::size_t tile = place / kTile;
        while (tiles_.size() <= tile) tiles_.emplace_back(metric_.active.size() * kTableStride, 255);
        return tiles_[tile].data() + place % kTile * kTableBytes;
    }

    // A place given up rules everything out, until the next query takes it.
    void forget(std::uint8_t* bytes) const {
        for (std::size_t c = 0; c < metric_.active.size(); ++c) std::fill_n(bytes + c * kTableStride, kTableBytes, 255);
    }

    // The first `count` queries pass over all blocks, a tile at a time, while a chunk of codes is in
    // cache. visit(place, block, bits) is given the live rows that the bytes leave. Where rows have codes
    // of their own as well, what is left of a chunk is listed first, without a branch that would often be
    // guessed wrong, and visited while those are in cache; finish(place) is called after each chunk.
    template <class Visit, class Finish>
    void scan(std::size_t count, bool coded, const Visit& visit, const Finish& finish) {
        const std::int64_t chunk =
            std::max<std::int64_t>(1, kChunkBytes / (static_cast<std::int64_t>(kBlockBytes) * table_.columns));
        for (std::int64_t from = 0; count > 0 && from < table_.blocks(); from += chunk) {
            const std::int64_t to = std::min(from + chunk, table_.blocks());
            for (std::size_t first = 0; first < count; first += kTile) {
                const std::size_t queries = std::min<std::size_t>(kTile, count - first);
                if (coded)
                    list_then_visit(first, queries, from, to, visit, finish);
                else
                    visit_at_once(first, queries, from, to, visit);
            }
        }
    }

private:
    void scan_one(std::size_t first, std::size_t queries, std::int64_t block, std::uint64_t* survivors) const {
        const std::uint8_t* tables = tiles_[first / kTile].data();
        if (queries == 1)
            scan_block<1>(table_.codes_of(block), metric_.active.data(), metric_.active.size(), tables, survivors);
        else
            scan_block<kTile>(table_.codes_of(block), metric_.active.data(), metric_.active.size(), tables, survivors);
    }

    template <class Visit>
    void visit_at_once(std::size_t first, std::size_t queries, std::int64_t from, std::int64_t to,
                       const Visit& visit) const {
        std::uint64_t survivors[kTile] = {};
        for (std::int64_t block = from; block < to; ++block) {
            scan_one(first, queries, block, survivors);
            for (std::size_t q = 0; q < queries; ++q) visit(first + q, block, survivors[q] & table_.alive[block]);
        }
    }

    template <class Visit, class Finish>
    void list_then_visit(std::size_t first, std::size_t queries, std::int64_t from, std::int64_t to, const Visit& visit,
                         const Finish& finish) {
        left_.resize(kTile * (to - from + 1));
        BlockRows* ends[kTile];
        for (int q = 0; q < kTile; ++q) ends[q] = &left_[q * (to - from + 1)];
        const auto scan = queries == 1 ? scan_blocks<1> : scan_blocks<kTile>;
        scan(table_, from, to, metric_.active.data(), metric_.active.size(), tiles_[first / kTile].data(), ends);
        for (std::size_t q = 0; q < queries; ++q) {
            for (const BlockRows* left = &left_[q * (to - from + 1)]; left != ends[q]; ++left)
                visit(first + q, left->block, left->bits);
            finish(first + q);
        }
    }

    const Table& table_;
    const Metric& metric_;
    std::deque<std::vector<std::uint8_t>> tiles_;
    std::vector<BlockRows> left_;  // for each query of a tile, block by block
};

}  // namespace vicinal::VICINAL_PATH
