// The door to Python: every size is checked here, once, before a kernel sees a pointer.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "cluster.hpp"
#include "encode.hpp"
#include "fine.hpp"
#include "hashes.hpp"
#include "kernels.hpp"
#include "offsets.hpp"
#include "parallel.hpp"
#include "steps.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace vicinal {
namespace {

using Doubles1 = nb::ndarray<const double, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles2 = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Doubles3 = nb::ndarray<const double, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Bytes1 = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes3 = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Ints1 = nb::ndarray<const std::int64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints2 = nb::ndarray<const std::int64_t, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Words1 = nb::ndarray<const std::uint64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Singles1 = nb::ndarray<const float, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Singles3 = nb::ndarray<const float, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OutDoubles3 = nb::ndarray<double, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OutBytes1 = nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutBytes3 = nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
}

// Without anything to fill it with, whoever asks for it writes all of it.
template <class T>
nb::ndarray<nb::numpy, T> new_array(std::vector<std::size_t> shape, std::optional<T> fill = std::nullopt) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    T* data = new T[size];
    if (fill) std::fill(data, data + size, *fill);
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner);
}

// A Table that keeps the arrays behind it alive.
struct StoredTable {
    Doubles2 values;
    Ints1 numbers;
    Bytes3 codes;
    Bytes3 summary;
    Words1 alive;
    Doubles3 bins;
    Bytes1 lacking;
    Bytes1 kinds;
    Table table;

    StoredTable(Doubles2 v, Ints1 n, Bytes3 c, Bytes3 s, Words1 a, Doubles3 b, Bytes1 l, Bytes1 kind)
        : values(v), numbers(n), codes(c), summary(s), alive(a), bins(b), lacking(l), kinds(kind) {
        table.values = values.data();
        table.numbers = numbers.data();
        table.codes = codes.data();
        table.summary = summary.data();
        table.alive = alive.data();
        table.bins = bins.data();
        table.lacking = lacking.data();
        table.kinds = kinds.data();
        table.rows = static_cast<std::int64_t>(values.shape(0));
        table.columns = static_cast<int>(values.shape(1));
        const auto blocks = static_cast<std::size_t>(table.blocks());
        require(codes.shape(0) >= blocks && codes.shape(1) == values.shape(1) && codes.shape(2) == kBlockBytes,
                "codes do not fit values");
        require(summary.shape(0) * kBlock >= blocks && summary.shape(1) == 2 * values.shape(1) &&
                    summary.shape(2) == kBlockBytes,
                "summary does not fit values");
        require(numbers.shape(0) >= values.shape(0), "numbers do not fit values");
        require(alive.shape(0) >= blocks, "alive does not fit values");
        // A bit behind the last row would make the kernels read there.
        const std::int64_t rest = table.rows % kBlock;
        require(rest == 0 || table.alive[blocks - 1] >> rest == 0, "alive has bits behind the last row");
        require(bins.shape(0) == values.shape(1) && bins.shape(1) == kBins && bins.shape(2) == 2, "bins do not fit values");
        require(lacking.shape(0) == values.shape(1), "lacking does not fit values");
        require(kinds.shape(0) == values.shape(1), "kinds do not fit values");
    }
};

template <class T>
std::vector<T> copy(const nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>& array) {
    return std::vector<T>(array.data(), array.data() + array.shape(0));
}

const Kernels& kernels_named(const std::optional<std::string>& path) {
#if defined(VICINAL_HAVE_AVX2)
    if (!path && __builtin_cpu_supports("avx2")) return avx2_kernels();
    if (path && *path == "avx2") {
        require(__builtin_cpu_supports("avx2"), "this processor has no AVX2");
        return avx2_kernels();
    }
#endif
    require(!path || *path == "plain", "unknown instruction path: see paths()");
    return plain_kernels();
}

// Bundles the arrays of a metric; a weight of zero takes a column out.
Metric make_metric(Bytes1 kinds, Doubles1 residuals, Doubles1 periods, Doubles1 weights, Doubles1 one_missing,
                   Doubles1 both_missing, Doubles1 points, Doubles1 shares, Ints1 offsets, double p) {
    Metric m;
    m.kinds = copy(kinds);
    m.residuals = copy(residuals);
    m.periods = copy(periods);
    m.weights = copy(weights);
    m.one_missing = copy(one_missing);
    m.both_missing = copy(both_missing);
    m.points = copy(points);
    m.shares = copy(shares);
    m.offsets = copy(offsets);
    m.p = p;
    const std::size_t d = m.kinds.size();
    require(m.residuals.size() == d && m.periods.size() == d && m.weights.size() == d && m.one_missing.size() == d &&
                m.both_missing.size() == d && m.offsets.size() == d + 1,
            "the arrays of a metric differ in length");
    require(std::isfinite(p) && p >= 0, "p must be a finite number, at least 0");
    require(m.points.size() == m.shares.size(), "points and shares differ in length");
    require(m.offsets[0] == 0 && m.offsets[d] == static_cast<std::int64_t>(m.points.size()), "offsets do not fit points");
    double total = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
        require(m.offsets[i] <= m.offsets[i + 1], "offsets must not decrease");
        require(m.kinds[i] <= kNominal, "unknown kind of feature");
        require(m.weights[i] >= 0 && std::isfinite(m.weights[i]), "weights must be finite and not negative");
        if (m.weights[i] == 0) continue;
        const bool nominal = m.kinds[i] == kNominal;
        require(std::isfinite(m.residuals[i]) && (nominal ? m.residuals[i] >= 0 : m.residuals[i] > 0),
                "residuals must be positive");
        require(m.kinds[i] != kCyclic || m.periods[i] > 0, "a cyclic feature needs a period");
        m.active.push_back(static_cast<int>(i));
        total += m.weights[i];
    }
    m.uniform = !m.active.empty();
    for (const int i : m.active) {
        m.weights[i] /= total;
        m.uniform &= m.weights[i] == m.weights[m.active[0]];
    }
    kernels_named(std::nullopt).fill_both_missing(m);
    return m;
}

std::vector<std::string> paths() {
    std::vector<std::string> names;
#if defined(VICINAL_HAVE_AVX2)
    if (__builtin_cpu_supports("avx2")) names.push_back("avx2");
#endif
    names.push_back("plain");
    return names;
}

// Runs work(first, last) over [0, count) in steps, without the GIL, until done or Ctrl-C.
template <class Work>
void run_in_steps(std::int64_t count, std::int64_t step, int threads, const Work& work) {
    bool done;
    {
        nb::gil_scoped_release release;
        done = parallel_for(
            (count + step - 1) / step, threads,
            [&](std::int64_t i) { work(i * step, std::min((i + 1) * step, count)); },
            [] {
                nb::gil_scoped_acquire acquire;
                return PyErr_CheckSignals() != 0;
            });
    }
    if (!done) throw nb::python_error();
}

void check_queries(const Doubles2& queries, const Metric& metric, const Table& table) {
    require(metric.columns() == table.columns, "table and metric differ in columns");
    require(static_cast<int>(queries.shape(1)) == metric.columns(), "queries and metric differ in columns");
    for (const int column : metric.active) {
        require((table.kinds[column] == kNominal) <= (metric.kinds[column] == kNominal),
                "categories cannot be read as numbers");
        if (table.kinds[column] != kNominal) continue;
        for (std::size_t q = 0; q < queries.shape(0); ++q) {
            const double code = queries.data()[q * queries.shape(1) + column];
            require(code != code || (code >= 0 && code < kMostCategories), "a category code is out of range");
        }
    }
}

// Finer codes of all rows, if they are asked for and suit the metric.
std::optional<FineCodes> fine_codes(bool asked, const Table& table, const Metric& metric, int threads) {
    if (!asked || !FineCodes::suit(table, metric)) return std::nullopt;
    FineCodes fine(table, metric);
    run_in_steps(table.rows, 4096, threads, [&](std::int64_t first, std::int64_t last) { fine.encode(first, last); });
    return fine;
}

// The steps of all rows, if they are asked for and there are any.
std::optional<StepCodes> step_codes(bool asked, const Table& table, const Metric& metric, int threads) {
    if (!asked) return std::nullopt;
    StepCodes steps(table, metric);
    if (!steps.suit()) return std::nullopt;
    run_in_steps(table.rows, 4096, threads, [&](std::int64_t first, std::int64_t last) { steps.encode(first, last); });
    return steps;
}

nb::tuple search(const StoredTable& stored, const Metric& metric, Doubles2 queries, Ints1 exclude, int k, int required,
                 int threads, std::optional<std::string> path, bool pruned) {
    check_queries(queries, metric, stored.table);
    require(exclude.shape(0) == queries.shape(0), "exclude must name one row per query");
    require(k >= 1, "k must be at least 1");
    require(required >= -1 && required < stored.table.columns, "no such column is there to require");
    const Kernels& kernels = kernels_named(path);
    const std::size_t count = queries.shape(0), width = static_cast<std::size_t>(k);
    auto numbers = new_array<std::int64_t>({count, width}, -1);
    auto distances = new_array<double>({count, width}, std::numeric_limits<double>::infinity());
    std::atomic<std::int64_t> evaluated{0};
    const bool many = pruned && FineCodes::pay(stored.table.rows, static_cast<std::int64_t>(queries.shape(0)));
    const std::optional<StepCodes> steps = step_codes(many, stored.table, metric, threads);
    const std::optional<FineCodes> fine = fine_codes(many && !steps, stored.table, metric, threads);
    const SearchJob job{&stored.table, &metric, queries.data(), exclude.data(), static_cast<std::int64_t>(count), k,
                        required, pruned, static_cast<std::int64_t*>(numbers.data()), static_cast<double*>(distances.data()), &evaluated, fine ? &*fine : nullptr,
                        steps ? &*steps : nullptr};
    // Small groups when there are few queries, so that every thread has some.
    const std::int64_t fair = (job.count + threads - 1) / std::max(threads, 1);
    const std::int64_t step = std::clamp<std::int64_t>(fair, 1, fine || steps ? kernels.fine_group : kernels.group);
    run_in_steps(job.count, step, threads, [&](std::int64_t first, std::int64_t last) { kernels.search(job, first, last); });
    return nb::make_tuple(numbers, distances, evaluated.load());
}

void check_rows(const Ints2& rows, const Doubles2& queries, const Table& table) {
    require(rows.shape(0) == queries.shape(0), "rows and queries differ in length");
    for (std::size_t i = 0; i < rows.size(); ++i)
        require(rows.data()[i] >= -1 && rows.data()[i] < table.rows, "a row number is out of range");
}

nb::ndarray<nb::numpy, double> terms(const StoredTable& stored, const Metric& metric, Doubles2 queries, Ints2 rows,
                                     int threads, std::optional<std::string> path) {
    const Table& table = stored.table;
    check_queries(queries, metric, table);
    check_rows(rows, queries, table);
    const Kernels& kernels = kernels_named(path);
    const std::size_t count = queries.shape(0), k = rows.shape(1), d = queries.shape(1);
    auto out = new_array<double>({count, k, d}, std::numeric_limits<double>::quiet_NaN());
    run_in_steps(static_cast<std::int64_t>(count), 64, threads, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t q = first; q < last; ++q)
            kernels.terms(table, metric, queries.data() + q * d, rows.data() + q * k, static_cast<int>(k),
                          static_cast<double*>(out.data()) + q * k * d);
    });
    return out;
}

nb::ndarray<nb::numpy, double> floors(const StoredTable& stored, const Metric& metric, Doubles2 queries, bool finer,
                                      std::optional<std::string> path) {
    const Table& table = stored.table;
    check_queries(queries, metric, table);
    const std::size_t count = queries.shape(0), rows = static_cast<std::size_t>(table.rows);
    auto out = new_array<double>({count, rows}, -std::numeric_limits<double>::infinity());
    const std::optional<FineCodes> fine = fine_codes(finer, table, metric, 1);
    for (std::size_t q = 0; q < count; ++q)
        kernels_named(path).floors(table, metric, fine ? &*fine : nullptr, queries.data() + q * queries.shape(1),
                                   static_cast<double*>(out.data()) + q * rows);
    return out;
}

nb::ndarray<nb::numpy, double> sweep(const Metric& metric, Doubles2 columns, std::optional<Doubles1> case_weights,
                                     Ints1 queries, int k, int threads, std::optional<std::string> path) {
    require(static_cast<int>(columns.shape(0)) == metric.columns(), "columns and metric differ in length");
    const auto rows = static_cast<std::int64_t>(columns.shape(1));
    require(!case_weights || case_weights->shape(0) == columns.shape(1), "one case weight per row is needed");
    require(k >= 1, "k must be at least 1");
    for (std::size_t q = 0; q < queries.shape(0); ++q)
        require(queries.data()[q] >= 0 && queries.data()[q] < rows, "a row number is out of range");
    const Kernels& kernels = kernels_named(path);
    auto out = new_array<double>({queries.shape(0), columns.shape(0)}, std::numeric_limits<double>::quiet_NaN());
    std::vector<std::uint8_t> lacking(columns.shape(0));
    for (std::size_t c = 0; c < lacking.size(); ++c) {
        const double* values = columns.data() + c * columns.shape(1);
        lacking[c] = std::any_of(values, values + rows, [](double x) { return x != x; });
    }
    std::vector<StepColumn> steps;
    for (std::size_t c = 0; c < lacking.size(); ++c) steps.emplace_back(columns.data() + c * columns.shape(1), rows);
    const SweepJob job{&metric, columns.data(), lacking.data(), steps.data(), rows, case_weights ? case_weights->data() : nullptr, queries.data(),
                       static_cast<std::int64_t>(queries.shape(0)), k, static_cast<double*>(out.data())};
    run_in_steps(job.count, 8, threads, [&](std::int64_t first, std::int64_t last) { kernels.sweep(job, first, last); });
    return out;
}

nb::ndarray<nb::numpy, double> influences(Doubles2 logits, Doubles3 offsets, double ridge, bool linear, int threads,
                                          std::optional<std::string> path) {
    require(offsets.shape(0) == logits.shape(0) && offsets.shape(1) == logits.shape(1), "offsets do not fit logits");
    require(ridge > 0, "the ridge must be positive");
    const Kernels& kernels = kernels_named(path);
    const std::size_t count = logits.shape(0), k = logits.shape(1), d = offsets.shape(2);
    auto out = new_array<double>({count, k}, 0.0);
    run_in_steps(static_cast<std::int64_t>(count), 32, threads, [&](std::int64_t first, std::int64_t last) {
        kernels.influences(logits.data() + first * k, offsets.data() + first * k * d, last - first, static_cast<int>(k),
                           static_cast<int>(d), ridge, linear, static_cast<double*>(out.data()) + first * k);
    });
    return out;
}

nb::ndarray<nb::numpy, double> influence_paths(Doubles2 logits, Doubles3 offsets, double scale, Doubles1 ridges,
                                               bool linear, int threads, std::optional<std::string> path) {
    require(offsets.shape(0) == logits.shape(0) && offsets.shape(1) == logits.shape(1), "offsets do not fit logits");
    require(ridges.shape(0) > 0, "at least one ridge is needed");
    const std::size_t count = logits.shape(0), k = logits.shape(1), d = offsets.shape(2), steps = ridges.shape(0);
    for (std::size_t r = 0; r < steps; ++r)
        require(ridges.data()[r] > 0 && (r == 0 || ridges.data()[r] < ridges.data()[r - 1]), "ridges must be positive and fall");
    const Kernels& kernels = kernels_named(path);
    auto out = new_array<double>({count, steps, k}, 0.0);
    run_in_steps(static_cast<std::int64_t>(count), 8, threads, [&](std::int64_t first, std::int64_t last) {
        kernels.influence_paths(logits.data() + first * k, offsets.data() + first * k * d, last - first,
                                static_cast<int>(k), static_cast<int>(d), scale, ridges.data(), static_cast<int>(steps),
                                linear, static_cast<double*>(out.data()) + first * steps * k);
    });
    return out;
}

// Terms above those of equal values, column by column of those that count; zero where there is no row.
nb::ndarray<nb::numpy, float> excess(const StoredTable& stored, const Metric& metric, Doubles2 queries, Ints2 rows,
                                     int threads, std::optional<std::string> path) {
    const Table& table = stored.table;
    check_queries(queries, metric, table);
    check_rows(rows, queries, table);
    const Kernels& kernels = kernels_named(path);
    const std::size_t count = queries.shape(0), k = rows.shape(1), d = queries.shape(1);
    auto out = new_array<float>({count, metric.active.size(), k}, 0.0f);
    if (table.rows == 0) return out;
    run_in_steps(static_cast<std::int64_t>(count), 8, threads, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t q = first; q < last; ++q)
            kernels.excess(table, metric, queries.data() + q * d, rows.data() + q * k, static_cast<int>(k),
                           static_cast<float*>(out.data()) + q * k * metric.active.size());
    });
    return out;
}

// The same for all queries against the same rows.
nb::ndarray<nb::numpy, float> pair_excess(const StoredTable& stored, const Metric& metric, Doubles2 queries, Ints1 rows,
                                          int threads, std::optional<std::string> path) {
    const Table& table = stored.table;
    check_queries(queries, metric, table);
    const Kernels& kernels = kernels_named(path);
    const std::size_t count = queries.shape(0), pool = rows.shape(0), d = queries.shape(1), width = metric.active.size();
    std::vector<double> values(width * pool);  // column by column, so that kernels read them side by side
    for (std::size_t j = 0; j < pool; ++j) {
        require(rows.data()[j] >= 0 && rows.data()[j] < table.rows, "a row number is out of range");
        for (std::size_t c = 0; c < width; ++c) values[c * pool + j] = table.row(rows.data()[j])[metric.active[c]];
    }
    auto out = new_array<float>({count, width, pool});
    run_in_steps(static_cast<std::int64_t>(count), 8, threads, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t q = first; q < last; ++q)
            kernels.pair_excess(table, metric, queries.data() + q * d, values.data(), static_cast<std::int64_t>(pool),
                                static_cast<float*>(out.data()) + q * width * pool);
    });
    return out;
}

nb::ndarray<nb::numpy, double> offsets(const StoredTable& stored, const Metric& metric, Doubles2 queries, Ints2 rows,
                                       Ints1 columns, Doubles1 factors, int threads) {
    const Table& table = stored.table;
    check_queries(queries, metric, table);
    check_rows(rows, queries, table);
    require(factors.shape(0) == columns.shape(0), "factors do not fit columns");
    for (std::size_t c = 0; c < columns.shape(0); ++c)
        require(columns.data()[c] >= 0 && columns.data()[c] < metric.columns(), "a column is out of range");
    const std::size_t count = queries.shape(0), k = rows.shape(1), d = queries.shape(1), width = columns.shape(0);
    auto out = new_array<double>({count, k, width}, 0.0);
    const Offsets offsets(metric, columns.data(), factors.data(), static_cast<int>(width));
    run_in_steps(static_cast<std::int64_t>(count), 64, threads, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t at = first * k; at < static_cast<std::int64_t>(last * k); ++at)
            if (const std::int64_t row = rows.data()[at]; row >= 0)
                offsets.run(queries.data() + at / k * d, table.row(row), static_cast<double*>(out.data()) + at * width);
    });
    return out;
}

nb::tuple nearest(Singles3 excess, Singles1 weights, Ints1 rows, Ints1 own, int k, int threads, std::optional<std::string> path) {
    const Kernels& kernels = kernels_named(path);
    require(weights.shape(0) == excess.shape(1), "weights do not fit excess");
    require(own.shape(0) == rows.shape(0), "own and rows differ in length");
    require(k >= 1, "k must be at least 1");
    for (std::size_t q = 0; q < rows.shape(0); ++q)
        require(rows.data()[q] >= 0 && rows.data()[q] < static_cast<std::int64_t>(excess.shape(0)), "a row number is out of range");
    const std::size_t count = rows.shape(0), width = static_cast<std::size_t>(k);
    auto places = new_array<std::int64_t>({count, width}, -1);
    auto totals = new_array<double>({count, width}, std::numeric_limits<double>::infinity());
    run_in_steps(static_cast<std::int64_t>(count), 64, threads, [&](std::int64_t first, std::int64_t last) {
        kernels.nearest_of_pool(excess.data(), weights.data(), static_cast<int>(excess.shape(1)), static_cast<std::int64_t>(excess.shape(2)),
                                rows.data() + first, own.data() + first, last - first, k,
                                static_cast<std::int64_t*>(places.data()) + first * k, static_cast<double*>(totals.data()) + first * k);
    });
    return nb::make_tuple(places, totals);
}

// A sample of left-out cases that keeps its arrays alive.
struct StoredSample {
    Singles3 excess;
    Ints1 rows;
    Doubles2 places, outcomes;
    Doubles1 truth, prior, weights, start;
    EntropyJob job;

    StoredSample(Singles3 x, Ints1 r, Doubles2 m, Doubles2 o, Doubles1 t, Doubles1 p, Doubles1 w, Doubles1 s, int k,
                 bool classes, double mix, double smooth, double pull, double lowest, double highest)
        : excess(x), rows(r), places(m), outcomes(o), truth(t), prior(p), weights(w), start(s) {
        const std::size_t cases = r.shape(0), d = x.shape(1), pool = x.shape(2);
        for (std::size_t q = 0; q < cases; ++q)
            require(r.data()[q] >= 0 && r.data()[q] < static_cast<std::int64_t>(x.shape(0)), "a row of excess terms is out of range");
        require(m.shape(0) == cases && m.shape(1) == pool && o.shape(0) == cases && o.shape(1) == pool,
                "places and outcomes must have one entry per candidate");
        require(t.shape(0) == cases && p.shape(0) == cases && w.shape(0) == cases, "truth, prior and weights must have one entry per case");
        require(d > 0 && s.shape(0) == d, "start must have one entry per column");
        require(k >= 1, "k must be at least 1");
        job = {x.data(), r.data(), m.data(), o.data(), t.data(), p.data(), w.data(), s.data(), static_cast<std::int64_t>(cases),
               static_cast<std::int64_t>(pool), k, static_cast<int>(d), 0, classes, mix, smooth, pull, lowest, highest};
    }
};

nb::ndarray<nb::numpy, double> descend(const StoredSample& sample, Doubles1 logs, int iterations, std::optional<std::string> path) {
    require(logs.shape(0) == sample.start.shape(0), "one log weight per column is needed");
    const Kernels& kernels = kernels_named(path);
    EntropyJob job = sample.job;
    job.iterations = iterations;
    auto out = new_array<double>({logs.shape(0)}, 0.0);
    std::copy_n(logs.data(), logs.shape(0), static_cast<double*>(out.data()));
    nb::gil_scoped_release release;
    kernels.descend(job, static_cast<double*>(out.data()));
    return out;
}

nb::tuple entropy_loss(const StoredSample& sample, Doubles1 logs, std::optional<std::string> path) {
    require(logs.shape(0) == sample.start.shape(0), "one log weight per column is needed");
    auto gradient = new_array<double>({logs.shape(0)}, 0.0);
    const double loss = kernels_named(path).entropy_loss(sample.job, logs.data(), static_cast<double*>(gradient.data()));
    return nb::make_tuple(loss, gradient);
}

std::vector<std::int64_t> rows_by_number(const Table& table) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(table.rows));
    std::iota(rows.begin(), rows.end(), 0);
    std::sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
        return table.numbers[a] < table.numbers[b];
    });
    return rows;
}

// `influences` has one row per member: rule, bandwidth, ridge, share.
nb::tuple coalitions(const StoredTable& stored, const Metric& metric, double total, Doubles2 queries, Ints1 exclude,
                     int k, int required, Ints1 depths, Ints1 columns, Ints1 slot_of, Ints1 ends, Doubles2 outcomes,
                     int n_classes, std::optional<Doubles1> case_weights, Doubles2 influences, int threads,
                     std::optional<std::string> path) {
    const Table& table = stored.table;
    check_queries(queries, metric, table);
    const auto rows = static_cast<std::size_t>(table.rows);
    require(exclude.shape(0) == queries.shape(0), "exclude must name one row per query");
    require(k >= 1, "k must be at least 1");
    require(total > 0 && std::isfinite(total), "total must be positive");
    require(required >= 0 && required < table.columns, "no such column is there to require");
    require(outcomes.shape(0) == rows && (n_classes == 0 || outcomes.shape(1) == 1), "outcomes do not fit the table");
    require(!case_weights || case_weights->shape(0) == rows, "one case weight per row is needed");
    require(influences.shape(1) == 4, "an influence has four numbers");
    for (std::size_t q = 0; q < exclude.shape(0); ++q)
        require(exclude.data()[q] >= -1 && exclude.data()[q] < table.rows, "a row number is out of range");
    if (n_classes > 0)
        for (std::size_t r = 0; r < rows; ++r) {
            const double code = outcomes.data()[r];
            require(code != code || (code >= 0 && code < n_classes), "a class code is out of range");
        }
    const auto nodes = static_cast<std::int64_t>(depths.shape(0));
    require(columns.shape(0) == depths.shape(0) && slot_of.shape(0) == depths.shape(0) && ends.shape(0) == depths.shape(0),
            "the arrays of the tree differ in length");
    std::int64_t slots = 0;
    std::vector<std::int64_t> path_columns;
    for (std::int64_t n = 0; n < nodes; ++n) {
        const std::int64_t depth = depths.data()[n], column = columns.data()[n], end = ends.data()[n];
        require(depth >= 1 && depth <= (n ? depths.data()[n - 1] : 0) + 1, "the tree is not in preorder");
        require(std::count(metric.active.begin(), metric.active.end(), static_cast<int>(column)) == 1 &&
                    column < table.columns,
                "a coalition has a column that does not count");
        path_columns.resize(depth - 1);
        require(std::count(path_columns.begin(), path_columns.end(), column) == 0, "a coalition has a column twice");
        path_columns.push_back(column);
        std::int64_t after = n + 1;
        while (after < nodes && depths.data()[after] > depth) ++after;
        require(end == after, "the ends do not fit the depths");
        require(slot_of.data()[n] >= -1, "a slot is out of range");
        slots = std::max(slots, slot_of.data()[n] + 1);
    }
    std::vector<int> seen(slots);
    for (std::int64_t n = 0; n < nodes; ++n)
        if (slot_of.data()[n] >= 0) ++seen[slot_of.data()[n]];
    for (const int times : seen) require(times == 1, "every slot must be filled once");
    std::vector<Influence> members;
    bool linear = false;
    for (std::size_t m = 0; m < influences.shape(0); ++m) {
        const double* one = influences.data() + 4 * m;
        require(one[0] >= static_cast<double>(kInverse) && one[0] <= static_cast<double>(kLinear), "unknown rule of influence");
        require(one[1] > 0 && one[2] > 0, "bandwidth and ridge must be positive");
        members.push_back({static_cast<int>(one[0]), one[1], one[2], one[3]});
        linear |= members.back().rule == kLinear;
    }
    const Kernels& kernels = kernels_named(path);
    const std::size_t width = n_classes > 0 ? static_cast<std::size_t>(n_classes) : outcomes.shape(1);
    const std::size_t count = queries.shape(0);
    auto out = new_array<double>({count, static_cast<std::size_t>(slots), width}, 0.0);
    const bool held = linear && n_classes > 0;
    auto timid = new_array<double>({held ? count : 0, static_cast<std::size_t>(slots), width}, 0.0);
    const std::vector<std::int64_t> by_number = rows_by_number(table);
    const CoalitionJob job{&table, &metric, total, queries.data(), exclude.data(), static_cast<std::int64_t>(count), k,
                           required, depths.data(), columns.data(), slot_of.data(), ends.data(), nodes, slots,
                           outcomes.data(), case_weights ? case_weights->data() : nullptr, by_number.data(),
                           members.data(), static_cast<int>(members.size()), static_cast<int>(width), n_classes > 0,
                           static_cast<double*>(out.data()), held ? static_cast<double*>(timid.data()) : nullptr};
    // A few at a time, since what a coalition needs is laid out anew for each call.
    const std::int64_t fair = (job.count + threads - 1) / std::max(threads, 1);
    run_in_steps(job.count, std::clamp<std::int64_t>(fair, 1, 4), threads,
                 [&](std::int64_t first, std::int64_t last) { kernels.coalitions(job, first, last); });
    return nb::make_tuple(out, held ? nb::cast(timid) : nb::none());
}

nb::ndarray<nb::numpy, std::uint64_t> row_hashes(Doubles2 values, std::uint64_t seed) {
    const std::size_t rows = values.shape(0);
    auto out = new_array<std::uint64_t>({rows});
    RowHashes(values.data(), static_cast<std::int64_t>(rows), static_cast<std::int64_t>(values.shape(1)))
        .run(seed, static_cast<std::uint64_t*>(out.data()));
    return out;
}

void pack(Doubles2 values, std::int64_t first, Bytes1 kinds, Doubles2 edges, OutBytes3 codes, OutBytes3 summary,
          OutDoubles3 bins, OutBytes1 lacking) {
    const auto rows = static_cast<std::int64_t>(values.shape(0));
    const std::size_t d = values.shape(1), blocks = static_cast<std::size_t>((rows + kBlock - 1) / kBlock);
    require(first >= 0 && first <= rows, "first row out of range");
    require(kinds.shape(0) == d && lacking.shape(0) == d, "kinds and lacking must name every column");
    require(edges.shape(0) == d && edges.shape(1) == kEdges, "edges do not fit values");
    require(codes.shape(0) >= blocks && codes.shape(1) == d && codes.shape(2) == kBlockBytes, "codes do not fit values");
    require(summary.shape(0) * kBlock >= blocks && summary.shape(1) == 2 * d && summary.shape(2) == kBlockBytes,
            "summary does not fit values");
    require(bins.shape(0) == d && bins.shape(1) == kBins && bins.shape(2) == 2, "bins do not fit values");
    const Packing packing{kinds.data(), edges.data(), codes.data(), summary.data(), bins.data(), lacking.data()};
    nb::gil_scoped_release release;
    pack_rows(values.data(), first, rows, static_cast<int>(d), packing);
}

// An order of the rows that keeps like rows together.
nb::ndarray<nb::numpy, std::int64_t> cluster(Doubles2 values, Bytes1 kinds, Doubles1 scales) {
    require(kinds.shape(0) == values.shape(1) && scales.shape(0) == values.shape(1), "kinds and scales must name every column");
    auto order = new_array<std::int64_t>({values.shape(0)}, 0);
    nb::gil_scoped_release release;
    Clustering(values.data(), static_cast<int>(values.shape(1)), kinds.data(), scales.data())
        .run(static_cast<std::int64_t*>(order.data()), static_cast<std::int64_t>(values.shape(0)));
    return order;
}

}  // namespace
}  // namespace vicinal

NB_MODULE(_native, m) {
    using namespace vicinal;
    // What a traceback still holds when the interpreter ends is no leak to tell users about.
    nb::set_leak_warnings(false);
    m.doc() = "Kernels of the exact index: arrays in, arrays out. Use vicinal.index instead.";
    m.attr("BLOCK") = kBlock;
    m.attr("BLOCK_BYTES") = kBlockBytes;
    m.attr("BINS") = kBins;
    nb::class_<StoredTable>(m, "Table")
        .def(nb::init<Doubles2, Ints1, Bytes3, Bytes3, Words1, Doubles3, Bytes1, Bytes1>(), "values"_a, "numbers"_a,
             "codes"_a, "summary"_a, "alive"_a, "bins"_a, "lacking"_a, "kinds"_a);
    nb::class_<Metric>(m, "Metric").def_prop_ro("both_missing", [](const Metric& metric) {
        auto out = new_array<double>({metric.both_missing.size()});
        std::copy(metric.both_missing.begin(), metric.both_missing.end(), static_cast<double*>(out.data()));
        return out;
    }, nb::rv_policy::move);
    m.def("make_metric", &make_metric, "kinds"_a, "residuals"_a, "periods"_a, "weights"_a, "one_missing"_a,
          "both_missing"_a, "points"_a, "shares"_a, "offsets"_a, "p"_a);
    m.def("search", &search, "table"_a, "metric"_a, "queries"_a, "exclude"_a, "k"_a, "required"_a, "threads"_a,
          "path"_a.none(), "pruned"_a);
    m.def("terms", &terms, "table"_a, "metric"_a, "queries"_a, "rows"_a, "threads"_a, "path"_a.none());
    m.attr("MOST_DIRECTIONS") = kMostDirections;
    m.def("nearest", &nearest, "excess"_a, "weights"_a, "rows"_a, "own"_a, "k"_a, "threads"_a, "path"_a.none());
    m.def("pair_excess", &pair_excess, "table"_a, "metric"_a, "queries"_a, "rows"_a, "threads"_a, "path"_a.none());
    m.def("offsets", &offsets, "table"_a, "metric"_a, "queries"_a, "rows"_a, "columns"_a, "factors"_a, "threads"_a);
    m.def("excess", &excess, "table"_a, "metric"_a, "queries"_a, "rows"_a, "threads"_a, "path"_a.none());
    m.def("floors", &floors, "table"_a, "metric"_a, "queries"_a, "finer"_a, "path"_a.none());
    m.def("sweep", &sweep, "metric"_a, "columns"_a, "case_weights"_a.none(), "queries"_a, "k"_a, "threads"_a, "path"_a.none());
    m.def("row_hashes", &row_hashes, "values"_a, "seed"_a);
    m.def("pack", &pack, "values"_a, "first"_a, "kinds"_a, "edges"_a, "codes"_a, "summary"_a, "bins"_a, "lacking"_a);
    m.def("influences", &influences, "logits"_a, "offsets"_a, "ridge"_a, "linear"_a, "threads"_a, "path"_a.none());
    m.def("influence_paths", &influence_paths, "logits"_a, "offsets"_a, "scale"_a, "ridges"_a, "linear"_a, "threads"_a,
          "path"_a.none());
    nb::class_<StoredSample>(m, "Sample")
        .def(nb::init<Singles3, Ints1, Doubles2, Doubles2, Doubles1, Doubles1, Doubles1, Doubles1, int, bool, double, double,
                      double, double, double>(),
             "excess"_a, "rows"_a, "places"_a, "outcomes"_a, "truth"_a, "prior"_a, "weights"_a, "start"_a, "k"_a, "classes"_a, "mix"_a,
             "smooth"_a, "pull"_a, "lowest"_a, "highest"_a);
    m.def("descend", &descend, "sample"_a, "logs"_a, "iterations"_a, "path"_a.none());
    m.def("entropy_loss", &entropy_loss, "sample"_a, "logs"_a, "path"_a.none());
    m.def("coalitions", &coalitions, "table"_a, "metric"_a, "total"_a, "queries"_a, "exclude"_a, "k"_a, "required"_a,
          "depths"_a, "columns"_a, "slot_of"_a, "ends"_a, "outcomes"_a, "n_classes"_a, "case_weights"_a.none(),
          "influences"_a, "threads"_a, "path"_a.none());
    m.def("cluster", &cluster, "values"_a, "kinds"_a, "scales"_a);
    m.def("paths", &paths);
}
