// Trees that make one split in all leaves of a level.
//
// A split has to help in the sum over all leaves, so that few rows cannot suggest one by chance.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "splits.hpp"

namespace vicinal {

class SymmetricTree {
public:
    SymmetricTree(const BoostJob& job, const std::vector<double>& slopes, const std::vector<double>& curves)
        : job_(job), slopes_(slopes), curves_(curves) {}

    // Calls add(rows, value) for each leaf.
    template <class Add>
    void grow(const std::vector<std::int64_t>& rows, Tree& tree, const Add& add) {
        leaves_.resize(1);
        leaves_[0] = {0, rows, sums_of(rows), total_of(rows)};
        for (int nodes = 1; 2 * static_cast<int>(leaves_.size()) <= job_.leaves;) {
            const Split best = best_split();
            if (!(best.gain > kLeastGain)) break;
            std::vector<Leaf> children;
            for (Leaf& leaf : leaves_) {
                tree[leaf.node] = {best.column, nodes, best.left, 0.0};
                divide(leaf, best, nodes, children);
                nodes += 2;
            }
            leaves_ = std::move(children);
        }
        for (const Leaf& leaf : leaves_) {
            tree[leaf.node].value = -job_.rate * leaf.total.slope / (leaf.total.curve + job_.ridge);
            add(leaf.rows, tree[leaf.node].value);
        }
    }

private:
    struct Leaf {
        int node;
        std::vector<std::int64_t> rows;
        std::vector<BinSums> sums;
        BinSums total;
    };

    BinSums of_row(std::int64_t row) const { return {slopes_[row], curves_[row], job_.weights[row]}; }

    BinSums total_of(const std::vector<std::int64_t>& rows) const {
        BinSums total;
        for (const std::int64_t row : rows) total += of_row(row);
        return total;
    }

    std::vector<BinSums> sums_of(const std::vector<std::int64_t>& rows) const {
        std::vector<BinSums> sums(static_cast<std::size_t>(job_.columns) * kBoostBins);
        for (int column = 0; column < job_.columns; ++column) {
            const std::uint8_t* bins = job_.bins + column * job_.rows;
            BinSums* own = &sums[static_cast<std::size_t>(column) * kBoostBins];
            for (const std::int64_t row : rows) own[bins[row]] += of_row(row);
        }
        return sums;
    }

    // The sums of the smaller child are added up; those of the other are what remains.
    void divide(Leaf& leaf, const Split& split, int nodes, std::vector<Leaf>& children) const {
        Leaf both[2] = {{nodes, {}, {}, {}}, {nodes + 1, {}, {}, {}}};
        const std::uint8_t* bins = job_.bins + split.column * job_.rows;
        for (const std::int64_t row : leaf.rows) both[!(split.left >> bins[row] & 1)].rows.push_back(row);
        Leaf& few = both[both[0].rows.size() > both[1].rows.size()];
        Leaf& many = both[&few == &both[0]];
        few.sums = sums_of(few.rows);
        many.sums = std::move(leaf.sums);
        for (std::size_t i = 0; i < many.sums.size(); ++i) many.sums[i] -= few.sums[i];
        for (Leaf& child : both) {
            child.total = total_of(child.rows);
            children.push_back(std::move(child));
        }
    }

    Split best_split() {
        Split best;
        for (int column = 0; column < job_.columns; ++column) {
            std::array<BinSums, kBoostBins> all{};  // over all leaves
            for (const Leaf& leaf : leaves_)
                for (int bin = 0; bin < kBoostBins; ++bin) all[bin] += of_bin(leaf, column, bin);
            if (job_.nominal[column])
                try_categories(column, all.data(), best);
            else
                try_cuts(column, all.data(), best);
        }
        return best;
    }

    // Missing values go to either side.
    void try_cuts(int column, const BinSums* all, Split& best) {
        std::uint64_t set = 0;
        within_.assign(leaves_.size(), {});
        for (int bin = 0; bin < kMissingBin; ++bin) {
            set |= std::uint64_t{1} << bin;
            if (!(all[bin].mass > 0)) continue;
            add_bin(within_, column, bin);
            offer(column, set, within_, job_.ridge, best);
            if (!(all[kMissingBin].mass > 0)) continue;
            with_missing_ = within_;
            add_bin(with_missing_, column, kMissingBin);
            offer(column, set | std::uint64_t{1} << kMissingBin, with_missing_, job_.ridge, best);
        }
    }

    // Categories in one order for all leaves, or one of them apart from the others.
    void try_categories(int column, const BinSums* all, Split& best) {
        const std::vector<int> order = ordered_categories(all, job_);
        const double ridge = order.size() > 2 ? job_.nominal_ridge : job_.ridge;
        std::uint64_t set = 0;
        within_.assign(leaves_.size(), {});
        for (const int bin : order) {
            set |= std::uint64_t{1} << bin;
            add_bin(within_, column, bin);
            offer(column, set, within_, ridge, best);
        }
        for (std::size_t i = 1; i < order.size() && order.size() > 2; ++i) {
            within_.assign(leaves_.size(), {});
            add_bin(within_, column, order[i]);
            offer(column, std::uint64_t{1} << order[i], within_, ridge, best);
        }
    }

    const BinSums& of_bin(const Leaf& leaf, int column, int bin) const {
        return leaf.sums[static_cast<std::size_t>(column) * kBoostBins + bin];
    }

    void add_bin(std::vector<BinSums>& within, int column, int bin) const {
        for (std::size_t i = 0; i < leaves_.size(); ++i) within[i] += of_bin(leaves_[i], column, bin);
    }

    void offer(int column, std::uint64_t set, const std::vector<BinSums>& within, double ridge, Split& best) const {
        double gain = 0.0, mass = 0.0, others = 0.0;
        for (std::size_t i = 0; i < leaves_.size(); ++i) {
            BinSums rest = leaves_[i].total;
            rest -= within[i];
            gain += within[i].worth(ridge) + rest.worth(ridge) - leaves_[i].total.worth(ridge);
            mass += within[i].mass, others += rest.mass;
        }
        if (mass >= job_.least_mass && others >= job_.least_mass) best.offer(gain, column, set);
    }

    const BoostJob& job_;
    const std::vector<double>&slopes_, &curves_;
    std::vector<Leaf> leaves_;
    std::vector<BinSums> within_, with_missing_;
};

}  // namespace vicinal
