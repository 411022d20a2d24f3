"""The other views, downloads, and what a first visit costs."""

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from vicinal.data import load_penguins


def csv_text(table):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return out.getvalue().replace("None", "")


def downloaded(page, button, panel):
    with page.expect_download() as found:
        page.get_by_role("button", name=f"{button} of {panel}").click()
    return found.value.suggested_filename, Path(found.value.path()).read_bytes()


def test_the_first_visit_is_small_and_asks_nobody_else(window):
    sizes = []
    window.page.on("requestfinished", lambda one: sizes.append(one.sizes()["responseBodySize"]))
    page = window.open("overview")
    page.get_by_role("heading", name="Predictive performance").wait_for()
    page.get_by_role("heading", name="Features that matter").wait_for()
    assert 10_000 < sum(sizes) < 600_000
    assert page.get_by_role("heading", name="ROC curve").count() == 1
    assert page.locator("tbody tr", has_text="bill_length_mm").count() >= 1


def test_charts_and_tables_download_and_show_their_code(window):
    page = window.open("overview")
    page.get_by_role("heading", name="Features that matter").wait_for()
    name, content = downloaded(page, "SVG", "Features that matter")
    assert name == "importance.svg"
    drawing = ET.fromstring(content.decode())
    assert "bill_length_mm" in "".join(drawing.itertext())
    assert b"class=" not in content
    name, content = downloaded(page, "PNG", "Features that matter")
    assert (name, content[:8]) == ("importance.png", b"\x89PNG\r\n\x1a\n")
    name, content = downloaded(page, "CSV", "Features that matter")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert name == "importance.csv"
    assert rows[0][:2] == ["feature", "contribution"]
    assert len(rows) == 8
    page.get_by_role("button", name="Python code of Features that matter").click()
    page.locator("pre", has_text="import vicinal").wait_for()


def test_the_map_downloads_as_a_picture_and_the_table_whole(window):
    page = window.open("cases")
    page.get_by_text("344 cases", exact=True).wait_for()
    window.settle()
    name, content = downloaded(page, "PNG", "Map of cases")
    assert (name, content[:4]) == ("map.png", b"\x89PNG")
    name, content = downloaded(page, "SVG", "Map of cases")
    assert (name, content.count(b"<circle")) == ("map.svg", 344)
    name, content = downloaded(page, "CSV", "Table")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert len(rows) == 345
    assert rows[0][0] == "case"


def test_anomalies_follow_the_threshold(window):
    page = window.open("anomalies", threshold="0.5")
    heading = page.get_by_role("heading", name="anomal").nth(1)
    heading.wait_for()
    few = int(heading.inner_text().split()[0])
    rows = list(csv.reader(io.StringIO(downloaded(page, "CSV", "Convictions")[1].decode())))[1:]
    assert sum(int(count) for _, _, count in rows) == 344
    assert sum(int(count) for _, end, count in rows if float(end) <= 0.5) == few
    page = window.open("anomalies", threshold="0.9")
    heading = page.get_by_role("heading", name="anomalies").nth(1)
    heading.wait_for()
    assert int(heading.inner_text().split()[0]) > few
    page.get_by_role("link", name="#", exact=False).first.click()
    page.get_by_role("heading", name="Case #").wait_for()
    window.settle()


def test_a_second_file_is_compared_with_the_first(window, tmp_path):
    table = load_penguins()
    keep = [at for at, island in enumerate(table["island"]) if island == "Biscoe"]
    path = tmp_path / "second.csv"
    path.write_text(
        csv_text({name: [values[at] for at in keep] for name, values in table.items()})
    )
    page = window.open("quality")
    page.get_by_role("heading", name="Findings").wait_for()
    page.get_by_label("File (CSV or Arrow)").set_input_files(path)
    page.get_by_text("The distribution has changed").wait_for()
    page.get_by_role("region", name="Drift of the features").get_by_text("island").wait_for()
    window.settle()


def test_groups_are_compared_and_judged_for_fairness(window):
    page = window.open("groups", protected="sex")
    page.get_by_role("heading", name="What differs").wait_for()
    first = page.get_by_role("region", name="Differences").locator("tbody tr").first
    assert "island" in first.inner_text()
    name, content = downloaded(page, "SVG", "What differs")
    assert name == "differences.svg"
    assert "flipper_length_mm" in "".join(ET.fromstring(content.decode()).itertext())
    page.get_by_role("heading", name="By sex").wait_for()
    page.get_by_text("Demographic parity difference").wait_for()
    window.settle()


def test_another_target_and_another_model_can_be_chosen(window):
    page = window.open("overview")
    page.get_by_label("Predicting").select_option("body_mass_g")
    page.get_by_text("predicting body_mass_g").wait_for()
    page.get_by_role("heading", name="Predicted and actual").wait_for()
    _, content = downloaded(page, "CSV", "Predicted and actual")
    head, *lines = content.decode("utf-8-sig").split()
    assert head == "actual,predicted"
    known = set(load_penguins()["body_mass_g"])
    assert all(float(line.split(",")[0]) in known for line in lines)
    page.get_by_text("Predicted minus actual").wait_for()
    page.get_by_label("Model").select_option("hostile")
    page.get_by_text("60 cases, predicting kind").wait_for()
    window.settle()


def test_an_unknown_view_is_the_overview(window):
    page = window.open("nonsense")
    page.get_by_role("heading", name="penguins.csv").wait_for()
    page.get_by_role("heading", name="Columns").wait_for()


@pytest.mark.parametrize("view", ["cases", "case/1", "groups", "anomalies"])
def test_nonsense_in_the_address_does_no_harm(window, view):
    page = window.open(
        view, filter="[", change="[1]", hold='{"x":3}', goal="zz", view="a,b", offset="x", a="{"
    )
    page.get_by_role("heading", level=2).first.wait_for()
    window.settle()
    # The service refuses a goal that is no class; the page says so.
    window.problems = [one for one in window.problems if "422" not in one]
