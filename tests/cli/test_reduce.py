"""``vicinal reduce``."""

import json

import vicinal
from tests.cli.running import done, refused


def test_the_smaller_model_is_saved_with_its_loss(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = json.loads(done("reduce", model, "--cases", 80, "--json"))
    out = tmp_path / found["output"]
    assert out.name == f"{model.stem}.reduced.vicinal"
    assert (found["n_before"], found["n_after"]) == (344, 80)
    assert found["loss"] == found["loss_after"] - found["loss_before"]
    smaller = vicinal.load(out)
    assert len(smaller) == 80
    assert smaller.targets_ == ("species",)


def test_one_size_is_needed(model, tmp_path):
    out = tmp_path / "small.vicinal"
    assert "one of --share" in refused("reduce", model, "-o", out, code=2)
    assert "one of --share" in refused(
        "reduce", model, "--share", 0.5, "--cases", 9, "-o", out, code=2
    )
    assert not out.exists()
