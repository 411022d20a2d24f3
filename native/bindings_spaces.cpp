// The door to Python for predictions of few rows: all spaces of an ensemble in one call, since most of the time
// would be spent between the calls.
#include <algorithm>
#include <limits>

#include "bindings.hpp"
#include "offsets.hpp"

namespace vicinal {
namespace {

// How neighbors are searched in a space, and the rules that balance their offsets. The mean of the shares that these
// give is asked for by the place of each rule and its weight; without any there is no mean.
class Space {
public:
    Space(nb::object metric, double total, int k, Ints1 columns, Doubles1 factors, Doubles2 influences, Ints1 places,
          Doubles1 weights)
        : held_(metric), metric_(nb::cast<const Metric&>(metric)), total_(total), k_(k),
          directions_(static_cast<int>(columns.shape(0))), members_(read_influences(influences)),
          offsets_(checked(columns, factors, metric_)) {
        require(k >= 1, "k must be at least 1");
        require(places.shape(0) == weights.shape(0), "weights do not fit places");
        for (const Influence& one : members_)
            require(one.rule == kCentred || one.rule == kLinear, "only two rules balance offsets");
        for (std::size_t i = 0; i < places.shape(0); ++i) {
            const std::int64_t place = places.data()[i];
            require(place >= 0 && place < static_cast<std::int64_t>(members_.size()), "there is no such rule");
            mean_.push_back({static_cast<std::size_t>(place), weights.data()[i]});
        }
    }

    // Numbers, distances and keys of one neighbor more than asked for, and how many rows were evaluated. For all
    // queries without ties and with enough neighbors further the excess (count, k), the shares by each rule
    // (rules, count, k), and their mean (count, k), or None.
    nb::tuple search(const StoredTable& stored, const Ints1& row_of, const Doubles2& queries, int required,
                     int threads) const {
        const std::size_t count = queries.shape(0), wide = static_cast<std::size_t>(k_) + 1,
                          k = static_cast<std::size_t>(k_);
        const std::vector<std::int64_t> none(count, -1);
        Searched found = search_cases(stored, metric_, queries, none.data(), k_ + 1, required, nullptr, threads,
                                      best_kernels(), true);
        auto* distances = static_cast<double*>(found.distances.data());
        for (std::size_t q = 0; q < count; ++q)  // roots are rounded
            for (std::size_t j = 1; j < wide; ++j)
                distances[q * wide + j] = std::max(distances[q * wide + j], distances[q * wide + j - 1]);
        nb::object excess = nb::none(), shares = nb::none(), mean = nb::none();
        if (apart(found, count)) {
            auto excesses = new_array<double>({count, k});
            auto* above = static_cast<double*>(excesses.data());
            for (std::size_t q = 0; q < count; ++q)
                for (std::size_t j = 0; j < k; ++j)
                    above[q * k + j] = std::max(distances[q * wide + j] - kSame, 0.0) * total_;
            excess = nb::cast(excesses);
            if (!members_.empty()) {
                auto each = balance(stored, row_of, queries, found, above, threads);
                if (!mean_.empty()) mean = nb::cast(average(static_cast<const double*>(each.data()), count));
                shares = nb::cast(each);
            }
        }
        return nb::make_tuple(found.numbers, found.distances, found.keys, found.evaluated, excess, shares, mean);
    }

private:
    static Offsets checked(const Ints1& columns, const Doubles1& factors, const Metric& metric) {
        check_directions(columns, factors, metric);
        return Offsets(metric, columns.data(), factors.data(), static_cast<int>(columns.shape(0)));
    }

    // Whether all neighbors are there, and lie apart: the last from the one behind it, and each from the next.
    bool apart(const Searched& found, std::size_t count) const {
        const auto* numbers = static_cast<const std::int64_t*>(found.numbers.data());
        const auto *distances = static_cast<const double*>(found.distances.data()),
                   *keys = static_cast<const double*>(found.keys.data());
        const std::size_t wide = static_cast<std::size_t>(k_) + 1;
        for (std::size_t q = 0; q < count; ++q, numbers += wide, distances += wide, keys += wide) {
            if (numbers[k_ - 1] < 0 || (numbers[k_] >= 0 && keys[k_] == keys[k_ - 1])) return false;
            for (int j = 1; j < k_; ++j)
                if (distances[j] == distances[j - 1]) return false;
        }
        return true;
    }

    nb::ndarray<nb::numpy, double> balance(const StoredTable& stored, const Ints1& row_of, const Doubles2& queries,
                                           const Searched& found, const double* excess, int threads) const {
        const std::size_t count = queries.shape(0), k = static_cast<std::size_t>(k_);
        const auto* numbers = static_cast<const std::int64_t*>(found.numbers.data());
        std::vector<std::int64_t> rows(count * k);
        for (std::size_t q = 0; q < count; ++q)
            for (std::size_t j = 0; j < k; ++j) {
                const std::int64_t number = numbers[q * (k + 1) + j];
                require(number < static_cast<std::int64_t>(row_of.shape(0)), "a case has no row");
                rows[q * k + j] = row_of.data()[number];
                require(rows[q * k + j] >= 0 && rows[q * k + j] < stored.table.rows, "a row number is out of range");
            }
        auto out = new_array<double>({members_.size(), count, k});
        const ShareJob job{&stored.table,
                           &offsets_,
                           directions_,
                           queries.data(),
                           rows.data(),
                           excess,
                           nullptr,
                           static_cast<std::int64_t>(count),
                           k_,
                           static_cast<int>(members_.size()),
                           members_.data(),
                           static_cast<double*>(out.data())};
        run_in_steps(job.count, 32, threads,
                     [&](std::int64_t first, std::int64_t last) { best_kernels().balanced_shares(job, first, last); });
        return out;
    }

    nb::ndarray<nb::numpy, double> average(const double* shares, std::size_t count) const {
        const std::size_t cells = count * static_cast<std::size_t>(k_);
        auto out = new_array<double>({count, static_cast<std::size_t>(k_)}, 0.0);
        auto* means = static_cast<double*>(out.data());
        for (const auto& [place, weight] : mean_)
            for (std::size_t i = 0; i < cells; ++i) means[i] += weight * shares[place * cells + i];
        return out;
    }

    nb::object held_;  // keeps the metric alive
    const Metric& metric_;
    double total_;
    int k_, directions_;
    std::vector<Influence> members_;
    Offsets offsets_;
    std::vector<std::pair<std::size_t, double>> mean_;
};

nb::list search_spaces(const StoredTable& stored, const std::vector<const Space*>& spaces, Ints1 row_of,
                       Doubles2 queries, int required, int threads) {
    nb::list found;
    for (const Space* space : spaces) found.append(space->search(stored, row_of, queries, required, threads));
    return found;
}

}  // namespace

void bind_spaces(nb::module_& m) {
    nb::class_<Space>(m, "Space")
        .def(nb::init<nb::object, double, int, Ints1, Doubles1, Doubles2, Ints1, Doubles1>(), "metric"_a, "total"_a,
             "k"_a, "columns"_a, "factors"_a, "influences"_a, "places"_a, "weights"_a);
    m.def("search_spaces", &search_spaces, "table"_a, "spaces"_a, "row_of"_a, "queries"_a, "required"_a, "threads"_a);
}

}  // namespace vicinal
