"""Arrays put aside come back as they were."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.storage import Spool


@pytest.mark.parametrize("on_disk", [True, False])
def test_arrays_come_back_in_order_as_often_as_one_likes(on_disk):
    rng = np.random.default_rng(0)
    groups = [
        (np.arange(n), rng.normal(size=(n, 3)), np.zeros((n, 0)), np.array([np.nan, -0.0, np.inf]))
        for n in (4, 0, 7)
    ]
    spool = Spool(on_disk=on_disk)
    for group in groups:
        spool.put(*group)
    for _ in range(2):
        back = list(spool)
        assert len(back) == len(groups)
        for one, other in zip(groups, back, strict=True):
            assert [x.dtype for x in one] == [x.dtype for x in other]
            assert [x.tobytes() for x in one] == [x.tobytes() for x in other]


def test_arrays_of_transposed_lists_keep_their_order():
    lists = np.arange(6.0).reshape(2, 3).T
    spool = Spool(on_disk=True)
    spool.put(lists)
    [[back]] = spool
    np.testing.assert_array_equal(back, lists)


def test_objects_are_refused_instead_of_pickled():
    with pytest.raises(ValueError, match="pickle"):
        Spool(on_disk=True).put(np.array([{}], dtype=object))
