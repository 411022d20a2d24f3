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
