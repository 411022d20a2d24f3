// What the doors to Python share. Every size is checked there, once, before a kernel sees a pointer:
// arrays are C-contiguous and of exactly these types, and stay alive as long as what points into them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "category_rows.hpp"
#include "encode.hpp"
#include "kept_codes.hpp"
#include "kernels.hpp"
#include "parallel.hpp"
#include "processor.hpp"
#include "working.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace vicinal {

using Doubles1 = nb::ndarray<const double, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles2 = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Doubles3 = nb::ndarray<const double, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Bytes1 = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes3 = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Ints1 = nb::ndarray<const std::int64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints2 = nb::ndarray<const std::int64_t, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Places1 = nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words1 = nb::ndarray<const std::uint64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Singles1 = nb::ndarray<const float, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Singles3 = nb::ndarray<const float, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OutDoubles3 = nb::ndarray<double, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OutBytes1 = nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutBytes3 = nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

inline void require(bool holds, const char* what) {
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

// Rows that keep the arrays behind them alive. Their first columns may lie in an array of other rows; see `Rows`.
struct StoredRows {
    Doubles2 values;
    std::optional<Doubles2> shared;
    std::optional<Places1> places;
    Rows rows;

    explicit StoredRows(Doubles2 all) : values(all) {
        rows.values = values.data();
        rows.rows = static_cast<std::int64_t>(values.shape(0));
        rows.columns = static_cast<int>(values.shape(1));
    }
    StoredRows(Doubles2 own, Doubles2 first, Places1 at) : StoredRows(own) {
        require(at.shape(0) >= own.shape(0), "places do not fit values");
        require(first.shape(1) > 0, "no columns to share");
        for (std::int64_t row = 0; row < rows.rows; ++row)
            require(at.data()[row] >= 0 && at.data()[row] < static_cast<std::int64_t>(first.shape(0)),
                    "a place is out of range");
        shared = first;
        places = at;
        rows.shared_values = first.data();
        rows.places = at.data();
        rows.shared = static_cast<int>(first.shape(1));
        rows.columns += rows.shared;
    }
};

// A Table that keeps the arrays behind it alive.
struct StoredTable {
    StoredRows values;
    Ints1 numbers;
    Bytes3 codes;
    Bytes3 summary;
    Words1 alive;
    Doubles3 bins;
    Bytes1 lacking;
    Bytes1 kinds;
    bool keeps;  // whether it may take memory for finer codes that last
    Table table;
    mutable KeptCodes kept;
    mutable ListedCategories categories;

    StoredTable(StoredRows v, Ints1 n, Bytes3 c, Bytes3 s, Words1 a, Doubles3 b, Bytes1 l, Bytes1 kind, bool keep)
        : values(v), numbers(n), codes(c), summary(s), alive(a), bins(b), lacking(l), kinds(kind), keeps(keep) {
        static_cast<Rows&>(table) = values.rows;
        table.numbers = numbers.data();
        table.codes = codes.data();
        table.summary = summary.data();
        table.alive = alive.data();
        table.bins = bins.data();
        table.lacking = lacking.data();
        table.kinds = kinds.data();
        const auto blocks = static_cast<std::size_t>(table.blocks()), d = static_cast<std::size_t>(table.columns);
        require(codes.shape(0) >= blocks && codes.shape(1) == d && codes.shape(2) == kBlockBytes,
                "codes do not fit values");
        require(summary.shape(0) * kBlock >= blocks && summary.shape(1) == 2 * d && summary.shape(2) == kBlockBytes,
                "summary does not fit values");
        require(numbers.shape(0) >= static_cast<std::size_t>(table.rows), "numbers do not fit values");
        require(alive.shape(0) >= blocks, "alive does not fit values");
        // A bit behind the last row would make the kernels read there.
        const std::int64_t rest = table.rows % kBlock;
        require(rest == 0 || table.alive[blocks - 1] >> rest == 0, "alive has bits behind the last row");
        require(bins.shape(0) == d && bins.shape(1) == kBins && bins.shape(2) == 2, "bins do not fit values");
        require(lacking.shape(0) == d, "lacking does not fit values");
        require(kinds.shape(0) == d, "kinds do not fit values");
    }
};

inline const Kernels& best_kernels() {
#if defined(VICINAL_HAVE_AVX2)
    if (processor().avx512) return avx512_kernels();
    if (processor().avx2) return avx2_kernels();
#endif
    return plain_kernels();
}

inline const Kernels& kernels_named(const std::optional<std::string>& path) {
    if (!path) return best_kernels();
#if defined(VICINAL_HAVE_AVX2)
    if (*path == "avx512") {
        require(processor().avx512, "this processor has no AVX-512 with look-ups of 64 bytes");
        return avx512_kernels();
    }
    if (*path == "avx2") {
        require(processor().avx2, "this processor has no AVX2");
        return avx2_kernels();
    }
#endif
    require(*path == "plain", "unknown instruction path: see paths()");
    return plain_kernels();
}

// Runs work(first, last) over [0, count) in steps, without the GIL, until done, Ctrl-C, or the end of
// the process.
template <class Work>
void run_in_steps(std::int64_t count, std::int64_t step, int threads, const Work& work) {
    bool done;
    {
        Working working;
        done = parallel_for((count + step - 1) / step, threads,
                            [&](std::int64_t i) { work(i * step, std::min((i + 1) * step, count)); },
                            [] {
                                nb::gil_scoped_acquire acquire;
                                if (must_end()) {
                                    PyErr_SetNone(PyExc_SystemExit);  // ends a thread without a word
                                    return true;
                                }
                                return PyErr_CheckSignals() != 0;
                            });
    }
    if (!done) throw nb::python_error();
}

// The terms of all rows against a missing value, in columns that queries lack: each query needs them of so
// many rows, at least.
inline MissingTerms against_missing(const Kernels& kernels, const Table& table, const Metric& metric,
                                    const Doubles2& queries, std::int64_t rows_each, int threads) {
    MissingTerms terms(metric.columns());
    for (const int column : metric.active) {
        const double fixed = metric.one_missing[column];
        if (metric.kinds[column] == kNominal || fixed == fixed) continue;
        std::int64_t lacking = 0;
        for (std::size_t q = 0; q < queries.shape(0); ++q) {
            const double value = queries.data()[q * queries.shape(1) + column];
            lacking += value != value;
        }
        if (lacking == 0 || lacking * rows_each < table.rows) continue;
        terms[column].resize(table.rows);
        run_in_steps(table.rows, 1024, threads, [&](std::int64_t first, std::int64_t last) {
            kernels.fill_against_missing(table, metric, column, first, last, terms[column].data());
        });
    }
    return terms;
}

// Whether any query lacks a column that counts.
inline bool any_lacks(const Doubles2& queries, const Metric& metric) {
    for (std::size_t q = 0; q < queries.shape(0); ++q)
        for (const int column : metric.active)
            if (const double value = queries.data()[q * queries.shape(1) + column]; value != value) return true;
    return false;
}

inline void check_queries(const Doubles2& queries, const Metric& metric, const Table& table) {
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

inline void check_rows(const Ints2& rows, const Doubles2& queries, const Table& table) {
    require(rows.shape(0) == queries.shape(0), "rows and queries differ in length");
    for (std::size_t i = 0; i < rows.size(); ++i)
        require(rows.data()[i] >= -1 && rows.data()[i] < table.rows, "a row number is out of range");
}

inline void check_directions(const Ints1& columns, const Doubles1& factors, const Metric& metric) {
    require(factors.shape(0) == columns.shape(0), "factors do not fit columns");
    for (std::size_t c = 0; c < columns.shape(0); ++c)
        require(columns.data()[c] >= 0 && columns.data()[c] < metric.columns(), "a column is out of range");
}

// What a search of several queries has found: (count, k) each, and how many rows were evaluated.
struct Searched {
    nb::ndarray<nb::numpy, std::int64_t> numbers;
    nb::ndarray<nb::numpy, double> distances, keys;
    std::int64_t evaluated;
};

// `exclude` names a row for each query, or -1; `ceilings` may be null.
Searched search_cases(const StoredTable& stored, const Metric& metric, const Doubles2& queries,
                      const std::int64_t* exclude, int k, int required, const double* ceilings, int threads,
                      const Kernels& kernels, bool pruned);

// One row per member: rule, bandwidth, ridge, share.
std::vector<Influence> read_influences(const Doubles2& influences);

void bind_metric(nb::module_& m);
void bind_search(nb::module_& m);
void bind_learning(nb::module_& m);
void bind_weights(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_shards(nb::module_& m);
void bind_spaces(nb::module_& m);

}  // namespace vicinal
