"""The sections of ``vicinal demo``, each a function from results to plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vicinal.formatting.text_table import aligned_lines
from vicinal.formatting.values import value_text

if TYPE_CHECKING:
    from vicinal.conviction.anomalies import Anomalies
    from vicinal.counterfactual.result import Counterfactuals
    from vicinal.explain.explanation.result import Explanation
    from vicinal.neighbors import Neighbors
    from vicinal.schema.schema import Schema

Table = Mapping[str, Sequence[Any]]


def section(title: str, *parts: str) -> str:
    """Return parts of text under an underlined title."""
    return "\n".join([title, "-" * len(title), *parts])


def schema_section(schema: Schema) -> str:
    """Show the schema that was inferred."""
    return section(
        "1. The schema",
        "Inferred from the table; you can override it. A missing value counts as an unknown value",
        'of its feature (or, if you declare it "distinct", as a category of its own).',
        "",
        str(schema),
    )


def residuals_section(history: Sequence[Mapping[str, float]], *, converged: bool) -> str:
    """Show the residuals, one column per round."""
    header = ["feature", "start", *(f"round {i}" for i in range(1, len(history)))]
    rows = [[name, *(f"{found[name]:.4g}" for found in history)] for name in history[-1]]
    return section(
        "2. Residuals: how well each feature is predicted from the others",
        "The expected error when a feature is predicted from the nearest other cases: in its own",
        "unit or, for categories, as the probability not assigned to the true one. It starts as",
        "the spread of the feature; each round measures distances with the latest residuals.",
        "",
        _table([header, *rows]),
        "",
        "The last round changed very little: the residuals have converged."
        if converged
        else "The residuals have not converged yet.",
    )


def neighbors_section(table: Table, case: int, found: Neighbors, origin: Sequence[int]) -> str:
    """Show the features in rows and the neighbors in columns, each value with its surprisal."""
    assert found.terms is not None
    known = [i for i, index in enumerate(found.indices[0]) if index >= 0]
    near = [origin[found.indices[0, i]] for i in known]
    rows = [["feature", f"#{case}"], ["distance", ""]]
    for i, row in zip(known, near, strict=True):
        rows[0] += [f"#{row}", "nats"]
        rows[1] += ["", f"{found.distances[0, i]:.3f}"]
    for j, name in enumerate(found.names):
        rows.append([name, value_text(table[name][case])])
        for i, row in zip(known, near, strict=True):
            rows[-1] += [value_text(table[name][row]), f"{found.terms[0, i, j]:.2f}"]
    return section(
        f"3. The nearest neighbors of case {case}",
        "Next to each value is the surprisal of its difference from the case: 1.5 nats if the",
        "values are equal, and more the larger the difference is relative to the residual. The",
        "distance is the mean of these surprisals.",
        "",
        _table(rows),
    )


def explanation_section(why: Explanation, case: int) -> str:
    """Show the prediction for the held-out case, with its explanation."""
    return section(
        f"4. The prediction for case {case}, explained",
        f"The {why.target} of the case is predicted from its other features. The influences of",
        "the training cases sum to 1 and determine the prediction; the contributions of the",
        "features add up to its difference from the baseline.",
        "",
        str(why),
    )


def renumbered(why: Explanation, origin: Sequence[int]) -> Explanation:
    """Return the explanation with its cases numbered by their row in the table."""
    rows = np.asarray(origin)
    return replace(
        why,
        cases=replace(why.cases, numbers=rows[why.cases.numbers]),
        boundary=replace(why.boundary, numbers=rows[why.boundary.numbers]),
    )


def anomaly_section(found: Anomalies, table: Table, origin: Sequence[int]) -> str:
    """Show the most surprising stored case, feature by feature, beside ordinary ones near it.

    A case without missing values if there is one: that a case is incomplete is no news.
    """
    title = "5. An anomaly, explained"
    if not len(found):
        return section(title, "There is none: every case is about as close to others as expected.")
    cases = [origin[one] for one in found.cases]
    complete = [all(value_text(v[one]) != "?" for v in table.values()) for one in cases]
    at = complete.index(True) if any(complete) else 0
    case, near = cases[at], [origin[one] for one in found.ordinary[at] if one >= 0][:3]
    nats = dict(found.features[at])
    rows = [["feature", f"#{case}", "excess", *(f"#{one}" for one in near)]]
    for name in table:
        excess = f"+{nats[name]:.2f}" if name in nats else ""
        cells = [value_text(table[name][one]) for one in (case, *near)]
        rows.append([name, cells[0], excess, *cells[1:]])
    return section(
        title,
        f"{len(found)} of {found.n_judged} cases are much farther from their neighbors than "
        "expected.",
        f"One of them is #{case}. Its conviction is {found.conviction[at]:.2f}, where 1 is "
        f"ordinary; {100 * found.p_value[at]:.1f} % of all",
        "cases are at least as unusual. The excess is the surprisal, in nats, that a feature adds",
        "beyond what is expected; the other columns are the nearest ordinary cases.",
        "",
        _table(rows),
    )


def counterfactual_section(
    found: Counterfactuals, case: int, wanted: Any, fixed: Sequence[str], origin: Sequence[int]
) -> str:
    """Show what would have to change for another prediction."""
    kept = f", with {' and '.join(fixed)} held fixed," if fixed else ""
    title = f"6. What would change the prediction for case {case}?"
    lines = [f"The smallest change{kept} that leads to the prediction {value_text(wanted)}:", ""]
    if not len(found):
        return section(title, *lines, found.message)
    [one, *_] = found
    rows = [["feature", "current", "changed"]]
    rows += [[name, value_text(a), value_text(b)] for name, (a, b) in one.changes.items()]
    shares = one.probabilities
    share = "" if shares is None else f" ({100 * shares[one.prediction]:.0f} %)"
    return section(
        title,
        *lines,
        _table(rows),
        "",
        f"The predicted {found.target} is then {value_text(one.prediction)}{share}, supported by "
        f"case #{origin[one.case]};",
        f"the conviction of the changed case is {one.conviction:.2f}.",
    )


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Align text with the name of the feature on the left, and all else on the right."""
    return "\n".join(aligned_lines(rows, right=range(1, max(map(len, rows)))))
