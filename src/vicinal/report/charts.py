"""Charts as SVG; colors are classes of the style sheet, so they follow light, dark and print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vicinal.formatting.html import Markup, joined, number, shortened, tag
from vicinal.formatting.values import format_percent, truncate
from vicinal.report.parts import CalibrationCurve, Distribution, Effect
from vicinal.report.scales import SHARES, Axis, Point, placed
from vicinal.report.value_texts import day_texts

#: Inner size of the larger charts, and room for the texts on their left and below.
_WIDE, _HIGH, _LEFT, _BELOW, _ABOVE = 340.0, 240.0, 56.0, 44.0, 12.0
#: Characters of a text at an axis.
_LABEL = 11
#: Width of a character of a text at an axis.
_LETTER = 7.2


def bar(share: float, *, start: float = 0.0) -> Markup:
    """Return a small bar from a start to start + share, both shares of its width."""
    low, high = sorted((start, start + share))
    low, high = max(low, 0.0), min(high, 1.0)
    side, width = "down" if share < 0 else "up", max(100 * (high - low), 0.6)
    rect = tag("rect", class_=side, x=100 * low, width=width, y=0, height=8)
    middle = tag("path", class_="axis", d=f"M{number(100 * start)} 0v8") if start else None
    view = {"viewbox": "0 0 100 8", "preserveAspectRatio": "none"}
    return tag("svg", rect, middle, class_="bar", **view, aria_hidden="true")


def histogram(found: Distribution, label: str) -> Markup:
    """Return bars that show how often values occur, with texts at their ends.

    The title of each bar is its count.
    """
    most = max(found.counts, default=0.0) or 1.0
    n = len(found.counts)
    step = 150.0 / max(n, 1)
    gap = 0.0 if found.ordered else min(step * 0.25, 4.0)
    bars = [
        tag(
            "rect",
            tag("title", f"{text}: {count:g}"),
            x=at * step + gap / 2,
            width=max(min(step, 40.0) - gap, 0.5) + (0.2 if found.ordered else 0.0),
            y=36.0 - 34.0 * count / most,
            height=34.0 * count / most,
        )
        for at, (text, count) in enumerate(zip(found.labels, found.counts, strict=True))
    ]
    base = tag("path", class_="axis", d="M0 36h150")
    return tag(
        "svg",
        *bars,
        base,
        *_ends(found),
        class_="spark",
        viewbox="0 0 150 50",
        role="img",
        aria_label=label,
    )


def _ends(found: Distribution) -> list[Markup]:
    """The texts below the first and the last bar; categories are named while there is room."""
    if not found.labels:
        return []
    if found.ordered:  # bins are called "low to high"
        first, last = found.labels[0].split(" to ")[0], found.labels[-1].split(" to ")[-1]
        first, last = day_texts([first, last])
        return [_text(first, 0, 48, "start"), _text(last, 150, 48, "end")]
    step = 150.0 / len(found.labels)
    if len(found.labels) <= 3:
        room = {1: 24, 2: 12, 3: 7}[len(found.labels)]
        return [
            _text(text, at * step, 48, "start", widest=room)
            for at, text in enumerate(found.labels)
        ]
    return [_text(found.labels[0], 0, 48, "start"), _text(found.labels[-1], 150, 48, "end")]


def scatter(points: Sequence[Point], axis: Axis, *, label: str, below: str, left: str) -> Markup:
    """Return true values against predicted ones; on the diagonal they agree."""
    dots = [
        tag("circle", cx=_x(placed(x, axis)), cy=_y(placed(y, axis)), r=2.6, class_="dot")
        for x, y in points
    ]
    return _chart(joined(_diagonal(), *dots), axis, axis, label, below, left)


def calibration_chart(found: CalibrationCurve, *, label: str, below: str, left: str) -> Markup:
    """Return expected shares against observed ones; on the diagonal they agree."""
    most = max((count for _, _, count in found.points), default=1.0) or 1.0
    dots = []
    for x, y, count in found.points:
        title = tag("title", f"{format_percent(x)} → {format_percent(y)}, {count:g} cases")
        radius = 3.0 + 5.0 * (count / most) ** 0.5
        dots.append(tag("circle", title, cx=_x(x), cy=_y(y), r=radius, class_="mark"))
    line = _line([(_x(x), _y(y)) for x, y, _ in found.points], "line s0")
    inside = joined(_diagonal(), line, *dots)
    return _chart(inside, SHARES, SHARES, label, below, left)


def curves(
    series: Sequence[Sequence[Point]], *, label: str, below: str, left: str, diagonal: bool = True
) -> Markup:
    """Return lines of shares against shares; the diagonal is what chance would give."""
    lines = [
        _line([(_x(x), _y(y)) for x, y in points], f"line s{which % 6}")
        for which, points in enumerate(series)
    ]
    inside = joined(_diagonal() if diagonal else None, *lines)
    return _chart(inside, SHARES, SHARES, label, below, left)


def effect_chart(
    effect: Effect, axis: Axis, *, label: str, left: str, own: int | None = None
) -> Markup:
    """Return predictions for each value of a feature: lines for numbers, marks for categories."""
    inside = []
    if own is not None:
        at = number(_x(effect.places[own]))
        inside.append(tag("path", class_="own", d=f"M{at} {_ABOVE:g}v{_HIGH:g}"))
    for which, (name, values) in enumerate(effect.series):
        places = [
            (_x(x), _y(placed(value, axis)))
            for x, value in zip(effect.places, values, strict=True)
        ]
        color, size = f"s{which % 6}", 2.2 if effect.ordered else 4.5
        if effect.ordered:
            inside.append(_line(places, f"line {color}"))
        inside += [
            tag("circle", tag("title", f"{name} {text}".strip()), cx=x, cy=y, r=size, class_=color)
            for (x, y), text in zip(places, effect.texts, strict=True)
        ]
    ticks = tuple(
        (effect.places[at], effect.texts[at]) for at in _apart(effect.places, effect.texts)
    )
    return _chart(joined(*inside), Axis(0.0, 1.0, ticks), axis, label, effect.feature, left)


def unmirrored(
    series: Sequence[tuple[str, tuple[float, ...]]],
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return what says everything: of two classes the second one, since they mirror each other.

    Examples
    --------
    >>> from vicinal.report.charts import unmirrored
    >>> unmirrored([("no", (0.9, 0.2)), ("yes", (0.1, 0.8))])
    (('yes', (0.1, 0.8)),)
    """
    return tuple(series[1:] if len(series) == 2 else series)


def axis_text(classes: Sequence[str], target: str) -> str:
    """Return what the vertical axis of predictions says."""
    if len(classes) == 1:
        return f"probability of {classes[0]}"
    return "probability" if classes else f"predicted {target}"


def legend(names: Sequence[str]) -> Markup:
    """Return the legend: which color is which."""
    keys = []
    for which, name in enumerate(names):
        dot = tag("circle", cx=5, cy=5, r=4.5, class_=f"s{which % 6}")
        swatch = tag("svg", dot, class_="swatch", viewbox="0 0 10 10", aria_hidden="true")
        keys.append(tag("span", swatch, shortened(name, 24), class_="key"))
    return tag("p", *keys, class_="legend")


def _apart(places: Sequence[float], texts: Sequence[str]) -> list[int]:
    """Places whose labels do not overlap: the ends, and between them those with room."""
    last = len(places) - 1
    half = [_width(text) / 2 + 3 for text in texts]

    def fits(one: int, other: int) -> bool:
        return _WIDE * (places[other] - places[one]) >= half[one] + half[other]

    kept = [0]
    for at in range(1, last):
        if fits(kept[-1], at) and fits(at, last):
            kept.append(at)
    return [*kept, last] if last > 0 else kept


def _chart(inside: Markup, across: Axis, up: Axis, label: str, below: str, left: str) -> Markup:
    """The frame of a chart: grid, ticks and axis labels."""
    right, bottom = _LEFT + _WIDE, _ABOVE + _HIGH
    across, up = _by_days(across), _by_days(up)
    # Dates need more room than numbers: left of the frame, and half of the last one right of it.
    before = max(0.0, 20 + max((_width(text) for _, text in up.ticks), default=0.0) - _LEFT)
    ends = [_x(placed(value, across)) + _width(text) / 2 for value, text in across.ticks]
    beyond = max(20.0, max(ends, default=right) - right)
    parts: list[str] = []
    for value, text in up.ticks:
        y = _y(placed(value, up))
        parts += [
            tag("path", class_="grid", d=f"M{_LEFT:g} {number(y)}h{_WIDE:g}"),
            _text(text, _LEFT - 6, y + 4, "end"),
        ]
    for value, text in across.ticks:
        x = _x(placed(value, across))
        parts += [
            tag("path", class_="grid", d=f"M{number(x)} {_ABOVE:g}v{_HIGH:g}"),
            _text(text, x, bottom + 16, "middle"),
        ]
    parts += [
        _text(below, _LEFT + _WIDE / 2, bottom + 36, "middle", widest=44),
        tag(
            "text",
            truncate(left, 34),
            transform=f"translate({number(12 - before)} {number(_ABOVE + _HIGH / 2)}) rotate(-90)",
            text_anchor="middle",
        ),
    ]
    size = f"{number(-before)} 0 {right + beyond + before:g} {bottom + _BELOW:g}"
    return tag("svg", *parts, inside, class_="chart", viewbox=size, role="img", aria_label=label)


def _by_days(axis: Axis) -> Axis:
    texts = day_texts([text for _, text in axis.ticks])
    places = [at for at, _ in axis.ticks]
    return replace(axis, ticks=tuple(zip(places, texts, strict=True)))


def _width(text: str) -> float:
    return _LETTER * min(len(text), _LABEL)


def _text(text: str, x: float, y: float, anchor: str, *, widest: int = _LABEL) -> Markup:
    cut = truncate(text, widest)
    whole = tag("title", text) if cut != text else None
    return tag("text", cut, whole, x=x, y=y, text_anchor=anchor)


def _line(places: Sequence[Point], class_: str) -> Markup:
    steps = " ".join(f"{number(x)},{number(y)}" for x, y in places)
    return tag("polyline", points=steps, class_=class_)


def _diagonal() -> Markup:
    return tag("path", class_="guide", d=f"M{_x(0.0):g} {_y(0.0):g}L{_x(1.0):g} {_y(1.0):g}")


def _x(share: float) -> float:
    return _LEFT + _WIDE * share


def _y(share: float) -> float:
    return _ABOVE + _HIGH * (1.0 - share)
