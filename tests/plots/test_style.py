import sys

import numpy as np
import pytest

from tests.plots.drawing import drawn
from vicinal import Model, ParameterError
from vicinal.plots import ContributionDisplay


def test_names_that_look_like_mathematics_are_drawn_as_they_are():
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    hard = r"$\frac{1$ a_b^c \n & <b> 100 %"
    table = {hard: x, "$": x + rng.normal(size=30), "y$x$": np.where(x > 0, "$in$", r"\out{")}
    model = Model(max_members=2).fit(table)
    row = {name: values[:1] for name, values in table.items()}
    assert drawn(model.explain(row, "y$x$")[0].plot().figure_)
    assert drawn(ContributionDisplay.from_model(model, table, "y$x$").figure_)


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch, explained):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ParameterError, match=r"pip install vicinal\[plots\]"):
        explained["species"].plot()
