"""The second half of ``vicinal demo``: an answer explained, an anomaly, a counterfactual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vicinal.cli.layout import columns, section
from vicinal.conviction.anomalies import Anomalies
from vicinal.counterfactual.result import Counterfactuals
from vicinal.explain.explanation.result import Explanation
from vicinal.formatting.values import value_text

__all__ = ["anomaly_section", "change_section", "renumbered", "why_section"]

Table = Mapping[str, Sequence[Any]]


def why_section(why: Explanation, case: int) -> str:
    """The answer for the case that was set aside, with all that is behind it."""
    return section(
        f"4. What is case {case}, and why?",
        f"Its {why.target} is predicted from all else. The influences of the cases sum to 1 and",
        "make the answer; the contributions of the features lead to it from what is expected of",
        "any case.",
        "",
        str(why),
    )


def renumbered(why: Explanation, origin: Sequence[int]) -> Explanation:
    """The explanation with its cases by their row in the table."""
    rows = np.asarray(origin)
    return replace(
        why,
        cases=replace(why.cases, numbers=rows[why.cases.numbers]),
        boundary=replace(why.boundary, numbers=rows[why.boundary.numbers]),
    )


def anomaly_section(found: Anomalies, table: Table, origin: Sequence[int]) -> str:
    """The most surprising stored case, feature by feature, beside ordinary ones near it.

    One of which all is known, if there is one: that a case lacks much is no news.
    """
    title = "5. Which case is strange, and why?"
    if not len(found):
        return section(title, "None: every case is about as near to others as expected of it.")
    cases = [origin[one] for one in found.cases]
    whole = [all(value_text(v[one]) != "?" for v in table.values()) for one in cases]
    at = whole.index(True) if any(whole) else 0
    case, near = cases[at], [origin[one] for one in found.ordinary[at] if one >= 0][:3]
    nats = dict(found.features[at])
    rows = [["feature", f"#{case}", "surplus", *(f"#{one}" for one in near)]]
    for name in table:
        surplus = f"+{nats[name]:.2f}" if name in nats else ""
        cells = [value_text(table[name][one]) for one in (case, *near)]
        rows.append([name, cells[0], surplus, *cells[1:]])
    return section(
        title,
        f"{len(found)} of {found.n_judged} cases are much farther from their neighbours than "
        "these are from theirs.",
        f"One is #{case}: its conviction is {found.conviction[at]:.2f}, where 1 is ordinary, and "
        f"{100 * found.p_value[at]:.1f} % of all",
        "cases are as strange. The surplus is what each feature adds to its surprisal, in nats;",
        "beside it are the nearest cases that are ordinary.",
        "",
        columns(rows),
    )


def change_section(
    found: Counterfactuals, case: int, wanted: Any, fixed: Sequence[str], origin: Sequence[int]
) -> str:
    """What would have to change for another answer."""
    kept = f", with {' and '.join(fixed)} as they are," if fixed else ""
    title = f"6. What would make case {case} another {found.target}?"
    lines = [f"The least change{kept} that makes the model say {value_text(wanted)}:", ""]
    if not len(found):
        return section(title, *lines, found.message)
    [one, *_] = found
    rows = [["feature", "is", "would be"]]
    rows += [[name, value_text(a), value_text(b)] for name, (a, b) in one.changes.items()]
    told = "" if one.probabilities is None else f" {100 * one.probabilities[one.prediction]:.0f} %"
    return section(
        title,
        *lines,
        columns(rows),
        "",
        f"Then the answer is {value_text(one.prediction)}{told}, leaning on the real case "
        f"#{origin[one.case]};",
        f"the changed case would have the conviction {one.conviction:.2f}.",
    )
