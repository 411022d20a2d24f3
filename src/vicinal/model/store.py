"""Save and load a Model whose cases are in shards: a folder, of which the manifest comes last."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vicinal.exceptions import FileError, ParameterError
from vicinal.index.shard_floors import Box
from vicinal.index.sharded import ShardedIndex
from vicinal.index.shards import Shards
from vicinal.model.files import model_parts, model_with_index
from vicinal.storage import open_file, write_file
from vicinal.stores.build import compacted
from vicinal.stores.dask_shards import DaskShards, check_cluster, is_client
from vicinal.stores.held_shards import HeldShards
from vicinal.stores.manifest import Manifest, new_name, shard_file
from vicinal.stores.processes import Pool, ProcessShards
from vicinal.stores.ray_shards import RayPool, RayShards
from vicinal.stores.shard_files import ShardFile, open_shard, write_shard
from vicinal.stores.split_tree import SplitTree
from vicinal.stores.stored_shards import StoredShards
from vicinal.stores.worker import Answering
from vicinal.typing import Arrays, Ints

if TYPE_CHECKING:
    from vicinal.model.model import Model

KIND = "ShardedModel"
_TREE = ("columns", "values", "lefts", "rights")


def save_store(model: Model, folder: Path) -> None:
    """Write a Model with shards to a folder.

    Shards that are there already are not written again. Cases that were added or changed go to a
    file of their own, until the store is compacted.
    """
    index, shards = _stored(model)
    (folder / "shards").mkdir(parents=True, exist_ok=True)
    _write(model, folder, index, [_placed(file, folder) for file in shards.files])


def compact_store(model: Model, folder: Path) -> None:
    """Write all shards anew, without the cases that are gone and with those that came since."""
    index, shards = _stored(model)
    if shards.tree is None:
        raise ParameterError("The shards of this Model were not made by vicinal.sharded.fit.")
    (folder / "shards").mkdir(parents=True, exist_ok=True)
    compact = compacted(folder, index, shards.tree)
    entries = [_placed(file, folder) for file in compact.files]
    _write(model, folder, index.with_shards(compact, shards.tree.route), entries)


def _stored(model: Model) -> tuple[ShardedIndex, StoredShards]:
    index = model._ready().index
    if isinstance(index, ShardedIndex) and isinstance(index.shards, StoredShards):
        return index, index.shards
    raise ParameterError(
        "This Model has its cases in memory, not in the shards of a store; save it to a file "
        "(.vicinal), or make a store with vicinal.sharded.fit."
    )


def _placed(file: ShardFile, folder: Path) -> tuple[str, str]:
    """Return the entry of a shard, copying it to the folder unless it is there."""
    name = f"shards/{file.path.name}"
    if not file.path.exists():
        raise FileError(
            f"{file.path} is gone: the store was written anew since this Model was loaded; load "
            "it again and repeat the changes."
        )
    if file.path.resolve() != (folder / name).resolve():
        shutil.copyfile(file.path, folder / name)
    assert file.digest is not None
    return name, file.digest


def _write(
    model: Model, folder: Path, index: ShardedIndex, shards: Sequence[tuple[str, str]]
) -> None:
    """Write everything but the shards, then the manifest."""
    state, arrays = model_parts(model, _index_arrays(index))
    name = new_name("model")
    write_file(folder / name, KIND, version("vicinal"), state, arrays)
    with open_file(folder / name) as file:
        learned = (name, file.header.digest)
    others: dict[str, tuple[str, str] | None] = {}
    for what, shard in (("pilot", index.pilot), ("recent", index.recent)):
        others[what] = None
        if shard is not None and len(shard):
            made = write_shard(folder / new_name(what), shard.compact())
            assert made.digest is not None
            others[what] = (made.path.name, made.digest)
    Manifest(version("vicinal"), learned, tuple(shards), **others).write(folder)


def _index_arrays(index: ShardedIndex) -> Arrays:
    """Return what there is to know about shards, without opening them."""
    assert isinstance(index.shards, StoredShards)
    tree, boxes = index.shards.tree, index.boxes
    arrays: Arrays = {
        "kinds": index.kinds,
        "home": np.ascontiguousarray(index.home).view(np.uint8),
        "low": np.array([box.low for box in boxes]),
        "high": np.array([box.high for box in boxes]),
        "lacking": np.array([box.lacking for box in boxes]).astype(np.uint8),
        "edges": index.edges(),
        "weighted": np.array([index.weighted], dtype=np.uint8),
    }
    if index.scales is not None:
        arrays["scales"] = index.scales
    if tree is not None:
        arrays |= {f"tree_{name}": getattr(tree, name) for name in _TREE}
    for shard, hidden in index.shards.hidden.items():
        arrays[f"hidden_{shard}"] = hidden
    return arrays


def model_from_store(
    cls: type[Model], folder: Path, *, on: Any = None, verify: bool = False
) -> Model:
    """Load a Model from a folder.

    Parameters
    ----------
    on : int, dask client, "ray" or Answering, optional
        The number of processes that search the shards, or a cluster; by default this process.
        With an `Answering`, this process reads shards instead of mapping them.
    verify : bool
        Whether to check the SHA-256 of all shards, which takes the time to read them.
    """
    manifest = Manifest.read(folder)
    files = [shard_file(folder, entry) for entry in manifest.shards]
    for shard in files:
        open_shard(shard, verify=verify)  # an error names the file
    name, digest = manifest.model
    try:
        with open_file(folder / name) as file:
            if file.header.kind != KIND or file.header.digest != digest:
                raise FileError("it is not the file that the manifest names")
            arrays = {
                one.removeprefix("cases/"): file.array(one)
                for one in file.header.members
                if one.startswith("cases/")
            }
            return model_with_index(
                cls, file, file.header.state, lambda: _index(arrays, files, manifest, folder, on)
            )
    except FileNotFoundError:
        raise FileError(f"{folder / name} is missing, which is a part of the store.") from None


def _index(
    arrays: Arrays, files: list[ShardFile], manifest: Manifest, folder: Path, on: Any
) -> ShardedIndex:
    tree = None
    if "tree_columns" in arrays:
        tree = SplitTree(*(arrays[f"tree_{name}"] for name in _TREE))
    hidden = {
        int(name.removeprefix("hidden_")): one
        for name, one in arrays.items()
        if name.startswith("hidden_")
    }
    boxes = [
        Box(*one[:2], one[2] != 0)
        for one in zip(arrays["low"], arrays["high"], arrays["lacking"], strict=True)
    ]
    if len(boxes) != len(files):
        raise FileError("the manifest and the model have different shards")
    index = ShardedIndex(
        shards_on(files, hidden, tree, on),
        arrays["kinds"],
        arrays["home"].view(np.uint16).copy(),
        boxes,
        pilot=_opened(folder, manifest.pilot),
        splits=None if tree is None else tree.splits(),
        weighted=bool(arrays["weighted"][0]),
        edges=arrays["edges"],
        scales=arrays.get("scales"),
    )
    index.recent = _opened(folder, manifest.recent)
    return index


def _opened(folder: Path, entry: tuple[str, str] | None) -> Any:
    return None if entry is None else open_shard(shard_file(folder, entry), mapped=False)


def moved(shards: Shards, on: Any) -> StoredShards:
    """Return the same shards, asked by so many processes, or by this one."""
    assert isinstance(shards, StoredShards)
    return shards_on(shards.files, shards.hidden, shards.tree, on)


def shards_on(
    files: Sequence[ShardFile], hidden: dict[int, Ints], tree: SplitTree | None, on: Any
) -> StoredShards:
    """Return shards that are asked by so many processes, by a cluster, or by this process."""
    if on is None:
        return StoredShards(files, hidden, tree)
    if isinstance(on, int) and not isinstance(on, bool) and on >= 1:
        return ProcessShards(files, hidden, tree, Pool(on))
    if isinstance(on, str) and on == "ray":
        return RayShards(files, hidden, tree, RayPool())
    if isinstance(on, Answering):
        return HeldShards(files, hidden, tree, on)
    if is_client(on):
        check_cluster(on)
        return DaskShards(files, hidden, tree, on)
    raise ParameterError(
        f"on={on!r}; expected None, a number of processes, a Dask client, or 'ray'."
    )
