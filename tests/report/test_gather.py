from tests.report import tables
from tests.report.reading import fit
from vicinal.report.gather import gather_report
from vicinal.report.page import report_page


def test_removed_cases_do_not_appear():
    fitted = fit(tables.hostile(), max_queries=40)
    fitted.index.remove([0, 5, 7])
    assert gather_report(fitted, "<!-- ").n_cases == 37
    report = gather_report(fitted, "${1+1}`{{x}}")
    assert not {0, 5, 7} & {one.case for one in (*report.examples, *report.anomalies)}
    assert "case #5<" not in report_page(report)


def test_parts_about_a_target_are_there_only_with_one(penguins, reports):
    without, report = gather_report(penguins), reports["island"]
    for name in ("performance", "importance", "examples", "what_ifs"):
        assert getattr(report, name)
        assert not getattr(without, name)
    assert without.pairs is not None
    assert report.pairs is None


def test_a_report_is_named_after_its_target(penguins, reports):
    assert reports["island"].title == "Report on island"
    assert gather_report(penguins).title == "Report on a table"
    assert gather_report(penguins, None, "Birds").title == "Birds"
