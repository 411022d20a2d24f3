// The path for x86-64 processors with AVX-512 and its look-ups of 64 bytes, chosen at run time: what gains by wider
// vectors, and the rest as with AVX2.
#include "outside.hpp"

#define VICINAL_PATH avx512
#define VICINAL_AVX2 1
#define VICINAL_AVX512 1

// From here on, not for the whole file: see outside.hpp.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi")
#endif

#include "kernels_impl.hpp"
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
        made.pair_excess = avx512::pair_excess;
        made.influences = avx512::influences;
        made.path_means = avx512::path_means;
        made.kernel_means = avx512::kernel_means;
        made.balanced_shares = avx512::balanced_shares;
        made.nearest_of_pool = avx512::nearest_of_pool;
        made.descend = avx512::descend;
        made.entropy_loss = avx512::entropy_loss;
        made.by_cells = &avx512::cell_kernels();
        return made;
    }();
    return kernels;
}
}  // namespace vicinal
