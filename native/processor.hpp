// What this processor and its operating system can do.
//
// Not by __builtin_cpu_supports: that needs a variable of the compiler's run-time library, which
// clang-cl does not link on Windows, nor Zig anywhere.
#pragma once

#if defined(VICINAL_HAVE_AVX2)
#include <cpuid.h>

namespace vicinal {

struct Processor {
    bool avx2 = false, avx512 = false;  // the latter with look-ups of 64 bytes
};

inline Processor detect_processor() {
    constexpr unsigned kAvx = (1u << 27) | (1u << 28);  // vectors of 32 bytes, and a system that uses XSAVE
    constexpr unsigned kAvx2 = 1u << 5, kByteLookups = 1u << 1;
    constexpr unsigned kFoundation = 1u << 16, kQuads = 1u << 17, kBytes = 1u << 30, kLengths = 1u << 31;
    constexpr unsigned kAvx512 = kFoundation | kQuads | kBytes | kLengths;
    constexpr unsigned kRegisters = 6, kMoreRegisters = 0xe6;  // the system keeps all parts of these vectors
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & kAvx) != kAvx) return {};
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & kRegisters) != kRegisters || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return {};
    const bool avx2 = (b & kAvx2) != 0;
    const bool wide = (b & kAvx512) == kAvx512 && (c & kByteLookups) != 0;
    return {avx2, avx2 && wide && (low & kMoreRegisters) == kMoreRegisters};
}

inline const Processor& processor() {
    static const Processor found = detect_processor();
    return found;
}

}  // namespace vicinal
#endif
