// Lower bounds of the weighted key, cell by cell, and their rounding to bytes.
#pragma once

#include "cells.hpp"
#include "unknown_terms.hpp"

namespace vicinal::VICINAL_PATH {

// For one query, slot by slot of those that count, how far above the least of all the bound of each cell lies.
class CellBounds {
public:
    template <Power P>
    void prepare(const CellCodes& cells, const std::vector<std::size_t>& slots, const Query& query,
                 UnknownTerms& unknown) {
        const Metric& metric = *query.metric;
        above_.resize(slots.size() * CellCodes::kCells);
        base_ = 0.0;
        for (std::size_t c = 0; c < slots.size(); ++c) {
            double terms[CellCodes::kCells];
            const int column = cells.fine().column(slots[c]);
            if (missing(query.values[column]))
                unknown_bounds(cells, slots[c], unknown.template by_code<P>(query, slots[c]).terms, terms);
            else
                term_bounds(cells, slots[c], query, terms);
            const double weight = metric.weights[column] * (1.0 - 1e-12);
            base_ += put<P>(terms, weight, metric.p, &above_[c * CellCodes::kCells]);
        }
    }

    // Bytes such that a sum that reaches 255 (the sums saturate) proves key > threshold, with `stride` lines from slot
    // to slot. That sum stands for half a step more than the room there is, far more than singles round off.
    void to_bytes(double threshold, CellLine* out, std::size_t stride) const {
        const double room = threshold * (1.0 + 1e-9) - base_;
        const Single scale = splat_single(static_cast<float>(room > 0 ? std::min(254.5 / room, kSteepest) : kSteepest));
        for (std::size_t at = 0; at < above_.size(); at += CellCodes::kCells, out += stride)
            write_line(&above_[at], scale, out->of);
    }

private:
    static constexpr double kSpare = 0.001;  // of a finer cell, since places are rounded
    // Singles hold the product of these two.
    static constexpr double kFarthest = 1e30, kSteepest = 1e7;

    // The least terms of the cells of a slot.
    static void term_bounds(const CellCodes& cells, std::size_t slot, const Query& query, double* terms) {
        known_bounds(cells, slot, query, terms);
        if (!cells.fine().lacks(slot)) return;
        const int gap = cells.cell_of(slot, FineCodes::kMissing);
        const double term = query.gap_terms[cells.fine().column(slot)];
        // Categories may be in the same cell; numbers are not.
        terms[gap] = slot < cells.fine().numbers() ? term : std::min(terms[gap], term);
    }

    // Of a column that the query lacks, by its finer codes.
    static void unknown_bounds(const CellCodes& cells, std::size_t slot, const double* by_code, double* terms) {
        std::fill_n(terms, CellCodes::kCells, kFarthest);
        for (int code = 0; code < FineCodes::kCodes; ++code) {
            double& term = terms[cells.cell_of(slot, code)];
            term = std::min(term, by_code[code]);
        }
    }

    // Against the values in them.
    static void known_bounds(const CellCodes& cells, std::size_t slot, const Query& query, double* terms) {
        const FineCodes& fine = cells.fine();
        const double value = query.values[fine.column(slot)], residual = query.metric->residuals[fine.column(slot)];
        if (slot >= fine.numbers()) {
            std::fill_n(terms, CellCodes::kCells, kSame + residual);
            if (query.may_match(fine.column(slot)))
                terms[CellCodes::category_cell(FineCodes::category_code(value))] = kSame;
            return;
        }
        const Vec place = splat(fine.place(slot, value)),
                  unit = splat(std::min(fine.width(slot) / residual, kFarthest));
        const double* starts = cells.starts(slot);
        for (int cell = 0; cell < CellCodes::kCells; cell += kLanes) {
            const Vec below = load(starts + cell) - place, above = place - load(starts + cell + 1);
            const Vec apart = maximum(maximum(below, above) - splat(kSpare), splat(0.0));
            store(terms + cell, laplace_floor(minimum(apart * unit, splat(kFarthest))));
        }
    }

#if defined(VICINAL_AVX2)
    static void write_line(const float* above, Single scale, std::uint8_t* out) {
        const auto whole = [&](int cell) __attribute__((always_inline)) {
            return _mm256_cvttps_epi32(smaller(load(above + cell) * scale, splat_single(255.0f)));
        };
        for (int cell = 0; cell < CellCodes::kCells; cell += kBlockBytes) {
            const __m256i first = _mm256_packus_epi32(whole(cell), whole(cell + 8)),
                          second = _mm256_packus_epi32(whole(cell + 16), whole(cell + 24));
            // Packing goes by halves, whose fours are put in order at the end.
            const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
            const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(first, second), order);
            _mm256_store_si256(reinterpret_cast<__m256i*>(out + cell), bytes);
        }
    }
#else
    static void write_line(const float* above, Single scale, std::uint8_t* out) {
        for (int cell = 0; cell < CellCodes::kCells; cell += kSingles) {
            const Single scaled = smaller(load(above + cell) * scale, splat_single(255.0f));
            for (int lane = 0; lane < kSingles; ++lane) out[cell + lane] = static_cast<std::uint8_t>(scaled[lane]);
        }
    }
#endif

    // Returns the least bound, and puts how far above it the others lie.
    template <Power P>
    static double put(double* terms, double weight, double p, float* above) {
        Vec lowest = splat(kFarthest);
        for (int cell = 0; cell < CellCodes::kCells; cell += kLanes) {
            const Vec key = minimum(to_key<P>(load(terms + cell), p) * splat(weight), splat(kFarthest));
            store(terms + cell, key);
            lowest = minimum(lowest, key);
        }
        const double least = std::min(std::min(lowest[0], lowest[1]), std::min(lowest[2], lowest[3]));
        const auto four = [&](int cell) { return (load(terms + cell) - splat(least)) * splat(1.0 - 1e-6); };
        for (int cell = 0; cell < CellCodes::kCells; cell += kSingles)
            store(above + cell, to_single(four(cell), four(cell + kLanes)));
        return least;
    }

    std::vector<float> above_;
    double base_ = 0.0;
};

}  // namespace vicinal::VICINAL_PATH
