"""Categories that are likely the same, but for how they are written."""

from __future__ import annotations

from vicinal.schema.feature import Feature


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
    groups: dict[str, list[str]] = {}
    for one in feature.categories or ():
        if isinstance(one, str):
            groups.setdefault(" ".join(one.split()).casefold(), []).append(one)
    alike = [group for group in groups.values() if len(group) > 1]
    if not alike:
        return None
    count = sum(map(len, alike))
    shown = ", ".join(repr(one if len(one) <= 30 else f"{one[:29]}…") for one in alike[0][:2])
    more = ", …" if count > 2 else ""
    return f"{count} categories differ only in spaces or case: {shown}{more}"
