// The inner loop: byte bounds of 64 rows for four queries at a time.
#pragma once

#include "bounds.hpp"
#include "cells.hpp"

#if defined(VICINAL_AVX2)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

constexpr int kTile = 4;                                   // queries scanned together
constexpr std::size_t kTableStride = kTile * kTableBytes;  // from column to column

// `codes` points at the block of packed codes, `active` lists its columns to add up, `count` of
// them, at least one, and `tables` holds the look-up tables, column after column.
//
// For each of the first Q queries of the tile the bits of the rows whose bound does not rule them out.
#if defined(VICINAL_AVX2)

// Adds in place, with saturation. The intrinsic has GCC move every sum to another register and back,
// column after column, which costs a third of the speed.
[[gnu::always_inline]] inline void add_bytes(__m256i& sum, __m256i bytes) {
    asm("vpaddusb %1, %0, %0" : "+x"(sum) : "x"(bytes));
}

// Inlined, they would have to share the registers.
template <int Q>
[[gnu::always_inline]] inline void add_up_block(const std::uint8_t* codes, const int* active, const int* end,
                                                const std::uint8_t* tables, std::uint64_t* survivors) {
    const __m256i low_half = _mm256_set1_epi8(15);
    __m256i sums[2 * Q];
#pragma GCC unroll 8
    for (int i = 0; i < 2 * Q; ++i) sums[i] = _mm256_setzero_si256();
    do {
        const auto* at = reinterpret_cast<const __m256i*>(codes + static_cast<std::size_t>(*active) * kBlockBytes);
        const __m256i packed = _mm256_loadu_si256(at);
        const __m256i low = _mm256_and_si256(packed, low_half);
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(packed, 4), low_half);
#pragma GCC unroll 4
        for (int q = 0; q < Q; ++q) {
            const __m256i table = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tables + q * kTableBytes));
            const __m256i first = _mm256_shuffle_epi8(table, low), second = _mm256_shuffle_epi8(table, high);
            add_bytes(sums[2 * q], first);
            add_bytes(sums[2 * q + 1], second);
        }
        tables += kTableStride;
    } while (++active != end);
    const __m256i full = _mm256_set1_epi8(-1);
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
        const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(sums[2 * q], full)));
        const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(sums[2 * q + 1], full)));
        survivors[q] = ~(static_cast<std::uint64_t>(second) << 32 | first);
    }
}

template <int Q>
[[gnu::noinline]] void scan_block(const std::uint8_t* codes, const int* active, std::size_t count,
                                  const std::uint8_t* tables, std::uint64_t* survivors) {
    add_up_block<Q>(codes, active, active + count, tables, survivors);
}

// Lists for each of the first Q queries the live rows that its bounds leave, block by block, from `ends` on: without
// a branch, while the sums of the next block are under way.
template <int Q>
[[gnu::noinline]] void scan_blocks(const Table& table, std::int64_t from, std::int64_t to, const int* active,
                                   std::size_t count, const std::uint8_t* tables, BlockRows** ends) {
    BlockRows* left[Q];
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) left[q] = ends[q];
    for (std::int64_t block = from; block < to; ++block) {
        std::uint64_t survivors[Q];
        add_up_block<Q>(table.codes_of(block), active, active + count, tables, survivors);
#pragma GCC unroll 4
        for (int q = 0; q < Q; ++q) {
            const std::uint64_t bits = survivors[q] & table.alive[block];
            *left[q] = {block, bits};
            left[q] += bits != 0;
        }
    }
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) ends[q] = left[q];
}

// The sums themselves, for one query with its tables so many bytes apart.
inline void sum_block(const std::uint8_t* codes, const int* active, std::size_t count, const std::uint8_t* tables,
                      std::size_t stride, std::uint8_t* sums) {
    const __m256i low_half = _mm256_set1_epi8(15);
    __m256i first = _mm256_setzero_si256(), second = first;
    for (std::size_t c = 0; c < count; ++c) {
        const auto* at = reinterpret_cast<const __m256i*>(codes + static_cast<std::size_t>(active[c]) * kBlockBytes);
        const __m256i packed = _mm256_loadu_si256(at);
        const __m256i table = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tables + c * stride));
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(packed, 4), low_half);
        first = _mm256_adds_epu8(first, _mm256_shuffle_epi8(table, _mm256_and_si256(packed, low_half)));
        second = _mm256_adds_epu8(second, _mm256_shuffle_epi8(table, high));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums), first);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + kBlockBytes), second);
}

// The bits of those of 64 sums that are at most `most`.
inline std::uint64_t at_most(const std::uint8_t* sums, int most) {
    const __m256i limit = _mm256_set1_epi8(static_cast<char>(most));
    std::uint64_t bits = 0;
    for (const int half : {0, 1}) {
        const __m256i sum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums) + half);
        const __m256i within = _mm256_cmpeq_epi8(_mm256_min_epu8(sum, limit), sum);
        bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(within))) << 32 * half;
    }
    return bits;
}

#else

inline void sum_block(const std::uint8_t* codes, const int* active, std::size_t count, const std::uint8_t* tables,
                      std::size_t stride, std::uint8_t* sums) {
    int wide[kBlock] = {};
    for (std::size_t c = 0; c < count; ++c) {
        const std::uint8_t* packed = codes + static_cast<std::size_t>(active[c]) * kBlockBytes;
        const std::uint8_t* table = tables + c * stride;
        for (int r = 0; r < kBlockBytes; ++r) {
            wide[r] += table[packed[r] & 15];
            wide[r + kBlockBytes] += table[packed[r] >> 4];
        }
    }
    for (int r = 0; r < kBlock; ++r) sums[r] = static_cast<std::uint8_t>(wide[r] < 255 ? wide[r] : 255);
}

inline std::uint64_t at_most(const std::uint8_t* sums, int most) {
    std::uint64_t bits = 0;
    for (int r = 0; r < kBlock; ++r) bits |= static_cast<std::uint64_t>(sums[r] <= most) << r;
    return bits;
}

template <int Q>
inline void scan_block(const std::uint8_t* codes, const int* active, std::size_t count, const std::uint8_t* tables,
                       std::uint64_t* survivors) {
    for (int q = 0; q < Q; ++q) {
        std::uint8_t sums[kBlock];
        sum_block(codes, active, count, tables + q * kTableBytes, kTableStride, sums);
        survivors[q] = at_most(sums, 254);
    }
}

template <int Q>
inline void scan_blocks(const Table& table, std::int64_t from, std::int64_t to, const int* active, std::size_t count,
                        const std::uint8_t* tables, BlockRows** ends) {
    for (std::int64_t block = from; block < to; ++block) {
        std::uint64_t survivors[Q];
        scan_block<Q>(table.codes_of(block), active, count, tables, survivors);
        for (int q = 0; q < Q; ++q)
            if (const std::uint64_t bits = survivors[q] & table.alive[block]) *ends[q]++ = {block, bits};
    }
}

#endif

}  // namespace vicinal::VICINAL_PATH
