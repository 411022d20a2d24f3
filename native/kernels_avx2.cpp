// The path for x86-64 processors with AVX2, chosen at run time.
#include "outside.hpp"

#define VICINAL_PATH avx2
#define VICINAL_AVX2 1

// From here on, not for the whole file: see outside.hpp.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#include "kernels_impl.hpp"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace vicinal {
const Kernels& avx2_kernels() {
    static const Kernels kernels{"avx2",
                                 avx2::kGroup,
                                 avx2::kFineGroup * avx2::kFineGroups,
                                 avx2::search,
                                 avx2::fill_both_missing,
                                 avx2::fill_against_missing,
                                 avx2::terms,
                                 avx2::excess,
                                 avx2::pair_excess,
                                 avx2::floors,
                                 avx2::sweep,
                                 avx2::influences,
                                 avx2::path_means,
                                 avx2::kernel_means,
                                 avx2::balanced_shares,
                                 avx2::nearest_of_pool,
                                 avx2::descend,
                                 avx2::entropy_loss,
                                 avx2::coalitions,
                                 avx2::boost};
    return kernels;
}
}  // namespace vicinal
