from collections import Counter, defaultdict

import numpy as np
import pytest

from tests.explorer.tables import mixed_table


def naive_cells(layout, view, bins, keep=None):
    """The cases of each cell, one after the other."""
    (x0, x1), (y0, y1) = view["x"], view["y"]
    cells = defaultdict(list)
    for case, x, y in zip(layout.numbers, layout.x, layout.y, strict=True):
        if not (x0 <= x <= x1 and y0 <= y <= y1) or (keep is not None and case not in keep):
            continue
        column = min(int(bins * (x - x0) / (x1 - x0)), bins - 1)
        row = min(int(bins * (y - y0) / (y1 - y0)), bins - 1)
        cells[column, row].append(int(case))
    return cells


def by_cell(answer, part):
    cells = answer["cells"]
    return dict(zip(zip(cells["x"], cells["y"], strict=True), cells[part], strict=True))


VIEWS = [{"x": [0.0, 1.0], "y": [0.0, 1.0]}, {"x": [0.2, 0.7], "y": [0.1, 0.55]}]


@pytest.mark.parametrize("bins", [1, 7, 64])
@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_cells_hold_the_cases_that_lie_in_them(served, view, bins):
    expected = naive_cells(served.state.computed("map"), view, bins)
    answer = served.ask("map", {"bins": bins, "view": view})
    assert by_cell(answer, "count") == {cell: len(cases) for cell, cases in expected.items()}
    assert answer["total"] == sum(map(len, expected.values()))
    inside = sorted(case for cases in expected.values() for case in cases)
    assert sorted(one["case"] for one in answer["points"]) == inside


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_a_class_is_the_most_frequent_one_of_its_cell(served, view):
    shops = mixed_table()["shop"]
    request = {"bins": 3, "view": view, "color": {"by": "feature", "feature": "shop"}}
    answer = served.ask("map", request)
    names = answer["color"]["classes"]
    shares = by_cell(answer, "share")
    for cell, cases in naive_cells(served.state.computed("map"), view, 3).items():
        counts = Counter(shops[case] for case in cases if shops[case] is not None)
        place = by_cell(answer, "value")[cell]
        if not counts:
            assert place is None
            continue
        assert counts[names[place]] == max(counts.values())
        assert shares[cell] == pytest.approx(max(counts.values()) / len(cases))


def test_a_number_is_the_mean_of_its_cell_and_missing_ones_do_not_count(served):
    sizes = mixed_table()["size"]
    answer = served.ask("map", {"bins": 4, "color": {"by": "feature", "feature": "size"}})
    for cell, cases in naive_cells(served.state.computed("map"), VIEWS[0], 4).items():
        known = [sizes[case] for case in cases if sizes[case] is not None]
        value = by_cell(answer, "value")[cell]
        assert (value is None) == (not known)
        assert not known or value == pytest.approx(np.mean(known))


def test_a_filter_takes_cases_off_the_map(served):
    kept = {case for case, one in enumerate(mixed_table()["open"]) if one}
    request = {"bins": 5, "filter": [{"feature": "open", "in": [True]}]}
    expected = naive_cells(served.state.computed("map"), VIEWS[0], 5, kept)
    answer = served.ask("map", request)
    assert by_cell(answer, "count") == {cell: len(cases) for cell, cases in expected.items()}


def test_rare_classes_are_one(served, monkeypatch):
    monkeypatch.setattr("vicinal.explorer.views.case_map._CLASSES", 2)
    answer = served.ask("map", {"color": {"by": "feature", "feature": "shop"}})
    assert answer["color"]["classes"][-1] == "others"
    assert len(answer["color"]["classes"]) == 3
