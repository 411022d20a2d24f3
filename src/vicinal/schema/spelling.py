"""Categories that are likely something else, but for how they are written."""

from __future__ import annotations

from vicinal.schema.categories import all_differ
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.roles import ROLE_NAMES
from vicinal.schema.written import written_as


def spelling_note(feature: Feature) -> str | None:
    """Return a note on categories that are written in two ways, or are numbers or dates.

    Examples
    --------
    >>> from vicinal.schema.feature import Feature
    >>> from vicinal.schema.spelling import spelling_note
    >>> spelling_note(Feature("rate", "nominal", "string", categories=("3.5 %", "4 %")))
    'numbers written as text, compared as categories'
    """
    if feature.kind is not Kind.NOMINAL or feature.dtype not in ("string", "mixed"):
        return spelled_alike(feature)
    if written := written_as(feature.categories or ()):
        return f"{ROLE_NAMES[written]}, compared as categories"
    return spelled_alike(feature)


def spelled_alike(feature: Feature) -> str | None:
    """Return a note on categories that differ only in spaces or case; None if there are none.

    They stay apart, since a difference may be meant.

    Examples
    --------
    >>> from vicinal.schema.feature import Feature
    >>> from vicinal.schema.spelling import spelled_alike
    >>> spelled_alike(Feature("city", "nominal", "string", categories=("Rome", "rome ", "Oslo")))
    "2 categories differ only in spaces or case: 'Rome', 'rome '"
    """
    texts = [one for one in feature.categories or () if isinstance(one, str)]
    if all_differ(map(_plain, texts)):
        return None
    groups: dict[str, list[str]] = {}
    for one in texts:
        groups.setdefault(_plain(one), []).append(one)
    alike = [group for group in groups.values() if len(group) > 1]
    count = sum(map(len, alike))
    shown = ", ".join(repr(one if len(one) <= 30 else f"{one[:29]}…") for one in alike[0][:2])
    more = ", …" if count > 2 else ""
    return f"{count} categories differ only in spaces or case: {shown}{more}"


def _plain(text: str) -> str:
    """Return a text without what is not meant, mostly."""
    return " ".join(text.split()).casefold()
