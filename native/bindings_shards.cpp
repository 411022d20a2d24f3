// The door to Python for what parts of a table add up to: exact sums, and hashes by the ranges of the whole.
#include "bindings.hpp"
#include "exact_sum.hpp"
#include "hashes.hpp"

namespace vicinal {
namespace {

// Carried so often, no digit of a sum can overflow.
constexpr std::int64_t kBetween = std::int64_t{1} << 28;

// Sums of values, or of their products with factors, for each group; all in one group unless they are named.
nb::ndarray<nb::numpy, std::int64_t> exact_sums(Doubles1 values, std::optional<Doubles1> factors,
                                                std::optional<Ints1> groups, std::size_t count) {
    const std::size_t size = values.shape(0);
    require(!factors || factors->shape(0) == size, "factors do not fit values");
    require(!groups || groups->shape(0) == size, "groups do not fit values");
    require(count >= 1, "there must be a group");
    for (std::size_t i = 0; groups && i < size; ++i)
        require(groups->data()[i] >= 0 && groups->data()[i] < static_cast<std::int64_t>(count),
                "a group is out of range");
    auto out = new_array<std::int64_t>({count, static_cast<std::size_t>(kSumWords)}, 0);
    auto* words = static_cast<std::int64_t*>(out.data());
    Working working;
    const auto settle = [&] {
        for (std::size_t group = 0; group < count; ++group) ExactSum(words + group * kSumWords).settle();
    };
    for (std::size_t i = 0; i < size; ++i) {
        ExactSum sum(words + (groups ? groups->data()[i] : 0) * kSumWords);
        if (factors)
            sum.add_product(values.data()[i], factors->data()[i]);
        else
            sum.add(values.data()[i]);
        if (i % kBetween == kBetween - 1) settle();
    }
    settle();
    return out;
}

nb::ndarray<nb::numpy, double> exact_values(Ints2 sums) {
    require(sums.shape(1) == static_cast<std::size_t>(kSumWords), "a sum has another number of words");
    const std::size_t count = sums.shape(0);
    auto out = new_array<double>({count});
    for (std::size_t i = 0; i < count; ++i)
        static_cast<double*>(out.data())[i] = nearest_double(sums.data() + i * kSumWords);
    return out;
}

void check_ranges(const Doubles2& values, const Doubles1& low, const Doubles1& high) {
    require(low.shape(0) == values.shape(1) && high.shape(0) == values.shape(1), "a range per column is needed");
}

// For each column the sum of the places of its values in a range, and how many there are.
nb::tuple place_totals(Doubles2 values, Doubles1 low, Doubles1 high) {
    check_ranges(values, low, high);
    const std::size_t d = values.shape(1);
    auto totals = new_array<std::int64_t>({d}, 0), counts = new_array<std::int64_t>({d}, 0);
    RowHashes(values.data(), static_cast<std::int64_t>(values.shape(0)), static_cast<std::int64_t>(d), low.data(),
              high.data())
        .add_places(static_cast<std::int64_t*>(totals.data()), static_cast<std::int64_t*>(counts.data()));
    return nb::make_tuple(totals, counts);
}

// The signs of columns with these totals.
nb::ndarray<nb::numpy, std::int64_t> column_signs(Ints1 totals, Ints1 counts) {
    require(totals.shape(0) == counts.shape(0), "totals and counts differ in length");
    const std::size_t d = totals.shape(0);
    auto signs = new_array<std::int64_t>({d}, 1);
    for (std::size_t c = 0; c < d; ++c)
        if (RowHashes::turned(totals.data()[c], counts.data()[c])) static_cast<std::int64_t*>(signs.data())[c] = -1;
    return signs;
}

// `row_hashes` of some of many rows, by the ranges and signs of all.
nb::ndarray<nb::numpy, std::uint64_t> part_hashes(Doubles2 values, std::uint64_t seed, Doubles1 low, Doubles1 high,
                                                  Ints1 signs) {
    check_ranges(values, low, high);
    require(signs.shape(0) == values.shape(1), "a sign per column is needed");
    const std::size_t rows = values.shape(0);
    auto out = new_array<std::uint64_t>({rows});
    RowHashes(values.data(), static_cast<std::int64_t>(rows), static_cast<std::int64_t>(values.shape(1)), low.data(),
              high.data(), signs.data())
        .run(seed, static_cast<std::uint64_t*>(out.data()));
    return out;
}

nb::ndarray<nb::numpy, std::uint64_t> mixed(Words1 hashes) {
    auto out = new_array<std::uint64_t>({hashes.shape(0)});
    std::transform(hashes.data(), hashes.data() + hashes.shape(0), static_cast<std::uint64_t*>(out.data()), mix);
    return out;
}

}  // namespace

void bind_shards(nb::module_& m) {
    m.attr("FEW_ROWS") = RowHashes::kFew;
    m.attr("SUM_WORDS") = kSumWords;
    m.def("exact_sums", &exact_sums, "values"_a, "factors"_a.none(), "groups"_a.none(), "count"_a);
    m.def("exact_values", &exact_values, "sums"_a);
    m.def("place_totals", &place_totals, "values"_a, "low"_a, "high"_a);
    m.def("column_signs", &column_signs, "totals"_a, "counts"_a);
    m.def("part_hashes", &part_hashes, "values"_a, "seed"_a, "low"_a, "high"_a, "signs"_a);
    m.def("mixed", &mixed, "hashes"_a);
}

}  // namespace vicinal
