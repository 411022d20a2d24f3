import math

from tests.report.reading import text_of
from vicinal.report.parts import Distribution, FeaturePairs, FeatureSummary, Report
from vicinal.report.sections.overview import overview_section, shaded_table


def report(count, **options):
    bars = Distribution(("a", "b"), (3.0, 1.0), ordered=False)
    one = FeatureSummary("x", "nominal", "2: a, b", 0.25, "3.0 % error", 0.4, bars)
    return Report("t", 4, count, 0.25, (one,) * count, (), 0, (), "by hand", **options)


def test_each_feature_has_a_row_and_the_target_a_badge():
    page = overview_section(report(1, target="x"))
    assert '<span class="badge">target</span>' in page
    for text in ("25.0 %", "3.0 % error", " 40 %", "Explained"):
        assert text in text_of(page)
    assert "Distribution of x: a 75.0 %, b 25.0 %" in page


def test_the_features_of_wide_tables_are_counted():
    page = overview_section(report(203))
    assert page.count("<tr>") == 201
    assert "… and 3 more features." in page


def test_pairs_are_shaded_by_their_share():
    pairs = FeaturePairs(("x", "z"), ((math.nan, 0.5), (-0.2, math.nan)))
    page = overview_section(report(1, pairs=pairs))
    assert "How well features predict each other" in page
    assert '<td class="n h5">50 %</td>' in page
    assert '<td class="n h0">0 %</td>' in page


def test_a_share_that_is_not_known_is_left_empty():
    assert '<td class="n"></td>' in shaded_table("c", "", ("a",), [("a", [math.nan])])


def test_a_share_of_one_is_darkest():
    assert '<td class="n h10">100 %</td>' in shaded_table("c", "", ("a",), [("a", [1.0])])


def test_columns_that_are_no_features_are_listed_with_the_reason_and_how_to_use_them():
    ignored = (("<id>", "identifier: it names rows"), ("note", "free text"))
    page = overview_section(report(1, ignored=ignored, notes=(("x", "constant"),)))
    text = text_of(page)
    for part in ("Columns that are not features", "identifier: it names rows", "free text"):
        assert part in text
    assert "To use a column, declare its kind" in text
    assert "Features to look at" in text
    assert "constant" in text
    assert "<id>" not in page
    assert "not features" not in overview_section(report(1))
