import httpx

from tests.cli.running import refused
from tests.cli.serving import serving

SETTINGS = ("--no-browser", "--jobs", "1")


def test_a_table_is_explored(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("size,kind\n1,a\n2,a\n3,b\n4,b\n", encoding="utf-8")
    with serving("explore", path, "-t", "kind", *SETTINGS) as (_, url):
        [model] = httpx.get(f"{url}v1/models").json()["models"]
        assert (model["title"], model["target"], model["cases"]) == ("table.csv", "kind", 4)
        assert httpx.get(url).headers["content-type"].startswith("text/html")


def test_a_model_is_explored_by_the_target_it_was_fitted_for(model):
    for arguments in (("explore", model, "--no-browser"), ("serve", model)):
        with serving(*arguments, "--jobs", "1") as (_, url):
            [served] = httpx.get(f"{url}v1/models").json()["models"]
            assert served["target"] == "species", arguments


def test_without_a_table_the_penguins_are_explored():
    with serving("explore", *SETTINGS) as (_, url):
        [model] = httpx.get(f"{url}v1/models").json()["models"]
        assert (model["name"], model["target"]) == ("penguins", "species")


def test_an_unknown_target_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("size,kind\n1,a\n2,a\n3,b\n4,b\n", encoding="utf-8")
    assert "Did you mean 'kind'" in refused("explore", str(path), "-t", "kidn", "--no-browser")
