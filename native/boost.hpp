// Small boosted trees on binned columns, grown in several runs without some of the rows each.
//
// What must hold: every round of a run is grown by one thread in a fixed order of rows, so that the trees
// do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "leafwise.hpp"
#include "symmetric.hpp"

namespace vicinal::VICINAL_PATH {

// Of many columns, those that trees look at are chosen anew after so many rounds.
constexpr int kRoundsOfChoice = 10;

// Grows the trees of one run, and scores the rows that it does without.
class Booster final : public BoostRun {
public:
    Booster(const BoostJob& job, std::int64_t run)
        : whole_(of_run(job, run, every_bin_)), job_(whole_), rows_(job.rows), leafwise_(job_, rows_),
          symmetric_(job_, rows_), scores_(job.rows * job.width()), shown_(job.rows * job.width()),
          start_(job.width()) {
        const std::uint8_t* held = job.held + run * job.rows;
        for (std::int64_t row = 0; row < job.rows; ++row)
            (held[row] ? held_ : given_).push_back(static_cast<RowNumber>(row));
        if (!chosen()) rows_.take(job_);
        begin();
        losses.push_back(best_ = held_loss());
    }

    void grow_on(int rounds) override {
        for (; rounds > 0 && waited_ < job_.patience; --rounds) {
            const int round = static_cast<int>(losses.size()) - 1;
            job_.rate = whole_.rate * (1.0 + round * whole_.faster);
            if (chosen() && round % kRoundsOfChoice == 0) choose_columns();
            for (int c = 0; c < job_.width(); ++c) grow(c, trees.emplace_back());
            shown_ = scores_;
            losses.push_back(held_loss());
            waited_ = losses.back() < best_ ? 0 : waited_ + 1;
            best_ = std::min(best_, losses.back());
        }
    }

private:
    // Whether there are so many columns that trees look at some of them alone.
    bool chosen() const { return whole_.columns > whole_.most_columns; }

    void begin() {
        const int width = job_.width();
        std::vector<double> mass(std::max(job_.classes, 1), 1e-9);
        double total = 1e-9 * static_cast<double>(mass.size()), sum = 0.0;
        for (const RowNumber row : given_) {
            total += job_.weights[row];
            if (job_.classes)
                mass[static_cast<int>(job_.truth[row])] += job_.weights[row];
            else
                sum += job_.weights[row] * job_.truth[row];
        }
        if (!job_.classes)
            start_[0] = sum / total;
        else if (job_.classes == 2)
            start_[0] = std::log(mass[1] / mass[0]);
        else
            for (int c = 0; c < width; ++c) start_[c] = std::log(mass[c] / total);
        for (std::int64_t row = 0; row < job_.rows; ++row)
            for (int c = 0; c < width; ++c) scores_[row * width + c] = shown_[row * width + c] = start_[c];
    }

    // The probability of the second of two classes by the scores shown before this round.
    double second_class(RowNumber row) const { return 1.0 / (1.0 + std::exp(-shown_[row])); }

    // Of several classes, what their probabilities are the shares of: fills `parts` and returns the total.
    double class_parts(RowNumber row, double* parts) const {
        const double* at = &shown_[static_cast<std::size_t>(row) * job_.classes];
        const double highest = *std::max_element(at, at + job_.classes);
        double total = 0.0;
        for (int c = 0; c < job_.classes; ++c) total += parts[c] = std::exp(at[c] - highest);
        return total;
    }

    double held_loss() const {
        std::vector<double> parts(job_.width());
        double loss = 0.0;
        for (const RowNumber row : held_) {
            double one;
            if (!job_.classes) {
                const double error = scores_[row] - job_.truth[row];
                one = error * error;
            } else {
                const int code = static_cast<int>(job_.truth[row]);
                double hit;
                if (job_.classes == 2) {
                    hit = code == 0 ? 1.0 - second_class(row) : second_class(row);
                } else {
                    const double total = class_parts(row, parts.data());
                    hit = parts[code] / total;
                }
                one = -std::log(std::max(hit, 1e-12));
            }
            loss += job_.weights[row] * one;
        }
        return loss;
    }

    void find_slopes(int c) {
        if (job_.classes > 2 && c == 0) {  // scores are shown again when all classes have their trees
            parts_.resize(scores_.size()), totals_.resize(job_.rows);
            for (const RowNumber row : given_)
                totals_[row] = class_parts(row, &parts_[static_cast<std::size_t>(row) * job_.classes]);
        }
        for (const RowNumber row : given_) {
            const double weight = job_.weights[row];
            if (!job_.classes) {
                rows_[row] = {weight * (shown_[row] - job_.truth[row]), weight, weight};
                continue;
            }
            const double p = job_.classes == 2
                                 ? second_class(row)
                                 : parts_[static_cast<std::size_t>(row) * job_.classes + c] / totals_[row];
            const int code = static_cast<int>(job_.truth[row]);
            const double slope = weight * (p - (code == (job_.classes == 2 ? 1 : c)));
            rows_[row] = {slope, weight * std::max(p * (1.0 - p), 1e-6), weight};
        }
    }

    // Narrows the job to the columns whose first split gains most, for the rows that are not held.
    void choose_columns() {
        std::vector<double> gains(whole_.columns);
        for (int c = 0; c < whole_.width(); ++c) {
            find_slopes(c);
            const BinSums total = rows_.total(given_.data(), given_.size());
            if (total.mass < 2 * job_.least_mass) continue;
            for (int column = 0; column < whole_.columns; ++column) gains[column] += first_gain(column, total);
        }
        columns_.resize(whole_.columns);
        std::iota(columns_.begin(), columns_.end(), 0);
        // In single precision, because rounding must not choose among columns that gain the same.
        const auto better = [&](int a, int b) { return static_cast<float>(gains[a]) > static_cast<float>(gains[b]); };
        std::stable_sort(columns_.begin(), columns_.end(), better);
        columns_.resize(whole_.most_columns);
        std::sort(columns_.begin(), columns_.end());
        bins_.clear(), nominal_.clear();
        for (const int column : columns_) {
            const std::uint8_t* bins = whole_.bins + column * whole_.rows;
            bins_.insert(bins_.end(), bins, bins + whole_.rows);
            nominal_.push_back(whole_.nominal[column]);
        }
        job_.bins = bins_.data(), job_.nominal = nominal_.data(), job_.columns = whole_.most_columns;
        rows_.take(job_);
    }

    // What the best first split by a column gains.
    double first_gain(int column, const BinSums& total) {
        const std::uint8_t* bins = whole_.bins + column * whole_.rows;
        const ColumnPlace place{0, kBoostBins, true, static_cast<bool>(whole_.nominal[column])};
        std::vector<BinSums> sums(place.size());
        for (const RowNumber row : given_) sums[bins[row] == kMissingBin ? place.end : bins[row]] += rows_[row];
        std::vector<double> each(3 * place.size());
        double *slopes = each.data(), *curves = slopes + place.size(), *masses = curves + place.size();
        settle(place, sums.data(), slopes, curves, masses);
        Split best;
        Trials(whole_).try_column(column, {slopes, curves, masses, place.end, place.lacking}, total, best);
        return best.gain;
    }

    void grow(int c, Tree& tree) {
        find_slopes(c);
        const int width = job_.width();
        const auto add = [&](const RowNumber* rows, std::size_t count, double value) {
            for (std::size_t i = 0; i < count; ++i) scores_[rows[i] * width + c] += value;
        };
        order_ = given_;
        if (job_.symmetric)
            symmetric_.grow(order_, tree, add);
        else
            leafwise_.grow(order_, tree, add);
        for (const RowNumber row : held_) scores_[row * width + c] += rows_.value(tree, row);
        if (!columns_.empty())
            for (TreeNode& node : tree)
                if (node.column >= 0) node.column = columns_[node.column];
    }

    std::vector<std::uint8_t> every_bin_;
    const BoostJob whole_;
    BoostJob job_;              // with the columns that are looked at
    std::vector<int> columns_;  // which these are; empty for all
    std::vector<std::uint8_t> bins_, nominal_;
    BinnedRows rows_;
    LeafwiseTree leafwise_;
    SymmetricTree symmetric_;
    std::vector<RowNumber> given_, held_, order_;
    std::vector<double> scores_, shown_, start_, parts_, totals_;
    double best_ = 0.0;
    int waited_ = 0;  // rounds since the best one
};

}  // namespace vicinal::VICINAL_PATH
