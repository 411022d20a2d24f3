// What the terms of a column that a query lacks are at the least, for the values in a bin or a finer code: the same
// for all queries that lack it, so they are worked out when the first one does.
//
// What must hold: every value of the table lies within its bin, and numbers that are no less have codes that are no
// less. So the codes of a bin are those from that of its least value to that of its greatest.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "bounds.hpp"
#include "fine.hpp"

namespace vicinal::VICINAL_PATH {

// Terms above those of equal values as whole numbers, rounded down: parts of them, and how many at the most.
constexpr int kExcessUnit = 4096, kMostWhole = 32767;

inline int whole_excess_of(double term) {
    return static_cast<int>(std::clamp(std::floor((term - kSame) * kExcessUnit), 0.0, 1.0 * kMostWhole));
}

class UnknownTerms {
public:
    // Of one column, by finer codes.
    struct ByCode {
        double terms[FineCodes::kCodes];
        double keys[FineCodes::kCodes];  // weighted; for p = 1 of what lies above equal values
        std::int16_t excess[FineCodes::kCodes];
    };

    UnknownTerms(const Table& table, const Metric& metric, const FineCodes* codes)
        : table_(table), metric_(metric), codes_(codes), bounds_(metric.columns()),
          by_code_(codes ? codes->slots() : 0) {}

    // The bounds of a column by its bins.
    const Bounds::Column& bounds(const Query& query, int column) {
        auto& kept = bounds_[column];
        if (!kept) {
            kept = std::make_unique<Binned>();
            Bounds::term_bounds(table_, query, column, kept->terms);
            kept->bounds = Bounds::of_terms(metric_, column, kept->terms);
        }
        return kept->bounds;
    }

    template <Power P>
    const ByCode& by_code(const Query& query, std::size_t slot) {
        auto& kept = by_code_[slot];
        if (!kept) {
            const int column = codes_->column(slot);
            bounds(query, column);
            kept = std::make_unique<ByCode>();
            if (slot < codes_->numbers())
                spread(slot, bounds_[column]->terms, kept->terms);
            else
                categories(column, kept->terms);
            kept->terms[FineCodes::kMissing] = metric_.both_missing[column];
            const double base = P == Power::kOne ? kSame : 0.0, weight = metric_.weights[column];
            for (int code = 0; code < FineCodes::kCodes; ++code) {
                const double key = to_key<P>(splat(kept->terms[code]), metric_.p)[0];
                kept->keys[code] = weight * (key - base);
                kept->excess[code] = static_cast<std::int16_t>(whole_excess_of(kept->terms[code]));
            }
        }
        return *kept;
    }

private:
    struct Binned {
        double terms[kCodes];
        Bounds::Column bounds;
    };

    // From the bins of numbers to their codes. No row has a code that is in no bin: these must only not be the least.
    void spread(std::size_t slot, const double* terms, double* out) const {
        const double* bins = table_.bins + codes_->column(slot) * kBins * 2;
        std::fill_n(out, FineCodes::kCodes, kUnreachable);
        double most = kSame;
        for (int bin = 0; bin < kBins; ++bin) {
            const double least = bins[2 * bin], greatest = bins[2 * bin + 1];
            if (!(least <= greatest)) continue;
            most = std::max(most, terms[bin]);
            const int last = codes_->number_code(slot, greatest);
            for (int code = codes_->number_code(slot, least); code <= last; ++code)
                out[code] = std::min(out[code], terms[bin]);
        }
        for (int code = 0; code < FineCodes::kCodes; ++code) out[code] = std::min(out[code], most);
    }

    // Those of one code may differ in their terms, and any may be new.
    void categories(int column, double* out) const {
        const double fixed = metric_.one_missing[column], contrast = metric_.residuals[column];
        if (!missing(fixed)) return static_cast<void>(std::fill_n(out, FineCodes::kCodes, fixed));
        // The share of a new one is 0; of a column never observed nothing can be told apart.
        std::fill_n(out, FineCodes::kCodes, nothing_observed(metric_, column) ? kSame : kSame + contrast);
        const Support& support = metric_.supports[column];
        for (std::int64_t m = 0; m < support.size; ++m) {
            double& term = out[FineCodes::category_code(support.points[m])];
            term = std::min(term, kSame + contrast * (1.0 - support.shares[m]));
        }
    }

    const Table& table_;
    const Metric& metric_;
    const FineCodes* codes_;
    std::vector<std::unique_ptr<Binned>> bounds_;   // by column,
    std::vector<std::unique_ptr<ByCode>> by_code_;  // and by slot
};

}  // namespace vicinal::VICINAL_PATH
