import math
from dataclasses import replace

from tests.report.reading import text_of
from vicinal.report.parts import Effect, Importance
from vicinal.report.scales import SHARES
from vicinal.report.sections.importance import importance_section


def importance(count=2, directions=None, estimated_from="", effects=()):
    return Importance(
        names=tuple(f"x{at}" for at in range(count)),
        sizes=(0.5,) * count,
        loss_if_dropped=(-0.0312,) * count,
        alone=(math.nan,) * count,
        directions=directions or ("",) * count,
        unit="probability",
        n_cases=40,
        n_measured=1200,
        estimated_from=estimated_from,
        effects=effects,
        axis=SHARES,
    )


def test_columns_are_named_in_plain_words():
    text = text_of(importance_section(importance(directions=("increases", "–")), "y"))
    for name in ("Alone (nats)", "Loss if dropped (nats)", "Direction", "increases", "−0.031"):
        assert name in text
    assert "measured on 1,200 held-out cases." in text
    assert "Direction" not in text_of(importance_section(importance(), "y"))


def test_it_says_how_sure_the_information_is():
    text = text_of(importance_section(replace(importance(), greatest_error=0.0123), "y"))
    assert "1,200 held-out cases (standard errors of at most 0.012 nats)." in text


def test_it_says_what_was_sampled_of_many_features():
    page = importance_section(importance(30, estimated_from="8 feature orderings"), "y")
    assert "over 40 cases, estimated from 8 feature orderings." in page
    assert "… and 10 less important features." in page


def test_effects_have_a_legend_and_a_description():
    series = (("a", (0.2, 0.4)), ("b", (0.7, 0.5)), ("c", (0.1, 0.1)))
    effect = Effect("x0", True, (0.0, 1.0), ("1", "2"), series)
    page = importance_section(importance(effects=(effect,)), "y")
    assert "Partial dependence" in page
    assert page.count('class="swatch"') == 3
    assert "a from 0.2 at 1 to 0.4 at 2; b from 0.7 at 1 to 0.5 at 2" in page


def test_of_two_classes_one_is_drawn_since_the_other_mirrors_it():
    series = (("no", (0.2, 0.4)), ("yes", (0.8, 0.6)))
    effect = Effect("x0", True, (0.0, 1.0), ("1", "2"), series)
    page = importance_section(importance(effects=(effect,)), "y")
    assert page.count("<polyline") == 1
    assert "probability of yes" in page
    assert "no from" not in page
    assert 'class="swatch"' not in page
