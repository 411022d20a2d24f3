// Finer codes that stay with a table: once enough queries have asked for them, single ones have them as well.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "cells.hpp"
#include "fine.hpp"

namespace vicinal {

// Used with Python's lock held.
class KeptCodes {
public:
    using Codes = std::shared_ptr<const FineCodes>;
    using Cells = std::shared_ptr<const CellCodes>;

    // The codes for a metric, if there are any; so many more queries ask for them.
    Codes ask(const Metric& metric, std::int64_t queries) {
        Entry& entry = entry_for(metric);
        entry.asked += queries;
        return entry.codes;
    }
    bool pay(const Metric& metric, std::int64_t rows) { return FineCodes::pay(rows, entry_for(metric).asked); }
    // Which columns to make them of: those of the metric, and of others that are asked for in turn.
    CodedColumns columns(const Metric& metric) { return entry_for(metric).columns; }
    void keep(const Metric& metric, Codes codes) { entry_for(metric).codes = std::move(codes); }

    // The cells made of these codes, if there are any, and whether enough queries have asked for codes to make them.
    Cells cells(const Metric& metric) { return entry_for(metric).cells; }
    bool cells_pay(const Metric& metric) { return entry_for(metric).asked >= CellCodes::kManyQueries; }
    void keep(const Metric& metric, Cells cells) { entry_for(metric).cells = std::move(cells); }

private:
    static constexpr std::size_t kMost = 2;  // the last to be asked for

    struct Entry {
        CodedColumns columns;
        std::int64_t asked = 0;
        Codes codes = nullptr;
        Cells cells = nullptr;
    };

    // An entry that has all columns that count, and as what they do. It comes first from now on.
    Entry& entry_for(const Metric& metric) {
        const CodedColumns asked(metric);
        auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& one) { return one.columns.include(asked); });
        if (found == entries_.end()) {
            // A model asks by several metrics in turn: the columns of the last one are coded with these.
            Entry entry{asked};
            if (!entries_.empty()) entry.columns.add(entries_.front().columns);
            // What it includes is not asked for again, since it comes first.
            std::erase_if(entries_, [&](const Entry& one) { return entry.columns.include(one.columns); });
            if (entries_.size() == kMost) entries_.pop_back();
            found = entries_.insert(entries_.end(), std::move(entry));
        }
        std::rotate(entries_.begin(), found, std::next(found));
        return entries_.front();
    }

    std::vector<Entry> entries_;
};

}  // namespace vicinal
