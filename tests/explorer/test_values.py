import datetime as dt

import pytest

from tests.explorer.tables import mixed_table, quick_model
from vicinal.exceptions import TableError
from vicinal.explorer.values import table_from_json, value_from_json
from vicinal.formatting.values import json_value
from vicinal.model.questions import ask
from vicinal.schema.feature import Feature


def test_what_an_answer_shows_can_be_asked_about_again():
    table = mixed_table()
    model = quick_model().fit(table)
    rows = [{name: json_value(column[i]) for name, column in table.items()} for i in range(20)]
    read = table_from_json(rows, model.schema_)
    again = ask(model, lambda fitted: fitted.rows(read, all_new=True).values)
    expected = ask(model, lambda fitted: fitted.index.rows(range(20)))
    assert ((again == expected) | ((again != again) & (expected != expected))).all()


def test_categories_of_any_type_are_recognized():
    days = (dt.date(2024, 1, 1), dt.date(2024, 1, 2))
    feature = Feature("day", "nominal", "date", categories=days)
    assert value_from_json("2024-01-02", feature) == days[1]
    assert value_from_json("2025-01-02", feature) == "2025-01-02"


def test_a_duration_that_no_calendar_holds_is_refused():
    with pytest.raises(TableError, match="seconds"):
        value_from_json(1e300, Feature("wait", "continuous", "duration"))
