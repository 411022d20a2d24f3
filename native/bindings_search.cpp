// The door to Python for tables and searches, and for what is asked of rows found.
#include <limits>

#include "bindings.hpp"
#include "cluster.hpp"
#include "fine.hpp"
#include "hashes.hpp"
#include "offsets.hpp"
#include "steps.hpp"

namespace vicinal {
namespace {

// Rows may lie apart, as those of one of several rules do.
using Shares2 = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::device::cpu>;

std::vector<std::string> paths() {
    std::vector<std::string> names;
#if defined(VICINAL_HAVE_AVX2)
    if (processor().avx512) names.push_back("avx512");
    if (processor().avx2) names.push_back("avx2");
#endif
    names.push_back("plain");
    return names;
}

KeptCodes::Codes make_codes(const Table& table, const CodedColumns& columns, int threads) {
    const auto fine = std::make_shared<FineCodes>(table, columns);
    run_in_steps(table.rows, 4096, threads, [&](std::int64_t first, std::int64_t last) { fine->encode(first, last); });
    return fine;
}

// Finer codes of all rows, if they are asked for and suit the metric.
KeptCodes::Codes fine_codes(bool asked, const Table& table, const Metric& metric, int threads) {
    return asked && FineCodes::suit(metric) ? make_codes(table, CodedColumns(metric), threads) : nullptr;
}

// The same if so many queries call for them, together with those before. Rows that have gone since keep theirs.
KeptCodes::Codes kept_codes(std::int64_t queries, const StoredTable& stored, const Metric& metric, int threads) {
    const Table& table = stored.table;
    if (!stored.keeps || !FineCodes::suit(metric))
        return fine_codes(FineCodes::pay(table.rows, queries), table, metric, threads);
    KeptCodes::Codes fine = stored.kept.ask(metric, queries);
    if (!fine && stored.kept.pay(metric, table.rows)) {
        fine = make_codes(table, stored.kept.columns(metric), threads);
        stored.kept.keep(metric, fine);
    }
    return fine;
}

KeptCodes::Cells make_cells(const Table& table, const FineCodes& fine, int threads) {
    const auto cells = std::make_shared<CellCodes>(table, fine);
    if (cells->tell_more())
        run_in_steps(table.rows, 4096, threads,
                     [&](std::int64_t first, std::int64_t last) { cells->encode(first, last); });
    return cells;
}

// The cells of all rows, if so many queries at once call for them, together with those before, and they tell more.
KeptCodes::Cells kept_cells(std::int64_t queries, const StoredTable& stored, const Metric& metric,
                            const FineCodes& fine, int threads) {
    if (queries < CellCodes::kAtOnce) return nullptr;
    KeptCodes::Cells cells = stored.keeps ? stored.kept.cells(metric) : nullptr;
    if (!cells && (stored.keeps ? stored.kept.cells_pay(metric) : queries >= CellCodes::kManyQueries)) {
        cells = make_cells(stored.table, fine, threads);
        if (stored.keeps) stored.kept.keep(metric, cells);
    }
    return cells && cells->tell_more() ? cells : nullptr;
}

// The steps of all rows, if they are asked for and there are any.
std::optional<StepCodes> step_codes(bool asked, const Table& table, const Metric& metric, int threads) {
    if (!asked) return std::nullopt;
    StepCodes steps(table, metric);
    if (!steps.suit()) return std::nullopt;
    run_in_steps(table.rows, 4096, threads, [&](std::int64_t first, std::int64_t last) { steps.encode(first, last); });
    return steps;
}

}  // namespace

Searched search_cases(const StoredTable& stored, const Metric& metric, const Doubles2& queries,
                      const std::int64_t* exclude, int k, int required, const double* ceilings, int threads,
                      const Kernels& kernels, bool pruned) {
    check_queries(queries, metric, stored.table);
    require(k >= 1, "k must be at least 1");
    require(required >= -1 && required < stored.table.columns, "no such column is there to require");
    const std::size_t count = queries.shape(0), width = static_cast<std::size_t>(k);
    auto numbers = new_array<std::int64_t>({count, width}, -1);
    auto distances = new_array<double>({count, width}, std::numeric_limits<double>::infinity());
    auto keys = new_array<double>({count, width});
    std::atomic<std::int64_t> evaluated{0};
    const bool many = pruned && FineCodes::pay(stored.table.rows, static_cast<std::int64_t>(count));
    const std::optional<StepCodes> steps = step_codes(many, stored.table, metric, threads);
    const bool coded = pruned && (!steps || any_lacks(queries, metric));  // steps are for queries that lack nothing
    const KeptCodes::Codes fine =
        coded ? kept_codes(static_cast<std::int64_t>(count), stored, metric, threads) : nullptr;
    const KeptCodes::Cells cells = fine && kernels.by_cells
                                       ? kept_cells(static_cast<std::int64_t>(count), stored, metric, *fine, threads)
                                       : nullptr;
    const MissingTerms missing_terms =
        against_missing(kernels, stored.table, metric, queries, pruned ? 2 * k : stored.table.rows, threads);
    const SearchJob job{&stored.table,
                        &metric,
                        queries.data(),
                        exclude,
                        ceilings,
                        static_cast<std::int64_t>(count),
                        k,
                        required,
                        pruned,
                        static_cast<std::int64_t*>(numbers.data()),
                        static_cast<double*>(distances.data()),
                        static_cast<double*>(keys.data()),
                        &evaluated,
                        fine.get(),
                        steps ? &*steps : nullptr,
                        &missing_terms,
                        cells.get(),
                        kernels.by_cells,
                        pruned && stored.keeps ? &stored.categories.of(stored.table, metric) : nullptr};
    // Small groups when there are few queries, so that every thread has some.
    const std::int64_t fair = (job.count + threads - 1) / std::max(threads, 1);
    const std::int64_t step = std::clamp<std::int64_t>(fair, 1, fine || steps ? kernels.fine_group : kernels.group);
    run_in_steps(job.count, step, threads,
                 [&](std::int64_t first, std::int64_t last) { kernels.search(job, first, last); });
    return {numbers, distances, keys, evaluated.load()};
}

namespace {

nb::tuple search(const StoredTable& stored, const Metric& metric, Doubles2 queries, Ints1 exclude, int k, int required,
                 std::optional<Doubles1> ceilings, int threads, std::optional<std::string> path, bool pruned) {
    require(exclude.shape(0) == queries.shape(0), "exclude must name one row per query");
    require(!ceilings || ceilings->shape(0) == queries.shape(0), "one ceiling per query is needed");
    for (std::size_t q = 0; ceilings && q < queries.shape(0); ++q)
        require(ceilings->data()[q] == ceilings->data()[q], "a ceiling must be a number");
    const Searched found = search_cases(stored, metric, queries, exclude.data(), k, required,
                                        ceilings ? ceilings->data() : nullptr, threads, kernels_named(path), pruned);
    return nb::make_tuple(found.numbers, found.distances, found.keys, found.evaluated);
}

// Fills an array for each query and the rows found for it: fill(q) is called for every query.
template <class Fill>
void each_query(const StoredTable& stored, const Metric& metric, const Doubles2& queries, const Ints2& rows,
                std::int64_t step, int threads, const Fill& fill) {
    check_queries(queries, metric, stored.table);
    check_rows(rows, queries, stored.table);
    run_in_steps(static_cast<std::int64_t>(queries.shape(0)), step, threads,
                 [&](std::int64_t first, std::int64_t last) {
                     for (std::int64_t q = first; q < last; ++q) fill(q);
                 });
}

nb::ndarray<nb::numpy, double> terms(const StoredTable& stored, const Metric& metric, Doubles2 queries, Ints2 rows,
                                     int threads, std::optional<std::string> path) {
    const Kernels& kernels = kernels_named(path);
    const std::size_t k = rows.shape(1), d = queries.shape(1);
    auto out = new_array<double>({queries.shape(0), k, d}, std::numeric_limits<double>::quiet_NaN());
    each_query(stored, metric, queries, rows, 64, threads, [&](std::int64_t q) {
        kernels.terms(stored.table, metric, queries.data() + q * d, rows.data() + q * k, static_cast<int>(k),
                      static_cast<double*>(out.data()) + q * k * d);
    });
    return out;
}

// Terms above those of equal values, column by column of those that count; zero where there is no row.
nb::ndarray<nb::numpy, float> excess(const StoredTable& stored, const Metric& metric, Doubles2 queries, Ints2 rows,
                                     int threads, std::optional<std::string> path) {
    const Kernels& kernels = kernels_named(path);
    const std::size_t k = rows.shape(1), width = metric.active.size();
    auto out = new_array<float>({queries.shape(0), width, k}, 0.0f);
    each_query(stored, metric, queries, rows, 8, threads, [&](std::int64_t q) {
        if (stored.table.rows > 0)
            kernels.excess(stored.table, metric, queries.data() + q * queries.shape(1), rows.data() + q * k,
                           static_cast<int>(k), static_cast<float*>(out.data()) + q * k * width);
    });
    return out;
}

// The sum of shares (rows, k) of each class, or without classes that of shares times outcomes: (rows, classes or 1).
// Neighbor after neighbor, so that places without a share change no bit.
nb::ndarray<nb::numpy, double> outcome_sums(Shares2 shares, Doubles2 outcomes, int classes) {
    const std::size_t rows = outcomes.shape(0), k = outcomes.shape(1), width = std::max(classes, 1);
    require(shares.shape(0) == rows && shares.shape(1) == k && classes >= 0, "shares do not fit outcomes");
    auto out = new_array<double>({rows, width}, 0.0);
    auto* sums = static_cast<double*>(out.data());
    for (std::size_t row = 0; row < rows; ++row, sums += width) {
        const double *share = shares.data() + static_cast<std::int64_t>(row) * shares.stride(0),
                     *outcome = outcomes.data() + row * k;
        if (!classes && k) sums[0] = share[0] * outcome[0];  // not added to a zero, whose sign would count
        for (std::size_t j = classes ? 0 : 1; j < k; ++j) {
            const double own = share[static_cast<std::int64_t>(j) * shares.stride(1)];
            if (!classes) {
                sums[0] += own * outcome[j];
                continue;
            }
            require(outcome[j] >= 0 && outcome[j] < classes, "a class is out of range");
            sums[static_cast<int>(outcome[j])] += own;
        }
    }
    return out;
}

// How many of k places each neighbor takes, nearest first; those with the same key share what is left for them.
nb::ndarray<nb::numpy, double> shared_places(Doubles2 keys, Doubles2 masses, std::optional<Doubles2> cases, double k) {
    const std::size_t rows = keys.shape(0), width = keys.shape(1);
    require(masses.shape(0) == rows && masses.shape(1) == width, "masses do not fit keys");
    require(!cases || (cases->shape(0) == rows && cases->shape(1) == width), "cases do not fit keys");
    auto out = new_array<double>({rows, width});
    const double *key = keys.data(), *mass = masses.data(), *count = cases ? cases->data() : nullptr;
    auto* to = static_cast<double*>(out.data());
    const std::size_t step = count ? width : 0;
    for (std::size_t row = 0; row < rows; ++row, key += width, mass += width, count += step, to += width) {
        double reached[2] = {0.0, 0.0};  // by masses and by cases
        for (std::size_t first = 0, last; first < width; first = last) {
            double part = 1.0;
            for (last = first + 1; last < width && key[last] == key[first];) ++last;
            const auto limit = [&](const double* units, double& sum) {
                sum += units[first];
                const double before = sum - units[first], room = std::max(k - before, 0.0);
                for (std::size_t j = first + 1; j < last; ++j) sum += units[j];
                const double group = sum - before;
                part = std::min(part, group > 0 ? room / group : room);
            };
            limit(mass, reached[0]);
            if (count) limit(count, reached[1]);
            for (std::size_t j = first; j < last; ++j) to[j] = mass[j] * part;
        }
    }
    return out;
}

nb::ndarray<nb::numpy, double> offsets(const StoredTable& stored, const Metric& metric, Doubles2 queries, Ints2 rows,
                                       Ints1 columns, Doubles1 factors, int threads) {
    require(metric.columns() == stored.table.columns, "table and metric differ in columns");
    check_directions(columns, factors, metric);
    const std::size_t k = rows.shape(1), d = queries.shape(1), width = columns.shape(0);
    auto out = new_array<double>({queries.shape(0), k, width}, 0.0);
    const Offsets offsets(metric, columns.data(), factors.data(), static_cast<int>(width));
    each_query(stored, metric, queries, rows, 64, threads, [&](std::int64_t q) {
        for (std::size_t at = q * k; at < (q + 1) * k; ++at)
            if (const std::int64_t row = rows.data()[at]; row >= 0)
                offsets.run(
                    queries.data() + q * d, [&](int column) { return stored.table.value(row, column); },
                    static_cast<double*>(out.data()) + at * width);
    });
    return out;
}

nb::ndarray<nb::numpy, double> floors(const StoredTable& stored, const Metric& metric, Doubles2 queries, bool finer,
                                      bool whole, std::optional<std::string> path) {
    const Table& table = stored.table;
    check_queries(queries, metric, table);
    const std::size_t count = queries.shape(0), rows = static_cast<std::size_t>(table.rows);
    auto out = new_array<double>({count, rows}, -std::numeric_limits<double>::infinity());
    const KeptCodes::Codes fine = fine_codes(finer, table, metric, 1);
    for (std::size_t q = 0; q < count; ++q)
        kernels_named(path).floors(table, metric, fine.get(), whole, queries.data() + q * queries.shape(1),
                                   static_cast<double*>(out.data()) + q * rows);
    return out;
}

nb::ndarray<nb::numpy, std::uint64_t> row_hashes(Doubles2 values, std::uint64_t seed) {
    const std::size_t rows = values.shape(0);
    auto out = new_array<std::uint64_t>({rows});
    RowHashes(values.data(), static_cast<std::int64_t>(rows), static_cast<std::int64_t>(values.shape(1)))
        .run(seed, static_cast<std::uint64_t*>(out.data()));
    return out;
}

// Hashes that are scattered once more, to sample rows by: of equal rows they are equal, or `distinct`.
nb::ndarray<nb::numpy, std::uint64_t> sampling_keys(Doubles2 values, std::uint64_t seed, bool distinct) {
    auto keys = row_hashes(values, seed);
    auto* data = static_cast<std::uint64_t*>(keys.data());
    const auto rows = static_cast<std::int64_t>(values.shape(0));
    if (distinct) tell_apart(data, rows);
    std::transform(data, data + rows, data, mix);
    return keys;
}

void pack(const StoredRows& values, std::int64_t first, Bytes1 kinds, Doubles2 edges, OutBytes3 codes,
          OutBytes3 summary, OutDoubles3 bins, OutBytes1 lacking) {
    const std::int64_t rows = values.rows.rows;
    const std::size_t d = static_cast<std::size_t>(values.rows.columns),
                      blocks = static_cast<std::size_t>((rows + kBlock - 1) / kBlock);
    require(first >= 0 && first <= rows, "first row out of range");
    require(kinds.shape(0) == d && lacking.shape(0) == d, "kinds and lacking must name every column");
    require(edges.shape(0) == d && edges.shape(1) == kEdges, "edges do not fit values");
    require(codes.shape(0) >= blocks && codes.shape(1) == d && codes.shape(2) == kBlockBytes,
            "codes do not fit values");
    require(summary.shape(0) * kBlock >= blocks && summary.shape(1) == 2 * d && summary.shape(2) == kBlockBytes,
            "summary does not fit values");
    require(bins.shape(0) == d && bins.shape(1) == kBins && bins.shape(2) == 2, "bins do not fit values");
    const Packing packing{kinds.data(), edges.data(), codes.data(), summary.data(), bins.data(), lacking.data()};
    Working working;
    pack_rows(values.rows, first, packing);
}

// An order of the rows that keeps like rows together.
nb::ndarray<nb::numpy, std::int64_t> cluster(const StoredRows& values, Bytes1 kinds, Doubles1 scales) {
    const auto d = static_cast<std::size_t>(values.rows.columns);
    require(kinds.shape(0) == d && scales.shape(0) == d, "kinds and scales must name every column");
    auto order = new_array<std::int64_t>({static_cast<std::size_t>(values.rows.rows)}, 0);
    Working working;
    Clustering(values.rows, kinds.data(), scales.data()).run(static_cast<std::int64_t*>(order.data()));
    return order;
}

}  // namespace

void bind_search(nb::module_& m) {
    m.attr("BLOCK") = kBlock;
    m.attr("BLOCK_BYTES") = kBlockBytes;
    m.attr("BINS") = kBins;
    m.attr("MOST_DIRECTIONS") = kMostDirections;
    nb::class_<StoredRows>(m, "Rows")
        .def(nb::init_implicit<Doubles2>(), "values"_a)
        .def(nb::init<Doubles2, Doubles2, Places1>(), "values"_a, "shared"_a, "places"_a);
    nb::class_<StoredTable>(m, "Table")
        .def(nb::init<StoredRows, Ints1, Bytes3, Bytes3, Words1, Doubles3, Bytes1, Bytes1, bool>(), "values"_a,
             "numbers"_a, "codes"_a, "summary"_a, "alive"_a, "bins"_a, "lacking"_a, "kinds"_a, "keeps"_a);
    m.def("search", &search, "table"_a, "metric"_a, "queries"_a, "exclude"_a, "k"_a, "required"_a, "ceilings"_a.none(),
          "threads"_a, "path"_a.none(), "pruned"_a);
    m.def("terms", &terms, "table"_a, "metric"_a, "queries"_a, "rows"_a, "threads"_a, "path"_a.none());
    m.def("excess", &excess, "table"_a, "metric"_a, "queries"_a, "rows"_a, "threads"_a, "path"_a.none());
    m.def("shared_places", &shared_places, "keys"_a, "masses"_a, "cases"_a.none(), "k"_a);
    m.def("outcome_sums", &outcome_sums, "shares"_a, "outcomes"_a, "classes"_a);
    m.def("offsets", &offsets, "table"_a, "metric"_a, "queries"_a, "rows"_a, "columns"_a, "factors"_a, "threads"_a);
    m.def("floors", &floors, "table"_a, "metric"_a, "queries"_a, "finer"_a, "whole"_a, "path"_a.none());
    m.def("row_hashes", &row_hashes, "values"_a, "seed"_a);
    m.def("sampling_keys", &sampling_keys, "values"_a, "seed"_a, "distinct"_a);
    m.def("pack", &pack, "values"_a, "first"_a, "kinds"_a, "edges"_a, "codes"_a, "summary"_a, "bins"_a, "lacking"_a);
    m.def("cluster", &cluster, "values"_a, "kinds"_a, "scales"_a);
    m.def("paths", &paths);
}

}  // namespace vicinal
