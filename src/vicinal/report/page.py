"""The whole page as one file, with a policy that lets nothing else load or run."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

from vicinal.exceptions import FileError
from vicinal.fitted import Fitted
from vicinal.formatting.html import Markup, tag
from vicinal.formatting.values import format_percent, truncate
from vicinal.quality.audit import KINDS
from vicinal.report.gather import gather_report
from vicinal.report.parts import Report
from vicinal.report.script import SCRIPT
from vicinal.report.sections.examples import examples_section
from vicinal.report.sections.findings import anomalies_section, findings_section
from vicinal.report.sections.importance import importance_section
from vicinal.report.sections.overview import overview_section
from vicinal.report.sections.performance import calibration_section, performance_section
from vicinal.report.sections.what_if import what_if_section
from vicinal.report.style import STYLE
from vicinal.storage import write_text

Section = tuple[str, str, Markup]


def write_report(
    fitted: Fitted,
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    title: str | None = None,
    max_cases: int | str | None = "auto",
) -> None:
    """Write a report on the stored cases: one HTML file that needs nothing else.

    The page shows the distribution of each feature, anomalies with the features responsible, and
    likely errors in the data. With a target it also shows how well the target is predicted
    (leave-one-out, compared with baselines), calibration, feature importance, predictions
    explained down to the training cases, and cases that the reader can change.

    Parameters
    ----------
    path : path
        The file to write, usually ending in ``.html``; an existing file is replaced. It contains
        values from the table.
    target : str, optional
        A feature to predict.
    title : str, optional
        Title of the page; by default it names the target.
    max_cases : int, "auto" or None, default "auto"
        Number of cases to check for likely errors, as in `audit`: by default 10,000 where there
        are more than 131,072, and otherwise all; None checks all. Where there are more cases than
        that, or more than 250,000 in a store, anomalies are looked for among the same ones.

    Examples
    --------
    >>> import pathlib, tempfile, vicinal
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3, 1.2, 9.0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.report(f"{folder}/heights.html", title="Heights")
    ...     page = pathlib.Path(folder, "heights.html").read_text("utf-8")
    >>> "<h1>Heights</h1>" in page, "Case #4" in page
    (True, True)
    """
    if target is not None:
        fitted.schema.column(target)  # an unknown name is an error with a suggestion
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise FileError(f"The folder {str(folder)!r} does not exist; create it first.")
    write_text(path, report_page(gather_report(fitted, target, title, max_cases)))


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
    about = "" if report.target is None else f", predicting {truncate(report.target, 60)}"
    links = (tag("li", tag("a", title, href=f"#{name}")) for name, title, _ in sections)
    body = [
        tag(
            "header",
            tag("h1", report.title),
            tag("p", f"A report on {report.n_cases:,} cases{about}.", class_="sub"),
            tag("nav", tag("ul", *links), aria_label="Sections"),
            _facts(report),
        ),
        tag("main", *(_section(*one) for one in sections)),
        tag("footer", tag("p", report.created_by)),
    ]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", report.title),
        Markup(f"<style>{STYLE}</style>"),
    )
    script = Markup(f"<script>{SCRIPT}</script>")
    page = tag("html", head, tag("body", *body, script), lang="en")
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
    """The sections that have something to show, in the order of reading."""
    found: list[Section] = [("table", "Data overview", overview_section(report))]
    target = report.target or ""
    if (one := report.performance) is not None:
        found.append(("prediction", "Predictive performance", performance_section(one, target)))
        found.append(("calibration", "Calibration", calibration_section(one, target)))
    if report.importance is not None:
        section = importance_section(report.importance, target)
        found.append(("features", "Feature importance", section))
    found.append(("anomalies", "Anomalies", anomalies_section(report)))
    found.append(("errors", "Data quality", findings_section(report)))
    if report.examples:
        section = examples_section(report.examples, target)
        found.append(("examples", "Example predictions", section))
    if report.what_ifs:
        section = what_if_section(report.what_ifs, target)
        found.append(("what-if", "What-if analysis", section))
    return found


def _section(name: str, title: str, content: Markup) -> Markup:
    heading = f"{name}-title"
    summary = tag("summary", tag("h2", title, id=heading))
    # Open without a script; on a phone the script closes them, so that all are in sight.
    content = tag("details", summary, content, class_="part", open=True)
    return tag("section", content, id=name, aria_labelledby=heading)


def _facts(report: Report) -> Markup:
    facts = [
        ("Cases", f"{report.n_cases:,}", ""),
        ("Features", f"{report.n_features:,}", ""),
        ("Missing values", format_percent(report.missing), ""),
    ]
    if report.performance is not None:
        score = report.performance.scores[0]
        facts.append((score.name, score.texts[0], f"baseline {score.texts[-1]}"))
    facts.append(("Anomalies", f"{report.n_anomalies:,}", ""))
    # Labels that are only surprising are expected wherever outcomes are uncertain.
    doubts = [one.count for one in report.findings if one.title != KINDS["surprising"]]
    facts.append(("Data findings", f"{sum(doubts):,}", ""))
    cards = []
    for name, value, beside in facts:
        small = tag("dd", beside, class_="sub") if beside else None
        cards.append(tag("div", tag("dt", name), tag("dd", value), small))
    return tag("dl", *cards, class_="facts")
