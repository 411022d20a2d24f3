// Sums of doubles without any rounding, so that their order does not matter and parts can be added up.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vicinal {

// A sum is a whole number of the smallest double, 2^-1074, in digits of 32 bits, the lowest first. Digits
// are signed and hold more than their 32 bits, until `settle` carries what is too much. Two more count
// infinities, or products that overflowed.
constexpr int kDigits = 68;
constexpr int kSumWords = kDigits + 2;

class ExactSum {
public:
    explicit ExactSum(std::int64_t* words) : words_(words) {}

    void add(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const bool negative = bits >> 63;
        const int exponent = static_cast<int>(bits >> 52 & 0x7FF);
        std::uint64_t digits = bits & ((std::uint64_t{1} << 52) - 1);
        if (exponent == 0x7FF) {
            if (digits != 0 || !negative) ++words_[kDigits];
            if (digits != 0 || negative) ++words_[kDigits + 1];
            return;
        }
        if (exponent > 0) digits |= std::uint64_t{1} << 52;
        const int place = exponent > 0 ? exponent - 1 : 0;
        const unsigned __int128 shifted = static_cast<unsigned __int128>(digits) << (place % 32);
        std::int64_t* at = words_ + place / 32;
        for (int i = 0; i < 3; ++i) {
            const auto part = static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> (32 * i)));
            at[i] += negative ? -part : part;
        }
    }

    // A product as its rounded value and what rounding took away.
    void add_product(double one, double other) {
        const double product = one * other;
        add(product);
        if (std::isfinite(product)) add(std::fma(one, other, -product));
    }

    // Lets every digit but the last have 32 bits; digits hold the sum of 2^30 numbers in between.
    void settle() {
        for (int i = 0; i + 1 < kDigits; ++i) {
            words_[i + 1] += words_[i] >> 32;
            words_[i] &= 0xFFFFFFFF;
        }
    }

private:
    std::int64_t* words_;
};

// The double nearest to a sum; halves go to the even one.
inline double nearest_double(const std::int64_t* words) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (words[kDigits] && words[kDigits + 1]) return std::numeric_limits<double>::quiet_NaN();
    if (words[kDigits]) return kInfinity;
    if (words[kDigits + 1]) return -kInfinity;
    std::int64_t digits[kSumWords] = {};
    for (int i = 0; i < kDigits; ++i) digits[i] = words[i];
    ExactSum(digits).settle();
    const bool negative = digits[kDigits - 1] < 0;
    if (negative) {
        for (int i = 0; i < kDigits; ++i) digits[i] = -digits[i];
        ExactSum(digits).settle();
    }
    int top = kDigits - 1;
    while (top > 0 && digits[top] == 0) --top;
    // The last digit may have more than 32 bits, but no more than there are in 2^62 doubles.
    unsigned __int128 head = static_cast<std::uint64_t>(digits[top]);
    int lowest = top;
    for (int i = 0; i < 2 && lowest > 0; ++i) head = head << 32 | static_cast<std::uint64_t>(digits[--lowest]);
    bool rest = false;
    for (int i = 0; i < lowest; ++i) rest |= digits[i] != 0;
    int exponent = 32 * lowest - 1074;
    const auto upper = static_cast<std::uint64_t>(head >> 64);
    const int width = upper ? 128 - std::countl_zero(upper) : 64 - std::countl_zero(static_cast<std::uint64_t>(head));
    if (width > 53) {
        const int cut = width - 53;
        const unsigned __int128 below = head & ((static_cast<unsigned __int128>(1) << cut) - 1);
        const unsigned __int128 half = static_cast<unsigned __int128>(1) << (cut - 1);
        head >>= cut;
        exponent += cut;
        if (below > half || (below == half && (rest || (head & 1)))) ++head;
    }
    const double size = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(head)), exponent);
    return negative ? -size : size;
}

}  // namespace vicinal
