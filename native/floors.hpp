// Floors of the key by the finer codes, eight columns at a time.
#pragma once

#include "unknown_terms.hpp"

namespace vicinal::VICINAL_PATH {

// A query made ready for finer codes.
class FineQuery {
public:
    // Codes may be there of columns that do not count; groups of such alone are left out.
    template <Power P>
    void prepare(const FineCodes& codes, const Query& query, UnknownTerms& unknown) {
        const Metric& metric = *query.metric;
        groups_.clear();
        unknown_.clear();
        numbers_ = 0;
        base_ = 0.0;
        gaps_ = query.gaps;
        for (std::size_t s = 0; s < codes.slots(); ++s) {
            if (codes.filler(s) || !(metric.weights[codes.column(s)] > 0)) continue;
            const int column = codes.column(s);
            const double value = query.values[column];
            base_ += kSame * metric.weights[column];
            if (missing(value)) {
                unknown_.push_back({s, unknown.template by_code<P>(query, s).keys});
                continue;
            }
            const auto first = s / kSingles * kSingles;
            const bool number = s < codes.numbers();
            if (groups_.empty() || groups_.back().first != first) {
                groups_.push_back(Group{});
                groups_.back().first = first;
                numbers_ += number;
            }
            Group& group = groups_.back();
            const int lane = static_cast<int>(s % kSingles);
            const double unit = number ? codes.width(s) / (8 * metric.residuals[column]) : metric.residuals[column];
            group.query[lane] =
                static_cast<float>(number ? codes.place(s, value) - 0.5 : code_of(query, column, value));
            group.unit[lane] = static_cast<float>(std::min(unit, kLargest));
            group.weight[lane] = static_cast<float>(metric.weights[column]);
            if (codes.lacks(s))
                group.against_gap[lane] = static_cast<float>(std::min(query.gap_terms[column] - kSame, kLargest));
        }
    }

    // The gap is that from the query to the near end of the row's cell: half a cell nearer than its middle, and a
    // little more, since places are rounded. What singles round off is below 1e-5 of any term by far, and, for p = 1,
    // of its excess over that of equal values: near cases are told apart however many there are.
    template <Power P>
    VICINAL_INLINE double key_floor(const std::uint8_t* row) const {
        double total = gaps_ ? sum<P, true>(row) : sum<P, false>(row);
        for (const Unknown& column : unknown_) total += column.keys[row[column.slot]];
        return P == Power::kOne ? base_ * (1.0 - 1e-12) + total * (1.0 - 1e-5) : total - 1e-5 * (1.0 + total);
    }

private:
    // Of a category that no row at hand has, a code that none has.
    static int code_of(const Query& query, int column, double value) {
        return query.may_match(column) ? FineCodes::category_code(value) : FineCodes::kCodes;
    }

    struct Group {
        // Of numbers where it lies, in cells, when a code stands for the middle of its cell; else its code.
        alignas(32) float query[kSingles];
        float unit[kSingles];         // the width of a cell in units of eight residuals, or the contrast of categories
        float weight[kSingles];       // 0 where there is no column
        float against_gap[kSingles];  // the excess where a row has no value
        std::size_t first;            // where its codes begin
    };

    // A column that the query lacks, and its weighted keys by the code of the row.
    struct Unknown {
        std::size_t slot;
        const double* keys;
    };

    // Of the columns that the query has.
    template <Power P, bool Gaps>
    VICINAL_INLINE double sum(const std::uint8_t* row) const {
        Single sum = splat_single(0.0f);
        const auto known = [](const Group& g, Single codes, Single excess) __attribute__((always_inline)) {
            if (!Gaps) return excess;
            const SingleBits gap = codes == splat_single(FineCodes::kMissing);
            return where(~gap, excess) + where(gap, load(g.against_gap));
        };
        for (std::size_t i = 0; i < numbers_; ++i) {
            const Group& g = groups_[i];
            const Single codes = widen(row + g.first);
            const Single cells = absolute(codes - load(g.query)) - splat_single(0.501f);
            const Single gap = larger(cells, splat_single(0.0f)) * load(g.unit);
            if (P == Power::kOne)
                sum += load(g.weight) * known(g, codes, excess(gap));
            else
                sum += weighed<P>(
                    g, Gaps ? splat_single(1.5f) + known(g, codes, term(gap) - splat_single(1.5f)) : term(gap));
        }
        for (std::size_t i = numbers_; i < groups_.size(); ++i) {
            const Group& g = groups_[i];
            const Single codes = widen(row + g.first);
            const Single contrast = known(g, codes, where(codes != load(g.query), load(g.unit)));
            sum += P == Power::kOne ? load(g.weight) * contrast : weighed<P>(g, splat_single(1.5f) + contrast);
        }
        return sum_lanes(sum);
    }

    // The function of `laplace_floor`, of gaps in units of eight residuals.
    VICINAL_INLINE static Single term(Single gap) {
        const Single y = smaller(gap, splat_single(1.596f));
        const Single root = (splat_single(1.0f) - y) + (y * y) * (splat_single(1.0f / 2) - y * splat_single(1.0f / 6));
        const Single square = root * root;
        const Single fourth = square * square;
        return splat_single(8.0f) * gap + (fourth * fourth) * (splat_single(1.5f) + splat_single(4.0f) * y);
    }

    // Of t residuals at most t + e^-t (3 + t) / 2 - 1.5: a polynomial just below it up to t = 3, and a line less steep
    // than it from there on.
    VICINAL_INLINE static Single excess(Single gap) {
        const Single t = splat_single(8.0f) * gap;
        const Single y = smaller(t, splat_single(3.0f));
        const Single fall = splat_single(0.01864236f) - y * (splat_single(0.00548946f) - y * splat_single(0.00057876f));
        const Single square = y * y;
        return larger(square * (splat_single(0.2494466f) - square * fall) + splat_single(0.875f) * (t - y),
                      t - splat_single(1.5f));
    }

    template <Power P>
    VICINAL_INLINE static Single weighed(const Group& g, Single s) {
        return load(g.weight) * (P == Power::kTwo ? s * s : P == Power::kZero ? logarithm(s) : s);
    }

    static constexpr double kLargest = 1e15;  // even squared, 256 such cells are far from what a single can hold
    std::vector<Group> groups_;
    std::vector<Unknown> unknown_;
    std::size_t numbers_ = 0;  // groups of numbers
    bool gaps_ = false;        // whether rows may lack what the query has
    double base_ = 0.0;        // the key of equal rows, for p = 1
};

}  // namespace vicinal::VICINAL_PATH
