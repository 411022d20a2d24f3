// The inner loops of searches by cells: byte bounds of 64 rows, for eight queries at a time or for one.
#pragma once

#include "cells.hpp"

#if defined(VICINAL_AVX512)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

#if defined(VICINAL_AVX512)

// Without a branch, while the sums of the next block are under way.
inline void scan_cells(const CellScan& scan) {
    constexpr int kQueries = CellTile::kQueries;
    BlockRows* left[kQueries];
    std::copy_n(scan.ends, kQueries, left);
    for (std::int64_t block = scan.from; block < scan.to; ++block) {
        const CellLine *lines = scan.tile.cells->lines_of(block), *tables = scan.tile.tables;
        const std::size_t *slot = scan.tile.slots, *end = slot + scan.tile.count;
        __m512i sums[kQueries];
#pragma GCC unroll 8
        for (int q = 0; q < kQueries; ++q) sums[q] = _mm512_setzero_si512();
        do {
            const __m512i cells = _mm512_load_si512(&lines[*slot]);
#pragma GCC unroll 8
            for (int q = 0; q < kQueries; ++q) {
                const __m512i bytes = _mm512_permutexvar_epi8(cells, _mm512_load_si512(&tables[q]));
                sums[q] = _mm512_adds_epu8(sums[q], bytes);
            }
            tables += kQueries;
        } while (++slot != end);
        const __mmask64 live = scan.alive[block];
#pragma GCC unroll 8
        for (int q = 0; q < kQueries; ++q) {
            const std::uint64_t bits = _mm512_mask_cmpneq_epi8_mask(live, sums[q], _mm512_set1_epi8(-1));
            *left[q] = {block, bits};
            left[q] += bits != 0;
        }
    }
    std::copy_n(left, kQueries, scan.ends);
}

inline void sum_cells(const CellSums& asked) {
    const CellTile& tile = asked.tile;
    std::uint8_t* sums = asked.sums;
    for (const std::int64_t* block = asked.blocks; block != asked.end; ++block, sums += kBlock) {
        const CellLine* lines = tile.cells->lines_of(*block);
        const auto bytes = [&](std::size_t c) __attribute__((always_inline)) {
            const __m512i table = _mm512_load_si512(&tile.tables[c * CellTile::kQueries]);
            return _mm512_permutexvar_epi8(_mm512_load_si512(&lines[tile.slots[c]]), table);
        };
        __m512i even = _mm512_setzero_si512(), odd = even;  // two, so that additions need not wait for each other
        for (std::size_t c = 0; c + 1 < tile.count; c += 2) {
            even = _mm512_adds_epu8(even, bytes(c));
            odd = _mm512_adds_epu8(odd, bytes(c + 1));
        }
        if (tile.count % 2) odd = _mm512_adds_epu8(odd, bytes(tile.count - 1));
        _mm512_storeu_si512(sums, _mm512_adds_epu8(even, odd));
    }
}

#else

// Of the query at a place of a tile.
inline void sum_cells(const CellTile& tile, int query, std::int64_t block, std::uint8_t* sums) {
    int wide[kBlock] = {};
    for (std::size_t c = 0; c < tile.count; ++c) {
        const std::uint8_t *table = tile.tables[c * CellTile::kQueries + query].of,
                           *cells = tile.cells->lines_of(block)[tile.slots[c]].of;
        for (int r = 0; r < kBlock; ++r) wide[r] += table[cells[r]];
    }
    for (int r = 0; r < kBlock; ++r) sums[r] = static_cast<std::uint8_t>(std::min(wide[r], 255));
}

inline void scan_cells(const CellScan& scan) {
    for (std::int64_t block = scan.from; block < scan.to; ++block)
        for (int q = 0; q < CellTile::kQueries; ++q) {
            std::uint8_t sums[kBlock];
            sum_cells(scan.tile, q, block, sums);
            std::uint64_t bits = 0;
            for (int r = 0; r < kBlock; ++r) bits |= static_cast<std::uint64_t>(sums[r] < 255) << r;
            if (bits &= scan.alive[block]) *scan.ends[q]++ = {block, bits};
        }
}

inline void sum_cells(const CellSums& asked) {
    std::uint8_t* sums = asked.sums;
    for (const std::int64_t* block = asked.blocks; block != asked.end; ++block, sums += kBlock)
        sum_cells(asked.tile, 0, *block, sums);
}

#endif

inline const CellKernels& cell_kernels() {
    static constexpr CellKernels kernels{scan_cells, sum_cells};
    return kernels;
}

}  // namespace vicinal::VICINAL_PATH
