// Splits of one leaf of a boosted tree, or of several alike, and how they are judged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bin_sums.hpp"

namespace vicinal::VICINAL_PATH {

// Of splits that gain the same but for rounding, the first one is taken: which of them it is must not
// depend on the unit of the target.
constexpr double kBetter = 1.0 + 1e-9;
constexpr double kLeastGain = 1e-9;

// The set of bins that a split sends to the first child.
struct Split {
    double gain = 0.0;
    int column = -1;
    std::uint64_t left = 0;
    bool useful() const { return gain > kLeastGain; }
};

// A leaf to be split: its sums, and those of its bins in one column.
struct SplitLeaf {
    const BinSums* bins;
    BinSums total;
};

// Tries the splits of one column after the other. All splits of a column are judged together, four at a time,
// because each takes two divisions for each leaf.
class Trials {
public:
    explicit Trials(const BoostJob& job) : job_(job) {}

    // Splits the leaves by bins up to `end` of a number, or that of missing values.
    void try_cuts(int column, int end, const std::vector<SplitLeaf>& leaves, Split& best) {
        const BinSums* all = sum_of(leaves, end);
        const bool lacking = all[kMissingBin].mass > 0;
        sets_.clear(), order_.clear();
        for (int bin = 0; bin < end; ++bin) {
            if (!(all[bin].mass > 0)) continue;
            order_.push_back(bin);
            const std::uint64_t set = (std::uint64_t{2} << bin) - 1;
            sets_.push_back(set);
            if (lacking) sets_.push_back(set | std::uint64_t{1} << kMissingBin);  // missing values go to either side
        }
        judge(column, leaves, job_.ridge, best, [&](const BinSums* bins, BinSums* within) {
            BinSums sum;
            for (const int bin : order_) {
                sum += bins[bin];
                *within++ = sum;
                if (!lacking) continue;
                *within = sum;
                *within++ += bins[kMissingBin];
            }
        });
    }

    // Splits them by categories in one order for all leaves; where these are several, also by one category apart
    // from the others.
    void try_categories(int column, int end, const std::vector<SplitLeaf>& leaves, bool apart, Split& best) {
        put_in_order(sum_of(leaves, end), end);
        const bool many = order_.size() > 2;
        const std::size_t alone = apart && many ? 1 : order_.size();
        sets_.clear();
        std::uint64_t set = 0;
        for (const int bin : order_) sets_.push_back(set |= std::uint64_t{1} << bin);
        for (std::size_t i = alone; i < order_.size(); ++i) sets_.push_back(std::uint64_t{1} << order_[i]);
        const double ridge = many ? job_.nominal_ridge : job_.ridge;
        judge(column, leaves, ridge, best, [&](const BinSums* bins, BinSums* within) {
            BinSums sum;
            for (const int bin : order_) {
                sum += bins[bin];
                *within++ = sum;
            }
            for (std::size_t i = alone; i < order_.size(); ++i) *within++ = bins[order_[i]];
        });
    }

private:
    static constexpr int kMostTrials = 2 * kBoostBins;  // of one column

    // The sums of a column over all leaves.
    const BinSums* sum_of(const std::vector<SplitLeaf>& leaves, int end) {
        if (leaves.size() == 1) return leaves[0].bins;
        all_.assign(kBoostBins, {});
        for (const SplitLeaf& leaf : leaves) {
            for (int bin = 0; bin < end; ++bin) all_[bin] += leaf.bins[bin];
            all_[kMissingBin] += leaf.bins[kMissingBin];
        }
        return all_.data();
    }

    // The categories that a split may separate, in the order of their mean slopes: the best set of them is a
    // prefix.
    void put_in_order(const BinSums* sums, int end) {
        slopes_.clear(), order_.clear();
        const auto add = [&](int bin) {
            if (sums[bin].mass > 0.5 * job_.least_mass)
                slopes_.emplace_back(sums[bin].slope / (sums[bin].curve + job_.nominal_ridge), bin);
        };
        for (int bin = 0; bin < end; ++bin) add(bin);
        add(kMissingBin);
        std::sort(slopes_.begin(), slopes_.end());
        for (const auto& [slope, bin] : slopes_) order_.push_back(bin);
    }

    // Takes the best of the splits that send `sets_` left. fill(bins, within) has what they send of a leaf.
    template <class Fill>
    void judge(int column, const std::vector<SplitLeaf>& leaves, double ridge, Split& best, const Fill& fill) {
        const std::size_t count = (sets_.size() + kLanes - 1) / kLanes * kLanes;
        std::fill_n(gains_, count, 0.0), std::fill_n(lefts_, count, 0.0), std::fill_n(rights_, count, 0.0);
        for (const SplitLeaf& leaf : leaves) {
            fill(leaf.bins, within_);
            add_gains(leaf.total, ridge, count);
        }
        for (std::size_t i = 0; i < count; i += kLanes) {
            const Bits better = (load(&gains_[i]) > splat(best.gain * kBetter)) &
                                (load(&lefts_[i]) >= splat(job_.least_mass)) &
                                (load(&rights_[i]) >= splat(job_.least_mass));
            if (!(better[0] | better[1] | better[2] | better[3])) continue;
            for (std::size_t j = i; j < std::min(i + kLanes, sets_.size()); ++j)
                if (better[j - i] && gains_[j] > best.gain * kBetter) best = {gains_[j], column, sets_[j]};
        }
    }

    void add_gains(const BinSums& total, double ridge, std::size_t count) {
        const Vec whole = splat(total.worth(ridge)), more = splat(ridge);
        for (std::size_t i = 0; i < count; i += kLanes) {
            const BinSums* of = &within_[i];
            const Vec slope{of[0].slope, of[1].slope, of[2].slope, of[3].slope};
            const Vec curve{of[0].curve, of[1].curve, of[2].curve, of[3].curve};
            const Vec mass{of[0].mass, of[1].mass, of[2].mass, of[3].mass};
            const Vec rest = splat(total.slope) - slope, rest_curve = splat(total.curve) - curve;
            const Vec gain = slope * slope / (curve + more) + rest * rest / (rest_curve + more) - whole;
            store(&gains_[i], load(&gains_[i]) + gain);
            store(&lefts_[i], load(&lefts_[i]) + mass);
            store(&rights_[i], load(&rights_[i]) + (splat(total.mass) - mass));
        }
    }

    const BoostJob& job_;
    std::vector<int> order_;                      // bins
    std::vector<std::pair<double, int>> slopes_;  // of categories
    std::vector<std::uint64_t> sets_;
    std::vector<BinSums> all_;
    BinSums within_[kMostTrials];
    // Of each split what it gains, over all leaves, and the masses of its sides.
    double gains_[kMostTrials], lefts_[kMostTrials], rights_[kMostTrials];
};

}  // namespace vicinal::VICINAL_PATH
