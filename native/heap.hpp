// The nearest rows that a search has found so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "types.hpp"

namespace vicinal::VICINAL_PATH {

// Sorts rows found: dealt out by where their keys lie between the least and the greatest, most are in order, and
// hardly any comparison is guessed wrong. `dealt` is room.
inline void sort_found(std::vector<Found>& found, std::vector<Found>& dealt) {
    constexpr std::size_t kFewest = 32;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Found& one : found) low = std::min(low, one.key), high = std::max(high, one.key);
    const double scale = static_cast<double>(found.size() - 1) / (high - low);
    if (found.size() < kFewest || !(scale > 0 && scale < std::numeric_limits<double>::infinity()))
        return std::sort(found.begin(), found.end());
    const auto place = [&](const Found& one) { return static_cast<std::size_t>((one.key - low) * scale); };
    std::vector<std::uint32_t> starts(found.size() + 1);
    for (const Found& one : found) ++starts[place(one) + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    dealt.resize(found.size());
    for (const Found& one : found) dealt[starts[place(one)]++] = one;
    found.swap(dealt);
    std::size_t first = 0;  // each start has become the end of its place
    for (std::size_t i = 0; i + 1 < starts.size(); first = starts[i++])
        if (starts[i] > first + 1) std::sort(found.begin() + first, found.begin() + starts[i]);
}

// The k best so far, ordered by (key, case number): a max-heap, so the answer does not depend on the order
// in which rows come.
class Nearest {
public:
    void reset(int k) {
        k_ = static_cast<std::size_t>(k);
        heap_.clear();
    }
    bool full() const { return heap_.size() == k_; }
    double threshold() const { return full() ? heap_.front().key : std::numeric_limits<double>::infinity(); }
    void offer(Found found) {
        if (!full()) {
            heap_.push_back(found);
            std::push_heap(heap_.begin(), heap_.end());
        } else if (found < heap_.front()) {
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.back() = found;
            std::push_heap(heap_.begin(), heap_.end());
        }
    }
    // The k best of many at once, which is cheaper than one by one; none beyond the ceiling.
    void choose(const std::vector<Found>& found, double ceiling) {
        heap_ = found;
        if (ceiling < std::numeric_limits<double>::infinity())
            std::erase_if(heap_, [&](const Found& one) { return one.key > ceiling; });
        if (heap_.size() > k_) {
            std::nth_element(heap_.begin(), heap_.begin() + (k_ - 1), heap_.end());
            heap_.resize(k_);
        }
        std::make_heap(heap_.begin(), heap_.end());
    }
    const std::vector<Found>& sorted() {
        sort_found(heap_, dealt_);
        return heap_;
    }

private:
    std::size_t k_ = 0;
    std::vector<Found> heap_, dealt_;
};

// The k best of many that come in any order, chosen now and then: cheaper than one by one, and the threshold is
// seldom far behind.
class NearestOfMany {
public:
    void reset(int k) {
        k_ = static_cast<std::size_t>(k);
        found_.clear();
        threshold_ = std::numeric_limits<double>::infinity();
    }
    double threshold() const { return threshold_; }
    void offer(Found found) {
        found_.push_back(found);
        if (found_.size() == k_ || found_.size() == k_ + k_ / 4 + kSpare) choose();
    }
    const std::vector<Found>& found() const { return found_; }

private:
    static constexpr std::size_t kSpare = 16;

    void choose() {
        std::nth_element(found_.begin(), found_.begin() + (k_ - 1), found_.end());
        found_.resize(k_);
        threshold_ = found_.back().key;
    }

    std::size_t k_ = 0;
    double threshold_ = 0.0;
    std::vector<Found> found_;
};

}  // namespace vicinal::VICINAL_PATH
