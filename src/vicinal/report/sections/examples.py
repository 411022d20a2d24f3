"""The section of predictions explained down to the training cases."""

from __future__ import annotations

from vicinal.formatting.html import Markup, joined, scrolling_table, shortened, table, tag
from vicinal.formatting.values import format_percent
from vicinal.report.charts import bar
from vicinal.report.parts import Example, NearCase


def examples_section(examples: tuple[Example, ...], target: str) -> Markup:
    """Return each example: its prediction, the contributions of features, the training cases."""
    text = (
        "Each case is predicted without itself. A prediction is the average outcome of the "
        "training cases, weighted by their influence; the contributions of the features lead to "
        "it from the baseline, the prediction when no feature is known. Highlighted values differ "
        "from those of the example."
    )
    return joined(tag("p", text), *(_example(one, target) for one in examples))


def _example(one: Example, target: str) -> Markup:
    truth = f"The true value is {one.truth}: {one.verdict}."
    return tag(
        "article",
        tag("h3", f"Case {one.name or f'#{one.case}'}: {one.chosen}"),
        tag("p", one.answer, class_="lead"),
        tag("p", truth),
        tag("div", _contributions(one), _cases(one, target), class_="pair"),
        *(tag("p", note, class_="note") for note in one.notes),
        class_="example",
    )


def _contributions(one: Example) -> Markup | None:
    if not one.contributions:
        return None
    most = max(abs(value) for _, _, value, _ in one.contributions) or 1.0
    rows: list[list[str]] = [
        [shortened(name, 28), shortened(given, 24), text, bar(0.5 * value / most, start=0.5)]
        for name, given, value, text in one.contributions
    ]
    caption = f"Contributions: from the baseline {one.baseline} to {one.prediction}"
    return table(caption, ["Feature", "Value", "Contribution", ""], rows, numbers=(2,))


def _cases(one: Example, target: str) -> Markup:
    head = ["Case", "Influence", "", shortened(target, 18)]
    columns = [*head, *(shortened(name, 18) for name in one.names)]
    most = max((abs(near.influence) for near in one.cases), default=0.0) or 1.0
    own = [tag("th", "this case", scope="row", class_="n"), tag("td"), tag("td"), tag("td", "?")]
    own += [tag("td", shortened(value, 20)) for value in one.given]
    rows = [tag("tr", *own, class_="self")]
    rows += [_near(near, most) for near in one.cases]
    if one.more:
        rows.append(_across(one.more, len(columns)))
    if one.boundary:
        rows.append(_across("Nearest cases with a different outcome", len(columns)))
        rows += [_near(near, most) for near in one.boundary]
    top = (tag("th", cell, scope="col") for cell in columns)
    return scrolling_table("Most influential training cases", top, rows)


def _near(near: NearCase, most: float) -> Markup:
    cells = [
        tag("th", near.name or f"#{near.case}", scope="row"),
        tag("td", format_percent(near.influence), class_="n"),
        tag("td", bar(near.influence / most)),
        tag("td", tag("b", shortened(near.outcome, 20))),
    ]
    cells += [
        tag("td", shortened(value, 20), class_="differs" if differs else None)
        for value, differs in zip(near.values, near.differs, strict=True)
    ]
    return tag("tr", *cells)


def _across(text: str, columns: int) -> Markup:
    return tag("tr", tag("td", text, class_="note", colspan=columns))
