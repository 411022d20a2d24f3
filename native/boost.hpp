// Small boosted trees on binned columns, grown once without each fold of the rows.
//
// Trees have few leaves. What each column adds to their sum is told exactly, by Shapley values against a
// reference row.
//
// What must hold: every fold is grown by one thread in a fixed order of rows, so that the trees do
// not depend on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace vicinal {

constexpr int kBoostBins = 64;   // bins of a column, at most; a set of them fits a word
constexpr int kMissingBin = 63;  // the last one says "missing"
constexpr int kMostLeaves = 16;  // leaves of a tree
constexpr int kTreeNodes = 2 * kMostLeaves - 1;

// A node splits a column, bins of `left` going to child `next` and others to the one after it; or it
// is a leaf of this value, where the column is -1.
struct TreeNode {
    std::int32_t column = -1, next = 0;
    std::uint64_t left = 0;
    double value = 0.0;
};
using Tree = std::array<TreeNode, kTreeNodes>;

struct BoostJob {
    const std::uint8_t* bins;     // (columns, rows)
    const std::uint8_t* nominal;  // (columns,)
    const double* weights;        // (rows,)
    const double* truth;          // (rows,): class codes, or numbers with mean 0 and variance 1
    const std::int64_t* folds;    // (rows,)
    std::int64_t rows;
    int columns, classes;  // 0 classes for a number
    int n_folds, rounds, patience, leaves, path_columns;
    double rate, ridge, nominal_ridge, least_mass;
    int width() const { return classes > 2 ? classes : 1; }
};

inline double evaluate(const TreeNode* tree, const std::uint8_t* bins, std::int64_t stride) {
    int at = 0;
    while (tree[at].column >= 0) at = tree[at].next + !(tree[at].left >> bins[tree[at].column * stride] & 1);
    return tree[at].value;
}

struct BinSums {
    double slope = 0.0, curve = 0.0, mass = 0.0;
    void operator+=(const BinSums& o) { slope += o.slope, curve += o.curve, mass += o.mass; }
    void operator-=(const BinSums& o) { slope -= o.slope, curve -= o.curve, mass -= o.mass; }
};

// Grows trees without one fold, and scores that fold.
class FoldBooster {
public:
    FoldBooster(const BoostJob& job, int fold)
        : job_(job), slopes_(job.rows), curves_(job.rows), scores_(job.rows * job.width()),
          shown_(job.rows * job.width()), start_(job.width()) {
        for (std::int64_t row = 0; row < job.rows; ++row) (job.folds[row] == fold ? held_ : given_).push_back(row);
    }

    // Writes trees (rounds, width) and held-out losses (rounds + 1), before and after each round.
    void run(Tree* trees, double* losses) {
        begin();
        double best = losses[0] = held_loss();
        int waited = 0;
        for (int round = 0; round < job_.rounds; ++round) {
            const bool done = waited >= job_.patience;
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
        double gain = 0.0;
        int column = -1;
        std::uint64_t left = 0;
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

    void grow(int c, Tree& tree) {
        find_slopes(c);
        std::vector<Leaf> leaves(1);
        leaves[0].node = 0;
        leaves[0].rows = given_;
        leaves[0].sums.resize(static_cast<std::size_t>(job_.columns) * kBoostBins);
        add_sums(leaves[0]);
        for (const std::int64_t row : given_) leaves[0].total += {slopes_[row], curves_[row], job_.weights[row]};
        find_split(leaves[0]);
        int nodes = 1;
        while (static_cast<int>(leaves.size()) < job_.leaves) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < leaves.size(); ++i)
                if (leaves[i].gain > leaves[best].gain) best = i;
            if (!(leaves[best].gain > 1e-9)) break;
            tree[leaves[best].node] = {leaves[best].column, nodes, leaves[best].left, 0.0};
            auto [left, right] = split(leaves[best], nodes);
            nodes += 2;
            leaves[best] = std::move(left);
            leaves.push_back(std::move(right));
        }
        for (const Leaf& leaf : leaves)
            tree[leaf.node].value = -job_.rate * leaf.total.slope / (leaf.total.curve + job_.ridge);
        for (std::int64_t row = 0; row < job_.rows; ++row)
            scores_[row * job_.width() + c] += evaluate(tree.data(), job_.bins + row, job_.rows);
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
    std::pair<Leaf, Leaf> split(Leaf& leaf, int nodes) const {
        Leaf left, right;
        left.node = nodes, right.node = nodes + 1;
        const std::uint8_t* bins = job_.bins + leaf.column * job_.rows;
        for (const std::int64_t row : leaf.rows) (leaf.left >> bins[row] & 1 ? left : right).rows.push_back(row);
        left.path = leaf.path;
        if (std::find(left.path.begin(), left.path.end(), leaf.column) == left.path.end())
            left.path.push_back(leaf.column);
        right.path = left.path;
        Leaf& few = left.rows.size() <= right.rows.size() ? left : right;
        Leaf& many = &few == &left ? right : left;
        few.sums.resize(leaf.sums.size());
        add_sums(few);
        many.sums = std::move(leaf.sums);
        for (std::size_t i = 0; i < many.sums.size(); ++i) many.sums[i] -= few.sums[i];
        for (const std::int64_t row : few.rows) few.total += {slopes_[row], curves_[row], job_.weights[row]};
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

    double worth(const BinSums& sums, double ridge) const { return sums.slope * sums.slope / (sums.curve + ridge); }

    void offer(Leaf& leaf, int column, std::uint64_t set, const BinSums& within, double ridge) const {
        BinSums rest = leaf.total;
        rest -= within;
        if (within.mass < job_.least_mass || rest.mass < job_.least_mass) return;
        const double gain = worth(within, ridge) + worth(rest, ridge) - worth(leaf.total, ridge);
        if (gain > leaf.gain) leaf.gain = gain, leaf.column = column, leaf.left = set;
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

    // Categories in the order of their mean slopes: the best set of them is a prefix.
    void try_categories(Leaf& leaf, int column, const BinSums* sums) const {
        std::vector<std::pair<double, int>> order;
        for (int bin = 0; bin < kBoostBins; ++bin)
            if (sums[bin].mass > 0.5 * job_.least_mass)
                order.emplace_back(sums[bin].slope / (sums[bin].curve + job_.nominal_ridge), bin);
        std::sort(order.begin(), order.end());
        const double ridge = order.size() > 2 ? job_.nominal_ridge : job_.ridge;
        BinSums within;
        std::uint64_t set = 0;
        for (const auto& [slope, bin] : order) {
            within += sums[bin];
            set |= std::uint64_t{1} << bin;
            offer(leaf, column, set, within, ridge);
        }
    }

    const BoostJob& job_;
    std::vector<std::int64_t> given_, held_;
    std::vector<double> slopes_, curves_, scores_, shown_, start_;
};

// Adds to `parts` (columns, width) the Shapley values of a tree: what each column adds to its value when
// columns change one after the other from the reference to the row, in the mean over all orders. A leaf
// that the row reaches with the columns `own` and the reference with the columns `other`, all of them
// distinct, is reached by a mixture exactly if it takes the first from the row and the others from the
// reference, which a share of all orders does.
class TreeParts {
public:
    TreeParts(const TreeNode* tree, const std::uint8_t* row, const std::uint8_t* reference, double share, double* parts,
              int width)
        : tree_(tree), row_(row), reference_(reference), share_(share), parts_(parts), width_(width) {
        descend(0, 0);
    }

private:
    struct Taken {
        int column;
        bool row, reference;  // whether each of them goes this way in all splits of the column
    };

    void descend(int at, int depth) {
        const TreeNode& node = tree_[at];
        if (node.column < 0) return conclude(node.value, depth);
        int place = 0;
        while (place < depth && path_[place].column != node.column) ++place;
        const bool known = place < depth;
        const Taken before = known ? path_[place] : Taken{node.column, true, true};
        for (const bool left : {true, false}) {
            const Taken now{node.column, before.row && (node.left >> row_[node.column] & 1) == left,
                            before.reference && (node.left >> reference_[node.column] & 1) == left};
            if (!now.row && !now.reference) continue;
            path_[place] = now;
            descend(node.next + !left, known ? depth : depth + 1);
        }
        path_[place] = before;
    }

    void conclude(double value, int depth) const {
        int own = 0, other = 0;
        for (int i = 0; i < depth; ++i) own += !path_[i].reference, other += !path_[i].row;
        if (own + other == 0) return;
        // Of all orders of these columns, so many have all `own` before all `other`.
        double orders = share_ * value;
        for (int i = 1; i <= other; ++i) orders *= static_cast<double>(i) / (own + i);
        for (int i = 0; i < depth; ++i) {
            if (!path_[i].reference) parts_[path_[i].column * width_] += orders / own;
            if (!path_[i].row) parts_[path_[i].column * width_] -= orders / other;
        }
    }

    const TreeNode* tree_;
    const std::uint8_t *row_, *reference_;
    const double share_;
    double* parts_;
    const int width_;
    std::array<Taken, kMostLeaves> path_{};
};

}  // namespace vicinal
