"""The four kinds."""

from __future__ import annotations

import pytest

from tests.schema.examples import NOMINAL
from vicinal.exceptions import FeatureError
from vicinal.schema.kinds import Kind, parse_kind


def test_kinds_are_words():
    assert NOMINAL.kind is Kind.NOMINAL
    assert NOMINAL.kind == "nominal"


@pytest.mark.parametrize("kind", ["Nominal", "", None, 3])
def test_other_words_are_not_kinds(kind):
    with pytest.raises(FeatureError, match=r"'zip' was given the kind .*; expected one of cont"):
        parse_kind(kind, "zip")


def test_every_kind_is_read_by_its_word():
    assert [parse_kind(str(kind), "x") for kind in Kind] == list(Kind)
