"""``vicinal fit``."""

import vicinal
from tests.cli.running import done
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
