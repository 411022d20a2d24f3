// Floors of the key by the finer codes, for p = 1, in whole numbers of 16 bits: sixteen columns at a time.
//
// What must hold:
// - Every step rounds down what is added and up what is taken away, so the floor stays a bound of the key.
// - Nothing overflows: gaps and terms are below 2^15, and the weights, in parts of kWhole, add up to it at the most.
#pragma once

#include "unknown_terms.hpp"

namespace vicinal::VICINAL_PATH {

constexpr int kWords = 16;
constexpr int kPlaces = 128;   // parts of a cell,
constexpr int kHalfCell = 65;  // and half of them, with one more since places are rounded

// The excess of a term over that of equal values in parts of 4096, from a gap in parts of 512 of a residual, below
// 2^15. At t residuals it is never above t + e^-t (3 + t) / 2 - 1.5: up to t = 3 it is a polynomial just below, t^2 (q
// - t^2 (a - b t)), and on from there a line less steep than the function, up to 7 residuals farther.
constexpr int kGapUnit = 512;
constexpr int kBend = 3 * kGapUnit;
constexpr int kBendShift = 5;   // to parts of 2^14
constexpr int kLead = 16162;    // q = 0.2466 in parts of 2^16
constexpr int kFourth = 14555;  // a = 0.01388 in parts of 2^20
constexpr int kFall = 9559;     // b = 0.00228 in parts of 2^22
constexpr int kFarthest = 3700, kSlope = 7;

inline int whole_excess(int gap) {
    const auto high = [](int a, int b) { return static_cast<int>(static_cast<std::uint32_t>(a) * b >> 16); };
    const int y = std::min(gap, kBend), z = y << kBendShift, square = high(z, z);
    const int factor = kLead - high(square, kFourth - high(z, kFall));
    return high(square, factor) + std::min(gap - y, kFarthest) * kSlope;
}

// What of a metric does not depend on the query.
class WholeTerms {
public:
    static constexpr double kWhole = 65535.0;  // parts that weights have, in all

    struct Group {
        alignas(32) std::uint16_t unit[kWords];  // of numbers so many parts of a gap in 2^16 parts of a cell's parts
        std::int16_t excess[kWords];             // of categories that differ
        std::int16_t weight[kWords];             // 0 where there is no column
        std::size_t first;                       // where its codes begin
    };

    // Codes may be there of columns that do not count; groups of such alone are left out.
    WholeTerms(const FineCodes& codes, const Metric& metric) : codes_(codes) {
        if (metric.p != 1.0) return;
        suit_ = true;
        for (std::size_t s = 0; s < codes.slots(); ++s) {
            if (codes.filler(s) || !(metric.weights[codes.column(s)] > 0)) continue;
            add(s, metric.residuals[codes.column(s)], metric.weights[codes.column(s)]);
            base_ += kSame * metric.weights[codes.column(s)];
        }
    }

    // Whether the floors tell enough: no cell is too wide, and no column weighs more than all others.
    bool suit() const { return suit_; }
    double base() const { return base_; }
    const FineCodes& codes() const { return codes_; }
    const std::vector<Group>& groups() const { return groups_; }
    std::size_t numbers() const { return numbers_; }

private:
    void add(std::size_t slot, double residual, double weight) {
        const bool number = slot < codes_.numbers();
        const std::size_t start = number ? 0 : codes_.numbers();
        const std::size_t first = start + (slot - start) / kWords * kWords;
        if (groups_.empty() || groups_.back().first != first) {
            groups_.push_back(Group{});
            groups_.back().first = first;
            numbers_ += number;
        }
        Group& group = groups_.back();
        const std::size_t lane = slot - first;
        if (number) {
            const double unit = codes_.width(slot) / residual * (65536.0 * kGapUnit / kPlaces);
            if (!(unit < 65536.0)) suit_ = false;
            group.unit[lane] = static_cast<std::uint16_t>(std::min(unit * (1.0 - 1e-9), 65535.0));
        } else {
            group.excess[lane] = static_cast<std::int16_t>(std::min(residual * kExcessUnit, 1.0 * kMostWhole));
        }
        suit_ &= weight <= 0.5;
        group.weight[lane] = static_cast<std::int16_t>(std::min(weight * kWhole, 32767.0));
    }

    const FineCodes& codes_;
    bool suit_ = false;
    double base_ = 0.0;
    std::vector<Group> groups_;
    std::size_t numbers_ = 0;  // groups of numbers
};

// A query made ready for them.
class WholeQuery {
public:
    void prepare(const WholeTerms& terms, const Query& query, UnknownTerms& unknown) {
        terms_ = &terms;
        gaps_ = query.gaps;
        unknown_.clear();
        places_.resize(terms.groups().size());
        const FineCodes& codes = terms.codes();
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const auto& group = terms.groups()[i];
            for (std::size_t lane = 0; lane < kWords; ++lane) {
                places_[i].weight[lane] = group.weight[lane];
                if (group.weight[lane] == 0) continue;
                const std::size_t slot = group.first + lane;
                const double value = query.values[codes.column(slot)];
                if (missing(value)) {
                    places_[i].weight[lane] = 0;
                    const auto& by_code = unknown.template by_code<Power::kOne>(query, slot);
                    unknown_.push_back({slot, by_code.excess, group.weight[lane]});
                    continue;
                }
                if (codes.lacks(slot))
                    places_[i].against_gap[lane] =
                        static_cast<std::int16_t>(whole_excess_of(query.gap_terms[codes.column(slot)]));
                places_[i].at[lane] = static_cast<std::int16_t>(
                    i < terms.numbers() ? static_cast<int>(codes.place(slot, value) * kPlaces + 0.5) - kPlaces / 2
                    : query.may_match(codes.column(slot)) ? FineCodes::category_code(value)
                                                          : FineCodes::kCodes);
            }
        }
    }

    // Of several rows at once: what all need stays in registers.
    [[gnu::noinline]] void key_floors(const std::int64_t* rows, int count, double* floors) const {
        for (int i = 0; i < count; ++i) floors[i] = key_floor(terms_->codes().row(rows[i]));
    }

    VICINAL_INLINE double key_floor(const std::uint8_t* row) const {
        int sum = gaps_ ? weighed<true>(row) : weighed<false>(row);
        for (const Unknown& column : unknown_) sum += column.excess[row[column.slot]] * column.weight;
        const double excess = sum * (1.0 / (kExcessUnit * WholeTerms::kWhole));
        return terms_->base() + excess * (1.0 - 1e-9) - 1e-9;
    }

private:
    struct Places {
        alignas(32)
            std::int16_t at[kWords] = {};  // of numbers half a cell before them, in parts; of categories their codes
        std::int16_t weight[kWords] = {};  // 0 where there is no column, or the query lacks it
        std::int16_t against_gap[kWords] = {};  // the excess where a row has no value
    };

    // A column that the query lacks, and its excess by the code of the row.
    struct Unknown {
        std::size_t slot;
        const std::int16_t* excess;
        int weight;
    };

#if defined(VICINAL_AVX2)
    VICINAL_INLINE static __m256i words(const void* from) {
        return _mm256_load_si256(static_cast<const __m256i*>(from));
    }

    template <bool Gaps>
    VICINAL_INLINE int weighed(const std::uint8_t* row) const {
        const auto codes_of = [&](const WholeTerms::Group& group) __attribute__((always_inline)) {
            return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row + group.first)));
        };
        const WholeTerms::Group* group = terms_->groups().data();
        const Places* places = places_.data();
        const Places *numbers = places + terms_->numbers(), *end = places + places_.size();
        const auto add = [&](__m256i sum, __m256i codes, __m256i excess) __attribute__((always_inline)) {
            if (Gaps) {
                const __m256i gap = _mm256_cmpeq_epi16(codes, _mm256_set1_epi16(FineCodes::kMissing));
                excess = _mm256_blendv_epi8(excess, words(places->against_gap), gap);
            }
            return _mm256_add_epi32(sum, _mm256_madd_epi16(excess, words(places->weight)));
        };
        __m256i sum = _mm256_setzero_si256();
        for (; places != numbers; ++places, ++group) {
            const __m256i codes = codes_of(*group);
            const __m256i start = _mm256_slli_epi16(codes, 7);  // of the cell: it has 128 parts
            const __m256i apart = _mm256_abs_epi16(_mm256_sub_epi16(start, words(places->at)));
            const __m256i cells = _mm256_subs_epu16(apart, _mm256_set1_epi16(kHalfCell));
            const __m256i gap = _mm256_mulhi_epu16(cells, words(group->unit));
            const __m256i y = _mm256_min_epi16(gap, _mm256_set1_epi16(kBend));
            const __m256i z = _mm256_slli_epi16(y, kBendShift);
            const __m256i square = _mm256_mulhi_epu16(z, z);
            const __m256i fourth =
                _mm256_sub_epi16(_mm256_set1_epi16(kFourth), _mm256_mulhi_epu16(z, _mm256_set1_epi16(kFall)));
            const __m256i factor = _mm256_sub_epi16(_mm256_set1_epi16(kLead), _mm256_mulhi_epu16(square, fourth));
            const __m256i beyond = _mm256_min_epi16(_mm256_sub_epi16(gap, y), _mm256_set1_epi16(kFarthest));
            const __m256i excess = _mm256_add_epi16(_mm256_mulhi_epu16(square, factor),
                                                    _mm256_mullo_epi16(beyond, _mm256_set1_epi16(kSlope)));
            sum = add(sum, codes, excess);
        }
        for (; places != end; ++places, ++group) {
            const __m256i codes = codes_of(*group);
            const __m256i same = _mm256_cmpeq_epi16(codes, words(places->at));
            sum = add(sum, codes, _mm256_andnot_si256(same, words(group->excess)));
        }
        const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
        return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
    }
#else
    template <bool Gaps>
    int weighed(const std::uint8_t* row) const {
        int sum = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const auto& group = terms_->groups()[i];
            const std::uint8_t* codes = row + group.first;
            const Places& place = places_[i];
            const auto excess = [&](int lane) {
                if (Gaps && codes[lane] == FineCodes::kMissing) return static_cast<int>(place.against_gap[lane]);
                if (i >= terms_->numbers()) return codes[lane] != place.at[lane] ? group.excess[lane] : 0;
                const int cells = std::max(std::abs(codes[lane] * kPlaces - place.at[lane]) - kHalfCell, 0);
                const auto parts = static_cast<std::uint32_t>(cells) * group.unit[lane];
                return whole_excess(static_cast<int>(parts >> 16));
            };
            for (int lane = 0; lane < kWords; ++lane) sum += excess(lane) * place.weight[lane];
        }
        return sum;
    }
#endif

    const WholeTerms* terms_ = nullptr;
    std::vector<Places> places_;
    std::vector<Unknown> unknown_;
    bool gaps_ = false;  // whether rows may lack what the query has
};

}  // namespace vicinal::VICINAL_PATH
