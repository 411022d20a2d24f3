// Grown trees, checked once and laid out for scoring: of many rows by the trees of one fold each, or of a
// single row by those of all, which is thousands of trees that are seldom in cache.
#pragma once

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "bindings.hpp"
#include "trees.hpp"

namespace vicinal {

using Bytes2 = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ints4 = nb::ndarray<const std::int64_t, nb::numpy, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Sets4 = nb::ndarray<const std::uint64_t, nb::numpy, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Doubles4 = nb::ndarray<const double, nb::numpy, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

// How a node is packed into one number: its column times this, plus its first child; -1 for a leaf.
constexpr int kPerColumn = 64;
constexpr std::int64_t kMostColumns = 1 << 24;

// It keeps no arrays alive. Trees split alike again and again, so a node has the number of its split, and
// whether a row goes right is found once for each split rather than once for each node.
class Forest {
public:
    Forest(Ints4 n, Sets4 s, Doubles4 v)
        : folds_(static_cast<int>(n.shape(0))), rounds_(static_cast<int>(n.shape(1))),
          width_(static_cast<int>(n.shape(2))), size_(static_cast<int>(n.shape(3))) {
        require(size_ >= 1 && size_ <= kTreeNodes && folds_ >= 1 && width_ >= 1, "trees have an invalid shape");
        for (int i = 0; i < 4; ++i)
            require(s.shape(i) == n.shape(i) && v.shape(i) == n.shape(i), "the arrays of trees differ in shape");
        const std::size_t trees = n.shape(0) * n.shape(1) * n.shape(2);
        nodes_.reserve(trees * size_);
        steps_.reserve(trees * size_);
        values_.assign(v.data(), v.data() + trees * size_);
        splits_.push_back({~std::uint64_t{0}, 0});  // of leaves, which lead to themselves
        for (std::size_t tree = 0; tree < trees; ++tree) take_tree(n.data() + tree * size_, s.data() + tree * size_);
        require(std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); }),
                "a tree has a value that is not finite");
        for (std::size_t at = 0; at < values_.size(); ++at) nodes_[at].value = values_[at];
        numbers_.clear();
    }

    int width() const { return width_; }

    void check(const Bytes2& bins, const Ints1& folds) const {
        require(static_cast<int>(bins.shape(1)) >= columns_, "rows lack columns of the trees");
        require(folds.shape(0) == bins.shape(0), "rows differ in number");
        for (std::size_t row = 0; row < folds.shape(0); ++row)
            require(folds.data()[row] >= -1 && folds.data()[row] < folds_, "a fold is out of range");
        for (std::size_t i = 0; i < bins.shape(0) * bins.shape(1); ++i)
            require(bins.data()[i] < kBoostBins, "a bin is too large");
    }

    // Calls add(tree, c, share) for the trees of a fold, or with equal shares for those of all.
    template <class Add>
    void each(std::int64_t fold, const Add& add) const {
        const auto [first, last, share] = trees_of(fold);
        for (int tree = first; tree < last; ++tree)
            add(&nodes_[static_cast<std::size_t>(tree) * size_], tree % width_, share);
    }

    // The same with share times the value of each tree for one row, which has a bin at least. `right` is room
    // that calls may share.
    template <class Add>
    void each_value(std::int64_t fold, const std::uint8_t* bins, std::vector<std::uint8_t>& right,
                    const Add& add) const {
        const auto goes_right = [&](std::uint32_t split) -> int {
            return !(splits_[split].left >> bins[splits_[split].column] & 1);
        };
        const auto [first, last, share] = trees_of(fold);
        if (splits_.size() > kSplitsPerTree * static_cast<std::size_t>(last - first))
            return go_down(first, last, share, goes_right, add);
        right.resize(splits_.size());
        for (std::uint32_t split = 0; split < splits_.size(); ++split)
            right[split] = static_cast<std::uint8_t>(goes_right(split));
        go_down(first, last, share, [&](std::uint32_t split) -> int { return right[split]; }, add);
    }

private:
    static constexpr int kAtOnce = 8;                 // trees that a row goes down together: each would wait
    static constexpr int kNextBits = 6;               // of a step: the first child
    static constexpr std::size_t kSplitsPerTree = 3;  // a row passes that many or more
    static_assert(kTreeNodes < 1 << kNextBits);

    struct Split {
        std::uint64_t left;
        std::int32_t column;
    };
    struct Hash {
        std::size_t operator()(const std::pair<std::uint64_t, std::int64_t>& split) const {
            return (split.first ^ static_cast<std::uint64_t>(split.second) << 40) * 0x9E3779B97F4A7C15u >> 16;
        }
    };
    struct Range {
        int first, last;
        double share;
    };

    Range trees_of(std::int64_t fold) const {
        const int each = rounds_ * width_;
        if (fold < 0) return {0, folds_ * each, 1.0 / folds_};
        return {static_cast<int>(fold) * each, static_cast<int>(fold + 1) * each, 1.0};
    }

    void take_tree(const std::int64_t* packed, const std::uint64_t* sets) {
        std::uint64_t parents = 0;  // children that have one
        for (int own = 0; own < size_; ++own) {
            const bool leaf = packed[own] < 0;
            const auto next = static_cast<int>(leaf ? own : packed[own] % kPerColumn);
            const std::int64_t column = leaf ? -1 : packed[own] / kPerColumn;
            // Children come after their parent and have no other, so that every path ends.
            require(leaf || (next > own && next + 1 < size_ && next % 2 == 1 && !(parents >> next & 1) &&
                             column < kMostColumns),
                    "a tree is damaged");
            if (!leaf) parents |= std::uint64_t{1} << next;
            columns_ = std::max(columns_, static_cast<int>(column) + 1);
            nodes_.push_back({static_cast<std::int32_t>(column), leaf ? 0 : next, sets[own], 0.0});
            steps_.push_back((leaf ? 0 : number_of(sets[own], column)) << kNextBits | static_cast<std::uint32_t>(next));
        }
    }

    std::uint32_t number_of(std::uint64_t left, std::int64_t column) {
        const auto [found, added] = numbers_.try_emplace({left, column}, static_cast<std::uint32_t>(splits_.size()));
        if (added) splits_.push_back({left, static_cast<std::int32_t>(column)});
        require(splits_.size() < std::size_t{1} << (32 - kNextBits), "there are too many different splits");
        return found->second;
    }

    // The values of some trees are added while those of the next ones are on their way from memory.
    template <class Right, class Add>
    void go_down(int first, int last, double share, const Right& goes_right, const Add& add) const {
        const double* waiting[kAtOnce] = {};
        int waits = 0;
        const auto add_waiting = [&](int from) {
            for (int i = 0; i < waits; ++i) add((from + i) % width_, share * *waiting[i]);
        };
        for (; first < last; first += kAtOnce) {
            const int count = std::min(kAtOnce, last - first);
            const std::uint32_t* from = &steps_[static_cast<std::size_t>(first) * size_];
            std::uint32_t at[kAtOnce] = {};
            for (bool on = true; on;) {
                on = false;
                for (int i = 0; i < count; ++i) {
                    const std::uint32_t step = from[i * size_ + at[i]];
                    const std::uint32_t next = (step & ((1u << kNextBits) - 1)) + goes_right(step >> kNextBits);
                    on |= next != at[i];
                    at[i] = next;
                }
            }
            add_waiting(first - kAtOnce);
            waits = count;
            for (int i = 0; i < count; ++i) {
                waiting[i] = &values_[static_cast<std::size_t>(first + i) * size_ + at[i]];
                __builtin_prefetch(waiting[i]);
            }
        }
        add_waiting(first - kAtOnce);
    }

    int folds_, rounds_, width_, size_, columns_ = 0;
    std::vector<TreeNode> nodes_;       // for what columns add
    std::vector<std::uint32_t> steps_;  // the same for going down: number of the split, and the first child
    std::vector<double> values_;
    std::vector<Split> splits_;
    std::unordered_map<std::pair<std::uint64_t, std::int64_t>, std::uint32_t, Hash> numbers_;  // of splits, at first
};

}  // namespace vicinal
