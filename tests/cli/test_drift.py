"""``vicinal drift``."""

import json

from tests.cli.running import PENGUINS, done


def test_drift_says_whether_the_data_have_changed(model):
    told = json.loads(done("drift", model, PENGUINS, "--shuffles", 99, "--json"))
    assert told["changed"] is False
    assert "No sign of change" in done("drift", model, PENGUINS, "--shuffles", 99)
