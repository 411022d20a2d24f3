"""The log tells what was done to the cases."""

from __future__ import annotations

import copy

from tests.mixed_table import OPTIONS, mixed_table, take
from vicinal import Model

N = 40


def test_the_log_tells_what_was_done_when_and_to_which():
    fitted = Model(max_rounds=1, **OPTIONS).fit(mixed_table(N, seed=4))
    model = copy.deepcopy(fitted)
    model.add(mixed_table(3, seed=9))
    model.update([7, 2], take(mixed_table(9, seed=3), [0, 1]))
    model.remove([5, 41, 4])
    model.add({name: [] for name in model.schema_.names})
    told = [(change.action, change.cases.tolist()) for change in model.log_]
    assert told == [
        ("fit", list(range(N))),
        ("add", [40, 41, 42]),
        ("update", [7, 2]),
        ("remove", [4, 5, 41]),
    ]
    times = [change.when for change in model.log_]
    assert times == sorted(times)
    assert {time.utcoffset().total_seconds() for time in times} == {0}
    assert "remove 3 cases: #4, #5, #41" in repr(model.log_)
    frame = model.log_.to_frame("pandas")
    assert frame["count"].tolist() == [40, 3, 2, 3]
    assert frame["first"].tolist() == [0, 40, 7, 4]
    assert len(fitted.log_) == 1
