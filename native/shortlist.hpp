// The nearest rows of one coalition, ties and all.
//
// Keys are whole numbers, held in doubles, so that they are compared exactly. Rows that tie for the last
// place are marked by their ranks in the order of case numbers, and summed up in that order later: how rows
// are kept must not be seen.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "types.hpp"

namespace vicinal::VICINAL_PATH {

// Some of the rows that have passed, cut down to k now and then.
class Shortlist {
public:
    double limit = std::numeric_limits<double>::infinity();  // rows beyond it need not be offered
    // `ranks` are those of the rows of the table, of which there are `count`.
    void reset(int k, const std::int64_t* ranks, std::int64_t count) {
        k_ = static_cast<std::size_t>(k);
        ranks_ = ranks;
        count_ = static_cast<std::size_t>(count);
        rows_.clear();
        limit = std::numeric_limits<double>::infinity();
        forget_ties();
    }
    void offer(double key, std::int64_t row) {
        if (tied_ && key == limit) return mark(row);
        rows_.emplace_back(key, row);
        if (rows_.size() >= k_ + std::max<std::size_t>(k_ / 2, 64)) cut();
    }
    void cut() {
        if (rows_.size() < k_) return;
        std::nth_element(rows_.begin(), rows_.begin() + (k_ - 1), rows_.end(), NearerRow{});
        const double last = rows_[k_ - 1].first;
        if (last < limit) forget_ties();
        for (std::size_t j = k_; j < rows_.size() && !tied_; ++j) tied_ = rows_[j].first == last;
        if (tied_)
            for (const auto& [key, row] : rows_)
                if (key == last) mark(row);
        rows_.resize(k_);
        limit = last;
    }
    // Whether more rows are as far as the last one than are on the list.
    bool tied() const { return tied_; }
    std::vector<KeyedRow>& rows() { return rows_; }

    // Calls use(rank) for all rows as far as the last one, if there are more than are on the list.
    template <class Use>
    void each_tie(const Use& use) const {
        for (std::size_t word = 0; word < ties_.size(); ++word)
            for (std::uint64_t bits = ties_[word]; bits; bits &= bits - 1)
                use(static_cast<std::int64_t>(64 * word) + std::countr_zero(bits));
    }

private:
    void mark(std::int64_t row) {
        if (ties_.empty()) ties_.resize((count_ + 63) / 64);
        const std::int64_t rank = ranks_[row];
        ties_[rank / 64] |= std::uint64_t{1} << (rank % 64);
    }
    void forget_ties() {
        if (tied_) std::fill(ties_.begin(), ties_.end(), 0);
        tied_ = false;
    }

    std::size_t k_ = 1, count_ = 0;
    const std::int64_t* ranks_ = nullptr;
    bool tied_ = false;
    std::vector<KeyedRow> rows_;
    std::vector<std::uint64_t> ties_;  // a bit for each rank
};

}  // namespace vicinal::VICINAL_PATH
