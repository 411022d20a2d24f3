// The path for x86-64 processors with AVX2, chosen at run time.
#define VICINAL_PATH avx2
#define VICINAL_AVX2 1
#include "kernels_impl.hpp"

namespace vicinal {
const Kernels& avx2_kernels() {
    static const Kernels kernels{"avx2", avx2::kGroup, avx2::kFineGroup, avx2::search, avx2::fill_both_missing, avx2::terms, avx2::excess, avx2::pair_excess, avx2::floors, avx2::sweep,
                                 avx2::influences, avx2::influence_paths, avx2::nearest_of_pool, avx2::descend, avx2::entropy_loss, avx2::coalitions};
    return kernels;
}
}  // namespace vicinal
