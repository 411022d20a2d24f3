"""What was tried for a target prints in a line."""

from vicinal import Model


def test_a_tuning_prints_in_a_line():
    model = Model(max_members=2).fit({"x": list(range(30)), "y": [one % 7 for one in range(30)]})
    text = repr(model.tuning("y"))
    assert text.startswith("Tuning: leave-one-out loss ")
    assert "of 30 cases; " in text
    assert len(text) < 100
