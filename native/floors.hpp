// Floors of the key by the finer codes, eight columns at a time.
#pragma once

#include "fine.hpp"
#include "terms.hpp"

namespace vicinal::VICINAL_PATH {

// A query made ready for finer codes.
class FineQuery {
public:
    void prepare(const FineCodes& codes, const Metric& metric, const double* row) {
        groups_.assign((codes.columns() + kSingles - 1) / kSingles, Group{});
        for (std::size_t c = 0; c < codes.columns(); ++c) {
            Group& group = groups_[c / kSingles];
            const int lane = static_cast<int>(c % kSingles);
            const int column = metric.active[c];
            group.middle[lane] = static_cast<float>(codes.place(c, row[column]) - 0.5);
            group.width[lane] = static_cast<float>(std::min(codes.width(c) / (8 * metric.residuals[column]), kWidest));
            group.weight[lane] = static_cast<float>(metric.weights[column]);
        }
    }

    // The function is that of `laplace_floor`, of the gap from the query to the near end of the row's
    // cell: half a cell nearer than its middle, and a little more, since places are rounded. What
    // singles round off is below 1e-5 of any term by far.
    template <Power P>
    VICINAL_INLINE double key_floor(const std::uint8_t* row) const {
        Single sum = splat_single(0.0f);
        for (const Group& g : groups_) {
            const Single cells = absolute(widen(row) - g.middle) - splat_single(0.501f);
            const Single gap = larger(cells, splat_single(0.0f)) * g.width;
            const Single y = smaller(gap, splat_single(1.596f));
            const Single root = (splat_single(1.0f) - y) + (y * y) * (splat_single(1.0f / 2) - y * splat_single(1.0f / 6));
            const Single square = root * root;
            const Single fourth = square * square;
            const Single s = splat_single(8.0f) * gap + (fourth * fourth) * (splat_single(1.5f) + splat_single(4.0f) * y);
            sum += g.weight * (P == Power::kTwo ? s * s : s);
            row += kSingles;
        }
        const double total = sum_lanes(sum);
        return total - 1e-5 * (1.0 + total);
    }

private:
    struct Group {
        Single middle;  // where the query lies, in cells, when a code stands for the middle of its cell
        Single width;   // of a cell, in units of eight residuals
        Single weight;
    };
    static constexpr double kWidest = 1e15;  // even squared, 256 such cells are far from what a single can hold
    std::vector<Group> groups_;
};

}  // namespace vicinal::VICINAL_PATH
