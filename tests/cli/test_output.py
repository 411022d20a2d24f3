"""Where a result goes."""

import pytest

from tests.cli.running import PENGUINS, done, refused, run
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


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(["fit", PENGUINS], "penguins.vicinal"), (["report", PENGUINS], "penguins.html")],
)
def test_an_output_is_named_after_its_input_and_replaces_nothing(
    arguments, name, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("mine")
    assert f"name it: -o {name}" in refused(*arguments)
    assert (tmp_path / name).read_text() == "mine"
    (tmp_path / name).unlink()
    done(*arguments)
    assert (tmp_path / name).stat().st_size > 1000


def test_standard_input_has_no_name_for_an_output():
    result = run("fit", "-", stdin="a,b\n1,2\n")
    assert result.exit_code == 1
    assert "-o FILE" in result.stderr
