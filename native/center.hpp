// Influences whose weighted mean sits on the query.
//
// Among all shares a_j the ones closest in KL divergence to the kernel k_j with sum a_j z_j = 0 (z_j
// the neighbor's offset from the query) are a_j ~ k_j exp(lambda . z_j), lambda minimizing
// log sum k_j exp(lambda . z_j) + ridge |lambda|^2 / 2. The ridge lets the mean stay a little off.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "covariance.hpp"
#include "row_sums.hpp"
#include "simd.hpp"
#include "tridiagonal.hpp"
#include "types.hpp"
#include "vectors.hpp"

namespace vicinal::VICINAL_PATH {

class Centring {
public:
    Centring(int k, int columns, double ridge)
        : k_(k), columns_(columns), padded_((columns + kLanes - 1) / kLanes * kLanes), ridge_(ridge),
          z_(static_cast<std::size_t>(k) * padded_), lambda_(padded_), mean_(padded_), gradient_(padded_),
          step_(padded_), residual_(padded_), direction_(padded_), image_(padded_),
          shares_((k + kLanes - 1) / kLanes * kLanes), exponents_(shares_.size()), slants_(shares_.size()),
          tilts_(shares_.size()), by_column_(columns * shares_.size()), covariance_(columns, padded_) {}

    // `logits` are the logarithms of the kernel, -infinity for a place without a neighbor.
    void run(const double* logits, const double* offsets, bool linear, double* out) {
        const double ridge = ridge_;  // which is another one on the way
        begin(logits, offsets, 1.0);
        find(ridge, linear, out);
        ridge_ = ridge;
    }

    // The kernel and the offsets, to be multiplied by `scale`, of which `find` is then asked.
    void begin(const double* logits, const double* offsets, double scale) {
        take(logits, offsets, scale);
        last_ = std::numeric_limits<double>::infinity();
        tilted_ = false;
    }

    // The shares for one ridge after the other, the same as if each were the only one. The way to a small
    // ridge leads by larger ones, so falling ridges take little more than the last.
    void find(double ridge, bool linear, double* out) {
        if (columns_ > 0) {
            if (linear)
                find_tilted(ridge);
            else
                find_balanced(ridge);
        }
        std::copy(shares_.begin(), shares_.begin() + k_, out);
    }

    // Calls use(r, shares) for several ridges, from the largest to the smallest: each is found from the one
    // before. The offsets are multiplied by `scale` first. Rough shares, which end sooner, are good enough to
    // compare ridges by: they differ from the others by less than a hundredth in all.
    template <class Use>
    void run_path(const double* logits, const double* offsets, double scale, const double* ridges, int count,
                  bool linear, bool rough, const Use& use) {
        begin(logits, offsets, scale);
        for (int r = 0; r < count; ++r) {
            if (columns_ > 0 && linear)
                find_tilted(ridges[r]);
            else if (rough)
                descend(ridges[r], kNear, r > 0);
            else
                descend(ridges[r]);
            use(r, shares_.data());
        }
    }

private:
    // On the way to a small ridge the minima of larger ones are called at, so that few steps lead from
    // each to the next.
    static constexpr double kStations[] = {3.0, 0.3, 0.03, 0.003};
    static constexpr int kMostSteps = 12, kSolverSteps = 24, kFewColumns = 24;
    static constexpr double kMostTilt = 4.0, kFarApart = 3.2e6;
    // When to stop. `fall` is twice what a step gains, by its own estimate: one of less than `last` is the last, as
    // the next would be about as long as its square, and one of less than `least` is not taken at all. Conjugate
    // gradients go on to this part of the gradient's square.
    struct Tolerance {
        double last, least, part;
    };
    static constexpr Tolerance kThere{1e-5, 1e-10, 1e-12}, kNear{1e-2, 1e-5, 1e-3};

    static bool is_station(double ridge) {
        return std::find(std::begin(kStations), std::end(kStations), ridge) != std::end(kStations);
    }

    void find_balanced(double ridge) {
        if (ridge == last_ && !tilted_) return;
        const bool first = last_ == std::numeric_limits<double>::infinity();
        if (tilted_ || ridge > last_ || !(first || is_station(last_))) start_again();
        for (const double station : kStations)
            if (station > ridge && station < last_) descend(station);
        descend(ridge);
        last_ = ridge;
    }

    // Ridge local linear regression: the same, to first order; shares may turn negative. Far outside
    // its neighbors a query would get shares of any size, and rounding would eat their sum, so the
    // tilt is held within kMostTilt.
    void find_tilted(double ridge) {
        if (!tilted_) {
            if (last_ < std::numeric_limits<double>::infinity()) start_again();
            find_mean();
            ridge_ = 0.0;
            reduced_.reduce(mean_, std::min(kSolverSteps, columns_),
                            [&](const std::vector<double>& x) -> std::vector<double>& { return multiply(x); });
            kernel_ = shares_;
            tilted_ = true;
        }
        shares_ = kernel_;
        reduced_.solve(ridge, step_);
        tilt();
    }

    void start_again() {
        std::fill(lambda_.begin(), lambda_.end(), 0.0);
        take_kernel();
        last_ = std::numeric_limits<double>::infinity();
        tilted_ = false;
    }

    void take(const double* logits, const double* offsets, double scale) {
        for (int j = 0; j < k_; ++j)
            for (int i = 0; i < columns_; ++i)
                by_column_[i * shares_.size() + j] = z_[j * padded_ + i] = scale * offsets[j * columns_ + i];
        logits_ = logits;
        std::fill(lambda_.begin(), lambda_.end(), 0.0);
        take_kernel();
    }

    const double* row(int j) const { return z_.data() + j * padded_; }

    // The shares of the kernel itself.
    void take_kernel() {
        std::copy_n(logits_, k_, exponents_.begin());
        std::fill(exponents_.begin() + k_, exponents_.end(), -std::numeric_limits<double>::infinity());
        std::fill(slants_.begin(), slants_.end(), 0.0);
        find_shares(0.0);
    }

    // log sum exp(exponents - length * slants); leaves the shares behind.
    double find_shares(double length) {
        Vec highest = splat(-std::numeric_limits<double>::infinity());
        for (std::size_t j = 0; j < shares_.size(); j += kLanes) {
            const Vec x = load(&exponents_[j]) - splat(length) * load(&slants_[j]);
            store(&shares_[j], x);
            highest = larger(highest, x);
        }
        const double top = std::max(std::max(highest[0], highest[1]), std::max(highest[2], highest[3]));
        Vec total = splat(0.0);
        for (std::size_t j = 0; j < shares_.size(); j += kLanes) {
            const Vec x = load(&shares_[j]) - splat(top);
            const Vec share = exponential_or_zero(x);
            store(&shares_[j], share);
            total += share;
        }
        const double sum = sum_lanes(total);
        for (std::size_t j = 0; j < shares_.size(); j += kLanes) store(&shares_[j], load(&shares_[j]) / splat(sum));
        return top + std::log(sum);
    }

    // to = sum of factor_j z_j
    void add_rows(const std::vector<double>& factors, std::vector<double>& to) const {
        add_up(z_.data(), padded_, k_, factors.data(), padded_, to.data());
    }

    // to_j = x . z_j
    void project(const std::vector<double>& x, std::vector<double>& to) const {
        const int width = static_cast<int>(shares_.size());
        add_up(by_column_.data(), width, columns_, x.data(), width, to.data());
    }

    void find_mean() { add_rows(shares_, mean_); }

    // image = (covariance of z under the shares + ridge) x
    std::vector<double>& multiply(const std::vector<double>& x) {
        const double center = dot(mean_, x);
        project(x, tilts_);
        for (std::size_t j = 0; j < shares_.size(); j += kLanes)
            store(&tilts_[j], load(&shares_[j]) * (load(&tilts_[j]) - splat(center)));
        add_rows(tilts_, image_);
        for (int i = 0; i < padded_; ++i) image_[i] += ridge_ * x[i];
        return image_;
    }

    // step = (covariance + ridge)^-1 gradient: outright where there are few columns, else by conjugate
    // gradients, to the given part of the gradient's square. The covariance is that found last, if so `again`.
    void solve(double part, bool again) {
        if (columns_ <= kFewColumns) {
            if (!again) covariance_.find(z_, k_, shares_, mean_);
            if (covariance_.solve(ridge_, gradient_, step_)) return;
        }
        solve_by_steps(part);
    }

    void solve_by_steps(double part) {
        std::fill(step_.begin(), step_.end(), 0.0);
        residual_ = direction_ = gradient_;
        double size = dot(residual_, residual_);
        const double enough = size * part;
        for (int i = 0; i < std::min(kSolverSteps, 2 * columns_) && size > enough; ++i) {
            multiply(direction_);
            const double length = size / dot(direction_, image_);
            add_multiple(step_, length, direction_.data());
            add_multiple(residual_, -length, image_.data());
            const double next = dot(residual_, residual_);
            for (int c = 0; c < padded_; ++c) direction_[c] = residual_[c] + next / size * direction_[c];
            size = next;
        }
    }

    // Newton's method on log sum k_j exp(lambda . z_j) + ridge |lambda|^2 / 2; the objective is convex, so
    // halving the step until it falls is enough. A full step falls by half of `fall` near the minimum; one
    // that falls by much less has gone beyond it, and the next would come back. The exponents follow lambda.
    // The first step may be taken by the covariance found last, where lambda has hardly moved since.
    void descend(double ridge, const Tolerance& enough = kThere, bool covariance_known = false) {
        ridge_ = ridge;
        std::fill(slants_.begin(), slants_.end(), 0.0);
        double value = find_shares(0.0) + ridge_ * dot(lambda_, lambda_) / 2;
        for (int n = 0; columns_ > 0 && (n < kMostSteps || must_arrive()); ++n) {
            find_mean();
            for (int i = 0; i < padded_; ++i) gradient_[i] = mean_[i] + ridge_ * lambda_[i];
            // Far from the minimum a rough step does as well; near it, exact ones converge fast.
            solve(std::clamp(dot(gradient_, gradient_), enough.part, 1e-2), covariance_known && n == 0);
            const double fall = dot(gradient_, step_);
            if (!(fall > enough.least)) return;
            project(step_, slants_);
            const double square = dot(lambda_, lambda_), cross = dot(lambda_, step_), own = dot(step_, step_);
            double length = 1.0, next = value;
            for (int halvings = 0; halvings < 20; ++halvings, length /= 2) {
                next = find_shares(length) + ridge_ * (square - 2 * length * cross + length * length * own) / 2;
                if (next <= value - 0.25 * length * fall) break;
            }
            if (!(next < value)) {
                find_shares(0.0);
                return;
            }
            add_multiple(lambda_, -length, step_.data());
            for (std::size_t j = 0; j < shares_.size(); j += kLanes)
                store(&exponents_[j], load(&exponents_[j]) - splat(length) * load(&slants_[j]));
            value = next;
            if (fall < enough.last) return;
        }
    }

    // Certificates (robustness/tilt.py) rely on the minimum being reached: with few columns, unless the
    // neighbors lie far apart, where it takes many steps that predict no better.
    bool must_arrive() const {
        double square = 0.0;
        for (int i = 0; i < columns_; ++i) {
            double low = std::numeric_limits<double>::infinity(), high = -low;
            for (int j = 0; j < k_; ++j)
                if (logits_[j] > -std::numeric_limits<double>::infinity()) {
                    low = std::min(low, row(j)[i]);
                    high = std::max(high, row(j)[i]);
                }
            square += (high - low) * (high - low);
        }
        return columns_ <= kFewColumns && square <= kFarApart * ridge_;
    }

    void tilt() {
        const double center = dot(mean_, step_);
        project(step_, tilts_);
        double size = 0.0;
        for (int j = 0; j < k_; ++j) {
            tilts_[j] = shares_[j] > 0 ? tilts_[j] - center : 0.0;
            size += shares_[j] * std::abs(tilts_[j]);
        }
        if (!std::isfinite(size)) return;  // squares of such offsets overflow: the kernel stays
        const double part = size > kMostTilt ? kMostTilt / size : 1.0;
        double total = 0.0;
        for (int j = 0; j < k_; ++j) total += shares_[j] *= 1.0 - part * tilts_[j];
        for (int j = 0; j < k_; ++j) shares_[j] /= total;  // 1 but for rounding
    }

    const int k_, columns_, padded_;
    double ridge_;
    std::vector<double> z_, lambda_, mean_, gradient_, step_, residual_, direction_, image_, shares_, exponents_,
        slants_, tilts_, by_column_, kernel_;
    Covariance covariance_;                                  // of the offsets, where there are few columns
    Tridiagonal reduced_;                                    // the same for linear shares
    double last_ = std::numeric_limits<double>::infinity();  // the ridge that the shares are those of
    bool tilted_ = false;                                    // whether they are linear
    const double* logits_ = nullptr;
};

}  // namespace vicinal::VICINAL_PATH
