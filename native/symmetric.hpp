// Trees that make one split in all leaves of a level.
//
// A split has to help in the sum over all leaves, so that few rows cannot suggest one by chance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "splits.hpp"

namespace vicinal::VICINAL_PATH {

class SymmetricTree {
public:
    SymmetricTree(const BoostJob& job, BinnedRows& rows) : job_(job), rows_(rows), trials_(job) {}

    // Calls add(rows, count, value) for each leaf. The rows change their order.
    template <class Add>
    void grow(std::vector<RowNumber>& rows, Tree& tree, const Add& add) {
        every_.resize(job_.columns);
        std::iota(every_.begin(), every_.end(), 0);
        leaves_.assign(1, {0, rows.data(), rows.size(), 0, rows_.total(rows.data(), rows.size())});
        all_.resize(rows_.room(true));
        rows_.add_up(rows.data(), rows.size(), every_, all_);
        LeafSums& own = room(0);
        std::copy_n(all_.begin(), own.size(), own.begin());
        for (int nodes = 1; more_splits(leaves_.size());) {
            const Split best = best_split();
            if (!best.useful()) break;
            std::vector<Leaf> children;
            for (const Leaf& leaf : leaves_) {
                tree[leaf.node] = {best.column, nodes, best.left, 0.0};
                divide(leaf, best, nodes, children);
                nodes += 2;
            }
            leaves_ = std::move(children);
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
        std::size_t count, room;  // where its sums are
        BinSums total;
    };

    bool more_splits(std::size_t leaves) const { return 2 * static_cast<int>(leaves) <= job_.leaves; }

    // Of single leaves no masses are asked for.
    LeafSums& room(std::size_t place) {
        if (sums_.size() <= place) sums_.resize(place + 1);
        sums_[place].resize(rows_.room(false));
        return sums_[place];
    }

    // The sums of the smaller child are added up; those of the other are what remains. The last leaves need none.
    void divide(const Leaf& leaf, const Split& split, int node, std::vector<Leaf>& children) {
        const std::size_t lefts = rows_.divide(leaf.rows, leaf.count, split.column, split.left);
        Leaf both[2] = {{node, leaf.rows, lefts, leaf.room, {}},
                        {node + 1, leaf.rows + lefts, leaf.count - lefts, leaf.room, {}}};
        Leaf& few = both[both[0].count > both[1].count];
        few.room += leaves_.size();  // half of what the children need is taken by their parents
        if (more_splits(2 * leaves_.size())) {
            LeafSums& of_few = room(few.room);
            LeafSums& of_many = sums_[leaf.room];
            rows_.add_up(few.rows, few.count, every_, of_few);
            rows_.subtract(every_, of_many, of_few);
        }
        for (Leaf& child : both) {
            child.total = rows_.total(child.rows, child.count);
            children.push_back(child);
        }
    }

    Split best_split() {
        Split best;
        totals_.clear();
        for (const Leaf& leaf : leaves_) totals_.push_back(leaf.total);
        for (int column = 0; column < job_.columns; ++column) {
            const auto of_leaf = [&](std::size_t i) { return rows_.column(sums_[leaves_[i].room], column); };
            trials_.try_level(column, rows_.column(all_, column), totals_, of_leaf, best);
        }
        return best;
    }

    const BoostJob& job_;
    BinnedRows& rows_;
    Trials trials_;
    std::vector<int> every_;  // columns
    std::vector<Leaf> leaves_;
    std::vector<BinSums> totals_;  // of leaves
    LeafSums all_;                 // of all rows, in every column
    std::vector<LeafSums> sums_;   // of leaves
};

}  // namespace vicinal::VICINAL_PATH
