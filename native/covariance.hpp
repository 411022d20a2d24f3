// The covariance of rows under shares, and the solution of equations with it and any ridge.
#pragma once

#include <cmath>
#include <vector>

#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

class Covariance {
public:
    // Rows have `padded` numbers, of which those beyond the columns are zero.
    Covariance(int columns, int padded) : columns_(columns), padded_(padded) {}

    // The upper half, four rows by four columns at a time, or eight. Rows without a share do not count.
    void find(const std::vector<double>& rows, int count, const std::vector<double>& shares,
              const std::vector<double>& mean) {
        values_.resize(static_cast<std::size_t>(padded_) * padded_);
        centered_.resize(rows.size());
        int some = 0;
        for (int j = 0; j < count; ++j) {
            if (!(shares[j] > 0)) continue;
            const Vec root = splat(std::sqrt(shares[j]));
            const double* from = &rows[j * padded_];
            double* to = &centered_[some++ * padded_];
            for (int i = 0; i < padded_; i += kLanes) store(to + i, root * (load(from + i) - load(&mean[i])));
        }
        for (int a = 0; a < padded_; a += kLanes) {
            int i = a;
            for (; i + 2 * kLanes <= padded_; i += 2 * kLanes) add_products<2>(a, i, some);
            if (i < padded_) add_products<1>(a, i, some);
        }
    }

    // solution = (covariance + ridge)^-1 right, by Cholesky's decomposition; false where rounding has left
    // the matrix indefinite.
    bool solve(double ridge, const std::vector<double>& right, std::vector<double>& solution) {
        factor_ = values_;
        pivots_.resize(padded_);
        for (int a = 0; a < columns_; ++a) {
            double* upper = &factor_[a * padded_];
            const double pivot = upper[a] + ridge;
            if (!(pivot > 0)) return false;
            const double inverse = 1.0 / std::sqrt(pivot);
            const int first = a / kLanes * kLanes;
            for (int i = first; i < padded_; i += kLanes) store(upper + i, load(upper + i) * splat(inverse));
            pivots_[a] = inverse;
            for (int b = a + 1; b < columns_; ++b) {
                double* below = &factor_[b * padded_];
                const Vec factor = splat(upper[b]);
                for (int i = b / kLanes * kLanes; i < padded_; i += kLanes)
                    store(below + i, load(below + i) - factor * load(upper + i));
            }
        }
        // The columns beyond the last one are zero in every row, so they may take part.
        solution = right;
        for (int a = 0; a < columns_; ++a) {
            const double part = solution[a] *= pivots_[a];
            const double* upper = &factor_[a * padded_];
            for (int i = a + 1; i < columns_; ++i) solution[i] -= part * upper[i];
        }
        for (int a = columns_ - 1; a >= 0; --a) {
            const double* upper = &factor_[a * padded_];
            double sum = solution[a];
            for (int i = a + 1; i < columns_; ++i) sum -= upper[i] * solution[i];
            solution[a] = sum * pivots_[a];
        }
        return true;
    }

private:
    // Two blocks at once, so that no sum waits for itself.
    template <int Blocks>
    VICINAL_INLINE void add_products(int a, int i, int count) {
        Vec sums[Blocks][kLanes];
        for (auto& block : sums)
            for (Vec& sum : block) sum = splat(0.0);
        const double* from = centered_.data();
        for (int j = 0; j < count; ++j, from += padded_)
            for (int lane = 0; lane < kLanes; ++lane) {
                const Vec factor = splat(from[a + lane]);
                for (int b = 0; b < Blocks; ++b) sums[b][lane] += factor * load(from + i + b * kLanes);
            }
        for (int lane = 0; lane < kLanes; ++lane)
            for (int b = 0; b < Blocks; ++b) store(&values_[(a + lane) * padded_ + i + b * kLanes], sums[b][lane]);
    }

    const int columns_, padded_;
    std::vector<double> values_, centered_;  // the rows less their mean, by the roots of their shares
    std::vector<double> factor_, pivots_;    // of Cholesky's decomposition, and the inverses of its diagonal
};

}  // namespace vicinal::VICINAL_PATH
