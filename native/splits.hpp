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

// Four splits of a leaf: what they are worth is a fraction, by which they are compared without a division.
struct Worths {
    Vec above, below;
    VICINAL_INLINE Worths(Vec slope, Vec curve, const BinSums& total, Vec ridge) {
        const Vec rest = splat(total.slope) - slope;
        const Vec left = curve + ridge, right = (splat(total.curve) - curve) + ridge;
        above = slope * slope * right + rest * rest * left;
        below = left * right;
    }
};

// Tries the splits of one column after the other, four at a time.
class Trials {
public:
    explicit Trials(const BoostJob& job) : job_(job) {}

    // Tries all splits of a leaf by a column.
    void try_column(int column, const ColumnSums& sums, const BinSums& total, Split& best) {
        if (!job_.nominal[column]) {
            judge(column, sums, {}, total, job_.ridge, best, [](int bin) { return cut(bin); });
            const BinSums missing = sums.missing();  // go to either side
            if (missing.mass > 0)
                judge(column, sums, missing, total, job_.ridge, best, [](int bin) { return cut(bin) | kMissingSet; });
            return;
        }
        const double ridge = put_in_order(sums, false);
        judge(column, in_order(sums), {}, total, ridge, best, [&](int at) { return sets_[at]; });
    }

    // Tries splits of several leaves alike, which together have the sums `all`. A category may be alone on one side.
    // of_leaf(i) has the sums of a leaf by this column, and `totals` those of all its rows.
    template <class OfLeaf>
    void try_level(int column, const ColumnSums& all, const std::vector<BinSums>& totals, const OfLeaf& of_leaf,
                   Split& best) {
        if (job_.nominal[column]) {
            const double ridge = put_in_order(all, true);
            sum_gains(totals, ridge, [&](std::size_t i) { return in_order(of_leaf(i)); }, false);
            return take_best(column, in_order(all), {}, totals, best, [&](int at) { return sets_[at]; });
        }
        sum_gains(totals, job_.ridge, of_leaf, false);
        take_best(column, all, {}, totals, best, [](int bin) { return cut(bin); });
        const BinSums missing = all.missing();
        if (!(missing.mass > 0)) return;
        sum_gains(totals, job_.ridge, of_leaf, true);
        take_best(column, all, missing, totals, best, [](int bin) { return cut(bin) | kMissingSet; });
    }

private:
    static constexpr int kMostTrials = 2 * kBoostBins;  // of one column
    static constexpr std::uint64_t kMissingSet = std::uint64_t{1} << kMissingBin;

    static std::uint64_t cut(int bin) { return (std::uint64_t{2} << bin) - 1; }

    // Sets of categories in the order of their mean slopes, since the best set of them begins with the first;
    // after these, where asked for, each category by itself. Returns by how much such splits are held back.
    double put_in_order(const ColumnSums& sums, bool apart) {
        slopes_.clear(), sets_.clear();
        const auto add = [&](int bin, const BinSums& own) {
            if (own.mass > 0.5 * job_.least_mass)
                slopes_.emplace_back(own.slope / (own.curve + job_.nominal_ridge), bin);
        };
        for (int bin = 0; bin < std::min(sums.end, kMissingBin); ++bin) add(bin, sums.bin(bin));
        if (sums.lacking) add(kMissingBin, sums.missing());
        std::sort(slopes_.begin(), slopes_.end());
        const bool many = slopes_.size() > 2;
        alone_ = apart && many ? 1 : slopes_.size();
        std::uint64_t set = 0;
        for (const auto& [slope, bin] : slopes_) sets_.push_back(set |= std::uint64_t{1} << bin);
        for (std::size_t i = alone_; i < slopes_.size(); ++i) sets_.push_back(std::uint64_t{1} << slopes_[i].second);
        return many ? job_.nominal_ridge : job_.ridge;
    }

    // What `sets_` have of a leaf.
    ColumnSums in_order(const ColumnSums& sums) {
        BinSums sum;
        int at = 0;
        const auto put = [&](const BinSums& one) {
            of_sets_[0][at] = one.slope, of_sets_[1][at] = one.curve, of_sets_[2][at++] = one.mass;
        };
        for (const auto& [slope, bin] : slopes_) {
            sum += sums.bin(bin);
            put(sum);
        }
        for (std::size_t i = alone_; i < slopes_.size(); ++i) put(sums.bin(slopes_[i].second));
        while (at % kLanes) put({});
        return {of_sets_[0], of_sets_[1], of_sets_[2], at, false};
    }

    // Takes the best of the splits that send `sums`, and what is `more`, to the left.
    template <class SetOf>
    void judge(int column, const ColumnSums& sums, const BinSums& more, const BinSums& total, double ridge, Split& best,
               const SetOf& set_of) const {
        const double whole = total.worth(ridge);
        Vec bar = splat(whole + best.gain * kBetter);
        for (int i = 0; i < sums.end; i += kLanes) {
            const Vec mass = load(sums.masses + i) + splat(more.mass);
            const Worths worths(load(sums.slopes + i) + splat(more.slope), load(sums.curves + i) + splat(more.curve),
                                total, splat(ridge));
            const Bits better = (worths.above > bar * worths.below) & enough(mass, total.mass);
            if (!any(better)) continue;
            for (int lane = 0; lane < kLanes; ++lane) {
                if (!better[lane]) continue;
                const double gain = worths.above[lane] / worths.below[lane] - whole;
                if (gain > best.gain * kBetter) best = {gain, column, set_of(i + lane)};
            }
            bar = splat(whole + best.gain * kBetter);
        }
    }

    template <class OfLeaf>
    void sum_gains(const std::vector<BinSums>& totals, double ridge, const OfLeaf& of_leaf, bool with_missing) {
        std::fill_n(worths_, kMostTrials, 0.0);
        whole_ = 0.0;
        for (std::size_t leaf = 0; leaf < totals.size(); ++leaf) {
            const ColumnSums sums = of_leaf(leaf);
            const BinSums more = with_missing ? sums.missing() : BinSums{};
            for (int i = 0; i < sums.end; i += kLanes) {
                const Worths worths(load(sums.slopes + i) + splat(more.slope),
                                    load(sums.curves + i) + splat(more.curve), totals[leaf], splat(ridge));
                store(worths_ + i, load(worths_ + i) + worths.above / worths.below);
            }
            whole_ += totals[leaf].worth(ridge);
        }
    }

    template <class SetOf>
    void take_best(int column, const ColumnSums& all, const BinSums& more, const std::vector<BinSums>& totals,
                   Split& best, const SetOf& set_of) const {
        double mass = 0.0;
        for (const BinSums& total : totals) mass += total.mass;
        for (int i = 0; i < all.end; i += kLanes) {
            const Vec gains = load(worths_ + i) - splat(whole_);
            const Bits better =
                (gains > splat(best.gain * kBetter)) & enough(load(all.masses + i) + splat(more.mass), mass);
            if (!any(better)) continue;
            for (int lane = 0; lane < kLanes; ++lane)
                if (better[lane] && gains[lane] > best.gain * kBetter) best = {gains[lane], column, set_of(i + lane)};
        }
    }

    VICINAL_INLINE Bits enough(Vec mass, double total) const {
        const Vec least = splat(job_.least_mass);
        return (mass >= least) & (splat(total) - mass >= least);
    }

    const BoostJob& job_;
    std::vector<std::pair<double, int>> slopes_;  // of categories
    std::vector<std::uint64_t> sets_;
    std::size_t alone_ = 0;  // the first category that is tried by itself
    double of_sets_[3][kMostTrials];
    double worths_[kMostTrials], whole_ = 0.0;  // of splits over all leaves, and of these without a split
};

}  // namespace vicinal::VICINAL_PATH
