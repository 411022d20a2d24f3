// Small trees on binned columns: how they are stored, and what each column adds to their value.
#pragma once

#include <array>
#include <cstdint>

namespace vicinal {

constexpr int kBoostBins = 64;         // bins of a column, at most; a set of them fits a word
constexpr int kMissingBin = 63;        // the last one says "missing"
constexpr int kMostLeaves = 32;        // leaves of a tree
constexpr int kMostTreeColumns = 960;  // that trees look at: their bins have numbers of 16 bits
constexpr int kTreeNodes = 2 * kMostLeaves - 1;

// A node splits a column, bins of `left` going to child `next` and others to the one after it; or it
// is a leaf of this value, where the column is -1.
struct TreeNode {
    std::int32_t column = -1, next = 0;
    std::uint64_t left = 0;
    double value = 0.0;
};
using Tree = std::array<TreeNode, kTreeNodes>;

inline double evaluate(const TreeNode* tree, const std::uint8_t* bins, std::int64_t stride) {
    int at = 0;
    while (tree[at].column >= 0) at = tree[at].next + !(tree[at].left >> bins[tree[at].column * stride] & 1);
    return tree[at].value;
}

// Adds to `parts` (features, width) the Shapley values of a tree: what each feature adds to its value when
// features change one after the other from the reference to the row, in the mean over all orders. Columns
// with the same owner are one feature. A leaf that the row reaches with the features `own` and the reference
// with the features `other`, all of them distinct, is reached by a mixture exactly if it takes the first from
// the row and the others from the reference, which a share of all orders does.
class TreeParts {
public:
    TreeParts(const TreeNode* tree, const std::uint8_t* row, const std::uint8_t* reference, const std::int64_t* owners,
              double share, double* parts, int width)
        : tree_(tree), row_(row), reference_(reference), owners_(owners), share_(share), parts_(parts), width_(width) {
        descend(0, 0);
    }

private:
    struct Taken {
        std::int64_t feature;
        bool row, reference;  // whether each of them goes this way in all splits of the feature
    };

    void descend(int at, int depth) {
        const TreeNode& node = tree_[at];
        if (node.column < 0) return conclude(node.value, depth);
        const std::int64_t feature = owners_[node.column];
        int place = 0;
        while (place < depth && path_[place].feature != feature) ++place;
        const bool known = place < depth;
        const Taken before = known ? path_[place] : Taken{feature, true, true};
        for (const bool left : {true, false}) {
            const Taken now{feature, before.row && (node.left >> row_[node.column] & 1) == left,
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
        // Of all orders of these features, so many have all `own` before all `other`.
        double orders = share_ * value;
        for (int i = 1; i <= other; ++i) orders *= static_cast<double>(i) / (own + i);
        const double of_own = orders / own, of_other = orders / other;  // where there are none, not asked for
        for (int i = 0; i < depth; ++i) {
            if (!path_[i].reference) parts_[path_[i].feature * width_] += of_own;
            if (!path_[i].row) parts_[path_[i].feature * width_] -= of_other;
        }
    }

    const TreeNode* tree_;
    const std::uint8_t *row_, *reference_;
    const std::int64_t* owners_;
    const double share_;
    double* parts_;
    const int width_;
    std::array<Taken, kMostLeaves> path_;  // as deep as the node at hand
};

}  // namespace vicinal
