"""Penguins and their explanations, for displays to draw."""

import pandas as pd
import pytest

from vicinal import Model, VicinalClassifier
from vicinal.data import load_penguins


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="session")
def penguins():
    return load_penguins()


@pytest.fixture(scope="session")
def model(penguins):
    return Model(max_members=2).fit({name: values[::2] for name, values in penguins.items()})


@pytest.fixture(scope="session")
def frame(penguins):
    return pd.DataFrame(penguins)[["bill_length_mm", "island", "sex", "species"]]


@pytest.fixture(scope="session")
def classifier(frame):
    return VicinalClassifier(max_members=2).fit(
        frame[::3].drop(columns="species"), frame["species"][::3]
    )


@pytest.fixture(scope="session")
def rows(penguins):
    return {name: values[198:203] for name, values in penguins.items()}


@pytest.fixture(scope="session")
def explained(model, rows):
    return {name: model.explain(rows, name)[0] for name in ("species", "body_mass_g")}
