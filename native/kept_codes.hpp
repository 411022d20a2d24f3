// Finer codes that stay with a table: once enough queries have asked for them, single ones have them as well.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "fine.hpp"

namespace vicinal {

// Used with Python's lock held.
class KeptCodes {
public:
    using Codes = std::shared_ptr<const FineCodes>;

    // The codes of a metric, if there are any; so many more queries ask for them.
    Codes ask(const Metric& metric, std::int64_t queries) {
        Entry& entry = entry_of(metric);
        entry.asked += queries;
        return entry.codes;
    }
    bool pay(const Metric& metric, std::int64_t rows) { return FineCodes::pay(rows, entry_of(metric).asked); }
    void keep(const Metric& metric, Codes codes) { entry_of(metric).codes = std::move(codes); }

private:
    static constexpr std::size_t kMost = 2;  // metrics of one table that have codes, the last to be asked for

    struct Entry {
        std::vector<int> active;
        std::vector<std::uint8_t> kinds;
        std::int64_t asked = 0;
        Codes codes = nullptr;
    };

    // Codes depend on which columns count, and as what. The entry comes first from now on.
    Entry& entry_of(const Metric& metric) {
        const auto fits = [&](const Entry& one) { return one.active == metric.active && one.kinds == metric.kinds; };
        auto found = std::find_if(entries_.begin(), entries_.end(), fits);
        if (found == entries_.end()) {
            if (entries_.size() == kMost) entries_.pop_back();
            found = entries_.insert(entries_.end(), Entry{metric.active, metric.kinds});
        }
        std::rotate(entries_.begin(), found, found + 1);
        return entries_.front();
    }

    std::vector<Entry> entries_;
};

}  // namespace vicinal
