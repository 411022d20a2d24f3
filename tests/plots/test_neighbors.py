from tests.plots.drawing import texts
from vicinal.plots import NeighborsDisplay


def test_differing_cells_are_marked(explained):
    one = explained["species"]
    display = NeighborsDisplay.from_explanation(one, most=3)
    marked = {(row, display.header[column]) for row, column in display.marked}
    expected = {
        (1 + at, name)
        for at in range(3)
        for i, name in enumerate(one.cases.names)
        if one.cases.differs[at, i]
    }
    assert {(row, name) for row, name in marked if row <= 3} == expected
    assert "this row" in texts(display.ax_)
    assert display.rows[1][0] == f"#{one.cases.numbers[0]}"
