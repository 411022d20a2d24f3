// The mean outcome of neighbors whose influence falls with their distance, for several bandwidths at once.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "simd.hpp"
#include "types.hpp"

namespace vicinal::VICINAL_PATH {

class KernelMeans {
public:
    explicit KernelMeans(const MeansJob& job)
        : job_(job), padded_((job.k + kLanes - 1) / kLanes * kLanes), counts_(padded_), excess_(padded_),
          outcomes_(padded_), kernel_(padded_), shares_(padded_) {}

    // From the last bandwidth to the first: that of a bandwidth twice as large as the one before is its square.
    void run(std::int64_t row) {
        take(row);
        const std::int64_t width = std::max(job_.classes, 1);
        for (int b = job_.bandwidths - 1; b >= 0; --b) {
            const bool twice = b + 1 < job_.bandwidths && job_.bandwidth[b] == 2 * job_.bandwidth[b + 1];
            const double total = find_shares(job_.bandwidth[b], twice);
            add_up(total, job_.out + (b * job_.count + row) * width);
        }
    }

private:
    // Distances are those beyond the nearest that counts, whose kernel is 1, so that some share is above 0.
    void take(std::int64_t row) {
        const int k = job_.k;
        const double* excess = job_.excess + row * k;
        if (job_.counts)
            std::copy_n(job_.counts + row * k, k, counts_.begin());
        else
            std::fill_n(counts_.begin(), k, 1.0);
        double least = std::numeric_limits<double>::infinity();
        for (int j = 0; j < k; ++j)
            if (counts_[j] > 0) least = std::min(least, excess[j]);
        for (int j = 0; j < k; ++j) excess_[j] = std::max(excess[j] - least, 0.0);
        std::fill(excess_.begin() + k, excess_.end(), std::numeric_limits<double>::infinity());
        std::copy_n(job_.outcomes + row * k, k, outcomes_.begin());
    }

    void fill_kernel(double bandwidth) {
        std::size_t j = 0;
#if defined(VICINAL_AVX512)
        for (; j + 2 * kLanes <= kernel_.size(); j += 2 * kLanes) {
            const WideVec x = -bandwidth * load_wide(&excess_[j]);
            store(&kernel_[j], exponential_or_zero(x));
        }
#endif
        for (; j < kernel_.size(); j += kLanes) {
            const Vec x = splat(-bandwidth) * load(&excess_[j]);
            store(&kernel_[j], exponential_or_zero(x));
        }
    }

    // Leaves shares behind that sum to what is returned.
    double find_shares(double bandwidth, bool twice) {
        if (!twice) fill_kernel(bandwidth);
        Vec total = splat(0.0);
        for (std::size_t j = 0; j < shares_.size(); j += kLanes) {
            Vec kernel = load(&kernel_[j]);
            if (twice) {
                kernel *= kernel;
                store(&kernel_[j], kernel);
            }
            const Vec share = kernel * load(&counts_[j]);
            store(&shares_[j], share);
            total += share;
        }
        return sum_lanes(total);
    }

    // Places without a neighbor come last and add nothing, so sums do not depend on how many there are.
    void add_up(double total, double* out) const {
        if (job_.classes > 2) {
            std::fill_n(out, job_.classes, 0.0);
            for (int j = 0; j < job_.k; ++j) out[static_cast<int>(outcomes_[j])] += shares_[j];
            for (int c = 0; c < job_.classes; ++c) out[c] /= total;
            return;
        }
        Vec sum = splat(0.0), others = splat(0.0);
        for (std::size_t j = 0; j < shares_.size(); j += kLanes) {
            const Vec share = load(&shares_[j]), outcome = load(&outcomes_[j]);
            sum += share * outcome;
            others += share * (splat(1.0) - outcome);
        }
        if (job_.classes == 2) *out++ = sum_lanes(others) / total;
        *out = (job_.classes == 1 ? sum_lanes(others) : sum_lanes(sum)) / total;
    }

    const MeansJob& job_;
    const int padded_;
    std::vector<double> counts_, excess_, outcomes_;  // of the row at hand
    std::vector<double> kernel_, shares_;             // by the bandwidth at hand
};

}  // namespace vicinal::VICINAL_PATH
