import re
from html.parser import HTMLParser

import numpy as np
import pytest

import vicinal
from tests.report import tables
from vicinal.data import load_penguins
from vicinal.formatting.html import data_block, joined, tag
from vicinal.report.page import report_page
from vicinal.report.parts import Axis
from vicinal.report.scales import number_axis, placed

ALWAYS = ["table", "anomalies", "errors"]
WITH_TARGET = ["prediction", "calibration", "features", "examples", "what-if"]
VOID = {"meta", "br", "input"}


class Outline(HTMLParser):
    """Elements, attributes and texts; every element must be closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, key, value) for key, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))


def outline(page):
    read = Outline()
    read.feed(page)
    assert read.open == []
    return read


def written(model, folder, *arguments, **options):
    path = folder / "report.html"
    model.report(path, *arguments, **options)
    assert [one.name for one in folder.iterdir()] == ["report.html"]
    return path.read_text("utf-8")


def sections(page):
    return [
        value for tag, key, value in outline(page).attributes if (tag, key) == ("section", "id")
    ]


def some_penguins():
    return {name: values[::2] for name, values in load_penguins().items()}


@pytest.fixture(scope="module")
def penguins():
    return vicinal.Model().fit(some_penguins())


@pytest.fixture(scope="module")
def reports(penguins):
    return {target: penguins._report(target, None) for target in ("island", "body_mass_g")}


@pytest.mark.parametrize("target", ["island", "body_mass_g"])
def test_a_report_on_a_target_has_all_sections_and_is_small(penguins, reports, target):
    page = report_page(reports[target])
    assert sorted(sections(page)) == sorted(ALWAYS + WITH_TARGET)
    assert len(page.encode()) < 400_000
    for name in penguins.schema_.names:
        assert name in page
    assert "leave-one-out" in page
    assert "Always" in page


def test_a_report_without_a_target_says_nothing_of_predictions(penguins, tmp_path):
    page = written(penguins, tmp_path, title="Birds")
    assert sections(page) == ALWAYS
    assert "<h1>Birds</h1>" in page
    assert "What features tell of each other" in page
    assert "<script" not in page


def test_scores_are_those_of_predictions_without_the_case_itself(penguins, reports):
    page = report_page(reports["island"])
    truth = np.array(some_penguins()["island"], dtype=object)
    right = float(np.mean(penguins.predict(None, "island") == truth))
    common = max(np.unique(truth.astype(str), return_counts=True)[1]) / len(truth)
    assert f'<td class="n">{100 * right:.1f} %</td>' in page
    assert f'<td class="n">{100 * common:.1f} %</td>' in page


def test_errors_of_numbers_are_those_of_predictions_without_the_case_itself(penguins, reports):
    found = reports["body_mass_g"].prediction
    truth = np.array(some_penguins()["body_mass_g"], dtype=float)
    known = ~np.isnan(truth)
    said = penguins.predict(None, "body_mass_g")
    mae = np.abs(said - truth)[known].mean()
    errors = dict(zip(found.predictors, found.scores[0].texts, strict=True))
    assert float(errors["This model"]) == pytest.approx(mae, rel=1e-3)
    median = np.abs(truth[known] - np.median(truth[known])).mean()
    assert float(errors["Always the median"]) == pytest.approx(median, rel=1e-3)
    assert len(found.points) == known.sum()


def test_what_if_at_its_own_values_is_the_prediction_without_the_case(penguins, reports):
    probabilities = penguins.predict_proba(None, "island")
    for one in reports["island"].what_ifs:
        place = int(np.ravel_multi_index(one.own, [len(texts) for texts in one.texts]))
        np.testing.assert_allclose(one.answers[place], probabilities[one.case], atol=1e-12)
        assert len(one.answers) == np.prod([len(texts) for texts in one.texts])


def test_what_features_tell_is_their_information(penguins, reports):
    found, told = reports["island"].importance, penguins.information("island")
    place = [told.names.index(name) for name in found.names]
    assert found.n_told == told.n_cases
    np.testing.assert_allclose(found.lost, told.lost[place], atol=1e-12)
    np.testing.assert_allclose(found.alone, told.alone[place], atol=1e-12)


def test_a_report_says_what_was_sampled_of_many_features(tmp_path):
    rng = np.random.default_rng(0)
    table = {f"x{at}": rng.normal(size=60) for at in range(30)}
    table["y"] = table["x0"] - table["x1"]
    page = written(vicinal.Model(max_queries=40).fit(table), tmp_path, "y")
    assert "over 40 cases, estimated from 8 orders of the features." in page
    assert "… and 10 more that matter less." in page


def test_contributions_of_examples_lead_to_their_answers(reports):
    for one in reports["body_mass_g"].examples:
        total = sum(value for _, _, value, _ in one.contributions)
        assert float(one.baseline) + total == pytest.approx(float(one.prediction), rel=1e-3)


def test_the_same_model_writes_the_same_report(tmp_path):
    first, second = (vicinal.Model(max_queries=40).fit(tables.hostile()) for _ in range(2))
    second.n_jobs = 1
    assert written(first, tmp_path, "<!-- ") == written(second, tmp_path, "<!-- ")


def test_nothing_in_a_hostile_table_becomes_code(tmp_path):
    table = tables.hostile()
    model = vicinal.Model().fit(table)
    page = written(model, tmp_path, "${1+1}`{{x}}", title=tables.HOSTILE)
    read = outline(page)
    assert "img" not in read.tags
    assert {"script", "style"} & set(read.tags) == {"script", "style"}
    assert read.tags.count("style") == 1
    assert not [key for _, key, _ in read.attributes if key.startswith("on") or key == "style"]
    links = [value for _, key, value in read.attributes if key in ("href", "src", "action")]
    assert all(value.startswith("#") for value in links)
    assert "\x00" not in page
    assert "\x1b" not in page
    assert tables.HOSTILE in "".join(text for where, text in read.texts if where == "h1")


def test_the_policy_lets_only_our_own_style_and_script_apply(reports):
    page = report_page(reports["island"])
    [policy] = [
        value for tag, key, value in outline(page).attributes if value and "default-src" in value
    ]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert policy.count("sha256-") == 2
    assert "http:" not in page
    assert "https:" not in page


def test_everything_that_is_drawn_has_a_name(reports):
    page = report_page(reports["island"])
    for svg in re.findall(r"<svg[^>]*>", page):
        assert 'aria-label="' in svg or 'aria-hidden="true"' in svg
    assert page.count("<table") == page.count("<caption>")
    assert page.count("<h1") == 1
    labels = re.findall(r'<label for="([^"]+)"', page)
    assert labels
    assert all(f'id="{name}"' in page for name in labels)


@pytest.mark.parametrize("target", [*tables.mixed(), None])
def test_all_kinds_of_features_can_be_reported_and_predicted(tmp_path, target):
    model = vicinal.Model(max_queries=30, **tables.SETTINGS).fit(tables.mixed())
    if target == "empty":
        with pytest.raises(vicinal.TableError, match="No case has a value"):
            model.report(tmp_path / "report.html", target)
        assert not list(tmp_path.iterdir())
    else:
        page = written(model, tmp_path, target)
        assert set(ALWAYS) <= set(sections(page))
        assert "nan" not in "".join(text.lower() for _, text in outline(page).texts).split()


@pytest.mark.parametrize(
    "table",
    [
        {"x": [1.0], "y": ["a"]},
        {"x": [1.0, 2.0], "y": ["a", "b"]},
        {"x": [1.0, 1.0, 1.0], "y": ["a", "a", None]},
        {"x": [1e140, -1e140, 0.0, 5.0], "y": ["a", "b", "a", "b"]},
        {"x": [1e-140, 2e-140, 0.0, 3e-140], "y": ["a", "b", "a", "b"]},
        {"x": [None, None, None], "y": ["a", "b", "a"]},
    ],
)
def test_small_and_strange_tables_can_be_reported(tmp_path, table):
    model = vicinal.Model().fit(table)
    for target in ("y", "x", None):
        try:
            page = written(model, tmp_path, target)
        except vicinal.TableError:  # nothing is known of the target
            assert target == "x"
            assert table["x"][0] is None
            continue
        assert set(ALWAYS) <= set(sections(page))


def test_many_classes_are_shown_in_part(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    model = vicinal.Model(max_queries=60)
    model.fit({"x": x.tolist(), "y": [f"class {int(10 * v)}" for v in x]})
    report = model._report("y", None)
    assert len(report.prediction.confusion.labels) <= 12
    assert sum(map(sum, report.prediction.confusion.counts)) == pytest.approx(60)
    assert all(len(one.classes) <= 6 for one in report.what_ifs)


def test_removed_cases_do_not_appear(tmp_path):
    model = vicinal.Model(max_queries=40).fit(tables.hostile())
    model.remove([0, 5, 7])
    assert model._report("<!-- ", None).n_cases == 37
    written(model, tmp_path, "${1+1}`{{x}}")


def test_an_unknown_target_is_an_error_before_anything_is_done(penguins, tmp_path):
    with pytest.raises(vicinal.FeatureError, match="Did you mean 'species'"):
        penguins.report(tmp_path / "report.html", "specie")


def test_a_folder_that_is_not_there_is_named(penguins, tmp_path):
    with pytest.raises(vicinal.FileError, match="nowhere"):
        penguins.report(tmp_path / "nowhere" / "report.html")


def test_a_report_that_fails_leaves_the_old_one(penguins, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr("os.fsync", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        penguins.report(path)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_text_is_escaped_and_markup_is_not():
    assert tag("p", "<&>\"'", tag("b", "x")) == "<p>&lt;&amp;&gt;&quot;&#x27;<b>x</b></p>"
    assert joined("<", tag("br")) == "&lt;<br>"
    assert "</" not in data_block(["</script>", "<!--"])[:-9].removeprefix("<script")


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-5.0, 1e6), (3.0, 3.0), (1e-310, 3e-310), (-1e308, 1e308)]
)
def test_axes_have_few_ticks_within_them(low, high):
    axis = number_axis(low, high)
    assert len(axis.ticks) <= 12
    assert all(0.0 <= placed(value, axis) <= 1.0 for value, _ in axis.ticks)


def test_places_outside_an_axis_are_at_its_ends():
    assert placed(9.0, Axis(0.0, 1.0, ())) == 1.0
    assert placed(-9.0, Axis(0.0, 1.0, ())) == 0.0
