"""Compare lists of neighbours, not arrays of case numbers.

Cases at the same distance may be listed in either order when rounding alone decides, but not
otherwise: whatever is farther apart than rounding must agree, and cases that are exactly equal
come in the order of their numbers.
"""

from __future__ import annotations

import numpy as np


def assert_same_neighbors(actual, expected, rtol=1e-11, cases=None):
    """Fail unless two results list the same neighbours.

    Both are pairs (indices, distances) of one row per query, padded with −1 and infinity.
    `expected` may be wider than `actual`; the more of it there is, the more certain it is what
    may stand at the end of a list that is cut in the middle of a tie. With the `cases`
    themselves, equal ones must come in the order of their numbers.
    """
    (found, away), (listed, expected_away) = map(_as_arrays, (actual, expected))
    assert found.shape == away.shape, f"indices {found.shape} but distances {away.shape}"
    assert len(found) == len(listed), f"{len(found)} rows, expected {len(listed)}"
    width = found.shape[1]
    assert width <= listed.shape[1], f"{width} columns, expected only {listed.shape[1]}"
    np.testing.assert_allclose(away, expected_away[:, :width], rtol=rtol, err_msg="distances")
    for q in range(len(found)):
        _same_row(q, found[q], listed[q], expected_away[q], rtol)
        if cases is not None:
            _equal_cases_in_order(q, found[q], listed[q], cases)


def _as_arrays(result):
    indices, distances = result
    return np.asarray(indices), np.asarray(distances)


def _same_row(q, found, listed, expected_away, rtol):
    real = found[found >= 0]
    assert len(np.unique(real)) == len(real), f"query {q} lists a case twice: {found}"
    first = 0
    for last in _ends_of_ties(expected_away, rtol):
        got, allowed = found[first:last], set(listed[first:last].tolist())
        wrong = set(got.tolist()) - allowed
        assert not wrong, (
            f"query {q} lists cases {sorted(wrong)} at places {first} to {last - 1}, "
            f"where only {sorted(allowed)} belong: got {found}, expected {listed}"
        )
        first = last


def _ends_of_ties(distances, rtol):
    """Where runs of distances end that rounding may have put in any order."""
    with np.errstate(invalid="ignore"):
        wider = np.diff(distances) > 2 * rtol * np.abs(distances[1:])
    padding = np.isinf(distances[1:]) & np.isfinite(distances[:-1])
    return [*(np.flatnonzero(wider | padding) + 1), len(distances)]


def _equal_cases_in_order(q, found, listed, cases):
    place = {case: at for at, case in enumerate(found.tolist()) if case >= 0}
    twins = {}
    for case in sorted(listed[listed >= 0].tolist()):
        # −0.0 + 0.0 is 0.0, so that two equal rows have equal bytes.
        twins.setdefault((np.asarray(cases[case], dtype=float) + 0.0).tobytes(), []).append(case)
    for group in twins.values():
        places = [place.get(case, len(found)) for case in group]
        assert places == sorted(places), (
            f"query {q} lists the equal cases {group} at places {places}, not in their order"
        )
