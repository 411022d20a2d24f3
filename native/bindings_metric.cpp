// The door to Python for metrics.
#include <cmath>

#include "bindings.hpp"

namespace vicinal {
namespace {

template <class T>
std::vector<T> copy(const nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>& array) {
    return std::vector<T>(array.data(), array.data() + array.shape(0));
}

// The supports of all features, which metrics share: wide tables have many metrics.
struct Supports {
    std::vector<double> points, shares;
    std::vector<Doubles1> long_ones;  // of features with very many categories, where they are
    std::vector<Support> all;
};

std::shared_ptr<Supports> make_supports(Doubles1 points, Doubles1 shares, Ints1 offsets, Ints1 long_columns,
                                        std::vector<Doubles1> long_points, std::vector<Doubles1> long_shares) {
    const auto made = std::make_shared<Supports>();
    made->points = copy(points);
    made->shares = copy(shares);
    require(points.shape(0) == shares.shape(0), "points and shares differ in length");
    require(offsets.shape(0) >= 1 && offsets.data()[0] == 0, "offsets must begin with 0");
    const std::size_t d = offsets.shape(0) - 1;
    require(offsets.data()[d] == static_cast<std::int64_t>(points.shape(0)), "offsets do not fit points");
    for (std::size_t i = 0; i < d; ++i) {
        const std::int64_t first = offsets.data()[i], last = offsets.data()[i + 1];
        require(first <= last, "offsets must not decrease");
        made->all.push_back({made->points.data() + first, made->shares.data() + first, last - first});
    }
    require(long_points.size() == long_columns.shape(0) && long_shares.size() == long_columns.shape(0),
            "long supports do not fit their columns");
    for (std::size_t i = 0; i < long_points.size(); ++i) {
        const std::int64_t column = long_columns.data()[i];
        require(column >= 0 && column < static_cast<std::int64_t>(d), "a column is out of range");
        require(long_points[i].shape(0) == long_shares[i].shape(0), "points and shares differ in length");
        made->all[column] = {long_points[i].data(), long_shares[i].data(),
                             static_cast<std::int64_t>(long_points[i].shape(0))};
    }
    made->long_ones = std::move(long_points);
    made->long_ones.insert(made->long_ones.end(), long_shares.begin(), long_shares.end());
    return made;
}

// Bundles the arrays of a metric; a weight of zero takes a column out.
Metric make_metric(Bytes1 kinds, Doubles1 residuals, Doubles1 periods, Doubles1 weights, Doubles1 one_missing,
                   Doubles1 both_missing, std::shared_ptr<Supports> supports, double p) {
    Metric m;
    m.kinds = copy(kinds);
    m.residuals = copy(residuals);
    m.periods = copy(periods);
    m.weights = copy(weights);
    m.one_missing = copy(one_missing);
    m.both_missing = copy(both_missing);
    m.p = p;
    const std::size_t d = m.kinds.size();
    require(m.residuals.size() == d && m.periods.size() == d && m.weights.size() == d && m.one_missing.size() == d &&
                m.both_missing.size() == d,
            "the arrays of a metric differ in length");
    require(std::isfinite(p) && p >= 0, "p must be a finite number, at least 0");
    require(supports->all.size() == d, "supports do not fit columns");
    m.supports = supports->all.data();
    m.held = std::move(supports);
    double total = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
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
    best_kernels().fill_both_missing(m);
    return m;
}

}  // namespace

void bind_metric(nb::module_& m) {
    nb::class_<Metric>(m, "Metric")
        .def_prop_ro(
            "both_missing",
            [](const Metric& metric) {
                auto out = new_array<double>({metric.both_missing.size()});
                std::copy(metric.both_missing.begin(), metric.both_missing.end(), static_cast<double*>(out.data()));
                return out;
            },
            nb::rv_policy::move);
    nb::class_<Supports>(m, "Supports");
    m.def("make_supports", &make_supports, "points"_a, "shares"_a, "offsets"_a, "long_columns"_a, "long_points"_a,
          "long_shares"_a);
    m.def("make_metric", &make_metric, "kinds"_a, "residuals"_a, "periods"_a, "weights"_a, "one_missing"_a,
          "both_missing"_a, "supports"_a, "p"_a);
}

}  // namespace vicinal
