// Which blocks a query visits, and in which order: those that promise most first.
//
// What must hold:
// - The sum of bytes of a block, made for some threshold, bounds the keys of all its rows: rows of a
//   block are nearer than the threshold only if its sum is at most `Bounds::last_sum`, 254 or less.
// - Sums fill up whole groups of kBlock; those behind the last block are 255, which rules them out.
// - A block that was visited is not listed again, so every row comes once.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>

#include "bounds.hpp"
#include "fetch.hpp"
#include "scan.hpp"

namespace vicinal::VICINAL_PATH {

constexpr std::size_t kFewestFirst = 48, kMostFirst = 80;  // blocks visited before choosing between the two ways
constexpr int kLine = 64;                                  // bytes of a line of the cache
constexpr std::size_t kAhead = 4;                          // blocks whose codes are on their way from memory

inline std::size_t how_many(const std::vector<std::uint8_t>& sums, int most) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sums.size(); i += kBlock) count += std::popcount(at_most(&sums[i], most));
    return count;
}

// The least sum that so many do not exceed, at most 254.
inline int sum_within(const std::vector<std::uint8_t>& sums, std::size_t count) {
    int low = 0, high = 254;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (how_many(sums, middle) >= count)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// The blocks of one table, ranked for one query after the other.
class BlockPlan {
public:
    // More blocks come first where more neighbors are to be found.
    BlockPlan(const Table& table, const Metric& metric, int k)
        : table_(table), metric_(metric),
          first_blocks_(std::clamp(static_cast<std::size_t>(k) + 40, kFewestFirst, kMostFirst)) {
        for (const int column : metric.active) {
            summary_columns_.push_back(2 * column);
            summary_columns_.push_back(2 * column + 1);
            if (lines_.empty() || column * kBlockBytes >= lines_.back() + kLine) lines_.push_back(column * kBlockBytes);
        }
    }

    bool few_blocks() const { return table_.blocks() <= static_cast<std::int64_t>(first_blocks_); }

    // Bounds all blocks, and lists the first ones, which promise most.
    void choose_first(const Bounds& bounds, const std::uint8_t* bytes) {
        if (few_blocks())
            sums_.assign(kBlock, 0);
        else
            sum_summaries(bounds, bytes);
        visited_.assign(sums_.size() / kBlock, 0);
        if (few_blocks()) {
            listed_.resize(table_.blocks());
            std::iota(listed_.begin(), listed_.end(), 0);
        } else {
            list_blocks(sum_within(sums_, first_blocks_));
        }
        if (listed_.size() > first_blocks_) listed_.resize(first_blocks_);  // many may have the last sum
        for (const std::int64_t block : listed_) visited_[block / kBlock] |= std::uint64_t{1} << block % kBlock;
    }

    // Sums up the bytes of the rows of the first blocks.
    void sum_rows(const std::uint8_t* bytes) {
        row_sums_.resize(listed_.size() * kBlock);
        std::uint8_t* sums = row_sums_.data();
        for (const std::int64_t block : listed_) fetch_codes(block);
        for (const std::int64_t block : listed_) {
            sum_block(table_.codes_of(block), metric_.active.data(), metric_.active.size(), bytes, kTableStride, sums);
            sums += kBlock;
        }
    }

    // Has the rows of the first blocks summed up by others: sum(first block, one behind the last, sums).
    template <class Sum>
    void sum_rows_by(const Sum& sum) {
        row_sums_.resize(listed_.size() * kBlock);
        sum(listed_.data(), listed_.data() + listed_.size(), row_sums_.data());
    }

    // Of the first blocks so many rows or more promise most: those up to this sum.
    int row_sum_within(std::size_t count) const { return sum_within(row_sums_, count); }

    // Calls use(block, bits) with the live rows of each first block that are chosen by their sums.
    template <class Choose, class Use>
    void each_first(const Choose& choose, const Use& use) const {
        for (std::size_t i = 0; i < listed_.size(); ++i)
            use(listed_[i], choose(&row_sums_[i * kBlock]) & table_.alive[listed_[i]]);
    }

    // Whether more than half of the blocks are left, with sums up to `last`.
    bool most_are_left(int last) const { return how_many(sums_, last) * 2 > static_cast<std::size_t>(table_.blocks()); }

    // Calls visit(block) for the blocks not yet visited, least sum first, as long as last() allows.
    template <class Last, class Visit>
    void each_left(const Last& last, const Visit& visit) {
        list_blocks(last());
        sort_blocks();
        for (std::size_t i = 0; i < listed_.size(); ++i) {
            if (sums_[listed_[i]] > last()) break;
            if (i + kAhead < listed_.size()) fetch_codes(listed_[i + kAhead]);
            visit(listed_[i]);
        }
    }

    const std::vector<std::uint64_t>& visited() const { return visited_; }

private:
    // Bounds all blocks by their summaries.
    void sum_summaries(const Bounds& bounds, const std::uint8_t* bytes) {
        const std::int64_t blocks = table_.blocks();
        const std::size_t columns = summary_columns_.size();
        summary_bytes_.resize(columns * kTableBytes);
        bounds.to_summary_bytes(bytes, kTableStride, summary_bytes_.data());
        sums_.resize((blocks + kBlock - 1) / kBlock * kBlock);
        for (std::int64_t from = 0; from < blocks; from += kBlock) {
            const std::uint8_t* codes = table_.summary + from / kBlock * 2 * table_.columns * kBlockBytes;
            sum_block(codes, summary_columns_.data(), columns, summary_bytes_.data(), kTableBytes, &sums_[from]);
        }
        std::fill(sums_.begin() + blocks, sums_.end(), 255);
    }

    // Blocks are visited in any order, so the processor cannot tell which one comes next.
    VICINAL_INLINE void fetch_codes(std::int64_t block) const {
        const std::uint8_t* codes = table_.codes_of(block);
        for (const int line : lines_) __builtin_prefetch(codes + line);
    }

    // The blocks not yet visited, up to this sum.
    void list_blocks(int last) {
        listed_.clear();
        for (std::size_t word = 0; word < visited_.size(); ++word)
            for (std::uint64_t bits = at_most(&sums_[word * kBlock], last) & ~visited_[word]; bits; bits &= bits - 1)
                listed_.push_back(static_cast<std::int64_t>(word) * kBlock + std::countr_zero(bits));
    }

    // Least sum first: there are few sums, so the blocks are dealt out to them.
    void sort_blocks() {
        std::size_t starts[257] = {};
        for (const std::int64_t block : listed_) ++starts[sums_[block] + 1];
        for (int sum = 1; sum < 256; ++sum) starts[sum] += starts[sum - 1];
        dealt_.resize(listed_.size());
        for (const std::int64_t block : listed_) dealt_[starts[sums_[block]]++] = block;
        listed_.swap(dealt_);
    }

    const Table& table_;
    const Metric& metric_;
    const std::size_t first_blocks_;
    std::vector<int> summary_columns_;
    std::vector<int> lines_;  // where those of a block begin that hold codes of columns that count
    std::vector<std::uint8_t> summary_bytes_;
    std::vector<std::uint8_t> sums_;      // byte bound of each block
    std::vector<std::uint8_t> row_sums_;  // the same for the rows of the first blocks
    std::vector<std::int64_t> listed_;    // blocks to visit
    std::vector<std::int64_t> dealt_;     // the same, while they are sorted
    std::vector<std::uint64_t> visited_;  // a bit for each block
};

}  // namespace vicinal::VICINAL_PATH
