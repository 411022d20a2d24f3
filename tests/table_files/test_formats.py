"""The format of a file."""

import pytest

from vicinal.exceptions import ParameterError
from vicinal.table_files.formats import format_of, is_model


def test_a_format_is_the_one_given_or_known_by_the_suffix():
    assert format_of("birds.TSV") == "tsv"
    assert format_of("-") == "csv"
    assert format_of("birds", "arrow") == "arrow"


def test_a_suffix_that_is_nearly_right_is_recognized():
    with pytest.raises(ParameterError, match=r"unknown file format.*Did you mean '.parquet'\?"):
        format_of("birds.parqet")


def test_a_model_is_known_by_its_suffix_or_its_first_bytes(tmp_path):
    other = tmp_path / "model.zip"
    other.write_bytes(b"PK\x03\x04")
    assert is_model("birds.vicinal")
    assert is_model(str(other))
    assert not is_model("birds.csv")
    assert not is_model("-")
