"""The report in a real browser."""

import base64
import hashlib
import re

import pytest

import vicinal
from tests.report import tables
from tests.report.browser import document, needs_chromium, screenshot
from vicinal.report.script import SCRIPT

pytestmark = needs_chromium

#: Asks the page itself, from within; a policy that held would not let it in otherwise.
CHANGE = """
const first = document.querySelector(".whatif");
const field = first.querySelector("input,select");
field.value = String((Number(field.value) + 1) % (Number(field.max || 1) + 1));
field.dispatchEvent(new Event("input", {bubbles: true}));
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    model = vicinal.Model(max_queries=40).fit(tables.hostile())
    model.report(path, "${1+1}`{{x}}", title=tables.HOSTILE)
    return path


def test_a_hostile_report_opens_without_a_word_on_the_console(page):
    dom, console = document(page)
    assert console == []
    for name in ("table", "prediction", "calibration", "features", "anomalies", "errors"):
        assert f'<section id="{name}"' in dom
    assert "<img" not in dom
    # The script has run: the controls are there to be used.
    assert "<form>" in dom
    assert 'hidden=""' not in dom


def test_on_a_phone_only_the_first_section_is_open(page):
    opened, all_parts = re.compile('<details class="part" open'), '<details class="part"'
    dom, console = document(page, 390)
    assert console == []
    assert len(opened.findall(dom)) == 1 < dom.count(all_parts)
    text = page.read_text("utf-8")  # without a script all are
    assert len(opened.findall(text)) == text.count(all_parts)


def test_the_policy_stops_any_other_script(page, tmp_path):
    text = page.read_text("utf-8")
    other = tmp_path / "other.html"
    added = "<script>document.title='in'</script><img src='https://example.invalid/x.png'>"
    other.write_text(text.replace("</main>", f"{added}</main>"), encoding="utf-8")
    dom, console = document(other)
    assert "<title>in</title>" not in dom
    assert len([line for line in console if "Content Security Policy" in line]) == 2


def with_script(page, folder, more):
    """The page with more lines in its script, and their hash in the policy."""

    def fingerprint(code):
        return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()

    text = page.read_text("utf-8")
    changed = folder / "changed.html"
    text = text.replace(fingerprint(SCRIPT), fingerprint(SCRIPT + more))
    changed.write_text(text.replace(SCRIPT, SCRIPT + more), encoding="utf-8")
    return changed


def test_changing_a_control_looks_up_another_answer(page, tmp_path):
    before, _ = document(page)
    after, console = document(with_script(page, tmp_path, CHANGE))
    assert console == []
    values = re.compile(r'<td class="n value">([^<]*)</td>')
    assert values.findall(before)
    assert values.findall(before) != values.findall(after)


@pytest.mark.parametrize(("clicks", "order"), [(1, 1), (2, -1)])
def test_a_table_is_sorted_by_its_head(page, tmp_path, clicks, order):
    click = 'document.querySelectorAll("#features thead button")[1].click();\n'
    dom, console = document(with_script(page, tmp_path, clicks * click))
    assert console == []
    body = dom.partition('id="features"')[2].partition("</tbody>")[0]
    sizes = [float(text) for text in re.findall(r"</svg> ([\d.e-]+)</td>", body)]
    assert len(sizes) > 2
    assert sizes == sorted(sizes)[::order]


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (1200, True), (390, False)])
def test_the_page_can_be_drawn(page, tmp_path, width, dark):
    picture = screenshot(page, tmp_path / "page.png", width, dark=dark)
    assert picture.stat().st_size > 20_000
