"""Tables to files."""

import pytest

from tests.cli.running import PENGUINS, refused
from vicinal.cli.io.writing import check_output
from vicinal.exceptions import ParameterError


@pytest.mark.parametrize("place", ["missing folder/out.csv", "folder.csv", "empty.csv/out.csv"])
def test_a_place_that_cannot_be_written_to_is_one_clear_line(wrong, model, place):
    refused("predict", model, PENGUINS, "-t", "species", "-o", wrong / place)
    refused("fit", PENGUINS, "-o", wrong / place)
    refused("anomalies", model, "-o", wrong / place)


def test_parquet_without_its_libraries_says_what_to_install(model, tmp_path, monkeypatch):
    monkeypatch.setattr("vicinal.cli.io.formats.find_spec", lambda name: None)
    out = tmp_path / "out.parquet"
    assert "pip install" in refused("predict", model, PENGUINS, "-t", "species", "-o", out)
    assert not out.exists()


def test_a_folder_that_does_not_exist_is_named():
    with pytest.raises(
        ParameterError, match=r"^/no such/out\.csv: there is no folder /no such\.$"
    ):
        check_output("/no such/out.csv")
