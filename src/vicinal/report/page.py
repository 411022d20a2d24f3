"""The whole page, with a policy that lets nothing else load or run."""

from __future__ import annotations

import base64
import hashlib

from vicinal.formatting.html import Markup, tag
from vicinal.formatting.values import format_percent, truncate
from vicinal.report.examples import examples_section
from vicinal.report.findings import anomalies_section, doubts_section
from vicinal.report.importance import reasons_section
from vicinal.report.overview import holdings_section
from vicinal.report.parts import Report
from vicinal.report.prediction import calibration_section, prediction_section
from vicinal.report.script import SCRIPT
from vicinal.report.style import STYLE
from vicinal.report.whatif import what_if_section

__all__ = ["report_page"]

Section = tuple[str, str, Markup]


def report_page(report: Report) -> str:
    """Return a report as one HTML page that needs nothing else.

    Examples
    --------
    >>> from vicinal.report.parts import Report
    >>> from vicinal.report.page import report_page
    >>> page = report_page(Report("<Nothing>", 0, 0, 0.0, (), (), 0, (), "by hand"))
    >>> page.startswith("<!DOCTYPE html>"), "<title>&lt;Nothing&gt;</title>" in page
    (True, True)
    """
    sections = _sections(report)
    links = (tag("li", tag("a", title, href=f"#{name}")) for name, title, _ in sections)
    body = [
        tag(
            "header",
            tag("h1", report.title),
            tag("p", _subtitle(report), class_="sub"),
            tag("nav", tag("ul", *links), aria_label="Sections"),
            _facts(report),
        ),
        tag("main", *(_section(*one) for one in sections)),
        tag("footer", tag("p", report.made)),
    ]
    style, script = (Markup(f"<{n}>{s}</{n}>") for n, s in (("style", STYLE), ("script", SCRIPT)))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", report.title),
        style,
    )
    page = tag("html", head, tag("body", *body, script if report.what_ifs else None), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def _policy() -> str:
    """Nothing may load; only our own style and script, known by their hashes, may apply."""
    style, script = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (STYLE, SCRIPT)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _sections(report: Report) -> list[Section]:
    """Those that there is something to say in, in the order in which they are read."""
    found: list[Section] = [("table", "What the table holds", holdings_section(report))]
    target = report.target
    if target is not None and report.prediction is not None:
        found += [
            (
                "prediction",
                f"How well {truncate(target, 40)} is predicted",
                prediction_section(report.prediction, target),
            ),
            (
                "calibration",
                "Is it as sure as it says?",
                calibration_section(report.prediction, target),
            ),
        ]
    if target is not None and report.importance is not None:
        found.append(("features", "What matters", reasons_section(report.importance, target)))
    found.append(("anomalies", "Unusual cases", anomalies_section(report)))
    found.append(("errors", "Likely errors in the data", doubts_section(report.doubts)))
    if target is not None and report.examples:
        found.append(("examples", "Answers explained", examples_section(report.examples, target)))
    if target is not None and report.what_ifs:
        found.append(("what-if", "What if?", what_if_section(report.what_ifs, target)))
    return found


def _section(name: str, title: str, content: Markup) -> Markup:
    heading = f"{name}-title"
    return tag("section", tag("h2", title, id=heading), content, id=name, aria_labelledby=heading)


def _subtitle(report: Report) -> str:
    about = "" if report.target is None else f" Target: {truncate(report.target, 60)}."
    return f"What {report.n_cases:,} cases say, and how surely.{about}"


def _facts(report: Report) -> Markup:
    doubted = sum(one.count for one in report.doubts)
    facts = [
        ("Cases", f"{report.n_cases:,}", ""),
        ("Features", f"{report.n_features:,}", ""),
        ("Cells missing", format_percent(report.missing), ""),
    ]
    if report.prediction is not None:
        score = report.prediction.scores[0]
        facts.append((score.name, score.texts[0], f"baseline {score.texts[-1]}"))
    facts.append(("Unusual cases", f"{report.n_anomalies:,}", ""))
    facts.append(("Findings to check", f"{doubted:,}", ""))
    return tag("dl", *(_fact(*fact) for fact in facts), class_="facts")


def _fact(name: str, value: str, beside: str) -> Markup:
    small = tag("dd", beside, class_="sub") if beside else None
    return tag("div", tag("dt", name), tag("dd", value), small)
