// Trees grown by splitting the leaf that gains most, again and again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "splits.hpp"

namespace vicinal::VICINAL_PATH {

class LeafwiseTree {
public:
    LeafwiseTree(const BoostJob& job, BinnedRows& rows) : job_(job), rows_(rows), trials_(job) {}

    // Calls add(rows, count, value) for each leaf. The rows change their order.
    template <class Add>
    void grow(std::vector<RowNumber>& rows, Tree& tree, const Add& add) {
        every_.resize(job_.columns);
        std::iota(every_.begin(), every_.end(), 0);
        leaves_.clear();
        leaves_.push_back({0, rows.data(), rows.size(), {}, 0, rows_.total(rows.data(), rows.size()), {}});
        if (splittable(leaves_[0])) {
            rows_.add_up(rows.data(), rows.size(), every_, room(0));
            find_split(leaves_[0]);
        }
        for (int nodes = 1; static_cast<int>(leaves_.size()) < job_.leaves; nodes += 2) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < leaves_.size(); ++i)
                if (leaves_[i].best.gain > leaves_[best].best.gain * kBetter) best = i;
            const Split split = leaves_[best].best;
            if (!split.useful()) break;
            tree[leaves_[best].node] = {split.column, nodes, split.left, 0.0};
            divide(best, nodes);
        }
        for (const Leaf& leaf : leaves_) {
            tree[leaf.node].value = -job_.rate * leaf.total.slope / (leaf.total.curve + job_.ridge);
            add(leaf.rows, leaf.count, tree[leaf.node].value);
        }
    }

private:
    struct Leaf {
        int node;
        RowNumber* rows;
        std::size_t count;
        std::vector<int> path;  // columns split above
        std::size_t room;       // where its sums are
        BinSums total;
        Split best;
    };

    LeafSums& room(std::size_t place) {
        if (sums_.size() <= place) sums_.resize(place + 1);
        sums_[place].resize(rows_.room(true));
        return sums_[place];
    }

    bool splittable(const Leaf& leaf) const { return !(leaf.total.mass < 2 * job_.least_mass); }

    const std::vector<int>& allowed(const Leaf& leaf) const {
        return static_cast<int>(leaf.path.size()) < job_.path_columns ? every_ : leaf.path;
    }

    // The sums of the smaller child are added up; those of the other are what remains. The last leaves need none.
    void divide(std::size_t place, int node) {
        Leaf left = std::move(leaves_[place]), right = left;
        const Split split = left.best;
        left.node = node, right.node = node + 1;
        left.count = rows_.divide(left.rows, left.count, split.column, split.left);
        right.rows += left.count, right.count -= left.count;
        left.best = right.best = {};
        // As many columns as there are splits need not be counted.
        if (job_.path_columns < job_.leaves - 1 &&
            std::find(left.path.begin(), left.path.end(), split.column) == left.path.end()) {
            left.path.insert(std::lower_bound(left.path.begin(), left.path.end(), split.column), split.column);
            right.path = left.path;
        }
        Leaf& few = left.count <= right.count ? left : right;
        Leaf& many = &few == &left ? right : left;
        few.total = rows_.total(few.rows, few.count);
        many.total -= few.total;
        few.room = leaves_.size();
        const bool last = static_cast<int>(leaves_.size()) + 1 == job_.leaves;
        if (!last && (splittable(left) || splittable(right))) {
            const std::vector<int>& columns = allowed(left);
            LeafSums& of_few = room(few.room);
            LeafSums& of_many = sums_[many.room];
            rows_.add_up(few.rows, few.count, columns, of_few);
            rows_.subtract(columns, of_many, of_few);
            find_split(left);
            find_split(right);
        }
        leaves_[place] = std::move(left);
        leaves_.push_back(std::move(right));
    }

    void find_split(Leaf& leaf) {
        if (!splittable(leaf)) return;
        for (const int column : allowed(leaf))
            trials_.try_column(column, rows_.column(sums_[leaf.room], column), leaf.total, leaf.best);
    }

    const BoostJob& job_;
    BinnedRows& rows_;
    Trials trials_;
    std::vector<int> every_;  // columns
    std::vector<Leaf> leaves_;
    std::vector<LeafSums> sums_;  // of leaves
};

}  // namespace vicinal::VICINAL_PATH
