from tests.report.reading import text_of
from vicinal.report.parts import Decisions, Ranking
from vicinal.report.sections.ranking import decision_part, ranking_part

LINE = ((0.0, 0.0), (0.2, 0.7), (1.0, 1.0))


def ranking(label):
    return Ranking(label, 0.25, 0.812, 0.6, 0.5, 2.5, LINE, LINE, LINE)


def test_one_class_has_three_curves_and_its_figures():
    page = ranking_part([ranking("late")], "flight")
    assert page.count("<svg") == page.count("<polyline") == 3
    text = text_of(page)
    for part in ("ranked by the probability of flight = late", "AUC", "0.812", "KS", "2.50"):
        assert part in text


def test_several_classes_share_the_charts_and_have_a_mean():
    page = ranking_part([ranking("a"), ranking("<b>")], "y")
    assert page.count("<polyline") == 6
    assert "Mean" in text_of(page)
    assert "<b>" not in page
    assert ranking_part([], "y") is None


def test_decisions_are_a_table_and_thresholds_can_be_opened():
    rules = (
        ("Most probable class (default)", ("90.0 %",) * 6),
        ('decision="f1"', ("80.0 %",) * 6),
    )
    thresholds = (("0.2", "4 : 1", "70.0 %", "30.0 %", "20 %"),)
    lines = (("recall", LINE), ("precision", LINE), ("share predicted", LINE))
    page = decision_part(Decisions("late", rules, thresholds, lines), "flight")
    assert "<details>" in page
    assert page.count("<polyline") == 3
    text = text_of(page)
    for part in ("Recall of late", "Decisions on flight", "4 : 1", 'decision="f1"'):
        assert part in text
    assert decision_part(None, "flight") is None
    four = tuple((name, texts[:4]) for name, texts in rules)
    several = decision_part(Decisions("", four, ()), "flight")
    assert "<details>" not in several
