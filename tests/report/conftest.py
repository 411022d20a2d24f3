"""Penguins, fitted once, and the reports on two targets."""

import pytest

from tests.report import reading, tables


@pytest.fixture(scope="session")
def penguins():
    return reading.fit(tables.some_penguins())


@pytest.fixture(scope="session")
def held_out(penguins):
    from vicinal.report.held_out import hold_out

    return {target: hold_out(penguins, target) for target in ("island", "body_mass_g")}


@pytest.fixture(scope="session")
def reports(penguins):
    from vicinal.report.gather import gather_report

    return {target: gather_report(penguins, target) for target in ("island", "body_mass_g")}
