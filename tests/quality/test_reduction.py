"""The result of a reduction."""

import json

import numpy as np
import pytest

from tests.quality.tables import labeled_table
from vicinal import Model


def test_reductions_are_plain_and_say_which_case_represents_which():
    reduction = Model(n_jobs=1).fit(labeled_table(50)).reduce(n_cases=10)
    assert list(reduction.to_frame().columns) == ["case", "weight"]
    assert set(reduction.representative.tolist()) == set(reduction.cases.tolist())
    counts = [int((reduction.representative == case).sum()) for case in reduction.cases]
    assert counts == reduction.weights.tolist()
    assert json.loads(json.dumps(reduction.to_dict()))["n_after"] == 10
    assert "50 cases to 10" in repr(reduction)


def test_the_old_name_of_the_representatives_works_and_warns():
    reduction = Model(n_jobs=1).fit(labeled_table(10)).reduce(n_cases=3)
    with pytest.warns(FutureWarning, match="representative"):
        np.testing.assert_array_equal(reduction.speaks, reduction.representative)
