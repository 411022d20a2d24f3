"""Small tables to try things on.

``simulated.py`` makes tables for the tutorials. ``penguins.csv`` is the Palmer penguins data: size
measurements of 344 adult penguins of three species near Palmer Station, Antarctica, 2007 to 2009,
with missing values (``NA``) as collected.

Source: Horst AM, Hill AP, Gorman KB (2020), *palmerpenguins: Palmer Archipelago (Antarctica)
penguin data*, R package, doi:10.5281/zenodo.3960218; collected by Dr. Kristen Gorman and the
Palmer Station LTER (Gorman, Williams and Fraser 2014, PLoS ONE 9(3): e90081). License: CC0 1.0,
public domain.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any

__all__ = ["load_penguins"]

_NUMBERS = {
    "bill_length_mm": float,
    "bill_depth_mm": float,
    "flipper_length_mm": int,
    "body_mass_g": int,
    "year": int,
}


def load_penguins() -> dict[str, list[Any]]:
    """Load the Palmer penguins: 344 birds, 8 features, some values missing.

    Returns
    -------
    dict
        Each feature and a list of its values: species, island and sex as strings, the
        measurements and the year as numbers; None where missing.

    Notes
    -----
    Horst AM, Hill AP, Gorman KB (2020), palmerpenguins, doi:10.5281/zenodo.3960218. CC0 1.0.

    Examples
    --------
    >>> from vicinal.data import load_penguins
    >>> penguins = load_penguins()
    >>> {name: values[0] for name, values in penguins.items()}
    {'species': 'Adelie', 'island': 'Torgersen', 'bill_length_mm': 39.1, 'bill_depth_mm': 18.7,
     'flipper_length_mm': 181, 'body_mass_g': 3750, 'sex': 'male', 'year': 2007}
    >>> len(penguins["sex"]), penguins["sex"].count(None)
    (344, 11)
    """
    text = (files("vicinal.data") / "penguins.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    return {name: [_read(name, row[name]) for row in rows] for name in rows[0]}


def _read(name: str, cell: str) -> Any:
    return None if cell == "NA" else _NUMBERS.get(name, str)(cell)
