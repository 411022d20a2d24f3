"""What a fit leaves behind, and tables read for a question about it: `Fitted` and `Rows`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import ParameterError, TableError, VicinalError
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import NOMINAL
from vicinal.index.metric import Metric, TermSettings
from vicinal.schema.align import table_names
from vicinal.schema.decode import decode_column
from vicinal.schema.encode import encode
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Schema
from vicinal.settings import Settings
from vicinal.tables.table import Table, read_table
from vicinal.tables.values import value_key
from vicinal.typing import Arrays, Floats, Ints, Places

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Rows:
    """A table that was read and encoded once, for one question.

    Parameters
    ----------
    values : ndarray of shape (m, d)
        Encoded rows.
    names : tuple of str
        Features that the rows have, in the order of the table; those asked for are not among
        them.
    columns : ndarray of int
        Encoded columns that count, ascending.
    exclude : ndarray of int64, optional
        The case to leave out for each row, where the rows are stored cases.
    table : Table, optional
        Where the rows came from, with the columns under the names of the features; None for
        stored cases.
    """

    values: Floats
    names: tuple[str, ...]
    columns: Places
    exclude: Ints | None = None
    table: Table | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def stored(self) -> bool:
        """Whether the rows are stored cases, each asked about without itself."""
        return self.exclude is not None

    @property
    def numbers(self) -> Ints:
        """Case numbers of stored cases, else the places of the rows."""
        return np.arange(len(self)) if self.exclude is None else self.exclude

    def take(self, places: Any) -> Rows:
        """Return some of the rows: by places, by a mask, or a slice of them."""
        return replace(
            self,
            values=self.values[places],
            exclude=None if self.exclude is None else self.exclude[places],
            table=None if self.table is None else self.table.take(places),
        )

    def batches(self, size: int) -> Iterator[Rows]:
        """Go through the rows, so many at a time."""
        for start in range(0, len(self), size):
            yield self.take(slice(start, start + size))


@dataclass(eq=False)
class Fitted:
    """A table's schema, metric and cases, and what was learned about them.

    Parameters
    ----------
    schema : Schema
        What the columns are.
    metric : Metric
        What distance means when all columns count.
    terms : TermSettings
        How the columns are compared, besides the residuals.
    index : ExactIndex
        The cases.
    settings : Settings
        How questions are answered.
    residuals : ndarray of shape (d,)
        Expected error of each encoded column; NaN for columns that tell nothing apart.
    residual_history : tuple of ndarray
        The residuals of each round, beginning with the spread of each column by itself.
    residuals_converged : bool
        Whether the last round changed next to nothing.
    residual_sample : tuple of int
        How many cases were predicted for the residuals, and from how many.
    learned : dict
        What it takes to predict each target from some columns; stays until all is learned anew.
    """

    schema: Schema
    metric: Metric
    terms: TermSettings
    index: ExactIndex
    settings: Settings = field(default_factory=Settings)
    residuals: Floats = field(default_factory=lambda: np.empty(0))
    residual_history: tuple[Floats, ...] = ()
    residuals_converged: bool = False
    residual_sample: tuple[int, int] = (0, 0)
    learned: dict[tuple[int, ...], Any] = field(default_factory=dict)
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)
    _version: int = 0

    @property
    def threads(self) -> int | None:
        """Threads that native code may use."""
        return self.settings.n_jobs

    def cached(self, key: Any, make: Callable[[], T]) -> T:
        """Return what was made under this key, until the cases change."""
        if self._version != self.index.version:
            self._kept.clear()
            self._version = self.index.version
        if key not in self._kept:
            self._kept[key] = make()
        made: T = self._kept[key]
        return made

    def rows(
        self,
        table: Any,
        target: str | None = None,
        context: Iterable[str] | None = None,
        *,
        without: Iterable[str] = (),
    ) -> Rows:
        """Read and encode a table for a question, unless that was done; None is all cases.

        Parameters
        ----------
        table : table or None
            The rows; they may have some of the columns only.
        target : str, optional
            The feature asked for. Its column is not even read.
        context : iterable of str, optional
            Features that count; by default all that the rows have, but the target.
        without : iterable of str
            Further features that are asked for at the same time.
        """
        if isinstance(table, Rows):
            return table
        hidden = {*without} if target is None else {target, *without}
        self.schema.columns(list(hidden))  # an unknown name is an error with a suggestion
        rows = self._stored(hidden) if table is None else self._read(table, hidden)
        counted: Iterable[str] = rows.names
        if context is not None:
            counted = self.context(context, (*rows.names, *hidden))
        names = tuple(name for name in counted if name not in hidden)
        return replace(rows, columns=self.columns_for(names, target))

    def cases(
        self, numbers: Ints, target: str | None = None, context: Iterable[str] | None = None
    ) -> Rows:
        """Return stored cases as rows, each to be asked about without itself."""
        hidden = set() if target is None else {target}
        names = tuple(name for name in self.schema.names if name not in hidden)
        columns = self.columns_for(names if context is None else context, target)
        return Rows(self.index.rows(numbers), names, columns, exclude=numbers)

    def context(self, context: Iterable[str], given: tuple[str, ...]) -> list[str]:
        """Check that rows have what a context names."""
        names = [context] if isinstance(context, str) else list(context)
        if not names:
            raise ParameterError("context names no feature; give at least one, or leave it out.")
        self.schema.columns(names)  # an unknown name is an error with a suggestion
        absent = [name for name in names if name not in given]
        if absent:
            raise TableError(
                f"The rows lack {absent[0]!r}, which the context names; "
                f"they have {', '.join(map(repr, given))}."
            )
        return names

    def columns_for(self, names: Iterable[str], target: str | None) -> Places:
        """Return the encoded columns of features; with a target there must be another one."""
        columns = self.schema.columns(names)
        if target is None:
            return columns
        columns = columns[columns != self.schema.column(target)]
        if not len(columns):
            raise TableError(
                f"Nothing is given to predict {target!r} from; name at least one other feature."
            )
        return columns

    def metric_of(self, columns: Places) -> Metric:
        """Return the metric of these columns alone; made once."""
        key = ("metric", *columns.tolist())
        return self.cached(key, lambda: self.metric.restricted(columns))

    def distribution(self, column: int) -> Arrays:
        """Return the distinct values of an encoded column, with the count and weight of each."""
        key = ("distribution", column)
        return self.cached(key, lambda: self.index.reduce("distribution", column=column))

    def truth(self, rows: Rows, target: str, *, strict: bool = False) -> Floats:
        """Return what rows themselves say of a target; NaN where they do not.

        A column that cannot be read is an error if `strict`, else it says nothing.
        """
        column = self.schema.column(target)
        if rows.exclude is not None:
            return self.index.cells(rows.exclude, column)
        if rows.table is None or target not in rows.table.names:
            return np.full(len(rows), np.nan)
        try:
            alone = Table({target: rows.table.columns[target]})
            return encode(alone, self.schema, require=False)[:, column]
        except VicinalError:
            if strict:
                raise
            return np.full(len(rows), np.nan)

    def n_classes(self, column: int) -> int:
        """Return how many classes an encoded column has; 0 for numbers."""
        nominal = self.terms.kinds[column] == NOMINAL
        return len(self.schema.storage[column].categories or ()) if nominal else 0

    def class_codes(self, column: int) -> Places:
        """Return the codes of the classes of a column in the order in which they are listed.

        It is also the order in which ties between equally probable classes are broken. Declared
        classes that no case has yet have the code −1.
        """
        feature = self.schema.storage[column]
        if feature.classes is None:
            return np.arange(self.n_classes(column))
        codes = [feature.codes.get(value_key(one), -1) for one in feature.class_order]
        return np.array(codes, dtype=np.intp)

    def class_places(self, column: int) -> Places:
        """Return the place that each code has in the order of `class_codes`."""
        places = np.argsort(self.class_codes(column))
        return places[len(places) - self.n_classes(column) :]  # those without a code come first

    def by_class(self, values: NDArray[Any], column: int) -> NDArray[Any]:
        """Return values by code as values by class, in order; 0 for classes without a case."""
        codes = self.class_codes(column)
        # Taken, not indexed: the order of memory is the one that sums go by.
        listed = values.take(codes, axis=-1)
        listed[..., codes < 0] = 0
        return listed

    def decoded(self, values: Floats, column: int) -> NDArray[Any]:
        """Return encoded values of one column, of cases, in its own terms."""
        out = np.empty(len(values), dtype=object)
        out[:] = decode_column(values, self.schema.storage[column])
        return out

    def predicted(self, values: Floats, column: int) -> NDArray[Any]:
        """Return encoded predictions of one column in its own terms; not all of ints are whole."""
        feature = self.schema.storage[column]
        if feature.kind is Kind.CONTINUOUS and feature.dtype in ("float", "int", "bool"):
            return values
        return self.decoded(values, column)

    def by_name(self, values: Floats) -> dict[str, float]:
        """Return a number of each encoded column by the name of its feature."""
        return {name: float(values[self.schema.column(name)]) for name in self.schema.names}

    def _read(self, table: Any, hidden: Collection[str]) -> Rows:
        read = read_table(table)
        named = read.rename(table_names(read, self.schema))
        shown = named.drop([name for name in hidden if name in named.names])
        none = np.empty(0, dtype=np.intp)
        if not shown.names:
            return Rows(np.empty((0, len(self.schema))), (), none, table=named)
        return Rows(encode(shown, self.schema, require=False), shown.names, none, table=named)

    def _stored(self, hidden: Collection[str]) -> Rows:
        blocks = list(self.index.blocks())
        values = np.concatenate([np.empty((0, len(self.schema))), *(one for _, one in blocks)])
        numbers = np.concatenate([np.empty(0, dtype=np.int64), *(one for one, _ in blocks)])
        names = tuple(name for name in self.schema.names if name not in hidden)
        return Rows(values, names, np.empty(0, dtype=np.intp), exclude=numbers)
