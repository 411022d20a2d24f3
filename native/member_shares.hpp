// How the neighbors found for a coalition share its prediction, by the rule of each member of an ensemble.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "center.hpp"
#include "types.hpp"

namespace vicinal::VICINAL_PATH {

// One neighbor, or the cases that tie for the last places.
struct Neighbor {
    double count, excess, distance;
    std::int64_t row;  // -1 for tied cases
};

class MemberShares {
public:
    // Members beside each other have much in common: the kernel where bandwidths agree, and the way to balance
    // where ridges fall.
    explicit MemberShares(const CoalitionJob& job)
        : job_(job), shares_(static_cast<std::size_t>(job.members) * job.k), kernels_(shares_.size()) {
        for (int m = 0; m < job_.members; ++m) order_.push_back(m);
        const auto is_before = [&](int a, int b) {
            const Influence &one = job_.influences[a], &other = job_.influences[b];
            const bool inverse = one.rule == kInverse, other_inverse = other.rule == kInverse;
            return std::make_tuple(inverse, one.bandwidth, one.rule, -one.ridge) <
                   std::make_tuple(other_inverse, other.bandwidth, other.rule, -other.ridge);
        };
        std::stable_sort(order_.begin(), order_.end(), is_before);
    }

    // The shares of every member in the places of k neighbors, of which some may be empty; those of the kernel
    // for linear ones, too, if they are wanted. Each neighbor has an offset in d directions.
    void find(const std::vector<Neighbor>& neighbors, int k, const std::vector<double>& offsets, int d,
              bool nonnegative) {
        k_ = k;
        log_counts_.clear();
        for (const Neighbor& one : neighbors) log_counts_.push_back(one.count == 1.0 ? 0.0 : std::log(one.count));
        const Influence* before = nullptr;
        const double* kernel = nullptr;  // of the members since the bandwidth last changed
        Centring* solver = nullptr;
        for (const int m : order_) {
            const Influence& member = job_.influences[m];
            const bool inverse = member.rule == kInverse;
            if (!before || before->bandwidth != member.bandwidth || (before->rule == kInverse) != inverse) {
                fill_logits(neighbors, member);
                kernel = nullptr;
                solver = nullptr;
            }
            before = &member;
            const bool plain = is_plain(member);
            if (plain || (nonnegative && member.rule == kLinear)) {
                if (!kernel) kernel = kernel_shares(place(kernels_, m));
                if (kernel != place(kernels_, m)) std::copy_n(kernel, k_, place(kernels_, m));
                if (plain) std::copy_n(kernel, k_, place(shares_, m));
            }
            if (plain) continue;
            if (!solver) {
                solver = &solvers_.try_emplace({k_, d}, k_, d, 0.0).first->second;
                solver->begin(logits_.data(), offsets.data(), std::sqrt(member.bandwidth));
            }
            solver->find(member.ridge, member.rule == kLinear, place(shares_, m));
        }
    }

    const double* of(int member) { return place(shares_, member); }
    const double* nonnegative(int member) {
        return place(job_.influences[member].rule == kLinear ? kernels_ : shares_, member);
    }

private:
    static bool is_plain(const Influence& member) {
        return member.rule <= kProbability || !std::isfinite(member.ridge);
    }

    double* place(std::vector<double>& shares, int member) {
        return &shares[static_cast<std::size_t>(member) * job_.k];
    }

    void fill_logits(const std::vector<Neighbor>& neighbors, const Influence& member) {
        logits_.assign(k_, -std::numeric_limits<double>::infinity());
        for (std::size_t j = 0; j < neighbors.size(); ++j) {
            const Neighbor& one = neighbors[j];
            logits_[j] =
                log_counts_[j] - member.bandwidth * (member.rule == kInverse ? std::log(one.distance) : one.excess);
        }
    }

    const double* kernel_shares(double* out) const {
        const double highest = *std::max_element(logits_.begin(), logits_.end());
        double total = 0.0;
        for (int j = 0; j < k_; ++j) total += out[j] = std::exp(logits_[j] - highest);
        for (int j = 0; j < k_; ++j) out[j] /= total;
        return out;
    }

    const CoalitionJob& job_;
    int k_ = 1;               // how many neighbors predict
    std::vector<int> order_;  // of the members, in which their shares are found
    std::vector<double> log_counts_, logits_;
    std::vector<double> shares_, kernels_;             // by member
    std::map<std::pair<int, int>, Centring> solvers_;  // by the numbers of neighbors and of directions
};

}  // namespace vicinal::VICINAL_PATH
