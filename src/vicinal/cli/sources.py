"""The model that a command is about: from a file, or fitted to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vicinal.cli.io.blocks import Block
from vicinal.cli.io.cells import column_of_text, value_as
from vicinal.cli.io.formats import is_model
from vicinal.cli.io.reading import read_whole
from vicinal.exceptions import FeatureError, FileError, ParameterError, did_you_mean
from vicinal.model.model import Model
from vicinal.schema.decode import decode
from vicinal.schema.schema import Schema

__all__ = [
    "Options",
    "Source",
    "load_model",
    "named_values",
    "one_case",
    "open_source",
    "pairs",
    "split_paths",
]

_OF_FITS = ("categorical", "ordinal", "cyclic", "neighbors", "power", "seed")


@dataclass(frozen=True)
class Options:
    """What `model_options` hold; see there."""

    data: str | None = None
    input_format: str | None = None
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    cyclic: tuple[str, ...] = ()
    neighbors: int | None = None
    power: float | None = None
    seed: int | None = None
    jobs: int | None = None

    def read(self, path: str) -> Block:
        """Read a whole table."""
        return read_whole(path, self.input_format, self.encoding)

    def model(self, table: Mapping[str, Any] | Any) -> Model:
        """Make a model, not fitted yet, for this table."""
        settings: dict[str, Any] = {
            "categorical_features": list(self.categorical) or "from_dtype",
            "ordinal_features": {
                name: _categories(text, table, name) for name, text in pairs(self.ordinal)
            }
            or None,
            "cyclic_features": {name: _period(text, name) for name, text in pairs(self.cyclic)}
            or None,
            "missing_values": self.missing,
            "n_neighbors": self.neighbors,
            "p": self.power,
            "random_state": self.seed,
            "n_jobs": self.jobs,
        }
        return Model(**{name: one for name, one in settings.items() if one is not None})


@dataclass(frozen=True, eq=False)
class Source:
    """A model, with the table it was fitted to if it is a new one.

    Parameters
    ----------
    model : Model
        The model.
    block : Block or None
        The table; None for a model from a file.
    """

    model: Model
    block: Block | None = None


def split_paths(paths: Sequence[str], options: Options, *, rows: bool) -> tuple[str, str | None]:
    """Tell the file that a model is made of from the one that holds rows.

    Parameters
    ----------
    paths : sequence of str
        The arguments of a command.
    options : Options
        With ``--data`` the arguments hold rows only.
    rows : bool
        Whether the command takes rows at all.
    """
    given = [*([] if options.data is None else [options.data]), *paths]
    if not given:
        raise ParameterError("name a model file or a table; --help shows examples.")
    if len(given) > 1 + rows:
        raise ParameterError(f"got {given[1 + rows]!r} too many; --help shows examples.")
    if given.count("-") > 1:
        raise ParameterError("standard input can be one table only; name a file for the other.")
    return given[0], given[1] if len(given) > 1 else None


def open_source(path: str, options: Options) -> Source:
    """Load a model, or fit one to a table."""
    if not is_model(path):
        block = options.read(path)
        table = block.table(options.missing, options.drop)
        return Source(options.model(table).fit(table), block)
    for name in _OF_FITS:
        if getattr(options, name) not in (None, ()):
            raise ParameterError(f"--{name} is for tables; {path} is fitted already.")
    return Source(load_model(path, options.jobs))


def load_model(path: str, jobs: int | None = None) -> Model:
    """Load a model file."""
    from vicinal.loading import load

    model = load(path)  # whatever is wrong with the file, the message names it
    if not isinstance(model, Model):
        raise FileError(
            f"{path} holds a {type(model).__name__}; expected a Model. Use it from Python, with "
            "vicinal.load."
        )
    if jobs is not None:
        model.n_jobs = jobs
    return model


def one_case(model: Model, case: int) -> dict[str, list[Any]]:
    """Take a stored case out of a model, and give its values: it must not answer for itself."""
    numbers = model.index_.numbers
    if case not in numbers:
        raise ParameterError(
            f"there is no case {case}; expected one of {len(numbers)} cases, {numbers[0]} to "
            f"{numbers[-1]}."
        )
    values = decode(model.index_.case_values([case]), model.schema_)
    model.remove([case])
    return {name: list(values[name]) for name in model.schema_.names}


def named_values(given: Sequence[str], schema: Schema) -> dict[str, list[Any]]:
    """Read ``NAME=VALUE`` as a row.

    Examples
    --------
    >>> from vicinal.cli.sources import named_values
    >>> from vicinal.schema.schema import Feature, Schema
    >>> named_values(["a b=3"], Schema((Feature("a b", "continuous", "float"),)))
    {'a b': [3.0]}
    """
    row = {}
    for name, text in pairs(given, schema.names):
        if name not in schema:
            raise FeatureError(f"there is no feature {name!r}.{did_you_mean(name, schema.names)}")
        row[name] = [value_as(text, schema[name])]
    return row


def pairs(given: Sequence[str], names: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Split at the ``=``; a known name may hold one itself."""
    found = []
    for one in given:
        fitting = [name for name in names if one.startswith(f"{name}=")]
        name = max(fitting, key=len) if fitting else one.partition("=")[0]
        if "=" not in one[len(name) :]:
            raise ParameterError(f"got {one!r}; expected NAME=VALUE.")
        found.append((name, one[len(name) + 1 :]))
    return found


def _categories(text: str, table: Any, name: str) -> list[Any]:
    """The categories of an order, of the type that the column has."""
    words = text.split(",")
    known = [one for one in table[name] if one is not None] if name in _names(table) else []
    return words if any(isinstance(one, str) for one in known) else column_of_text(words)


def _names(table: Any) -> Sequence[str]:
    return (
        list(table)
        if isinstance(table, dict)
        else list(getattr(table, "column_names", None) or table.columns)
    )


def _period(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"the period of {name!r} is {text!r}; expected a number.") from None
