// Excess terms as bytes, a quarter of the memory that singles take: what weights of wide tables are learned from, where
// errors of single terms cancel out.
//
// A code is the exponent and the first four bits of a term and 1/16: steps are 1/256 near zero, and then a 16th to a
// 32nd of the sum. Zero is exact, and terms above 4000 count as that.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

using TermCodes = std::uint8_t __attribute__((vector_size(kSingles)));

constexpr float kLeastOfCodes = 0.0625f;
constexpr std::int32_t kCodeShift = 19, kFirstBits = std::bit_cast<std::int32_t>(kLeastOfCodes);

inline std::uint8_t term_code(float term) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(term + kLeastOfCodes) + (1 << (kCodeShift - 1));
    return static_cast<std::uint8_t>(std::min((bits - kFirstBits) >> kCodeShift, 255));
}

// Whole vectors of them.
inline void decode_terms(const std::uint8_t* codes, std::size_t count, float* out) {
    for (std::size_t at = 0; at < count; at += kSingles) {
        TermCodes some;
        std::memcpy(&some, codes + at, sizeof some);
        const SingleBits bits = (__builtin_convertvector(some, SingleBits) << kCodeShift) + splat_bits32(kFirstBits);
        store(out + at, reinterpret_cast<Single>(bits) - splat_single(kLeastOfCodes));
    }
}

}  // namespace vicinal::VICINAL_PATH
