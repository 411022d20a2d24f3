// What this processor and its operating system can do.
//
// Not by __builtin_cpu_supports: that needs a variable of the compiler's run-time library, which
// clang-cl does not link on Windows, nor Zig anywhere.
#pragma once

#if defined(VICINAL_HAVE_AVX2)
#include <cpuid.h>

namespace vicinal {

// Whether all these bits of leaf 7 are set, and the system keeps these registers.
inline bool detect(unsigned features, unsigned registers) {
    constexpr unsigned kAvx = (1u << 27) | (1u << 28);  // vectors of 32 bytes, and a system that uses XSAVE
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & kAvx) != kAvx) return false;
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & registers) != registers) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & features) == features;
}

inline bool has_avx2() {
    static const bool found = detect(1u << 5, 6);  // both halves of vectors of 32 bytes
    return found;
}

inline bool has_avx512() {
    constexpr unsigned kFoundation = 1u << 16, kQuads = 1u << 17, kBytes = 1u << 30, kLengths = 1u << 31;
    // Masks, and the rest of 32 vectors of 64 bytes, too.
    static const bool found = has_avx2() && detect(kFoundation | kQuads | kBytes | kLengths, 0xe6);
    return found;
}

}  // namespace vicinal
#endif
