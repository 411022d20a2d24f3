"""``vicinal fit``."""

import pandas as pd
import pytest

import vicinal
from tests.cli.running import done, refused
from vicinal.data import load_penguins


def test_a_csv_is_read_as_the_shipped_table_is(model):
    from_file = vicinal.load(model)
    expected = vicinal.Model().fit(load_penguins())
    assert from_file.schema_ == expected.schema_
    assert from_file.residuals_ == expected.residuals_


def test_settings_of_a_fit_reach_the_model(folder):
    table = folder / "settings.tsv"
    table.write_text(
        "hour\tsize\tshop\tnote\n"
        + "".join(f"{i % 24}\t{'SML'[i % 3]}\t{i % 4}\t?\n" for i in range(60))
    )
    out = folder / "settings.vicinal"
    done(
        "fit",
        table,
        "-o",
        out,
        "--cyclic",
        "hour=24",
        "--ordinal",
        "size=S,M,L",
        "--categorical",
        "shop",
        "--missing",
        "?",
        "--drop",
        "note",
        "-k",
        5,
        "--power",
        0,
    )
    model = vicinal.load(out)
    assert [str(one.kind) for one in model.schema_] == ["cyclic", "ordinal", "nominal"]
    assert (model.n_neighbors, model.p) == (5, 0)


# --- stores --------------------------------------------------------------------------------------


@pytest.fixture
def parts(tmp_path):
    """The penguins in three Parquet files, and new rows in another one."""
    penguins = pd.DataFrame(load_penguins())
    (tmp_path / "rows").mkdir()
    for at in range(3):
        penguins[at::3].to_parquet(tmp_path / "rows" / f"{at}.parquet", index=False)
    penguins[:30].to_parquet(tmp_path / "new.parquet", index=False)
    return tmp_path


def test_a_store_is_fitted_to_files_and_predicts_files(parts):
    store, out = parts / "penguins.vicinal.d", parts / "out.parquet"
    said = done(
        "fit", parts / "rows" / "*.parquet", "--store", store, "-t", "species", "--workers", 1
    )
    assert "Fitted 344 cases" in said
    assert "tuned to predict species" in said
    given = ("predict", store, parts / "new.parquet", "-t", "species", "-o", out)
    done(*given, "--workers", 1)
    whole = pd.concat(map(pd.read_parquet, sorted((parts / "rows").iterdir())), ignore_index=True)
    model = vicinal.Model().fit(whole)
    new = pd.read_parquet(parts / "new.parquet")
    expected = model.predict(new.drop(columns="species"), "species")
    assert pd.read_parquet(out)["species_predicted"].tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--store", "a.vicinal"], "expected a name that ends in .vicinal.d"),
        (["--store", "a.vicinal.d", "--drop", "year"], "--drop does not apply to --store"),
        (["-o", "a.vicinal", "--workers", 2], "--workers and --on apply only to a store"),
        (["--store", "a.vicinal.d", "--workers", 2, "--on", "ray"], "exclude each other"),
        (["--store", "a.vicinal.d", "--on", "somewhere"], "expected the address of a Dask"),
        (["-o", "a.vicinal", "--store", "a.vicinal.d"], "expected one of them"),
    ],
)
def test_options_of_stores_that_do_not_fit_are_refused(parts, arguments, message):
    assert message in refused("fit", parts / "new.parquet", *arguments)


def test_a_dask_cluster_searches_a_store(parts, monkeypatch):
    distributed = pytest.importorskip("distributed")
    asked = []

    class Client:
        def __init__(self, address, **_):
            asked.append(address)
            raise OSError("refused")

    monkeypatch.setattr(distributed, "Client", Client)
    store = parts / "a.vicinal.d"
    given = ("fit", parts / "new.parquet", "--store", store, "--on", "tls://nowhere:1")
    assert "no cluster answers there (refused)" in refused(*given)
    assert asked == ["tls://nowhere:1"]
    assert not store.exists()


def test_a_store_is_not_fitted_to_standard_input():
    assert "not to standard input" in refused("fit", "-", "--store", "a.vicinal.d", stdin="x\n1\n")
