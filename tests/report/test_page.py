"""The page as it is written: whole, small, safe, and readable without eyes."""

import re
from dataclasses import replace

import pytest

import vicinal
from tests.report import tables
from tests.report.reading import fit, outline, sections
from vicinal.quality.audit import KINDS
from vicinal.report.page import report_page, write_report
from vicinal.report.parts import Findings

ALWAYS = ["table", "anomalies", "errors"]
WITH_TARGET = ["prediction", "calibration", "features", "examples", "what-if"]


def written(fitted, folder, *arguments, **options):
    path = folder / "report.html"
    write_report(fitted, path, *arguments, **options)
    assert [one.name for one in folder.iterdir()] == ["report.html"]
    return path.read_text("utf-8")


@pytest.mark.parametrize("target", ["island", "body_mass_g"])
def test_a_report_on_a_target_has_all_sections_and_is_small(penguins, reports, target):
    page = report_page(reports[target])
    assert sorted(sections(page)) == sorted(ALWAYS + WITH_TARGET)
    assert len(page.encode()) < 400_000
    for name in penguins.schema.names:
        assert name in page
    assert "leave-one-out" in page
    assert "Always" in page


def test_a_report_without_a_target_says_nothing_of_predictions(penguins, tmp_path):
    page = written(penguins, tmp_path, title="Birds")
    assert sections(page) == ALWAYS
    assert "<h1>Birds</h1>" in page
    assert "How well features predict each other" in page
    assert page.count("<script") == 1  # tables can be sorted


def test_the_same_table_gives_the_same_page_with_any_number_of_threads(tmp_path):
    pages = {
        written(fit(tables.hostile(), max_queries=40, n_jobs=jobs), tmp_path, "<!-- ")
        for jobs in (None, 1)
    }
    assert len(pages) == 1


def test_nothing_in_a_hostile_table_becomes_code(tmp_path):
    page = written(fit(tables.hostile()), tmp_path, "${1+1}`{{x}}", title=tables.HOSTILE)
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
    fitted = fit(tables.mixed(), max_queries=30, **tables.SETTINGS)
    if target == "empty":
        with pytest.raises(vicinal.TableError, match="No case has a value"):
            write_report(fitted, tmp_path / "report.html", target)
        assert not list(tmp_path.iterdir())
    else:
        page = written(fitted, tmp_path, target)
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
    fitted = fit(table)
    for target in ("y", "x", None):
        try:
            page = written(fitted, tmp_path, target)
        except vicinal.TableError:  # nothing is known of the target
            assert target == "x"
            assert table["x"][0] is None
            continue
        assert set(ALWAYS) <= set(sections(page))


def test_an_unknown_target_is_an_error_before_anything_is_done(penguins, tmp_path):
    with pytest.raises(vicinal.FeatureError, match="Did you mean 'species'"):
        write_report(penguins, tmp_path / "report.html", "specie")


def test_a_folder_that_does_not_exist_is_named(penguins, tmp_path):
    with pytest.raises(vicinal.FileError, match="nowhere' does not exist"):
        write_report(penguins, tmp_path / "nowhere" / "report.html")


def test_a_report_that_fails_leaves_the_old_one(penguins, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr("os.fsync", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_report(penguins, path)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_labels_that_are_only_surprising_are_no_findings_of_the_headline(reports):
    surprising, doubtful = (Findings(KINDS[kind], 7, ()) for kind in ("surprising", "label"))
    page = report_page(replace(reports["island"], findings=(surprising, doubtful)))
    assert re.search(r"Data findings</dt>\s*<dd>7</dd>", page)
