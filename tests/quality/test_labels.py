"""Labels that are likely wrong and labels that are only surprising, by the Model."""

import numpy as np

from vicinal import Model


def test_no_label_is_suspected_where_nothing_predicts_labels():
    rng = np.random.default_rng(3)
    table = {
        "x": rng.normal(size=90),
        "y": rng.normal(size=90),
        "label": rng.choice(["a", "b", "c"], 90),
    }
    audit = Model().fit(table).audit("label")
    assert audit.of("label") == audit.of("surprising") == ()
    assert len(audit.scores) == 90


def test_random_outcomes_are_surprising_but_not_called_wrong():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    drawn = rng.random(600) < 1 / (1 + np.exp(-2 * x[:, 0] + 1.5 * x[:, 1]))
    table = {"a": x[:, 0], "b": x[:, 1], "y": np.where(drawn, "yes", "no")}
    audit = Model(n_jobs=1, max_queries=200).fit(table).audit("y")
    assert audit.of("label") == ()
    assert len(audit.of("surprising")) > 10
    assert "Surprising labels, which may be right" in repr(audit)


def test_labels_that_are_wrong_anywhere_are_called_wrong():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    wrong = rng.random(600) < 0.1
    table = {"a": x[:, 0], "b": x[:, 1], "y": np.where((x @ [2.0, -1.5] > 0) ^ wrong, "u", "v")}
    found = [
        one.case for one in Model(n_jobs=1, max_queries=200).fit(table).audit("y").of("label")
    ]
    assert wrong[found].mean() >= 0.9
    assert len(found) >= 0.5 * wrong.sum()


def test_wrong_labels_are_found_with_what_is_suggested(flipped, audit):
    table, wrong = flipped
    found = audit.of("label")
    assert {one.case for one in found[:5]} == wrong
    first = found[0]
    assert first.details["has"] == table.loc[first.case, "kind"]
    assert first.details["suggested"] != first.details["has"]
    assert first.case not in first.details["because_of"]
    assert len(audit.scores) == len(table)
    assert max(audit.scores, key=audit.scores.get) == first.case


def test_wrong_numbers_are_found():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(150, 2))
    y = x @ [2.0, -1.0] + 0.05 * rng.normal(size=150)
    y[[5, 77]] += [6.0, -6.0]
    found = Model(n_jobs=1).fit({"a": x[:, 0], "b": x[:, 1], "y": y}).audit("y").of("label")
    assert {one.case for one in found[:2]} == {5, 77}
    assert len(found) <= 4
