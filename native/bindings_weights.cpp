// The door to Python for learning feature weights.
#include <limits>
#include <numeric>

#include "bindings.hpp"
#include "common_values.hpp"
#include "offsets.hpp"

namespace vicinal {
namespace {

// Terms against values that several cases have are kept, up to so many numbers: 8 megabytes.
constexpr std::int64_t kMostKnown = 1 << 21;

// Cases beside a pool; keeps its arrays alive, and has a metric of its own.
struct StoredPairs {
    Metric metric;
    Doubles2 values, queries;
    Ints2 where;
    Ints1 views;
    std::vector<std::uint8_t> gaps;
    std::vector<float> known;
    std::vector<std::int64_t> known_at;
    PairJob job;

    StoredPairs(const Metric& m, Doubles2 v, Ints2 w, Doubles2 q, Ints1 view)
        : metric(m), values(v), queries(q), where(w), views(view), gaps(v.shape(0)) {
        const std::size_t pool = v.shape(1), d = metric.active.size();
        require(static_cast<int>(q.shape(1)) == metric.columns(), "queries and metric differ in columns");
        require(w.shape(1) == d, "every column that counts must have its values");
        require(view.shape(0) == q.shape(0), "one view per query is needed");
        for (std::size_t i = 0; i < w.size(); ++i)
            require(w.data()[i] >= 0 && w.data()[i] < static_cast<std::int64_t>(v.shape(0)),
                    "there are no such values");
        for (std::size_t i = 0; i < view.shape(0); ++i)
            require(view.data()[i] >= 0 && view.data()[i] < static_cast<std::int64_t>(w.shape(0)),
                    "a view is out of range");
        for (std::size_t at = 0; at < v.shape(0); ++at) {
            const double* from = v.data() + at * pool;
            gaps[at] = std::any_of(from, from + pool, [](double x) { return x != x; });
        }
        job = {&metric,        values.data(), gaps.data(),
               where.data(),   nullptr,       nullptr,
               queries.data(), views.data(),  static_cast<std::int64_t>(pool)};
        fill_known();
        job.known = known.data();
        job.known_at = known_at.data();
    }
    StoredPairs(const StoredPairs&) = delete;  // the job points into it
    StoredPairs& operator=(const StoredPairs&) = delete;

private:
    // Those against a missing value are always among them, because they take long.
    void fill_known() {
        const auto cases = static_cast<std::int64_t>(queries.shape(0)), d = static_cast<std::int64_t>(where.shape(1));
        CommonValues common(cases, d);
        for (std::int64_t at = 0; at < cases; ++at)
            for (std::int64_t c = 0; c < d; ++c)
                common.add(at, c, job.where[job.views[at] * d + c],
                           job.queries[at * metric.columns() + metric.active[c]]);
        const auto kept = common.commonest(kMostKnown / std::max<std::int64_t>(job.pool, 1));
        known.resize(kept.size() * job.pool);
        for (std::size_t v = 0; v < kept.size(); ++v)
            best_kernels().pair_excess(job, metric.active[kept[v].column], kept[v].value, kept[v].seen_as,
                                       known.data() + v * job.pool);
        known_at = std::move(common).which();
    }
};

nb::tuple nearest(const StoredPairs& pairs, Singles1 weights, Ints1 rows, Ints1 own, int k, int threads,
                  std::optional<std::string> path) {
    const Kernels& kernels = kernels_named(path);
    require(weights.shape(0) == pairs.metric.active.size(), "weights do not fit the pairs");
    require(own.shape(0) == rows.shape(0), "own and rows differ in length");
    require(k >= 1, "k must be at least 1");
    const auto cases = static_cast<std::int64_t>(pairs.queries.shape(0));
    for (std::size_t q = 0; q < rows.shape(0); ++q)
        require(rows.data()[q] >= 0 && rows.data()[q] < cases && own.data()[q] < pairs.job.pool,
                "a row number is out of range");
    const std::size_t count = rows.shape(0), width = static_cast<std::size_t>(k);
    auto places = new_array<std::int64_t>({count, width}, -1);
    auto totals = new_array<double>({count, width}, std::numeric_limits<double>::infinity());
    run_in_steps(static_cast<std::int64_t>(count), 64, threads, [&](std::int64_t first, std::int64_t last) {
        kernels.nearest_of_pool(pairs.job, weights.data(), rows.data() + first, own.data() + first, last - first, k,
                                static_cast<std::int64_t*>(places.data()) + first * k,
                                static_cast<double*>(totals.data()) + first * k);
    });
    return nb::make_tuple(places, totals);
}

// How far the places (rows, k) of the pool lie from each of the cases, as these see them; 0 for none.
nb::ndarray<nb::numpy, double> pair_offsets(const StoredPairs& pairs, Ints1 rows, Ints2 places, Ints1 columns,
                                            Doubles1 factors, int threads) {
    const Metric& metric = pairs.metric;
    check_directions(columns, factors, metric);
    require(places.shape(0) == rows.shape(0), "places do not fit rows");
    const auto cases = static_cast<std::int64_t>(pairs.queries.shape(0));
    for (std::size_t q = 0; q < rows.shape(0); ++q)
        require(rows.data()[q] >= 0 && rows.data()[q] < cases, "a row number is out of range");
    for (std::size_t i = 0; i < places.size(); ++i)
        require(places.data()[i] < pairs.job.pool, "a place is out of range");
    std::vector<std::size_t> among(columns.shape(0));  // the columns that count
    for (std::size_t c = 0; c < among.size(); ++c) {
        const auto found = std::find(metric.active.begin(), metric.active.end(), columns.data()[c]);
        require(found != metric.active.end(), "a column does not count");
        among[c] = static_cast<std::size_t>(found - metric.active.begin());
    }
    const std::size_t k = places.shape(1), width = among.size();
    const Offsets offsets(metric, columns.data(), factors.data(), static_cast<int>(width));
    auto out = new_array<double>({rows.shape(0), k, width}, 0.0);
    run_in_steps(static_cast<std::int64_t>(rows.shape(0)), 64, threads, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t q = first; q < last; ++q) {
            const std::int64_t* place = places.data() + q * k;
            const double* query = pairs.queries.data() + rows.data()[q] * metric.columns();
            const std::int64_t* where = pairs.where.data() + pairs.views.data()[rows.data()[q]] * metric.active.size();
            double* to = static_cast<double*>(out.data()) + q * k * width;
            for (std::size_t j = 0; j < k; ++j) {
                for (std::size_t c = 0; place[j] >= 0 && c < width; ++c) {
                    const double value = pairs.values.data()[where[among[c]] * pairs.job.pool + place[j]];
                    to[j * width + c] = offsets.one(c, value - query[columns.data()[c]]);
                }
            }
        }
    });
    return out;
}

// What a sample of left-out cases has in any case; keeps its arrays alive.
struct StoredSample {
    Ints1 rows;
    Doubles1 truth, prior, weights, start;
    EntropyJob job;

    StoredSample(Ints1 r, Doubles1 t, Doubles1 p, Doubles1 w, Doubles1 s, int k, bool classes, double mix,
                 double smooth, double pull, double lowest, double highest)
        : rows(r), truth(t), prior(p), weights(w), start(s), job{} {
        const std::size_t cases = r.shape(0);
        require(t.shape(0) == cases && p.shape(0) == cases && w.shape(0) == cases,
                "truth, prior and weights must have one entry per case");
        require(k >= 1, "k must be at least 1");
        job.rows = r.data();
        job.truth = t.data();
        job.prior = p.data();
        job.weights = w.data();
        job.start = s.data();
        job.cases = static_cast<std::int64_t>(cases);
        job.columns = static_cast<int>(s.shape(0));
        job.k = k;
        job.classes = classes;
        job.mix = mix;
        job.smooth = smooth;
        job.pull = pull;
        job.lowest = lowest;
        job.highest = highest;
    }

    void check(std::int64_t any, std::size_t columns) const {
        require(columns > 0 && start.shape(0) == columns, "start must have one entry per column");
        for (std::int64_t q = 0; q < job.cases; ++q)
            require(rows.data()[q] >= 0 && rows.data()[q] < any, "a row of excess terms is out of range");
    }

    void check_pools(std::size_t pool, const Doubles2& places, const Doubles2& outcomes) const {
        const auto cases = static_cast<std::size_t>(job.cases);
        require(places.shape(0) == cases && places.shape(1) == pool && outcomes.shape(0) == cases &&
                    outcomes.shape(1) == pool,
                "places and outcomes must have one entry per candidate");
    }
};

// Each case with a pool of its own.
struct SampleOfTerms : StoredSample {
    Singles3 excess;
    Doubles2 places, outcomes;

    SampleOfTerms(Singles3 x, Ints1 r, Doubles2 m, Doubles2 o, Doubles1 t, Doubles1 p, Doubles1 w, Doubles1 s, int k,
                  bool classes, double mix, double smooth, double pull, double lowest, double highest)
        : StoredSample(r, t, p, w, s, k, classes, mix, smooth, pull, lowest, highest), excess(x), places(m),
          outcomes(o) {
        check(static_cast<std::int64_t>(x.shape(0)), x.shape(1));
        check_pools(x.shape(2), places, outcomes);
        job.excess = x.data();
        job.places = m.data();
        job.outcomes = o.data();
        job.pool = static_cast<std::int64_t>(x.shape(2));
    }
};

// The same with the rows of each pool; their table and metrics are kept alive by Python.
struct SampleOfCandidates : StoredSample {
    Doubles2 queries, places, outcomes;
    Ints2 near;
    Ints1 views;
    std::vector<const Metric*> metrics;
    CandidateJob candidates;

    SampleOfCandidates(const StoredTable& table, std::vector<const Metric*> seen, Ints1 v, Doubles2 q, Ints2 n, Ints1 r,
                       Doubles2 m, Doubles2 o, Doubles1 t, Doubles1 p, Doubles1 w, Doubles1 s, int k, bool classes,
                       double mix, bool coded, double smooth, double pull, double lowest, double highest)
        : StoredSample(r, t, p, w, s, k, classes, mix, smooth, pull, lowest, highest), queries(q), places(m),
          outcomes(o), near(n), views(v), metrics(std::move(seen)),
          candidates{&table.table, metrics.data(), v.data(), q.data(), n.data(), coded} {
        check(static_cast<std::int64_t>(q.shape(0)), s.shape(0));
        check_pools(n.shape(1), places, outcomes);
        check_rows(n, q, table.table);
        require(v.shape(0) == q.shape(0), "one view per query is needed");
        for (const Metric* metric : metrics) {
            check_queries(q, *metric, table.table);
            require(metric->active.size() == s.shape(0), "all views must have the same number of columns that count");
        }
        for (std::size_t i = 0; i < v.shape(0); ++i)
            require(v.data()[i] >= 0 && v.data()[i] < static_cast<std::int64_t>(metrics.size()),
                    "a view is out of range");
        job.candidates = &candidates;
        job.places = m.data();
        job.outcomes = o.data();
        job.pool = static_cast<std::int64_t>(n.shape(1));
    }
};

// All cases with the same pool; the pairs are kept alive by Python.
struct SampleOfPairs : StoredSample {
    Ints1 own;
    Doubles1 places, outcomes;

    SampleOfPairs(const StoredPairs& pairs, Ints1 r, Ints1 left, Doubles1 m, Doubles1 o, Doubles1 t, Doubles1 p,
                  Doubles1 w, Doubles1 s, int k, bool classes, double mix, double smooth, double pull, double lowest,
                  double highest)
        : StoredSample(r, t, p, w, s, k, classes, mix, smooth, pull, lowest, highest), own(left), places(m),
          outcomes(o) {
        const auto pool = static_cast<std::size_t>(pairs.job.pool);
        check(static_cast<std::int64_t>(pairs.queries.shape(0)), pairs.metric.active.size());
        require(m.shape(0) == pool && o.shape(0) == pool, "places and outcomes must have one entry per candidate");
        require(left.shape(0) == r.shape(0), "own must have one entry per case");
        for (std::size_t q = 0; q < left.shape(0); ++q)
            require(left.data()[q] >= -1 && left.data()[q] < pairs.job.pool, "a place is out of range");
        for (std::size_t at = 0; at < pool; ++at) require(m.data()[at] > 0, "all of the pool must weigh something");
        job.pairs = &pairs.job;
        job.own = left.data();
        job.places = m.data();
        job.outcomes = o.data();
        job.pool = pairs.job.pool;
    }
};

nb::ndarray<nb::numpy, double> descend(const StoredSample& sample, Doubles1 logs, int iterations,
                                       std::optional<std::string> path) {
    require(logs.shape(0) == sample.start.shape(0), "one log weight per column is needed");
    const Kernels& kernels = kernels_named(path);
    EntropyJob job = sample.job;
    job.iterations = iterations;
    auto out = new_array<double>({logs.shape(0)}, 0.0);
    std::copy_n(logs.data(), logs.shape(0), static_cast<double*>(out.data()));
    Working working;
    kernels.descend(job, static_cast<double*>(out.data()));
    return out;
}

nb::tuple entropy_loss(const StoredSample& sample, Doubles1 logs, std::optional<std::string> path) {
    require(logs.shape(0) == sample.start.shape(0), "one log weight per column is needed");
    auto gradient = new_array<double>({logs.shape(0)}, 0.0);
    const double loss =
        kernels_named(path).entropy_loss(sample.job, logs.data(), static_cast<double*>(gradient.data()));
    return nb::make_tuple(loss, gradient);
}

}  // namespace

void bind_weights(nb::module_& m) {
    nb::class_<StoredPairs>(m, "Pairs")
        .def(nb::init<const Metric&, Doubles2, Ints2, Doubles2, Ints1>(), "metric"_a, "values"_a, "where"_a,
             "queries"_a, "views"_a);
    m.def("nearest", &nearest, "pairs"_a, "weights"_a, "rows"_a, "own"_a, "k"_a, "threads"_a, "path"_a.none());
    m.def("pair_offsets", &pair_offsets, "pairs"_a, "rows"_a, "places"_a, "columns"_a, "factors"_a, "threads"_a);
    nb::class_<StoredSample>(m, "Sample");
    nb::class_<SampleOfTerms, StoredSample>(m, "SampleOfTerms")
        .def(nb::init<Singles3, Ints1, Doubles2, Doubles2, Doubles1, Doubles1, Doubles1, Doubles1, int, bool, double,
                      double, double, double, double>(),
             "excess"_a, "rows"_a, "places"_a, "outcomes"_a, "truth"_a, "prior"_a, "weights"_a, "start"_a, "k"_a,
             "classes"_a, "mix"_a, "smooth"_a, "pull"_a, "lowest"_a, "highest"_a);
    nb::class_<SampleOfCandidates, StoredSample>(m, "SampleOfCandidates")
        .def(
            nb::init<const StoredTable&, std::vector<const Metric*>, Ints1, Doubles2, Ints2, Ints1, Doubles2, Doubles2,
                     Doubles1, Doubles1, Doubles1, Doubles1, int, bool, double, bool, double, double, double, double>(),
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), "table"_a, "metrics"_a, "views"_a, "queries"_a, "near"_a,
            "rows"_a, "places"_a, "outcomes"_a, "truth"_a, "prior"_a, "weights"_a, "start"_a, "k"_a, "classes"_a,
            "mix"_a, "coded"_a, "smooth"_a, "pull"_a, "lowest"_a, "highest"_a);
    nb::class_<SampleOfPairs, StoredSample>(m, "SampleOfPairs")
        .def(nb::init<const StoredPairs&, Ints1, Ints1, Doubles1, Doubles1, Doubles1, Doubles1, Doubles1, Doubles1, int,
                      bool, double, double, double, double, double>(),
             nb::keep_alive<1, 2>(), "pairs"_a, "rows"_a, "own"_a, "places"_a, "outcomes"_a, "truth"_a, "prior"_a,
             "weights"_a, "start"_a, "k"_a, "classes"_a, "mix"_a, "smooth"_a, "pull"_a, "lowest"_a, "highest"_a);
    m.def("descend", &descend, "sample"_a, "logs"_a, "iterations"_a, "path"_a.none());
    m.def("entropy_loss", &entropy_loss, "sample"_a, "logs"_a, "path"_a.none());
}

}  // namespace vicinal
