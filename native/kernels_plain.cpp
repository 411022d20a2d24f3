// The path for any processor.
#include "outside.hpp"

#define VICINAL_PATH plain
#include "kernels_impl.hpp"
#include "scan_cells.hpp"

namespace vicinal {
const Kernels& plain_kernels() {
    static const Kernels kernels{"plain",
                                 plain::kGroup,
                                 plain::kFineGroup * plain::kFineGroups,
                                 plain::search,
                                 plain::fill_both_missing,
                                 plain::fill_against_missing,
                                 plain::terms,
                                 plain::excess,
                                 plain::pair_excess,
                                 plain::floors,
                                 plain::sweep,
                                 plain::influences,
                                 plain::path_means,
                                 plain::kernel_means,
                                 plain::balanced_shares,
                                 plain::nearest_of_pool,
                                 plain::descend,
                                 plain::entropy_loss,
                                 plain::coalitions,
                                 plain::boost,
                                 &plain::cell_kernels()};
    return kernels;
}
}  // namespace vicinal
