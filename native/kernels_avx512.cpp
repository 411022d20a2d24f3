// What processors with AVX-512 and its look-ups of 64 bytes do otherwise than those with AVX2, chosen at run time.
#include "outside.hpp"

#define VICINAL_PATH avx512
#define VICINAL_AVX512 1

// From here on, not for the whole file: see outside.hpp.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vbmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vbmi")
#endif

#include "scan_cells.hpp"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace vicinal {
const Kernels& avx512_kernels() {
    static const Kernels kernels = [] {
        Kernels made = avx2_kernels();
        made.name = "avx512";
        made.by_cells = &avx512::cell_kernels();
        return made;
    }();
    return kernels;
}
}  // namespace vicinal
