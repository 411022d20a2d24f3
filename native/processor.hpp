// What this processor and its operating system can do.
//
// Not by __builtin_cpu_supports: that needs a variable of the compiler's run-time library, which
// clang-cl does not link on Windows, nor Zig anywhere.
#pragma once

#if defined(VICINAL_HAVE_AVX2)
#include <cpuid.h>

namespace vicinal {

inline bool detect_avx2() {
    constexpr unsigned kAvx = (1u << 27) | (1u << 28);  // vectors of 32 bytes, and a system that uses XSAVE
    constexpr unsigned kAvx2 = 1u << 5;
    constexpr unsigned kRegisters = 6;  // the system keeps both halves of these vectors
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & kAvx) != kAvx) return false;
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & kRegisters) != kRegisters) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & kAvx2) != 0;
}

inline bool has_avx2() {
    static const bool found = detect_avx2();
    return found;
}

}  // namespace vicinal
#endif
