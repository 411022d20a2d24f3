"""Reports: the Model's answers to most questions at once, on a page that people like to read."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

from vicinal.exceptions import FileError
from vicinal.model.auditing import Auditing
from vicinal.model.explaining import Explaining
from vicinal.model.informing import Informing
from vicinal.model.report_answers import (
    choose_examples,
    find_examples,
    find_importance,
    find_what_ifs,
)
from vicinal.model.report_table import find_anomalies, find_doubts, find_pairs, summarise
from vicinal.model.report_target import find_prediction, leave_out
from vicinal.report.page import report_page
from vicinal.report.parts import Example, Report, WhatIf
from vicinal.storage import write_text

_MADE = (
    "Made by vicinal {}. This page is one file that loads nothing and sends nothing; it holds "
    "values of the table, so share it as you would share the table."
)


class Reporting(Explaining, Informing, Auditing):
    """A page on the stored cases, and on how a feature of them is predicted."""

    def report(
        self,
        path: str | os.PathLike[str],
        target: str | None = None,
        *,
        title: str | None = None,
    ) -> None:
        """Write a report on the stored cases: one HTML file that needs nothing else.

        What the table holds, unusual cases with the reasons, and likely errors in the data; with
        a target also how well it is predicted (leave-one-out, beside baselines), whether the model
        is as sure as it says, which features matter and how, examples explained down to their
        cases, and cases that the reader can change. A file that is there is replaced at once.

        Parameters
        ----------
        path : path
            Where to; by custom it ends in ``.html``. The file holds values of the table.
        target : str, optional
            A feature to predict.
        title : str, optional
            Of the page; by default made of the target.

        Examples
        --------
        >>> import pathlib, tempfile, vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3, 1.2, 9.0]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.report(f"{folder}/heights.html", title="Heights")
        ...     page = pathlib.Path(folder, "heights.html").read_text("utf-8")
        >>> "<h1>Heights</h1>" in page, "Case #4" in page
        (True, True)
        """
        self._check_fitted()
        if target is not None:
            self.schema_.column(target)  # an unknown name is an error with a suggestion
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            raise FileError(f"The folder {str(folder)!r} is not there; make it first.")
        write_text(path, report_page(self._report(target, title)))

    def _report(self, target: str | None, title: str | None) -> Report:
        """Gather everything that the page shows."""
        features = tuple(summarise(self, name) for name in self.schema_.names)
        anomalies, n_anomalies = find_anomalies(self)
        prediction = importance = None
        examples: tuple[Example, ...] = ()
        what_ifs: tuple[WhatIf, ...] = ()
        if target is not None:
            left = leave_out(self, target)
            prediction = find_prediction(self, left)
            importance = find_importance(self, left)
            chosen = choose_examples(left)
            examples = find_examples(self, left, chosen)
            cases = [case for case, _ in chosen]
            what_ifs = find_what_ifs(self, left, cases, importance.names)
        known = sum(one.missing for one in features) / len(features)
        return Report(
            title=title or (f"Report on {target}" if target is not None else "Report on a table"),
            n_cases=len(self),
            n_features=len(features),
            missing=known,
            features=features,
            anomalies=anomalies,
            n_anomalies=n_anomalies,
            doubts=find_doubts(self.audit(target)),
            made=_MADE.format(version("vicinal")),
            target=target,
            pairs=find_pairs(self) if target is None else None,
            prediction=prediction,
            importance=importance,
            examples=examples,
            what_ifs=what_ifs,
        )
