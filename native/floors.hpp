// Floors of the key by the finer codes, eight columns at a time.
#pragma once

#include "fine.hpp"
#include "terms.hpp"

namespace vicinal::VICINAL_PATH {

// A query made ready for finer codes.
class FineQuery {
public:
    // Codes may be there of columns that do not count; groups of such alone are left out.
    void prepare(const FineCodes& codes, const Metric& metric, const double* row) {
        groups_.clear();
        numbers_ = 0;
        base_ = 0.0;
        for (std::size_t s = 0; s < codes.slots(); ++s) {
            if (codes.filler(s) || !(metric.weights[codes.column(s)] > 0)) continue;
            const auto first = s / kSingles * kSingles;
            const bool number = s < codes.numbers();
            if (groups_.empty() || groups_.back().first != first) {
                groups_.push_back(Group{});
                groups_.back().first = first;
                numbers_ += number;
            }
            Group& group = groups_.back();
            const int lane = static_cast<int>(s % kSingles);
            const int column = codes.column(s);
            const double unit = number ? codes.width(s) / (8 * metric.residuals[column]) : metric.residuals[column];
            group.query[lane] =
                static_cast<float>(number ? codes.place(s, row[column]) - 0.5 : FineCodes::category_code(row[column]));
            group.unit[lane] = static_cast<float>(std::min(unit, kLargest));
            group.weight[lane] = static_cast<float>(metric.weights[column]);
            base_ += kSame * metric.weights[column];
        }
    }

    // The gap is that from the query to the near end of the row's cell: half a cell nearer than its middle, and a
    // little more, since places are rounded. What singles round off is below 1e-5 of any term by far, and, for p = 1,
    // of its excess over that of equal values: near cases are told apart however many there are.
    template <Power P>
    VICINAL_INLINE double key_floor(const std::uint8_t* row) const {
        Single sum = splat_single(0.0f);
        for (std::size_t i = 0; i < numbers_; ++i) {
            const Group& g = groups_[i];
            const Single cells = absolute(widen(row + g.first) - load(g.query)) - splat_single(0.501f);
            const Single gap = larger(cells, splat_single(0.0f)) * load(g.unit);
            sum += P == Power::kOne ? load(g.weight) * excess(gap) : weighed<P>(g, term(gap));
        }
        for (std::size_t i = numbers_; i < groups_.size(); ++i) {
            const Group& g = groups_[i];
            const Single contrast = where(widen(row + g.first) != load(g.query), load(g.unit));
            sum += P == Power::kOne ? load(g.weight) * contrast : weighed<P>(g, splat_single(1.5f) + contrast);
        }
        const double total = sum_lanes(sum);
        return P == Power::kOne ? base_ * (1.0 - 1e-12) + total * (1.0 - 1e-5) : total - 1e-5 * (1.0 + total);
    }

private:
    struct Group {
        // Of numbers where it lies, in cells, when a code stands for the middle of its cell; else its code.
        alignas(32) float query[kSingles];
        float unit[kSingles];    // the width of a cell in units of eight residuals, or the contrast of categories
        float weight[kSingles];  // 0 where there is no column
        std::size_t first;       // where its codes begin
    };

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
    std::size_t numbers_ = 0;  // groups of numbers
    double base_ = 0.0;        // the key of equal rows, for p = 1
};

}  // namespace vicinal::VICINAL_PATH
