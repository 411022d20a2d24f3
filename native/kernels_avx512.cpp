// The path for x86-64 processors with AVX-512, chosen at run time: what gains by wider vectors, and the rest as with
// AVX2.
#include "outside.hpp"

#define VICINAL_PATH avx512
#define VICINAL_AVX2 1
#define VICINAL_AVX512 1

// From here on, not for the whole file: see outside.hpp.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512vl,avx512bw,avx512dq"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512vl,avx512bw,avx512dq")
#endif

#include "kernels_impl.hpp"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace vicinal {
const Kernels& avx512_kernels() {
    static const Kernels kernels = [] {
        Kernels found = avx2_kernels();
        found.name = "avx512";
        found.pair_excess = avx512::pair_excess;
        found.influences = avx512::influences;
        found.path_means = avx512::path_means;
        found.kernel_means = avx512::kernel_means;
        found.balanced_shares = avx512::balanced_shares;
        found.nearest_of_pool = avx512::nearest_of_pool;
        found.descend = avx512::descend;
        found.entropy_loss = avx512::entropy_loss;
        return found;
    }();
    return kernels;
}
}  // namespace vicinal
