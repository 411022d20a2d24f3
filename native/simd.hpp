// Four doubles at a time, or eight singles, with the same bits on every instruction set.
//
// Included once per instruction path, inside that path's own namespace (VICINAL_PATH), so these
// copies never meet at link time. Only IEEE additions, multiplications, divisions and bit tricks
// are used, never a fused multiply-add and never libm: that is what makes all paths agree to the
// last bit.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(VICINAL_AVX2)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

// Vectors must not travel through memory from function to function.
#define VICINAL_INLINE [[gnu::always_inline]] inline

constexpr int kLanes = 4;
typedef double Vec __attribute__((vector_size(32)));
typedef std::int64_t Bits __attribute__((vector_size(32)));

VICINAL_INLINE Vec splat(double x) { return Vec{x, x, x, x}; }
VICINAL_INLINE Bits splat_bits(std::int64_t x) { return Bits{x, x, x, x}; }
VICINAL_INLINE Bits as_bits(Vec x) { return reinterpret_cast<Bits>(x); }
VICINAL_INLINE Vec as_vec(Bits x) { return reinterpret_cast<Vec>(x); }

VICINAL_INLINE Vec load(const double* from) {
    Vec x;
    std::memcpy(&x, from, sizeof x);
    return x;
}
VICINAL_INLINE void store(double* to, Vec x) { std::memcpy(to, &x, sizeof x); }

#if defined(VICINAL_AVX2)
VICINAL_INLINE bool any(Bits mask) { return _mm256_movemask_pd(as_vec(mask)) != 0; }
#else
VICINAL_INLINE bool any(Bits mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }
#endif
VICINAL_INLINE Vec choose(Bits mask, Vec yes, Vec no) { return as_vec((as_bits(yes) & mask) | (as_bits(no) & ~mask)); }
VICINAL_INLINE Vec absolute(Vec x) { return as_vec(as_bits(x) & splat_bits(INT64_MAX)); }
VICINAL_INLINE Vec smaller(Vec a, Vec b) { return choose(a < b, a, b); }
VICINAL_INLINE Vec larger(Vec a, Vec b) { return choose(a > b, a, b); }

// The same of numbers, none of which is NaN.
#if defined(VICINAL_AVX2)
VICINAL_INLINE Vec minimum(Vec a, Vec b) { return _mm256_min_pd(a, b); }
VICINAL_INLINE Vec maximum(Vec a, Vec b) { return _mm256_max_pd(a, b); }
#else
VICINAL_INLINE Vec minimum(Vec a, Vec b) { return smaller(a, b); }
VICINAL_INLINE Vec maximum(Vec a, Vec b) { return larger(a, b); }
#endif

// The fixed order in which the lanes are added is part of the definition of a distance.
VICINAL_INLINE double sum_lanes(Vec x) { return (x[0] + x[1]) + (x[2] + x[3]); }

constexpr std::int64_t kFraction = 0x000fffffffffffff;  // the bits of a double after the point,
constexpr std::int64_t kOneBits = 0x3ff0000000000000;   // and those of 1.0

// ln x for normal x > 0 (infinity counts as 2^1024). Error about 1 ulp.
VICINAL_INLINE Vec logarithm(Vec x) {
    const Bits bits = as_bits(x);
    Bits exponent = (bits >> 52) & splat_bits(0x7ff);
    Vec m = as_vec((bits & splat_bits(kFraction)) | splat_bits(kOneBits));
    const Bits high = m > splat(1.4142135623730951);
    m = choose(high, m * splat(0.5), m);
    exponent = exponent - high;  // a true comparison is -1
    // An integer below 2^52 turns into a double by sitting in the mantissa of 2^52.
    const Vec e = as_vec(exponent | splat_bits(0x4330000000000000)) - splat(4503599627370496.0 + 1023.0);
    const Vec z = (m - splat(1.0)) / (m + splat(1.0));
    const Vec z2 = z * z;
    // The series of artanh, in pairs to shorten the chain of dependent operations.
    const Vec z4 = z2 * z2;
    const Vec z8 = z4 * z4;
    const Vec c35 = splat(1.0 / 3) + z2 * splat(1.0 / 5);
    const Vec c79 = splat(1.0 / 7) + z2 * splat(1.0 / 9);
    const Vec cbd = splat(1.0 / 11) + z2 * splat(1.0 / 13);
    const Vec cfh = splat(1.0 / 15) + z2 * splat(1.0 / 17);
    const Vec cjl = splat(1.0 / 19) + z2 * splat(1.0 / 21);
    const Vec series = (c35 + z4 * c79) + z8 * ((cbd + z4 * cfh) + z8 * cjl);
    const Vec log_m = splat(2.0) * z + splat(2.0) * z * z2 * series;
    return e * splat(6.93147180369123816490e-01) + (log_m + e * splat(1.90821492927058770002e-10));
}

// Eight singles at a time, where learning needs no more digits.
constexpr int kSingles = 8;
typedef float Single __attribute__((vector_size(32)));
typedef std::int32_t SingleBits __attribute__((vector_size(32)));

VICINAL_INLINE Single splat_single(float x) { return Single{x, x, x, x, x, x, x, x}; }
VICINAL_INLINE SingleBits splat_bits32(std::int32_t x) { return SingleBits{x, x, x, x, x, x, x, x}; }
VICINAL_INLINE Single load(const float* from) {
    Single x;
    std::memcpy(&x, from, sizeof x);
    return x;
}
VICINAL_INLINE void store(float* to, Single x) { std::memcpy(to, &x, sizeof x); }
VICINAL_INLINE Single absolute(Single x) {
    return reinterpret_cast<Single>(reinterpret_cast<SingleBits>(x) & splat_bits32(INT32_MAX));
}
#if defined(VICINAL_AVX2)
VICINAL_INLINE Single smaller(Single a, Single b) { return _mm256_min_ps(a, b); }
VICINAL_INLINE Single larger(Single a, Single b) { return _mm256_max_ps(a, b); }
VICINAL_INLINE Single widen(const std::uint8_t* from) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
}
#else
VICINAL_INLINE Single smaller(Single a, Single b) { return a < b ? a : b; }
VICINAL_INLINE Single larger(Single a, Single b) { return a > b ? a : b; }
VICINAL_INLINE Single widen(const std::uint8_t* from) {
    return Single{1.0f * from[0], 1.0f * from[1], 1.0f * from[2], 1.0f * from[3],
                  1.0f * from[4], 1.0f * from[5], 1.0f * from[6], 1.0f * from[7]};
}
#endif
VICINAL_INLINE SingleBits as_bits(Single x) { return reinterpret_cast<SingleBits>(x); }
VICINAL_INLINE Single as_singles(SingleBits x) { return reinterpret_cast<Single>(x); }
// x where the mask says so, else 0.
VICINAL_INLINE Single where(SingleBits mask, Single x) { return as_singles(as_bits(x) & mask); }
VICINAL_INLINE float sum_lanes(Single x) {
    typedef float Half __attribute__((vector_size(16)));
    Half halves[2];
    std::memcpy(halves, &x, sizeof x);
    const Half sum = halves[0] + halves[1];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// Doubles that singles can hold, four and four.
VICINAL_INLINE Single to_single(Vec low, Vec high) {
    typedef float Half __attribute__((vector_size(16)));
    const Half a = __builtin_convertvector(low, Half), b = __builtin_convertvector(high, Half);
    return Single{a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
}

VICINAL_INLINE SingleBits to_integers(Vec low, Vec high) {
    typedef std::int32_t Half __attribute__((vector_size(16)));
    const Half a = __builtin_convertvector(low, Half), b = __builtin_convertvector(high, Half);
    return SingleBits{a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
}

// ln x for normal x > 0. Error of a few ulp.
VICINAL_INLINE Single logarithm(Single x) {
    const auto bits = reinterpret_cast<SingleBits>(x);
    // From the middle of the fractions on, they count as halves of the next power of two.
    const SingleBits exponent = (bits - splat_bits32(0x3f3504f3)) >> 23;
    const auto m = reinterpret_cast<Single>(bits - (exponent << 23));
    const Single z = (m - splat_single(1.0f)) / (m + splat_single(1.0f));
    const Single z2 = z * z;
    const Single series = (splat_single(1.0f / 3) + z2 * splat_single(1.0f / 5)) +
                          (z2 * z2) * (splat_single(1.0f / 7) + z2 * splat_single(1.0f / 9));
    const Single log_m = splat_single(2.0f) * z + splat_single(2.0f) * z * z2 * series;
    return __builtin_convertvector(exponent, Single) * splat_single(0.69314718f) + log_m;
}

#if defined(VICINAL_AVX512)
// Twice as many at a time, where no sum is made across lanes: each lane has the same bits.
constexpr int kWideSingles = 16;
typedef double WideVec __attribute__((vector_size(64)));
typedef std::int64_t WideBits __attribute__((vector_size(64)));
typedef float WideSingle __attribute__((vector_size(64)));
typedef std::int32_t WideSingleBits __attribute__((vector_size(64)));

VICINAL_INLINE WideVec load_wide(const double* from) { return _mm512_loadu_pd(from); }
VICINAL_INLINE WideSingle load_wide(const float* from) { return _mm512_loadu_ps(from); }
VICINAL_INLINE void store(double* to, WideVec x) { _mm512_storeu_pd(to, x); }
VICINAL_INLINE void store(float* to, WideSingle x) { _mm512_storeu_ps(to, x); }
VICINAL_INLINE WideBits as_bits(WideVec x) { return reinterpret_cast<WideBits>(x); }
VICINAL_INLINE WideVec as_vec(WideBits x) { return reinterpret_cast<WideVec>(x); }
VICINAL_INLINE WideSingleBits as_bits(WideSingle x) { return reinterpret_cast<WideSingleBits>(x); }
VICINAL_INLINE WideSingle as_singles(WideSingleBits x) { return reinterpret_cast<WideSingle>(x); }
VICINAL_INLINE WideSingle where(WideSingleBits mask, WideSingle x) { return as_singles(as_bits(x) & mask); }
VICINAL_INLINE WideVec choose(WideBits mask, WideVec yes, WideVec no) {
    return as_vec((as_bits(yes) & mask) | (as_bits(no) & ~mask));
}
VICINAL_INLINE WideVec absolute(WideVec x) { return _mm512_abs_pd(x); }
VICINAL_INLINE WideVec smaller(WideVec a, WideVec b) { return _mm512_min_pd(a, b); }
VICINAL_INLINE WideVec larger(WideVec a, WideVec b) { return _mm512_max_pd(a, b); }
VICINAL_INLINE WideSingle smaller(WideSingle a, WideSingle b) { return _mm512_min_ps(a, b); }
VICINAL_INLINE WideSingle larger(WideSingle a, WideSingle b) { return _mm512_max_ps(a, b); }
VICINAL_INLINE WideSingle to_single(WideVec low, WideVec high) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
}
#endif

// Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
constexpr double kRounder = 6755399441055744.0;

// e^x for x in [-700, 700]; beyond, clamped: keys stay finite and ordered. Error below 1 ulp. Of any number of lanes.
template <class V>
VICINAL_INLINE V exponential_of_doubles(V x) {
    x = smaller(larger(x, V{} - 700.0), V{} + 700.0);
    const V shifted = x * 1.4426950408889634 + kRounder;
    const V n = shifted - kRounder;
    const V r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    // Taylor series on |r| <= ln 2 / 2, in pairs to shorten the chain of dependent operations.
    const V r2 = r * r;
    const V r4 = r2 * r2;
    const V c01 = 1.0 + r;
    const V c23 = 1.0 / 2 + r * (1.0 / 6);
    const V c45 = 1.0 / 24 + r * (1.0 / 120);
    const V c67 = 1.0 / 720 + r * (1.0 / 5040);
    const V c89 = 1.0 / 40320 + r * (1.0 / 362880);
    const V cab = 1.0 / 3628800 + r * (1.0 / 39916800);
    const V ccd = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
    const V low = c01 + r2 * c23 + r4 * (c45 + r2 * c67);
    const V high = (c89 + r2 * cab) + r4 * ccd;
    const V series = low + r4 * r4 * high;
    const auto power = (as_bits(shifted) + std::int64_t{1023}) << 52;
    return series * as_vec(power);
}
VICINAL_INLINE Vec exponential(Vec x) { return exponential_of_doubles(x); }

// e^x for x <= 0, and 0 below -87. Error of a few ulp. Of any number of lanes.
template <class V>
VICINAL_INLINE V exponential_of_singles(V x) {
    const auto there = x > -87.0f;
    x = where(there, x);
    const V shifted = x * 1.44269504f + 12582912.0f;  // 1.5 * 2^23
    const V n = shifted - 12582912.0f;
    const V r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    const V r2 = r * r;
    const V low = (1.0f + r) + r2 * (1.0f / 2 + r * (1.0f / 6));
    const V high = (1.0f / 24 + r * (1.0f / 120)) + r2 * (1.0f / 720);
    const auto power = (as_bits(shifted) + 127) << 23;
    return where(there, (low + r2 * r2 * high) * as_singles(power));
}
VICINAL_INLINE Single exponential(Single x) { return exponential_of_singles(x); }

#if defined(VICINAL_AVX512)
VICINAL_INLINE WideVec exponential(WideVec x) { return exponential_of_doubles(x); }
VICINAL_INLINE WideSingle exponential(WideSingle x) { return exponential_of_singles(x); }
#endif

// e^x, but 0 below -690, since the exponential is clamped and never reaches 0. Of any number of lanes.
template <class V>
VICINAL_INLINE V exponential_or_zero(V x) {
    return choose(x > -690.0, exponential(x), V{});
}

}  // namespace vicinal::VICINAL_PATH
