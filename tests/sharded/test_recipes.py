"""The recipes of the guide for large tables: predictions in Spark and in Ray Data."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest

import vicinal

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "large.md"
TABLE = {
    "city": ["Ulm", "Bonn"] * 30,
    "area": [50.0 + n % 17 for n in range(60)],
    "price": [100.0 + 3 * (n % 17) + n % 2 for n in range(60)],
}
ROWS = pd.DataFrame({"city": ["Ulm", "Bonn", "Ulm"], "area": [51.0, 60.5, 70.0]})


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("recipes") / "sales.vicinal.d"
    settings = vicinal.Model(max_queries=30, scores=False)
    model = vicinal.sharded.fit([TABLE], store=path, settings=settings, shard_rows=30)
    model.predict(ROWS, "price")
    model.save(path)
    return path


def recipe(word, store):
    """The code of the guide that has this word, with the path of a real store."""
    blocks = re.findall(r"```{code-block} python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    [code] = [block for block in blocks if word in block]
    return code.replace("sales.vicinal.d", store.as_posix())


def test_ray_data_predicts_batches(store):
    code, _, call = recipe("map_batches", store).partition("\nray.")
    assert call.startswith('data.read_parquet("new/").map_batches(Prices, batch_format="pandas"')
    names = {"vicinal": vicinal}
    exec(code, names)
    expected = vicinal.load(store).predict(ROWS, "price")
    assert names["Prices"]()(ROWS)["price"].tolist() == expected.tolist()


# What pyspark says about pandas and leaves to the garbage collector is not ours.
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_spark_predicts_batches(store, monkeypatch):
    if shutil.which("java") is None:
        pytest.skip("there is no Java: the recipe for Spark is NOT TESTED")
    pytest.importorskip("pyspark", reason="no pyspark: the recipe for Spark is NOT TESTED")
    from pyspark.sql import SparkSession

    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    try:
        listed = list(ROWS.itertuples(index=False, name=None))
        names = {"new_rows": spark.createDataFrame(listed, "city string, area double")}
        code, _, call = recipe("mapInArrow", store).rpartition("\nnew_rows")
        exec(f"{code}\nfound = new_rows{call}", names)
        found = [row["price"] for row in names["found"].collect()]
    finally:
        spark.stop()
    expected = vicinal.load(store).predict(ROWS, "price")
    assert found == expected.tolist()
