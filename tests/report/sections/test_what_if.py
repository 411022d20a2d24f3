import json
import re

from vicinal.report.parts import WhatIf
from vicinal.report.scales import SHARES, number_axis
from vicinal.report.sections.what_if import what_if_section

CLASSES = WhatIf(
    case=5,
    features=("x", "k"),
    ordered=(True, False),
    texts=(("1", "2", "3"), ("u", "v")),
    places=((0.0, 0.5, 1.0), (0.25, 0.75)),
    own=(2, 1),
    classes=("a", "b"),
    answers=tuple((at / 10, 1 - at / 10) for at in range(6)),
    answer_texts=(),
    axis=SHARES,
)
NUMBERS = WhatIf(
    case=5,
    features=("x",),
    ordered=(True,),
    texts=(("1", "2"),),
    places=((0.0, 1.0),),
    own=(0,),
    classes=(),
    answers=((10.0,), (20.0,)),
    answer_texts=("10", "20"),
    axis=number_axis(10.0, 20.0),
)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page).group(1))


def test_controls_begin_at_the_values_of_the_case():
    page = what_if_section((CLASSES,), "y")
    assert '<input type="range" id="w0-0" min="0" max="2" step="1" value="2"' in page
    assert '<option value="1" selected>v</option>' in page
    assert ">Reset</button>" in page
    assert '<td class="n value">50.0 %</td>' in page


def test_all_predictions_are_there_for_the_script_to_look_up():
    data = data_of(what_if_section((CLASSES,), "y"))
    assert data["shape"] == [3, 2]
    assert data["own"] == [2, 1]
    assert data["answers"][5] == [0.5, 0.5]
    assert data_of(what_if_section((NUMBERS,), "y"))["answers"] == ["10", "20"]


def test_each_chart_changes_one_feature_only():
    page = what_if_section((CLASSES,), "y")
    assert page.count('class="chart"') == 2
    assert "Predicted y of case 5 as k alone changes" in page
    assert '<strong class="value">10</strong>' in what_if_section((NUMBERS,), "y")
