"""The model and the rows of a command."""

import json

import pytest

from tests.cli.running import PENGUINS, done, refused
from vicinal.cli.options import Options
from vicinal.cli.sources import named_values, new_model, pairs, split_paths
from vicinal.exceptions import ParameterError
from vicinal.schema.feature import Feature
from vicinal.schema.schema import Schema


def test_a_wrong_column_is_one_clear_line(model, odd):
    assert "Did you mean 'species'?" in refused("predict", model, PENGUINS, "-t", "speces")
    assert "Did you mean 'species'?" in refused("explain", model, PENGUINS, "-t", "speces")
    assert "no column 'yaer'" in refused("anomalies", PENGUINS, "--drop", "yaer")
    assert "none of its columns" in refused("predict", model, odd, "-t", "species")
    assert "'isle'" in refused("predict", model, "-t", "species", "--set", "isle=Dream")


@pytest.mark.parametrize("library", [None, "pyarrow", "polars"])
def test_ordered_categories_have_the_type_of_their_column(library):
    columns = {"code": ["1", "2"], "rank": [1, 2]}
    table = columns
    if library is not None:
        module = pytest.importorskip(library)
        table = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    model = new_model(table, Options(ordinal=("code=2,1", "rank=2,1", "other=2,1")))
    assert model.ordinal_features == {"code": ["2", "1"], "rank": [2, 1], "other": ["2", "1"]}


def test_data_takes_the_place_of_the_model():
    assert split_paths(["new.csv"], Options(data="t.csv"), rows=True) == ("t.csv", "new.csv")
    assert split_paths("t.csv", Options()) == ("t.csv", None)
    with pytest.raises(ParameterError, match="only one table"):
        split_paths(["-", "-"], Options(), rows=True)


def test_a_known_name_may_contain_an_equals_sign():
    assert pairs(["a=b=3"], ["a=b"]) == [("a=b", "3")]
    assert pairs(["a=b=3"]) == [("a", "b=3")]


def test_named_values_are_a_row_with_the_types_of_its_features():
    schema = Schema((Feature("a b", "continuous", "float"),))
    assert named_values(["a b=3"], schema) == {"a b": [3.0]}


def test_the_target_of_the_fit_is_predicted_by_default(model, odd_model):
    by_default = done("predict", model, PENGUINS, "--rows", 3)
    assert by_default == done("predict", model, PENGUINS, "--rows", 3, "-t", "species")
    found = json.loads(done("explain", model, PENGUINS, "--row", 0, "--json"))
    assert found["target"] == "species"
    found = done("counterfactual", model, "--case", 0, "--want", "Gentoo")
    assert "The predicted species is then Gentoo" in found
    assert "was not fitted for one" in refused("predict", odd_model, PENGUINS)


def test_all_targets_of_the_fit_are_predicted_but_one_is_explained(folder):
    path = folder / "two targets.vicinal"
    done("fit", PENGUINS, "-o", path, "-t", "species", "-t", "sex")
    found = json.loads(done("predict", path, "--set", "body_mass_g=3700", "--json"))
    assert set(found["predictions"][0]) == {"species_predicted", "sex_predicted"}
    text = refused("explain", path, PENGUINS, "--row", 0)
    assert "name one: --target species or sex" in text


def test_a_table_needs_a_target_before_it_is_fitted():
    assert "--target NAME" in refused("predict", PENGUINS, PENGUINS)
