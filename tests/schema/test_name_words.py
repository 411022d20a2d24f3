"""Words in names."""

import pytest

from vicinal.schema.name_words import name_words, names_labels, names_rows


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("patient_id", ["patient", "id"]),
        ("PassengerId", ["passenger", "id"]),
        ("HTTPCode", ["http", "code"]),
        ("ZIP", ["zip"]),
        ("Unnamed: 0", ["unnamed"]),
        ("x1", ["x"]),
        ("42", []),
    ],
)
def test_names_are_split_at_case_digits_and_signs(name, words):
    assert name_words(name) == words


@pytest.mark.parametrize("name", ["id", "user_ids", "rownames", "serial no", "Index", ""])
def test_names_that_number_rows(name):
    assert names_rows(name)


@pytest.mark.parametrize("name", ["width", "valid", "no_of_rooms", "idea", "price_index"])
def test_names_that_do_not(name):
    assert not names_rows(name)


def test_names_that_say_labels():
    assert names_labels("ZipCode")
    assert names_labels("Race")
    assert not names_labels("embrace")
