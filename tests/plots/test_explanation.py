import datetime as dt
import re

import numpy as np
from matplotlib.text import Text

from tests.plots.drawing import drawn
from vicinal import Model


def test_an_explanation_draws_itself(explained, model, rows):
    display = explained["species"].plot()
    assert len(display.axes_) == 3
    bare = model.explain(rows, "species", features=False)
    assert len(bare.plot().axes_) == 2
    assert drawn(bare.plot().figure_)


def test_cells_of_many_long_columns_do_not_lie_upon_each_other():
    rng = np.random.default_rng(0)
    table = {f"balance_of_the_account_{i}": rng.normal(0, 1e12, 60).round() for i in range(10)}
    table["product"] = rng.choice(["savings of a private person", "current account"], 60)
    model = Model(max_queries=40, max_members=2).fit(table)
    rows = {name: values[:1] * 1.1 for name, values in table.items() if name != "product"}
    display = model.explain(rows, "product", features=False)[0].plot()
    display.figure_.canvas.draw()
    boxes = [text.get_window_extent() for text in display.axes_[-1].texts if text.get_text()]
    for box in boxes:
        right = [one for one in boxes if abs(one.y0 - box.y0) < 3 and one.x0 > box.x0]
        assert all(box.x1 <= one.x0 for one in right)


def test_predicted_durations_are_drawn_without_fractions_and_their_errors_with_a_unit():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    took = [dt.timedelta(hours=5 + 2 * one) for one in x.tolist()]
    table = {"x": x.round(1), "took": [span - span % dt.timedelta(seconds=1) for span in took]}
    model = Model(max_queries=40, max_members=1).fit(table)
    row = {"x": [0.33]}
    axes = model.explain(row, "took")[0].plot().axes_
    texts = [text.get_text() for one in axes for text in one.findobj(Text)]
    assert not [text for text in texts if re.search(r":\d\d:\d\d\.", text)]
    harm = model.data_values({**row, "took": [dt.timedelta(hours=6)]}, "took").plot()
    assert harm.get_xlabel().startswith(("harm in minutes:", "harm in seconds:"))
