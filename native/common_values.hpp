// Which values of a column several cases have: what depends on these alone is worked out once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hashes.hpp"

namespace vicinal {

struct CommonValue {
    std::int64_t column, seen_as;  // in one of the ways to see the column
    double value;
    std::int64_t count;
};

class CommonValues {
public:
    CommonValues(std::int64_t cases, std::int64_t columns) : which_(cases * columns, -1), columns_(columns) {}

    // Of a case in a column. All that lack a value have the same.
    void add(std::int64_t at, std::int64_t column, std::int64_t seen_as, double value) {
        if (value != value) value = std::numeric_limits<double>::quiet_NaN();
        auto& known = places_[{column, seen_as, std::bit_cast<std::uint64_t>(value)}];
        if (!known) {
            values_.push_back({column, seen_as, value, 0});
            known = static_cast<std::int64_t>(values_.size());
        }
        ++values_[known - 1].count;
        which_[at * columns_ + column] = known - 1;
    }

    // At most so many that several cases have, the commonest first, and all that stand for missing ones.
    std::vector<CommonValue> commonest(std::int64_t most) {
        std::vector<std::int64_t> order;
        for (std::size_t v = 0; v < values_.size(); ++v)
            if (lacks(v) || values_[v].count > 1) order.push_back(static_cast<std::int64_t>(v));
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return std::pair(!lacks(a), -values_[a].count) < std::pair(!lacks(b), -values_[b].count);
        });
        while (static_cast<std::int64_t>(order.size()) > most && !lacks(order.back())) order.pop_back();
        std::vector<std::int64_t> rank(values_.size(), -1);
        std::vector<CommonValue> found;
        for (const std::int64_t v : order) {
            rank[v] = static_cast<std::int64_t>(found.size());
            found.push_back(values_[v]);
        }
        for (std::int64_t& which : which_) which = which < 0 ? -1 : rank[which];
        return found;
    }

    // (cases, columns): which of the commonest each has, -1 for another.
    std::vector<std::int64_t> which() && { return std::move(which_); }

private:
    struct Key {
        std::int64_t column, seen_as;
        std::uint64_t bits;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return mix(key.bits ^ mix(static_cast<std::uint64_t>(key.column) << 32 ^ key.seen_as));
        }
    };

    bool lacks(std::int64_t v) const { return values_[v].value != values_[v].value; }

    std::vector<std::int64_t> which_;
    std::vector<CommonValue> values_;
    std::unordered_map<Key, std::int64_t, Hash> places_;  // among the values, from 1 on
    const std::int64_t columns_;
};

}  // namespace vicinal
