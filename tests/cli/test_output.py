"""Where a result goes."""

import pytest

from vicinal.cli.output import Output, and_more, check_file, rows_of
from vicinal.exceptions import ParameterError


def test_only_what_is_needed_is_made(tmp_path, capsys):
    def unwanted():
        raise AssertionError("nobody asked for this form")

    Output().deliver(unwanted, unwanted, lambda: "text")
    Output(as_json=True).deliver(unwanted, lambda: {"a": 1}, unwanted)
    path = tmp_path / "out.csv"
    Output(str(path)).deliver(lambda: {"a": [1]}, unwanted, lambda: "wrote")
    assert path.read_text() == "a\n1\n"
    assert capsys.readouterr().out == 'text\n{\n  "a": 1,\n  "output": null\n}\nwrote\n'


def test_two_results_on_one_screen_are_refused():
    with pytest.raises(ParameterError, match="use only one of them"):
        Output("-", as_json=True).check()


def test_a_model_cannot_go_to_the_screen(tmp_path):
    for path in ("-", str(tmp_path)):
        with pytest.raises(ParameterError, match="cannot write a model to"):
            check_file(path, "a model")


def test_a_table_is_one_dict_per_row():
    assert rows_of({"a": [1, 2], "b": ["x", "y"]}) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]


def test_rows_that_are_not_shown_are_counted():
    assert and_more(5, 7) == "\n… and 2 more; -o FILE writes all."
    assert and_more(7, 7) == ""
