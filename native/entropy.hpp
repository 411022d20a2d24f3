// Feature weights that make a target least surprising: the loss, its slope, and the descent.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd.hpp"
#include "types.hpp"

namespace vicinal::VICINAL_PATH {

// The objective of EntropyJob as a function of the logarithms of the weights.
class EntropyLoss {
public:
    explicit EntropyLoss(const EntropyJob& job)
        : job_(job), padded_((job.columns + kLanes - 1) / kLanes * kLanes), weights_(padded_), slope_(padded_),
          shares_((job.k + kLanes - 1) / kLanes * kLanes), pull_(job.k),
          excess_(static_cast<std::size_t>(job.cases) * job.k * padded_) {
        for (std::int64_t row = 0; row < job.cases * job.k; ++row)
            std::copy_n(job.excess + row * job.columns, job.columns, &excess_[row * padded_]);
    }

    double operator()(const std::vector<double>& logs, std::vector<double>& gradient) {
        const int d = job_.columns;
        for (int i = 0; i < padded_; i += kLanes) {
            Vec x = splat(0.0);
            for (int lane = 0; lane < kLanes && i + lane < d; ++lane) x[lane] = logs[i + lane];
            store(&weights_[i], exponential(x));
        }
        std::fill(slope_.begin(), slope_.end(), 0.0);
        double loss = 0.0;
        for (std::int64_t q = 0; q < job_.cases; ++q) loss += job_.weights[q] * one_case(q);
        double penalty = 0.0;
        for (int i = 0; i < d; ++i) {
            const double off = logs[i] - job_.start[i];
            penalty += off * off;
            gradient[i] = slope_[i] * weights_[i] + 2 * job_.pull * off / d;
        }
        return loss + job_.pull * penalty / d;
    }

private:
    const double* row(std::int64_t q, int j) const { return &excess_[(q * job_.k + j) * padded_]; }

    void find_shares(std::int64_t q) {
        const double* mass = job_.mass + q * job_.k;
        double highest = -std::numeric_limits<double>::infinity();
        for (int j = 0; j < job_.k; ++j) {
            Vec sum = splat(0.0);
            for (int i = 0; i < padded_; i += kLanes) sum += load(&weights_[i]) * load(row(q, j) + i);
            shares_[j] = mass[j] - sum_lanes(sum);
            highest = std::max(highest, shares_[j]);
        }
        for (std::size_t j = job_.k; j < shares_.size(); ++j) shares_[j] = highest - 1e3;
        double total = 0.0;
        for (std::size_t j = 0; j < shares_.size(); j += kLanes) {
            const Vec x = load(&shares_[j]) - splat(highest);
            store(&shares_[j], choose(x > splat(-690.0), exponential(x), splat(0.0)));
        }
        for (int j = 0; j < job_.k; ++j) total += shares_[j];
        for (int j = 0; j < job_.k; ++j) shares_[j] /= total;
    }

    double one_case(std::int64_t q) {
        find_shares(q);
        const double loss = job_.classes ? class_loss(q) : number_loss(q);
        for (int j = 0; j < job_.k; ++j) {
            const double factor = job_.weights[q] * pull_[j];
            if (factor == 0) continue;
            for (int i = 0; i < padded_; i += kLanes)
                store(&slope_[i], load(&slope_[i]) + splat(factor) * load(row(q, j) + i));
        }
        return loss;
    }

    // -log of the influence on hits, mixed with a trace of the class's share.
    double class_loss(std::int64_t q) {
        const double* outcomes = job_.outcomes + q * job_.k;
        double hit = 0.0;
        for (int j = 0; j < job_.k; ++j)
            if (outcomes[j] == job_.truth[q]) hit += shares_[j];
        const double mixed = (1 - job_.mix) * hit + job_.mix * job_.prior[q];
        for (int j = 0; j < job_.k; ++j)
            pull_[j] = (1 - job_.mix) * shares_[j] * ((outcomes[j] == job_.truth[q] ? 1.0 : 0.0) - hit) / mixed;
        return -std::log(mixed);
    }

    // The absolute error, rounded off near zero.
    double number_loss(std::int64_t q) {
        const double* outcomes = job_.outcomes + q * job_.k;
        double guess = 0.0;
        for (int j = 0; j < job_.k; ++j) guess += shares_[j] * outcomes[j];
        const double error = guess - job_.truth[q], size = std::sqrt(error * error + job_.smooth * job_.smooth);
        for (int j = 0; j < job_.k; ++j) pull_[j] = -shares_[j] * (outcomes[j] - guess) * error / size;
        return size;
    }

    const EntropyJob& job_;
    const int padded_;
    std::vector<double> weights_, slope_, shares_, pull_, excess_;
};

// L-BFGS within bounds: steps that leave the box are cut off at its sides.
class Descent {
public:
    explicit Descent(const EntropyJob& job) : job_(job), loss_(job) {}

    void run(double* logs) {
        const int d = job_.columns;
        std::vector<double> x(logs, logs + d), gradient(d), next(d), next_gradient(d), direction(d);
        double value = loss_(x, gradient);
        for (int n = 0; n < job_.iterations; ++n) {
            find_direction(x, gradient, direction);
            double slope = 0.0, length = pairs_.empty() ? 1.0 / std::max(norm(gradient), 1e-12) : 1.0;
            for (int i = 0; i < d; ++i) slope += direction[i] * gradient[i];
            if (!(slope < 0)) break;
            double reached = value;
            for (int halvings = 0; halvings < 16; ++halvings, length /= 2) {
                for (int i = 0; i < d; ++i) next[i] = std::clamp(x[i] + length * direction[i], job_.lowest, job_.highest);
                reached = loss_(next, next_gradient);
                if (reached <= value + 1e-4 * length * slope) break;
            }
            if (!(reached < value)) break;
            remember(x, next, gradient, next_gradient);
            const double fall = value - reached;
            x.swap(next);
            gradient.swap(next_gradient);
            value = reached;
            if (fall < 1e-8 * std::max(std::abs(value), 1e-3)) break;
        }
        std::copy(x.begin(), x.end(), logs);
    }

private:
    static constexpr std::size_t kMemory = 8;
    struct Pair {
        std::vector<double> step, change;
        double inverse;  // 1 / (step . change)
    };

    static double dot(const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
        return sum;
    }
    static double norm(const std::vector<double>& a) { return std::sqrt(dot(a, a)); }

    void find_direction(const std::vector<double>& x, const std::vector<double>& gradient, std::vector<double>& out) {
        const int d = job_.columns;
        for (int i = 0; i < d; ++i) out[i] = -gradient[i];
        std::vector<double> alphas(pairs_.size());
        for (std::size_t p = pairs_.size(); p-- > 0;) {
            alphas[p] = pairs_[p].inverse * dot(pairs_[p].step, out);
            for (int i = 0; i < d; ++i) out[i] -= alphas[p] * pairs_[p].change[i];
        }
        if (!pairs_.empty()) {
            const Pair& last = pairs_.back();
            const double scale = 1.0 / (last.inverse * dot(last.change, last.change));
            for (double& value : out) value *= scale;
        }
        for (std::size_t p = 0; p < pairs_.size(); ++p) {
            const double beta = pairs_[p].inverse * dot(pairs_[p].change, out);
            for (int i = 0; i < d; ++i) out[i] += (alphas[p] - beta) * pairs_[p].step[i];
        }
        // At a side of the box only the way back in is open.
        for (int i = 0; i < d; ++i)
            if ((x[i] <= job_.lowest && out[i] < 0) || (x[i] >= job_.highest && out[i] > 0)) out[i] = 0.0;
    }

    void remember(const std::vector<double>& from, const std::vector<double>& to, const std::vector<double>& before,
                  const std::vector<double>& after) {
        Pair pair{to, after, 0.0};
        for (int i = 0; i < job_.columns; ++i) pair.step[i] -= from[i], pair.change[i] -= before[i];
        const double curvature = dot(pair.step, pair.change);
        if (!(curvature > 1e-12)) return;
        pair.inverse = 1.0 / curvature;
        if (pairs_.size() == kMemory) pairs_.erase(pairs_.begin());
        pairs_.push_back(std::move(pair));
    }

    const EntropyJob& job_;
    EntropyLoss loss_;
    std::vector<Pair> pairs_;
};

}  // namespace vicinal::VICINAL_PATH
