// The nearest rows that a search has found so far.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "types.hpp"

namespace vicinal::VICINAL_PATH {

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
        std::sort_heap(heap_.begin(), heap_.end());
        return heap_;
    }

private:
    std::size_t k_ = 0;
    std::vector<Found> heap_;
};

}  // namespace vicinal::VICINAL_PATH
