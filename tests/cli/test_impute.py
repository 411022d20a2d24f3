"""``vicinal impute``."""

from tests.cli.running import PENGUINS, done, rows_of


def test_imputation_fills_the_holes_and_leaves_the_rest_as_it_came(folder):
    out, cells = folder / "filled.csv", folder / "cells.csv"
    assert "Imputed 19 missing values" in done("impute", PENGUINS, "-o", out, "--cells", cells)
    before, after = rows_of(PENGUINS), rows_of(out)
    filled = {(int(one["row"]), one["feature"]): one["value"] for one in rows_of(cells)}
    for row, (old, new) in enumerate(zip(before, after, strict=True)):
        for name, value in old.items():
            assert new[name] == (filled[row, name] if value == "NA" else value)
