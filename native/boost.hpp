// Small boosted trees on binned columns, grown in several runs without some of the rows each.
//
// What must hold: every run is grown by one thread in a fixed order of rows, so that the trees do
// not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "splits.hpp"
#include "symmetric.hpp"
#include "trees.hpp"

namespace vicinal {

// Of many columns, those that trees look at are chosen anew after so many rounds.
constexpr int kRoundsOfChoice = 10;

// Grows the trees of one run, and scores the rows that it does without.
class Booster {
public:
    Booster(const BoostJob& job, std::int64_t run)
        : whole_(job), job_(job), slopes_(job.rows), curves_(job.rows), scores_(job.rows * job.width()),
          shown_(job.rows * job.width()), start_(job.width()) {
        const std::uint8_t* held = job.held + run * job.rows;
        for (std::int64_t row = 0; row < job.rows; ++row) (held[row] ? held_ : given_).push_back(row);
    }

    // Writes trees (rounds, width) and held-out losses (rounds + 1), before and after each round.
    void run(Tree* trees, double* losses) {
        begin();
        double best = losses[0] = held_loss();
        int waited = 0;
        for (int round = 0; round < job_.rounds; ++round) {
            const bool done = waited >= job_.patience;
            if (!done && whole_.columns > whole_.most_columns && round % kRoundsOfChoice == 0) choose_columns();
            for (int c = 0; c < job_.width() && !done; ++c) grow(c, trees[round * job_.width() + c]);
            if (!done) shown_ = scores_;
            losses[round + 1] = done ? losses[round] : held_loss();
            waited = losses[round + 1] < best ? 0 : waited + 1;
            best = std::min(best, losses[round + 1]);
        }
    }

private:
    struct Leaf {
        int node;
        std::vector<std::int64_t> rows;
        std::vector<int> path;  // columns split above
        std::vector<BinSums> sums;
        BinSums total;
        Split best;
    };

    void begin() {
        const int width = job_.width();
        std::vector<double> mass(std::max(job_.classes, 1), 1e-9);
        double total = 1e-9 * static_cast<double>(mass.size()), sum = 0.0;
        for (const std::int64_t row : given_) {
            total += job_.weights[row];
            if (job_.classes)
                mass[static_cast<int>(job_.truth[row])] += job_.weights[row];
            else
                sum += job_.weights[row] * job_.truth[row];
        }
        if (!job_.classes)
            start_[0] = sum / total;
        else if (job_.classes == 2)
            start_[0] = std::log(mass[1] / mass[0]);
        else
            for (int c = 0; c < width; ++c) start_[c] = std::log(mass[c] / total);
        for (std::int64_t row = 0; row < job_.rows; ++row)
            for (int c = 0; c < width; ++c) scores_[row * width + c] = shown_[row * width + c] = start_[c];
    }

    // The probability of a class by the scores shown before this round.
    double probability(std::int64_t row, int c) const {
        const double* at = &shown_[row * job_.width()];
        if (job_.classes == 2) return 1.0 / (1.0 + std::exp(-at[0]));
        double highest = at[0], total = 0.0;
        for (int i = 1; i < job_.classes; ++i) highest = std::max(highest, at[i]);
        for (int i = 0; i < job_.classes; ++i) total += std::exp(at[i] - highest);
        return std::exp(at[c] - highest) / total;
    }

    double held_loss() const {
        double loss = 0.0;
        for (const std::int64_t row : held_) {
            double one;
            if (!job_.classes) {
                const double error = scores_[row] - job_.truth[row];
                one = error * error;
            } else {
                const int code = static_cast<int>(job_.truth[row]);
                const double hit = job_.classes == 2 && code == 0 ? 1.0 - probability(row, 0) : probability(row, code);
                one = -std::log(std::max(hit, 1e-12));
            }
            loss += job_.weights[row] * one;
        }
        return loss;
    }

    void find_slopes(int c) {
        for (const std::int64_t row : given_) {
            const double weight = job_.weights[row];
            if (!job_.classes) {
                slopes_[row] = weight * (shown_[row] - job_.truth[row]);
                curves_[row] = weight;
                continue;
            }
            const double p = probability(row, c);
            const int code = static_cast<int>(job_.truth[row]);
            slopes_[row] = weight * (p - (code == (job_.classes == 2 ? 1 : c)));
            curves_[row] = weight * std::max(p * (1.0 - p), 1e-6);
        }
    }

    // Narrows the job to the columns whose first split gains most, for the rows that are not held.
    void choose_columns() {
        std::vector<double> gains(whole_.columns);
        Leaf root;
        root.rows = given_;
        for (int c = 0; c < whole_.width(); ++c) {
            find_slopes(c);
            root.total = total_of(given_);
            for (int column = 0; column < whole_.columns; ++column) {
                narrow(whole_.bins + column * whole_.rows, whole_.nominal + column, 1);
                root.sums.assign(kBoostBins, {});
                root.best = {};
                add_sums(root);
                find_split(root);
                gains[column] += root.best.gain;
            }
        }
        columns_.resize(whole_.columns);
        std::iota(columns_.begin(), columns_.end(), 0);
        // In single precision, because rounding must not choose among columns that gain the same.
        const auto better = [&](int a, int b) { return static_cast<float>(gains[a]) > static_cast<float>(gains[b]); };
        std::stable_sort(columns_.begin(), columns_.end(), better);
        columns_.resize(whole_.most_columns);
        std::sort(columns_.begin(), columns_.end());
        bins_.clear(), nominal_.clear();
        for (const int column : columns_) {
            const std::uint8_t* bins = whole_.bins + column * whole_.rows;
            bins_.insert(bins_.end(), bins, bins + whole_.rows);
            nominal_.push_back(whole_.nominal[column]);
        }
        narrow(bins_.data(), nominal_.data(), whole_.most_columns);
    }

    void narrow(const std::uint8_t* bins, const std::uint8_t* nominal, int columns) {
        job_.bins = bins, job_.nominal = nominal, job_.columns = columns;
    }

    void grow(int c, Tree& tree) {
        find_slopes(c);
        const int width = job_.width();
        const auto add = [&](const std::vector<std::int64_t>& rows, double value) {
            for (const std::int64_t row : rows) scores_[row * width + c] += value;
        };
        if (job_.symmetric)
            SymmetricTree(job_, slopes_, curves_).grow(given_, tree, add);
        else
            grow_by_leaf(tree, add);
        for (const std::int64_t row : held_)
            scores_[row * width + c] += evaluate(tree.data(), job_.bins + row, job_.rows);
        if (!columns_.empty())
            for (TreeNode& node : tree)
                if (node.column >= 0) node.column = columns_[node.column];
    }

    // Splits the leaf that gains most, again and again. Calls add(rows, value) for each leaf.
    template <class Add>
    void grow_by_leaf(Tree& tree, const Add& add) const {
        std::vector<Leaf> leaves(1);
        leaves[0].node = 0;
        leaves[0].rows = given_;
        leaves[0].sums.resize(static_cast<std::size_t>(job_.columns) * kBoostBins);
        add_sums(leaves[0]);
        leaves[0].total = total_of(given_);
        find_split(leaves[0]);
        int nodes = 1;
        while (static_cast<int>(leaves.size()) < job_.leaves) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < leaves.size(); ++i)
                if (leaves[i].best.gain > leaves[best].best.gain * kBetter) best = i;
            const Split& split = leaves[best].best;
            if (!(split.gain > kLeastGain)) break;
            tree[leaves[best].node] = {split.column, nodes, split.left, 0.0};
            auto [left, right] = divide(leaves[best], nodes);
            nodes += 2;
            leaves[best] = std::move(left);
            leaves.push_back(std::move(right));
        }
        for (const Leaf& leaf : leaves) {
            tree[leaf.node].value = -job_.rate * leaf.total.slope / (leaf.total.curve + job_.ridge);
            add(leaf.rows, tree[leaf.node].value);
        }
    }

    BinSums total_of(const std::vector<std::int64_t>& rows) const {
        BinSums total;
        for (const std::int64_t row : rows) total += {slopes_[row], curves_[row], job_.weights[row]};
        return total;
    }

    bool allowed(const Leaf& leaf, int column) const {
        return static_cast<int>(leaf.path.size()) < job_.path_columns ||
               std::find(leaf.path.begin(), leaf.path.end(), column) != leaf.path.end();
    }

    void add_sums(Leaf& leaf) const {
        for (int column = 0; column < job_.columns; ++column) {
            if (!allowed(leaf, column)) continue;
            const std::uint8_t* bins = job_.bins + column * job_.rows;
            BinSums* sums = &leaf.sums[static_cast<std::size_t>(column) * kBoostBins];
            for (const std::int64_t row : leaf.rows) sums[bins[row]] += {slopes_[row], curves_[row], job_.weights[row]};
        }
    }

    // The sums of the smaller child are added up; those of the other are what remains.
    std::pair<Leaf, Leaf> divide(Leaf& leaf, int nodes) const {
        Leaf left, right;
        left.node = nodes, right.node = nodes + 1;
        const std::uint8_t* bins = job_.bins + leaf.best.column * job_.rows;
        for (const std::int64_t row : leaf.rows) (leaf.best.left >> bins[row] & 1 ? left : right).rows.push_back(row);
        left.path = leaf.path;
        if (std::find(left.path.begin(), left.path.end(), leaf.best.column) == left.path.end())
            left.path.push_back(leaf.best.column);
        right.path = left.path;
        Leaf& few = left.rows.size() <= right.rows.size() ? left : right;
        Leaf& many = &few == &left ? right : left;
        few.sums.resize(leaf.sums.size());
        add_sums(few);
        many.sums = std::move(leaf.sums);
        for (std::size_t i = 0; i < many.sums.size(); ++i) many.sums[i] -= few.sums[i];
        few.total = total_of(few.rows);
        many.total = leaf.total;
        many.total -= few.total;
        find_split(left);
        find_split(right);
        return {std::move(left), std::move(right)};
    }

    void find_split(Leaf& leaf) const {
        if (leaf.total.mass < 2 * job_.least_mass) return;
        for (int column = 0; column < job_.columns; ++column) {
            if (!allowed(leaf, column)) continue;
            const BinSums* sums = &leaf.sums[static_cast<std::size_t>(column) * kBoostBins];
            if (job_.nominal[column])
                try_categories(leaf, column, sums);
            else
                try_cuts(leaf, column, sums);
        }
    }

    void offer(Leaf& leaf, int column, std::uint64_t set, const BinSums& within, double ridge) const {
        BinSums rest = leaf.total;
        rest -= within;
        if (within.mass < job_.least_mass || rest.mass < job_.least_mass) return;
        leaf.best.offer(within.worth(ridge) + rest.worth(ridge) - leaf.total.worth(ridge), column, set);
    }

    // Missing values go to either side.
    void try_cuts(Leaf& leaf, int column, const BinSums* sums) const {
        BinSums within;
        std::uint64_t set = 0;
        for (int bin = 0; bin < kMissingBin; ++bin) {
            set |= std::uint64_t{1} << bin;
            if (!(sums[bin].mass > 0)) continue;
            within += sums[bin];
            offer(leaf, column, set, within, job_.ridge);
            if (!(sums[kMissingBin].mass > 0)) continue;
            BinSums more = within;
            more += sums[kMissingBin];
            offer(leaf, column, set | std::uint64_t{1} << kMissingBin, more, job_.ridge);
        }
    }

    void try_categories(Leaf& leaf, int column, const BinSums* sums) const {
        const std::vector<int> order = ordered_categories(sums, job_);
        const double ridge = order.size() > 2 ? job_.nominal_ridge : job_.ridge;
        BinSums within;
        std::uint64_t set = 0;
        for (const int bin : order) {
            within += sums[bin];
            set |= std::uint64_t{1} << bin;
            offer(leaf, column, set, within, ridge);
        }
    }

    const BoostJob& whole_;
    BoostJob job_;              // with the columns that are looked at
    std::vector<int> columns_;  // which these are; empty for all
    std::vector<std::uint8_t> bins_, nominal_;
    std::vector<std::int64_t> given_, held_;
    std::vector<double> slopes_, curves_, scores_, shown_, start_;
};

}  // namespace vicinal
