// The inner loop of searches by cells: byte bounds of 64 rows for eight queries at a time.
#pragma once

#include "cells.hpp"

#if defined(VICINAL_AVX512)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

#if defined(VICINAL_AVX512)

// Without a branch, while the sums of the next block are under way.
inline void scan_cells(const CellScan& scan) {
    constexpr int kTile = CellScan::kTile;
    BlockRows* left[kTile];
    std::copy_n(scan.ends, kTile, left);
    for (std::int64_t block = scan.from; block < scan.to; ++block) {
        const CellLine *lines = scan.cells->lines_of(block), *tables = scan.tables;
        const std::size_t *slot = scan.slots, *end = slot + scan.count;
        __m512i sums[kTile];
#pragma GCC unroll 8
        for (int q = 0; q < kTile; ++q) sums[q] = _mm512_setzero_si512();
        do {
            const __m512i cells = _mm512_load_si512(&lines[*slot]);
#pragma GCC unroll 8
            for (int q = 0; q < kTile; ++q) {
                const __m512i bytes = _mm512_permutexvar_epi8(cells, _mm512_load_si512(&tables[q]));
                sums[q] = _mm512_adds_epu8(sums[q], bytes);
            }
            tables += kTile;
        } while (++slot != end);
        const __mmask64 live = scan.alive[block];
#pragma GCC unroll 8
        for (int q = 0; q < kTile; ++q) {
            const std::uint64_t bits = _mm512_mask_cmpneq_epi8_mask(live, sums[q], _mm512_set1_epi8(-1));
            *left[q] = {block, bits};
            left[q] += bits != 0;
        }
    }
    std::copy_n(left, kTile, scan.ends);
}

#else

inline void scan_cells(const CellScan& scan) {
    for (std::int64_t block = scan.from; block < scan.to; ++block)
        for (int q = 0; q < CellScan::kTile; ++q) {
            int sums[kBlock] = {};
            for (std::size_t c = 0; c < scan.count; ++c) {
                const std::uint8_t *table = scan.tables[c * CellScan::kTile + q].of,
                                   *cells = scan.cells->lines_of(block)[scan.slots[c]].of;
                for (int r = 0; r < kBlock; ++r) sums[r] += table[cells[r]];
            }
            std::uint64_t bits = 0;
            for (int r = 0; r < kBlock; ++r) bits |= static_cast<std::uint64_t>(sums[r] < 255) << r;
            if (bits &= scan.alive[block]) *scan.ends[q]++ = {block, bits};
        }
}

#endif

}  // namespace vicinal::VICINAL_PATH
