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
        : job_(job), padded_((job.k + kLanes - 1) / kLanes * kLanes), logs_(padded_), excess_(padded_),
          shares_(padded_) {}

    void run(std::int64_t row) {
        const int k = job_.k;
        std::copy_n(job_.excess + row * k, k, excess_.begin());
        std::fill(excess_.begin() + k, excess_.end(), std::numeric_limits<double>::infinity());
        if (job_.logs) std::copy_n(job_.logs + row * k, k, logs_.begin());
        const std::int64_t width = std::max(job_.classes, 1);
        for (int b = 0; b < job_.bandwidths; ++b) {
            const double total = find_shares(job_.bandwidth[b]);
            add_up(job_.outcomes + row * k, total, job_.out + (b * job_.count + row) * width);
        }
    }

private:
    // Leaves shares behind that sum to what is returned.
    double find_shares(double bandwidth) {
        Vec highest = splat(-std::numeric_limits<double>::infinity());
        for (std::size_t j = 0; j < shares_.size(); j += kLanes) {
            const Vec x = load(&logs_[j]) - splat(bandwidth) * load(&excess_[j]);
            store(&shares_[j], x);
            highest = larger(highest, x);
        }
        const double top = std::max(std::max(highest[0], highest[1]), std::max(highest[2], highest[3]));
        Vec total = splat(0.0);
        for (std::size_t j = 0; j < shares_.size(); j += kLanes) {
            const Vec x = load(&shares_[j]) - splat(top);
            const Vec share = choose(x > splat(-690.0), exponential(x), splat(0.0));
            store(&shares_[j], share);
            total += share;
        }
        return sum_lanes(total);
    }

    void add_up(const double* outcomes, double total, double* out) const {
        if (!job_.classes) {
            double sum = 0.0;
            for (int j = 0; j < job_.k; ++j) sum += shares_[j] * outcomes[j];
            *out = sum / total;
            return;
        }
        std::fill_n(out, job_.classes, 0.0);
        for (int j = 0; j < job_.k; ++j) out[static_cast<int>(outcomes[j])] += shares_[j];
        for (int c = 0; c < job_.classes; ++c) out[c] /= total;
    }

    const MeansJob& job_;
    const int padded_;
    std::vector<double> logs_, excess_, shares_;
};

}  // namespace vicinal::VICINAL_PATH
