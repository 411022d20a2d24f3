"""The fitted state of a model, and rows encoded for it: `Fitted` and `Rows`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import ParameterError, TableError, VicinalError
from vicinal.index import statistics
from vicinal.index.kinds import NOMINAL
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.protocol import Index
from vicinal.schema.align import table_names
from vicinal.schema.decode import decode_column
from vicinal.schema.domain import Domain, learn_domain
from vicinal.schema.encode import encode
from vicinal.schema.kinds import Kind
from vicinal.schema.ranges import read_bounds
from vicinal.schema.schema import Schema
from vicinal.settings import Settings
from vicinal.stored_cases import StoredCases, case_numbers, find_stored
from vicinal.tables.case_labels import CaseLabels
from vicinal.tables.reading_labels import column_labels
from vicinal.tables.table import Table, read_rows
from vicinal.tables.values import value_key
from vicinal.typing import Arrays, Floats, Ints, Places

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Rows:
    """A table that has been read and encoded for one method call.

    Parameters
    ----------
    values : ndarray of shape (m, d)
        Encoded rows.
    names : tuple of str
        Features that the rows have, in the order of the table, without those to be predicted.
    columns : ndarray of int
        Encoded columns to use, ascending.
    exclude : ndarray of int64, optional
        The case to leave out for each row, −1 for new rows; None if all are new.
    table : Table, optional
        The table the rows were read from, with feature names as column names; None for stored
        cases that were not given as a table.
    changed : bool, default False
        Whether values of stored cases were changed: what if they had been others? The cases are
        left out all the same, but what is known about them is not about these rows.
    """

    values: Floats
    names: tuple[str, ...]
    columns: Places
    exclude: Ints | None = None
    table: Table | None = None
    changed: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def stored(self) -> bool:
        """Whether all rows are stored cases, to be predicted leave-one-out."""
        return self.exclude is not None and bool((self.exclude >= 0).all())

    @property
    def numbers(self) -> Ints:
        """Case numbers if all rows are stored cases, or else row positions."""
        if self.exclude is None or not self.stored:
            return np.arange(len(self))
        return self.exclude

    def take(self, places: Any) -> Rows:
        """Return some of the rows, selected by positions, a mask, or a slice."""
        return replace(
            self,
            values=self.values[places],
            exclude=None if self.exclude is None else self.exclude[places],
            table=None if self.table is None else self.table.take(places),
        )

    def batches(self, size: int) -> Iterator[Rows]:
        """Iterate over the rows in batches of this size."""
        for start in range(0, len(self), size):
            yield self.take(slice(start, start + size))


@dataclass(eq=False)
class Fitted:
    """A table's schema, metric and cases, and what was learned about them.

    Parameters
    ----------
    schema : Schema
        The kinds and properties of the columns.
    metric : Metric
        The distance metric over all columns.
    terms : TermSettings
        How the columns are compared, apart from the residuals.
    index : Index
        The index that holds the cases.
    settings : Settings
        The parameters of the model.
    residuals : ndarray of shape (d,)
        Expected error of each encoded column; NaN for columns that do not vary.
    residual_history : tuple of ndarray
        The residuals of each round, starting with the spread of each column.
    residuals_converged : bool
        Whether the residuals converged.
    residual_sample : tuple of int
        How many cases were predicted to learn the residuals, and from how many.
    learned : dict
        The predictor of each target and context, kept until the model is refreshed.
    library : str, optional
        The library of the fitted dataframe, of which results are dataframes by default.
    labels : CaseLabels
        What the cases are called, if they have labels.
    n_changes : int
        How many cases were added, updated or removed.
    estimates : dict
        What was estimated from a sample of the cases, and at which number of changes.
    """

    schema: Schema
    metric: Metric
    terms: TermSettings
    index: Index
    settings: Settings = field(default_factory=Settings)
    residuals: Floats = field(default_factory=lambda: np.empty(0))
    residual_history: tuple[Floats, ...] = ()
    residuals_converged: bool = False
    residual_sample: tuple[int, int] = (0, 0)
    learned: dict[tuple[int, ...], Any] = field(default_factory=dict)
    library: str | None = None
    labels: CaseLabels = field(default_factory=CaseLabels)
    n_changes: int = 0
    estimates: dict[Any, tuple[int, Any]] = field(default_factory=dict, repr=False)
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)
    _version: int = 0

    @property
    def threads(self) -> int | None:
        """Number of threads that native code may use."""
        return self.settings.n_jobs

    def cached(self, key: Any, make: Callable[[], T]) -> T:
        """Return the value cached under this key, until the cases change."""
        # Other threads may ask at the same time, so what was made is returned, not looked up.
        if self._version != self.index.version:
            self._kept, self._version = {}, self.index.version
        kept = self._kept
        made: Any = kept.get(key, kept)
        return kept.setdefault(key, make()) if made is kept else made

    def copied(self) -> Fitted:
        """Return a copy that changes on its own; arrays are shared until one of them changes."""
        made = replace(
            self,
            index=self.index.copied(),
            labels=self.labels.copy(),
            learned={},
            _kept={},
            estimates={},
        )
        # What was learned never changes, but predictors look up the cases.
        made.learned |= {key: replace(one, fitted=made) for key, one in self.learned.items()}
        return made

    def rows(
        self,
        table: Any,
        target: str | None = None,
        context: Iterable[str] | None = None,
        *,
        without: Iterable[str] = (),
        all_new: bool = False,
    ) -> Rows:
        """Read and encode a table, unless it is encoded already; None means all stored cases.

        Stored cases are left out of whatever is asked about them. A row is a stored case if it is
        asked for as one (None, or `StoredCases`), or if it brings the label of a case along and
        every value that it has is the case's; see `vicinal.stored_cases`. All others are new rows,
        even if they equal a stored case.

        Parameters
        ----------
        table : table, StoredCases or None
            The rows; some columns may be absent.
        target : str, optional
            The feature to predict. Its column is not encoded.
        context : iterable of str, optional
            Features to use; by default all columns of the rows except the target.
        without : iterable of str
            Other features that are predicted at the same time.
        all_new : bool, default False
            Whether all rows of the table are new, whatever their labels.
        """
        if isinstance(table, Rows):
            return table
        hidden = {*without} if target is None else {target, *without}
        self.schema.columns(list(hidden))  # an unknown name is an error with a suggestion
        if table is None or isinstance(table, StoredCases):
            rows = self._stored(hidden, table)
        else:
            rows = self._read(table, hidden, all_new=all_new)
        counted: Iterable[str] = rows.names
        if context is not None:
            counted = self.context(context, (*rows.names, *hidden))
        names = tuple(name for name in counted if name not in hidden)
        return replace(rows, columns=self.columns_for(names, target))

    def cases(
        self, numbers: Ints, target: str | None = None, context: Iterable[str] | None = None
    ) -> Rows:
        """Return stored cases as rows, to be predicted leave-one-out."""
        hidden = set() if target is None else {target}
        names = tuple(name for name in self.schema.names if name not in hidden)
        columns = self.columns_for(names if context is None else context, target)
        return Rows(self.index.rows(numbers), names, columns, exclude=numbers)

    def context(self, context: Iterable[str], given: tuple[str, ...]) -> list[str]:
        """Check that rows have the features of a context."""
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

    def labels_of(self, rows: Rows) -> tuple[Any, ...] | None:
        """Return the labels of rows that are stored cases, if they have any."""
        if not rows.stored or not len(self.labels):
            return None
        return tuple(map(self.labels.of, rows.numbers))

    def columns_for(self, names: Iterable[str], target: str | None) -> Places:
        """Return the encoded columns of features, at least one of them not the target."""
        columns = self.schema.columns(names)
        if target is None:
            return columns
        columns = columns[columns != self.schema.column(target)]
        if not len(columns):
            raise TableError(
                f"There is no feature to predict {target!r} from; give at least one other feature."
            )
        return columns

    def metric_of(self, columns: Places) -> Metric:
        """Return the metric restricted to these columns, which is cached."""
        key = ("metric", *columns.tolist())
        return self.cached(key, lambda: self.metric.restricted(columns))

    def distribution(self, column: int) -> Arrays:
        """Return the distinct values of an encoded column, with the count and weight of each."""
        key = ("distribution", column)
        found = self.cached(key, lambda: self.index.reduce("distribution", column=column))
        if len(found["values"]) > statistics.MOST_KEPT_VALUES:
            self._kept.pop(key, None)
        return found

    def domain(self, column: int) -> Domain:
        """Return the values that an encoded column can have, by the present cases and the user."""

        def learned() -> Domain:
            found = self.distribution(column)
            domain = learn_domain(self.schema.storage[column], found["values"], found["mass"])
            bounds = read_bounds(self.schema, self.settings.bounds).get(column, (np.nan, np.nan))
            return domain.declared(*bounds)

        return self.cached(("domain", column), learned)

    def truth(self, rows: Rows, target: str, *, strict: bool = False) -> Floats:
        """Return the true values of a target, if the rows have them; NaN elsewhere.

        A column that cannot be read is an error if `strict`, and otherwise ignored.
        """
        column = self.schema.column(target)
        if rows.exclude is not None:
            known = self._written(rows, target, strict=strict)
            stored = rows.exclude >= 0
            known[stored] = self.index.cells(rows.exclude[stored], column)
            return known
        return self._written(rows, target, strict=strict)

    def _written(self, rows: Rows, target: str, *, strict: bool) -> Floats:
        column = self.schema.column(target)
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
        """Return the number of classes of an encoded column; 0 for numbers."""
        nominal = self.terms.kinds[column] == NOMINAL
        return len(self.schema.storage[column].categories or ()) if nominal else 0

    def class_codes(self, column: int) -> Places:
        """Return the codes of the classes of a column in class order.

        Ties between equally probable classes are also broken in this order. Declared classes
        without any case have the code −1.
        """
        feature = self.schema.storage[column]
        if feature.classes is None:
            return np.arange(self.n_classes(column))
        codes = [feature.codes.get(value_key(one), -1) for one in feature.class_order]
        return np.array(codes, dtype=np.intp)

    def class_places(self, column: int) -> Places:
        """Return the position of each code in the order of `class_codes`."""
        places = np.argsort(self.class_codes(column))
        return places[len(places) - self.n_classes(column) :]  # those without a code come first

    def by_class(self, values: NDArray[Any], column: int) -> NDArray[Any]:
        """Reorder values from code order to class order; 0 for classes without a case."""
        codes = self.class_codes(column)
        # Use take, not indexing: it keeps the memory order, on which rounding of sums depends.
        listed = values.take(codes, axis=-1)
        listed[..., codes < 0] = 0
        return listed

    def decoded(self, values: Floats, column: int) -> NDArray[Any]:
        """Decode the cases' values of one column."""
        out = np.empty(len(values), dtype=object)
        out[:] = decode_column(values, self.schema.storage[column])
        return out

    def predicted(self, values: Floats, column: int) -> NDArray[Any]:
        """Decode predictions of one column; predictions of integers may be fractional."""
        feature = self.schema.storage[column]
        if feature.kind is Kind.CONTINUOUS and feature.dtype in ("float", "int", "bool"):
            return values
        return self.decoded(values, column)

    def by_name(self, values: Floats) -> dict[str, float]:
        """Return one number per encoded column as a dict by feature name."""
        return {name: float(values[self.schema.column(name)]) for name in self.schema.names}

    def _read(self, table: Any, hidden: Collection[str], *, all_new: bool) -> Rows:
        read = read_rows(table)
        labels: Iterable[Any] | None = read.labels if read.single or self.labels.kept else None
        own = self.labels.column
        if own is not None:
            labels = column_labels(read, own) if own in read.names else None
            read = read.drop([own])
        named = read.rename(table_names(read, self.schema))
        shown = named.drop([*hidden, *(one.name for one in self.schema.ignored)])
        none = np.empty(0, dtype=np.intp)
        if not shown.names:
            return Rows(np.empty((0, len(self.schema))), (), none, table=named)
        rows = Rows(encode(shown, self.schema, require=False), shown.names, none, table=named)
        return rows if labels is None or all_new else self._find_stored(rows, labels)

    def _find_stored(self, rows: Rows, labels: Iterable[Any]) -> Rows:
        """Find the rows that are stored cases, by the labels that they bring along."""
        assert rows.table is not None
        unread = [name for name in rows.table.names if name not in rows.names]
        hidden = [name for name in unread if name in self.schema]
        values = np.full(rows.values.shape, np.inf)
        given = self.schema.columns(rows.names)
        values[:, given] = rows.values[:, given]
        for name in hidden:
            values[:, self.schema.column(name)] = self._written(rows, name, strict=False)
        targets = self.schema.columns(hidden)
        return replace(rows, exclude=find_stored(self.index, self.labels, labels, values, targets))

    def _stored(self, hidden: Collection[str], chosen: StoredCases | None) -> Rows:
        names = tuple(name for name in self.schema.names if name not in hidden)
        none = np.empty(0, dtype=np.intp)
        if chosen is not None:
            numbers = case_numbers(self.index, self.labels, chosen.names)
            return Rows(self.index.rows(numbers), names, none, exclude=numbers)
        if len(self.index) > self.index.at_once:
            raise ParameterError(
                f"There are {len(self.index)} stored cases, which are not all read at once; ask "
                "about some of them, such as case=[0, 17], or a sample, by the max_cases of "
                "conviction, anomalies, audit and report."
            )
        values = np.empty((len(self.index), len(self.schema)))
        numbers, first = np.empty(len(values), dtype=np.int64), 0
        for some, rows in self.index.blocks():  # so that little is there twice
            at = slice(first, first := first + len(some))
            numbers[at], values[at] = some, rows
        return Rows(values, names, none, exclude=numbers)
