import numpy as np
import pytest

from tests.report.reading import fit
from vicinal import Model
from vicinal.conviction.anomalies import anomalies
from vicinal.quality.audit import Audit
from vicinal.quality.findings import Finding
from vicinal.report.gather import gather_report
from vicinal.report.gather_table import (
    gather_anomalies,
    gather_findings,
    gather_ignored,
    gather_pairs,
    summarize_feature,
)


def test_a_number_is_summarized_by_its_range_and_median():
    fitted = fit({"x": [4.0, 1.0, None, 2.0, 9.0], "y": list("abaab")})
    found = summarize_feature(fitted, "x")
    assert found.values == "1 to 9, median 2"
    assert found.missing == pytest.approx(0.2)
    assert found.distribution.labels == ("1", "2", "4", "9")
    assert found.distribution.counts == (1.0, 1.0, 1.0, 1.0)


def test_categories_are_counted_by_the_weight_of_their_cases():
    weights = np.array([1.0, 2.0, 3.0, 1.5])
    fitted = fit({"x": [1.0, 2.0, 3.0, 4.0], "y": list("abab")}, weights)
    found = summarize_feature(fitted, "y")
    assert found.values == "2: a, b"
    assert found.distribution.labels == ("a", "b")
    assert found.distribution.counts == (4.0, 3.5)
    assert not found.distribution.ordered


def test_many_numbers_fall_into_bins_of_equal_width():
    values = np.linspace(0.0, 18.0, 181)
    found = summarize_feature(fit({"x": values, "y": values[::-1]}), "x").distribution
    assert found.ordered
    assert len(found.counts) == 18
    assert found.counts[:17] == (10.0,) * 17
    assert found.counts[17] == 11.0
    assert found.labels[0] == "0 to 1"


def test_rare_categories_are_counted_together():
    names = [f"k{at % 20}" for at in range(100)] + ["k7"] * 9
    found = summarize_feature(fit({"x": np.arange(109.0), "y": names}), "y").distribution
    assert len(found.labels) == 12
    assert found.labels[0] == "k7"
    assert found.labels[-1] == "others"
    assert sum(found.counts) == 109


def test_a_column_without_values_is_summarized_as_such():
    fitted = fit({"x": [None, None, None], "y": list("aba")})
    found = summarize_feature(fitted, "x")
    assert found.values == "none"
    assert found.missing == 1.0
    assert found.residual == "–"
    assert found.explained is None


def test_anomalies_are_those_of_the_model_with_their_values_as_text(penguins):
    found = anomalies(penguins)
    listed, count, judged = gather_anomalies(penguins)
    assert judged == len(penguins.index)
    assert count == len(found)
    assert [one.case for one in listed] == found.cases[:8].tolist()
    for at, one in enumerate(listed):
        assert [name for name, *_ in one.reasons] == [name for name, _ in found.features[at][:4]]
        assert all(len(others) == len(one.ordinary) for *_, others in one.reasons)


def test_findings_are_listed_by_kind_without_the_anomalies():
    duplicates = [Finding("duplicate", case, None, 1.0, "equal to case 0") for case in range(12)]
    constant = Finding("feature", None, "x", 1.0, "one value only")
    unusual = Finding("unusual", 3, None, 1.0, "far away")
    kinds = ("duplicate", "unusual", "feature")
    found = gather_findings(Audit((*duplicates, unusual, constant), kinds, 20))
    assert [one.count for one in found] == [12, 1]
    assert len(found[0].rows) == 10
    assert found[0].rows[0] == ("case #0", "equal to case 0")
    assert found[1].rows == (("x", "one value only"),)


def test_pairs_are_left_out_of_wide_tables():
    rng = np.random.default_rng(0)
    wide = fit({f"x{at}": rng.normal(size=12) for at in range(17)})
    assert gather_pairs(wide) is None
    narrow = gather_pairs(fit({"a": rng.normal(size=12), "b": rng.normal(size=12)}))
    assert narrow.names == ("a", "b")
    assert len(narrow.values) == 2


def test_ignored_columns_are_gathered_with_the_reason():
    names = [f"patient {i}" for i in range(40)]
    table = {"patient": names, "x": np.arange(40.0), "y": np.arange(40.0) % 7}
    assert gather_ignored(fit(table)) == (
        ("patient", "identifier: it names rows rather than describing them"),
    )
    named = Model(ignore=["y"]).fit(table, id="patient")._ready()
    assert gather_ignored(named) == (
        ("patient", "names the cases"),
        ("y", "left out as asked (ignore)"),
    )


def test_a_report_tells_how_many_cases_were_audited():
    report = gather_report(fit({"x": np.arange(40.0), "y": np.arange(40.0) % 7}), max_cases=10)
    assert (report.n_audited, report.n_cases) == (10, 40)
