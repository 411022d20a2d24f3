import datetime as dt

import numpy as np
import pytest

from tests.report.reading import fit
from vicinal.report.value_texts import amount_text, value_texts


@pytest.fixture(scope="module")
def fitted():
    days = [dt.datetime(2024, 1, day) for day in range(1, 7)]
    return fit({"when": days, "x": np.arange(6.0)})


def test_dates_are_told_without_midnight(fitted):
    column = fitted.schema.column("when")
    [text] = value_texts(fitted, fitted.index.cells(np.array([0]), column), column)
    assert text == "2024-01-01"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (5.0, "5 s"),
        (90.0, "1.5 min"),
        (7200.0, "2 h"),
        (5400.0, "1.5 h"),
        (-86400.0, "-1 d"),
        (np.inf, "inf"),
    ],
)
def test_differences_of_times_have_a_fitting_unit(fitted, seconds, text):
    assert amount_text(fitted.schema["when"], seconds) == text
    assert amount_text(fitted.schema["x"], 1.23456) == "1.235"
