"""The section of cases whose features can be changed on the page."""

from __future__ import annotations

from vicinal.formatting.html import Markup, data_block, joined, shortened, tag
from vicinal.formatting.values import format_percent
from vicinal.report.charts import axis_text, bar, effect_chart, legend, unmirrored
from vicinal.report.parts import Effect, WhatIf


def what_if_section(found: tuple[WhatIf, ...], target: str) -> Markup:
    """Return each case with its controls, and charts that need no script."""
    text = (
        "Change the features of a case and see how its prediction changes. All predictions were "
        "computed when this page was created; nothing is computed now, and nothing is sent. Each "
        "chart changes one feature only; the vertical line marks the value of the case."
    )
    parts = (_what_if(one, target, at) for at, one in enumerate(found))
    return joined(tag("p", text), *parts)


def _what_if(one: WhatIf, target: str, number: int) -> Markup:
    own = _place(one, one.own)
    data = {
        "shape": [len(texts) for texts in one.texts],
        "own": list(one.own),
        "texts": [list(texts) for texts in one.texts],
        "classes": len(one.classes),
        "answers": [[round(share, 3) for share in answer] for answer in one.answers]
        if one.classes
        else list(one.answer_texts),
    }
    controls = [_control(one, at, f"w{number}-{at}") for at in range(len(one.features))]
    back = tag("button", "Reset", type="button", class_="back")
    return tag(
        "article",
        tag("h3", f"What if case {one.name or f'#{one.case}'} were different?"),
        tag(
            "div",
            tag(
                "div",
                tag("form", *controls, back, hidden=True),
                _answer(one, own, target),
                class_="controls",
            ),
            tag(
                "div",
                legend(one.classes) if len(one.classes) > 2 else None,
                tag("div", *_charts(one, target), class_="charts"),
            ),
            class_="pair",
        ),
        data_block(data),
        class_="whatif",
    )


def _control(one: WhatIf, at: int, name: str) -> Markup:
    label = tag("label", shortened(one.features[at], 32), for_=name)
    own, texts = one.own[at], one.texts[at]
    if one.ordered[at]:
        span = {"min": 0, "max": len(texts) - 1, "step": 1, "value": own}
        field = tag("input", type="range", id=name, **span, aria_valuetext=texts[own])
        return tag("div", label, field, tag("output", texts[own], for_=name), class_="control")
    options = (
        tag("option", text, value=which, selected=which == own) for which, text in enumerate(texts)
    )
    return tag("div", label, tag("select", *options, id=name), class_="control")


def _answer(one: WhatIf, own: int, target: str) -> Markup:
    """The prediction; the script writes new ones to the same places."""
    if not one.classes:
        value = tag("strong", one.answer_texts[own], class_="value")
        text = joined(shortened(target, 40), " = ", value)
        return tag("p", text, class_="answer", aria_live="polite")
    rows = []
    for name, share in zip(one.classes, one.answers[own], strict=True):
        label = tag("th", shortened(name, 28), scope="row")
        value = tag("td", format_percent(round(share, 3)), class_="n value")
        rows.append(tag("tr", label, tag("td", bar(share)), value))
    caption = tag("caption", f"Probability of each {target}")
    return tag("table", caption, tag("tbody", *rows), class_="answer", aria_live="polite")


def _charts(one: WhatIf, target: str) -> list[Markup]:
    """The predictions when one feature at a time is changed."""
    charts, names = [], one.classes or ("",)
    for at, feature in enumerate(one.features):
        along = [
            one.answers[_place(one, (*one.own[:at], which, *one.own[at + 1 :]))]
            for which in range(len(one.texts[at]))
        ]
        series = unmirrored(
            [(name, tuple(row[k] for row in along)) for k, name in enumerate(names)]
        )
        effect = Effect(feature, one.ordered[at], one.places[at], one.texts[at], series)
        label = f"Predicted {target} of case {one.name or one.case} as {feature} alone changes"
        left = axis_text([name for name, _ in series if name], target)
        chart = effect_chart(effect, one.axis, label=label, left=left, own=one.own[at])
        charts.append(tag("figure", chart))
    return charts


def _place(one: WhatIf, places: tuple[int, ...]) -> int:
    """Where the prediction for a combination stands; the last feature changes fastest."""
    at = 0
    for place, texts in zip(places, one.texts, strict=True):
        at = at * len(texts) + place
    return at
