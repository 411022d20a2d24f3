"""Shards that were used last are asked first."""

from __future__ import annotations

import numpy as np

from tests.stores import engines
from vicinal.stores.stored_shards import StoredShards


def test_the_order_turns_round_so_that_what_is_in_memory_is_used(tmp_path):
    files, _, _ = engines.stored(tmp_path, parts=4)
    shards = StoredShards(files)

    def asked(*numbers):
        return [shard for shard, _ in shards.run("box", [(number, {}) for number in numbers])]

    assert asked(0, 1, 2, 3) == [0, 1, 2, 3]
    assert asked(0, 1, 2, 3) == [3, 2, 1, 0]
    assert asked(1, 3) == [1, 3]
    assert asked(0, 1, 2, 3) == [3, 1, 0, 2]


def test_answers_go_with_their_shards(tmp_path):
    files, _, boxes = engines.stored(tmp_path, parts=3)
    shards = StoredShards(files)
    for _ in range(2):
        for shard, answer in shards.run("box", [(number, {}) for number in range(3)]):
            np.testing.assert_array_equal(answer["low"], boxes[shard].low)
