"""Rows drawn from the density look like the table."""

import numpy as np

from tests.density.tables import mixed_table
from vicinal import Model


def test_drawn_rows_look_like_the_table():
    table = mixed_table(n=400)
    drawn = Model().fit(table).synthesize(2000)
    x, y = np.array(drawn.columns["x"]), np.array(drawn.columns["y"])
    assert abs(x.mean() - table["x"].mean()) < 0.15
    assert np.corrcoef(x, y)[0, 1] > 0.4
    high = np.array(drawn.columns["c"]) == "high"
    assert x[high].mean() > x[~high].mean() + 0.3
    assert (drawn.distances >= 1.5).all()
    assert drawn.nearest.max() < 400


def test_what_is_given_is_kept_and_followed():
    model = Model().fit(mixed_table(n=400))
    low, high = (
        model.synthesize(300, given={"x": x}, random_state=1).columns for x in (-2.0, 2.0)
    )
    assert set(low["x"]) == {-2.0}
    assert np.mean(high["y"]) > np.mean(low["y"]) + 1.0


def test_drawing_repeats_and_another_seed_differs():
    model = Model().fit(mixed_table())
    assert model.synthesize(3).columns == model.synthesize(3).columns
    assert model.synthesize(3).columns != model.synthesize(3, random_state=5).columns
    assert "closest real case" in repr(model.synthesize(3))
    assert len(model.synthesize(0)) == 0


def test_whole_numbers_and_dates_stay_so():
    import datetime as dt

    days = [dt.date(2024, 1, 1) + dt.timedelta(days=3 * i) for i in range(20)]
    drawn = Model().fit({"n": list(range(20)), "day": days}).synthesize(5)
    assert all(isinstance(one, int) for one in drawn.columns["n"])
    assert all(isinstance(one, dt.date) for one in drawn.columns["day"])
