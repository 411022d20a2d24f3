// Equations with one matrix, one right side and many ridges.
//
// On the directions that conjugate gradients would take (Lanczos), the matrix is tridiagonal, and any ridge
// is cheap to add.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "vectors.hpp"

namespace vicinal::VICINAL_PATH {

class Tridiagonal {
public:
    // `multiply` returns the matrix times a vector; at most `most` directions are taken.
    template <class Multiply>
    void reduce(const std::vector<double>& right, int most, const Multiply& multiply) {
        const std::size_t width = right.size();
        basis_.resize((most + 1) * width);
        diagonal_.clear();
        beside_.clear();
        length_ = std::sqrt(dot(right, right));
        if (!(length_ > 0)) return;
        for (std::size_t i = 0; i < width; ++i) basis_[i] = right[i] / length_;
        for (int n = 0; n < most; ++n) {
            direction_.assign(&basis_[n * width], &basis_[n * width] + width);
            std::vector<double>& image = multiply(direction_);
            diagonal_.push_back(dot(direction_, image));
            for (int m = 0; m <= n; ++m) {
                const double* before = &basis_[m * width];
                add_multiple(image, -dot(before, image.data(), static_cast<int>(width)), before);
            }
            const double rest = std::sqrt(dot(image, image));
            beside_.push_back(rest);
            if (!(rest > 1e-9 * (diagonal_[0] + beside_[0]))) return;
            for (std::size_t i = 0; i < width; ++i) basis_[(n + 1) * width + i] = image[i] / rest;
        }
    }

    // solution = (matrix + ridge)^-1 right
    void solve(double ridge, std::vector<double>& solution) {
        const std::size_t size = diagonal_.size();
        pivots_.resize(size);
        parts_.resize(size);
        for (std::size_t n = 0; n < size; ++n) {
            const double factor = n ? beside_[n - 1] / pivots_[n - 1] : 0.0;
            pivots_[n] = diagonal_[n] + ridge - (n ? factor * beside_[n - 1] : 0.0);
            parts_[n] = n ? -factor * parts_[n - 1] : length_;
        }
        std::fill(solution.begin(), solution.end(), 0.0);
        double later = 0.0;
        for (std::size_t n = size; n-- > 0;) {
            later = (parts_[n] - (n + 1 < size ? beside_[n] * later : 0.0)) / pivots_[n];
            add_multiple(solution, later, &basis_[n * solution.size()]);
        }
    }

private:
    double length_ = 0.0;                    // of the right side
    std::vector<double> basis_, direction_;  // one direction after another; that at hand
    std::vector<double> diagonal_, beside_;  // of the matrix in these directions
    std::vector<double> pivots_, parts_;     // of the equations with a ridge
};

}  // namespace vicinal::VICINAL_PATH
