"""Elements of HTML and SVG. What is not markup already is escaped, so data cannot become code."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from html import escape
from typing import Any

from vicinal.formatting.values import truncate

#: Characters that no page may have; a reader sees that something was there.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
#: Attributes whose capital letters count.
_MIXED_CASE = {"viewbox": "viewBox"}
_VOID = {"meta", "br", "input"}


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(name: str, /, *children: str | None, **attributes: Any) -> Markup:
    """Return an element; children and attributes that are no markup are escaped.

    In the name of an attribute a trailing underscore is dropped and others become hyphens. None
    and False are left out, True is an attribute without a value, floats are rounded.

    Examples
    --------
    >>> from vicinal.formatting.html import tag
    >>> tag("p", "1 < 2", tag("b", "!"), class_="note", aria_label='"')
    '<p class="note" aria-label="&quot;">1 &lt; 2<b>!</b></p>'
    """
    said = "".join(
        f" {_key(key)}" if value is True else f' {_key(key)}="{_safe(number(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{said}>")
    if name == "p":  # the only text that breaks into lines of its own accord
        children = tuple(
            one if isinstance(one, Markup | None) else _bound(one) for one in children
        )
    return Markup(f"<{name}{said}>{joined(*children)}</{name}>")


def joined(*parts: str | None) -> Markup:
    """Return parts one after the other, escaped unless they are markup."""
    return Markup(
        "".join(
            part if isinstance(part, Markup) else _safe(part) for part in parts if part is not None
        )
    )


def number(value: Any) -> str:
    """Return an attribute as text, coordinates with two digits at most.

    Examples
    --------
    >>> from vicinal.formatting.html import number
    >>> number(3.14159), number(2.0), number("x"), number(7)
    ('3.14', '2', 'x', '7')
    """
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"
    return str(value)


def shortened(text: str, widest: int = 40) -> Markup:
    """Return text that is truncated if it is too long, with the whole text as its title.

    Examples
    --------
    >>> from vicinal.formatting.html import shortened
    >>> shortened("a long name", 6)
    '<span title="a long name">a lon…</span>'
    """
    short = truncate(text, widest)
    return joined(text) if short == text else tag("span", short, title=text[:400])


def table(
    caption: str, head: list[str], rows: list[list[str]], *, numbers: Collection[int] = ()
) -> Markup:
    """Return a table whose rows begin with a heading; columns of numbers are aligned right."""
    classes = ["n" if at in numbers else None for at in range(len(head))]
    return scrolling_table(
        caption,
        [
            tag("th", cell, scope="col", class_=one)
            for cell, one in zip(head, classes, strict=True)
        ],
        [
            tag(
                "tr",
                tag("th", row[0], scope="row", class_=classes[0]),
                *(tag("td", cell, class_=classes[at]) for at, cell in enumerate(row[1:], 1)),
            )
            for row in rows
        ],
    )


def scrolling_table(
    caption: str, head: Iterable[Markup], rows: Iterable[Markup], class_: str | None = None
) -> Markup:
    """Return a table of cells and rows that scrolls by itself where it is too wide."""
    top, body = tag("thead", tag("tr", *head)), tag("tbody", *rows)
    above = tag("caption", caption) if caption else None
    inside = tag("table", above, top, body, class_=class_)
    # It can be reached by keyboard, so that it can be scrolled by it.
    label = caption or "table"
    return tag("div", inside, class_="wide", tabindex="0", role="region", aria_label=label)


def data_block(value: Any) -> Markup:
    r"""Return values as JSON that a script on the page can read and that cannot end its element.

    Examples
    --------
    >>> from vicinal.formatting.html import data_block
    >>> data_block(["</script>"])
    '<script type="application/json">["\\u003c/script\\u003e"]</script>'
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f'<script type="application/json">{text}</script>')


def _key(name: str) -> str:
    plain = name.rstrip("_").replace("_", "-")
    return _MIXED_CASE.get(plain, plain)


def _bound(text: str) -> str:
    """Keep a sign with its number at the end of a line."""
    return re.sub(r"(?<=\d) (?=%)|(?<=\bp) (?== )|(?<=\bp =) ", "\u00a0", text)


def _safe(text: str) -> str:
    return escape(_CONTROLS.sub("\ufffd", text), quote=True)
