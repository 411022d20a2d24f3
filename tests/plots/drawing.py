"""What was drawn, read back; matplotlib draws into memory here."""

import io

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def drawn(figure):
    """The picture, as evidence that it can be drawn; warnings are errors."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=40)
    return buffer.getvalue()


def texts(ax):
    return [text.get_text() for text in ax.texts]


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def inside(ax):
    """Whether no text, but for numbers at the axis, reaches beyond the figure."""
    ax.figure.canvas.draw()
    outer = ax.figure.bbox.padded(2)
    numbers = [part for tick in ax.xaxis.get_major_ticks() for part in (tick.label1, tick.label2)]
    others = [one for one in ax.figure.findobj(matplotlib.text.Text) if one not in numbers]
    boxes = [one.get_window_extent() for one in others if one.get_text() and one.get_visible()]
    return all(outer.x0 <= box.x0 and box.x1 <= outer.x1 for box in boxes)
