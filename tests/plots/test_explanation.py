from tests.plots.drawing import drawn


def test_an_explanation_draws_itself(explained, model, rows):
    display = explained["species"].plot()
    assert len(display.axes_) == 3
    bare = model.explain(rows, "species", features=False)
    assert len(bare.plot().axes_) == 2
    assert drawn(bare.plot().figure_)
