"""What a measure takes."""

import copy
import pickle
from dataclasses import replace

import pytest

from vicinal.conviction.measure import Measure


def test_old_names_still_work_and_warn():
    with pytest.warns(FutureWarning, match="circle is now called n_reference"):
        old = Measure(7, circle=12)
    assert old == Measure(7, n_reference=12)
    with pytest.warns(FutureWarning, match="fade is now called rank_decay"):
        assert old.fade == old.rank_decay
    with pytest.warns(FutureWarning, match="flavour is now called terms"):
        assert replace(old, flavour="full").terms == "full"


def test_an_unknown_name_is_an_error():
    with pytest.raises(TypeError, match="cirkle"):
        Measure(cirkle=3)
    with pytest.raises(AttributeError, match="no 'cirkle'"):
        Measure().cirkle  # noqa: B018


def test_measures_can_be_copied_and_pickled():
    measure = Measure(5, rank_decay=0.5)
    assert copy.deepcopy(measure) == pickle.loads(pickle.dumps(measure)) == measure
