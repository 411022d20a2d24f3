"""Words in the names of columns that show what integers mean."""

from __future__ import annotations

import re

#: In the name of a column of integers, these say that they number something.
_NUMBERING = frozenset(["id", "ids", "identifier", "rowid", "rownames", "uid", "unnamed"])
#: The same as the last word: EmployeeNumber, but not the number of employees.
_NUMBERING_LAST = frozenset(["key", "nbr", "no", "nr", "num", "number"])
#: The same as the only word: there are indices of prices, too.
_NUMBERING_ALONE = frozenset(["idx", "index", "row"])
#: In the name of a column of integers, these say that they stand for labels.
_LABELING = frozenset(
    [
        "category",
        "class",
        "code",
        "country",
        "county",
        "district",
        "ethnicity",
        "gender",
        "id",
        "label",
        "nationality",
        "postcode",
        "precinct",
        "race",
        "region",
        "religion",
        "sex",
        "species",
        "type",
        "zip",
        "zipcode",
    ]
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def name_words(name: str) -> list[str]:
    """Split a name into its words, in lower case.

    Examples
    --------
    >>> from vicinal.schema.name_words import name_words
    >>> name_words("patient_id"), name_words("StoreID"), name_words("ZIP code 2")
    (['patient', 'id'], ['store', 'id'], ['zip', 'code'])
    """
    return [word.lower() for word in _WORD.findall(name)]


def names_rows(name: str) -> bool:
    """Tell whether a name says that the integers of a column number something.

    Examples
    --------
    >>> from vicinal.schema.name_words import names_rows
    >>> names_rows("PassengerId"), names_rows("EmployeeNumber"), names_rows("number of rooms")
    (True, True, False)
    """
    words = name_words(name)
    return (
        not name.strip()  # the row names that R writes
        or bool(_NUMBERING.intersection(words))
        or bool(_NUMBERING_LAST.intersection(words[-1:]))
        or (len(words) == 1 and words[0] in _NUMBERING_ALONE)
    )


def names_labels(name: str) -> bool:
    """Tell whether a name says that the integers of a column stand for labels.

    Examples
    --------
    >>> from vicinal.schema.name_words import names_labels
    >>> names_labels("RACE"), names_labels("zip_code"), names_labels("children")
    (True, True, False)
    """
    return bool(_LABELING.intersection(name_words(name)))
