"""The sections on anomalies and on data quality."""

from __future__ import annotations

from vicinal.formatting.html import Markup, joined, shortened, table, tag
from vicinal.report.parts import Anomaly, Findings, Report


def anomalies_section(report: Report) -> Markup:
    """Return the most surprising cases, each beside the ordinary ones next to it."""
    judged = report.n_cases if report.n_judged is None else report.n_judged
    sampled = f", a sample of {report.n_cases:,}," if judged < report.n_cases else ""
    if not report.anomalies:
        every = f"each of {judged:,} cases{sampled}" if sampled else "every case"
        text = f"No anomalies: {every} is about as close to other cases as expected."
        return tag("p", text, class_="lead")
    share, error = sampled_share(report.n_anomalies, judged, report.n_cases)
    size = f"{100 * share:.1f} %" + f" ± {100 * error:.1g}, one standard error" * (error > 0)
    lead = (
        f"{report.n_anomalies:,} of {judged:,} cases{sampled} ({size}) are farther "
        "from other cases than expected from their surroundings."
    )
    note = (
        "A conviction of 1 is ordinary; cases below 0.7 are anomalies. p is the share of cases "
        "that are at least as surprising. Surprisal is what each feature adds, in nats."
    )
    left = report.n_anomalies - len(report.anomalies)
    return joined(
        tag("p", lead, class_="lead"),
        tag("p", note),
        tag("div", *(_anomaly(one) for one in report.anomalies), class_="cards"),
        tag("p", f"… and {left:,} less surprising cases.", class_="note") if left > 0 else None,
    )


def sampled_share(found: int, judged: int, n_cases: int) -> tuple[float, float]:
    """Return which share of all cases is like those found, and its standard error.

    Examples
    --------
    >>> from vicinal.report.sections.findings import sampled_share
    >>> share, error = sampled_share(9, 900, 10_000)
    >>> share, round(error, 4), sampled_share(9, 900, 900)[1]
    (0.01, 0.0032, 0.0)
    """
    share, left = found / max(judged, 1), max(1.0 - judged / max(n_cases, 1), 0.0)
    return share, (share * (1.0 - share) * left / max(judged - 1, 1)) ** 0.5


def findings_section(report: Report) -> Markup:
    """Return what was found in the data, kind by kind, with the evidence."""
    kinds = tag("div", *(_kind(one) for one in report.findings), class_="blocks")
    return joined(tag("p", _audited(report)), kinds)


def _audited(report: Report) -> str:
    """Say how many of the cases were checked."""
    if report.n_audited is None or report.n_audited >= report.n_cases:
        return f"All {report.n_cases:,} cases were checked."
    share = 100 * report.n_audited / report.n_cases
    return (
        f"{report.n_audited:,} of {report.n_cases:,} cases ({share:.1f} %), chosen at random, "
        "were checked; a larger max_cases checks more."
    )


def _anomaly(one: Anomaly) -> Markup:
    name = one.name or f"#{one.case}"
    near = ", ".join(one.ordinary_names or (f"#{case}" for case in one.ordinary)) or "none"
    rows = [
        [
            shortened(name, 24),
            tag("b", shortened(value, 24)),
            f"+{nats:.2f}",
            shortened(", ".join(others), 26),
        ]
        for name, value, nats, others in one.reasons
    ]
    why = tag("p", "No single feature is responsible.", class_="note")
    if rows:
        head = ["Feature", "Value", "Surprisal", "Ordinary cases"]
        why = table(f"Why case {name} is unusual", head, rows, numbers=(2,))
    figures = tag(
        "p",
        f"Conviction {one.conviction:.2g}, p = {one.p_value:.2g}. Nearest ordinary cases: {near}.",
        class_="note",
    )
    return tag("article", tag("h3", f"Case {name}"), figures, why, class_="card")


def _kind(one: Findings) -> Markup:
    title = f"{one.title[:1].upper()}{one.title[1:]}"
    if not one.rows:
        return tag("p", f"{title}: none.")
    rows: list[list[str]] = [
        [shortened(where, 32), tag("span", why, class_="words")] for where, why in one.rows
    ]
    left = one.count - len(one.rows)
    return tag(
        "div",
        tag("h3", f"{title}: {one.count:,}"),
        table(f"Evidence for {one.title}", ["Where", "Evidence"], rows),
        tag("p", f"… and {left:,} more.", class_="note") if left > 0 else None,
    )
