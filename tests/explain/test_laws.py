"""Laws of explanations, on tables that Hypothesis makes."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frames import frames
from tests.naive import explanation as naive_explanation
from vicinal import Model
from vicinal.explain.boundary import find_boundary, mean_metric
from vicinal.explain.near_cases import near_cases
from vicinal.prediction.conformal import Calibration
from vicinal.prediction.predictor import learn

few = settings(max_examples=8)


def quick(**options):
    return Model(max_members=4, **options)


def explained(frame, rows=None, **options):
    model = quick().fit(frame.table)
    rows = frame.rows if rows is None else rows
    return model, model.explain(rows, frame.target, features=False, **options)


def scale_of(frame):
    return 1.0 if frame.words else np.nanmax(np.abs(frame.table[frame.target])) or 1.0


@settings(max_examples=25)
@given(frame=frames())
def test_influence_times_outcome_is_the_prediction_as_shown(frame):
    model, found = explained(frame)
    predicted = model.predict(frame.rows, frame.target)
    for one, prediction in zip(found, predicted, strict=True):
        cases = one.cases
        assert one.prediction == prediction
        assert abs(cases.influences.sum() + cases.background - 1) < 1e-9
        if not frame.words:
            said = float(cases.influences @ np.array(cases.outcomes, dtype=float))
            said += cases.background * cases.expected
            assert abs(said - one.prediction) <= 1e-9 * scale_of(frame)
            continue
        for label, probability in one.probabilities.items():
            hits = np.array([outcome == label for outcome in cases.outcomes], dtype=bool)
            said = cases.influences[hits].sum() + cases.background * cases.expected[label]
            assert abs(said - probability) < 1e-9
        assert max(one.probabilities, key=one.probabilities.get) == one.prediction


@settings(max_examples=15)
@given(frame=frames())
def test_limits_and_convictions_are_those_of_the_model(frame):
    model, found = explained(frame, alpha=0.3)
    context = [name for name in frame.rows if name != frame.target]
    judged = model.conviction(frame.rows, context=context)
    for name in ("similarity", "familiarity", "p_value"):
        actual = [getattr(one.conviction, name) for one in found]
        np.testing.assert_array_equal(actual, getattr(judged, name))
    if frame.words:
        labels = np.array(model.schema_[frame.target].categories, dtype=object)
        sets = model.predict_set(frame.rows, frame.target, alpha=0.3)
        assert [one.labels for one in found] == [tuple(labels[row]) for row in sets]
    else:
        ends = model.predict_interval(frame.rows, frame.target, alpha=0.3)
        np.testing.assert_array_equal([one.interval for one in found], np.column_stack(ends))


@few
@given(frame=frames())
def test_a_row_is_explained_alone_as_among_others(frame):
    model, found = explained(frame)
    for at, one in enumerate(found):
        row = {name: values[[at]] for name, values in frame.rows.items()}
        alone = model.explain(row, frame.target, features=False)[0]
        assert {**alone.to_dict(), "row": at} == one.to_dict()


@few
@given(frame=frames(), jobs=st.sampled_from([1, 3]))
def test_the_number_of_threads_changes_nothing(frame, jobs):
    _, found = explained(frame)
    again = quick(n_jobs=jobs).fit(frame.table).explain(frame.rows, frame.target, features=False)
    assert again.to_dict() == found.to_dict()


# Where lists of neighbours are cut within a tie, case numbers decide: hence no ties.
untied = frames(
    numbers=["gaussian", "skewed"], words=["few"], missing=[0.0], repeated=False, ties=False
)


@settings(max_examples=8)
@given(frame=untied, seed=st.integers(0, 99))
def test_the_order_of_the_cases_does_not_matter(frame, seed):
    order = np.random.default_rng(seed).permutation(frame.n)
    shuffled = frame._replace(table={name: v[order] for name, v in frame.table.items()})
    _, found = explained(frame)
    for one, other in zip(found, explained(shuffled)[1], strict=True):
        influence = np.zeros(frame.n)
        influence[one.cases.numbers] = one.cases.influences
        again = np.zeros(frame.n)
        again[order[other.cases.numbers]] = other.cases.influences
        np.testing.assert_allclose(again, influence, atol=1e-5)
        np.testing.assert_allclose(
            other.boundary.distances, one.boundary.distances, rtol=1e-5, atol=1e-5
        )
        assert other.conviction.similarity == pytest.approx(one.conviction.similarity, rel=1e-6)
        assert other.residual_conviction.usual == pytest.approx(
            one.residual_conviction.usual, rel=1e-5, abs=1e-6 * scale_of(frame)
        )


@settings(max_examples=20)
@given(frame=frames())
def test_json_holds_every_explanation(frame):
    _, found = explained(frame)
    saved = found.to_dict()
    assert json.loads(json.dumps(saved, allow_nan=False)) == saved
    assert [one.to_dict() for one in found] == saved


@settings(max_examples=20)
@given(frame=frames(), p=st.sampled_from([0, 1, 2]), seed=st.integers(0, 99))
def test_boundary_cases_are_the_nearest_with_another_outcome(frame, p, seed):
    model = quick(p=p).fit(frame.table)
    fitted = model._ready()
    rows = fitted.rows(frame.rows, frame.target)
    queries = rows.values
    learned = learn(fitted, frame.target, rows.columns)
    target = learned.target
    metric = mean_metric(learned)
    rng = np.random.default_rng(seed)
    outcomes = target.outcomes_of(np.arange(frame.n))
    known = outcomes[~np.isnan(outcomes)]
    predicted = rng.choice(known, size=len(queries))
    exclude = rng.integers(-1, frame.n, size=len(queries))
    tolerance = float(rng.choice([0.0, 0.5]))
    predictor = replace(learned, known_calibration=Calibration(np.empty(0), error=tolerance))

    def is_other(value):
        if target.n_classes:
            return value != predicted[at]
        return abs(value - predicted[at]) > tolerance

    actual = find_boundary(predictor, metric, replace(rows, exclude=exclude), predicted, count=3)
    for at, query in enumerate(queries):
        arguments = query, model.index_.storage.values, metric, outcomes, is_other
        number = exclude[at] if exclude[at] >= 0 else None
        nearest = naive_explanation.boundary(*arguments, frame.n, number)
        distances = {
            case: naive_explanation.naive.distance(
                query, model.index_.storage.values[case], metric
            )
            for case in nearest
        }
        found = [case for case in actual[at].tolist() if case >= 0]
        assert len(found) == min(3, len(nearest))
        assert set(found) <= set(nearest)
        np.testing.assert_allclose(
            [distances[case] for case in found],
            sorted(distances.values())[: len(found)],
            rtol=1e-9,
        )


@few
@given(frame=frames(sizes=st.integers(2, 25)))
def test_errors_are_those_of_the_influential_cases(frame):
    model, found = explained(frame)
    stored = model.explain(None, frame.target, features=False, context=None)
    errors = {one.row: one.residual_conviction.error for one in stored}
    for one in found:
        top = slice(model.n_neighbors)
        numbers = one.cases.numbers[top].tolist()
        if one.cases.influences[top].any():
            expected = naive_explanation.mean_error(
                one.cases.influences[top], [errors[number] for number in numbers]
            )
            assert one.residual_conviction.around == pytest.approx(
                expected, rel=1e-9, abs=1e-12 * scale_of(frame)
            )


# Of positive influences: linear ones of one case in two spaces can cancel each other.
@few
@given(frame=frames(sizes=st.integers(2, 25)))
def test_expected_errors_are_those_of_the_influential_outcomes(frame):
    model = quick(influence="centered").fit(frame.table)
    found = model.explain(frame.rows, frame.target, features=False)
    sure = min(found, key=lambda one: one.cases.background)
    own, usual = 1 - sure.cases.background, sure.residual_conviction.usual
    first = sure.residual_conviction.expected - (1 - own) * usual
    ratio = 0.0 if frame.words or not own else first / own / _local_scale(sure)
    for one in found:
        if frame.words:
            expected = sum(share * (1 - share) for share in one.probabilities.values())
        else:  # in proportion to the local scale, but for the background
            own, usual = 1 - one.cases.background, one.residual_conviction.usual
            expected = own * ratio * _local_scale(one) + one.cases.background * usual
        assert one.residual_conviction.expected == pytest.approx(
            expected, rel=1e-9, abs=1e-12 * scale_of(frame)
        )


def _local_scale(one):
    cases, usual = one.cases, one.residual_conviction.usual
    return naive_explanation.local_scale(
        one.prediction, cases.influences, cases.outcomes, cases.background, cases.expected, usual
    )


class Seen(HTMLParser):
    """The tags of a page."""

    def __init__(self):
        super().__init__()
        self.tags = set()
        self.open = []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)
        assert {name for name, _ in attributes} <= {
            *("class", "style", "colspan", "title", "open"),
            *("scope", "tabindex", "role", "aria-label"),
        }

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


hostile = st.text(min_size=1, max_size=20) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "</style><img src=x onerror=alert(1)>",
        '" onmouseover="alert(1)',
        "&lt;b&gt;",
        "line\nbreak\x00\x1b[31m",
    ]
)


@settings(max_examples=15)
@given(names=st.lists(hostile, min_size=3, max_size=3, unique=True), word=hostile)
def test_no_name_or_value_gets_out_of_its_cell(names, word):
    rng = np.random.default_rng(0)
    number, kind, other = names
    x = rng.normal(size=16)
    table = {
        number: x.tolist(),
        kind: [word if v > 0 else "other" for v in x],
        other: [word if v > 0.5 else f"{word}'" for v in rng.normal(size=16)],
    }
    if word == "other":
        return
    row = {name: values[:2] for name, values in table.items()}
    found = quick(kinds={kind: "nominal", other: "nominal"}).fit(table)
    found = found.explain(row, kind, counterfactuals=True)
    for page in (found._repr_html_(), found[0]._repr_html_()):
        seen = Seen()
        seen.feed(page)
        assert not seen.open
        assert seen.tags <= {
            *("div", "style", "h4", "p", "table", "caption", "thead", "tbody", "tr", "th", "td"),
            *("details", "summary", "br", "b"),
        }
    for line in str(found[0]).splitlines():
        assert line.isprintable()


def test_a_case_view_needs_no_target():
    model = Model().fit({"x": [1.0, 2.0, 4.0], "y": [1.0, 2.0, 3.0]})
    found = near_cases(
        learn(model._ready(), "y", np.array([0])),
        model.metric_.with_weights(np.zeros(2)),
        ("x", "y"),
        np.array([1.0, 1.0]),
        np.array([0, 2]),
        influences=np.ones(2) / 2,
        outcomes=(0.0, 0.0),
        codes=np.zeros(2),
    )
    assert found.distances.tolist() == [1.5, 1.5]
    assert found.differs[0].tolist() == [False, False]
    assert found.values["x"] == (1.0, 4.0)


def test_an_explanation_predicts_the_same_bits_where_equal_cases_tie():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, size=(200, 3)).astype(float)
    y = 0.1 * np.round(x[:, 0] + 0.37 * x[:, 1] + rng.normal(size=200))
    model = Model(max_queries=80, n_jobs=1)
    model.fit({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y})
    rows = {name: x[:40, at] for at, name in enumerate("abc")}
    model.predict(rows, "y")
    [(key, predictor)] = model._ready().learned.items()
    # With few places, equal cases tie for the last of them whatever was learned.
    ensemble = predictor.ensemble
    spaces = tuple(replace(space, k=5) for space in ensemble.spaces)
    tuning = replace(predictor.tuning, ensemble=replace(ensemble, spaces=spaces))
    model._ready().learned[key] = replace(predictor, tuning=tuning)
    found = [one.prediction for one in model.explain(rows, "y", features=False)]
    np.testing.assert_array_equal(found, model.predict(rows, "y"))


def test_errors_of_times_have_a_unit_that_their_frame_names():
    rng = np.random.default_rng(0)
    nights, noise = rng.integers(1, 9, 90), rng.normal(size=90)
    table = {"nights": nights, "noise": noise, "stay": nights.astype("timedelta64[D]")}
    table["stay"] = table["stay"].astype("timedelta64[s]")
    found = Model(max_queries=60).fit(table).information("stay")
    frame = found.to_frame("pandas")
    assert frame["unit"].tolist() == ["days", "days"]
    assert frame["mda"].tolist() == pytest.approx((found.mda / 86400).tolist())
    assert frame["mae_without"].tolist() == pytest.approx((found.mae_without / 86400).tolist())
    assert "unit" not in Model(max_queries=60).fit(table).information("noise").to_frame("pandas")
