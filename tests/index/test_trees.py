"""When boosting ends."""

from __future__ import annotations

import numpy as np
import pytest

from tests.derived.boosting import binned, boost


@pytest.mark.parametrize("together", [1, 4])
def test_all_runs_end_when_their_losses_together_no_longer_fall(together):
    drawn = binned(9, n=120)
    long = boost(*drawn, rounds=90)
    short = boost(*drawn, rounds=90, patience_together=together)
    grown = short[0].shape[1]
    sums = long[3].sum(axis=0)
    # Losses are added up after every third round.
    ends = [done for done in range(3, 91, 3) if done - sums[: done + 1].argmin() >= together]
    assert grown == ends[0] < 90
    for actual, expected in zip(short[:3], long[:3], strict=True):
        np.testing.assert_array_equal(actual, expected[:, :grown])
    np.testing.assert_array_equal(short[3][:, : grown + 1], long[3][:, : grown + 1])
    assert (short[3][:, grown:] == short[3][:, [grown]]).all()


@pytest.mark.parametrize("name", ["patience", "patience_together"])
def test_boosting_needs_some_patience(name):
    with pytest.raises(ValueError, match="patience"):
        boost(*binned(1), **{name: 0})
