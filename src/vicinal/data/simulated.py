"""Tables for the tutorials, made by a random generator.

Nobody's loans, payments, pumps or apartments are in them. Their columns, relations and errors
are of the kind that real tables have; each function says by which rule they come about, so that
answers can be compared with what is known to be true. The same seed makes the same table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.typing import Bools

__all__ = ["make_apartments", "make_loans", "make_pump_log", "make_transactions"]


def make_loans(n: int = 1500, random_state: int = 0) -> dict[str, list[Any]]:
    """Loans of a small bank that have ended, and whether they were repaid.

    Parameters
    ----------
    n
        Number of loans.
    random_state
        Random seed.

    Returns
    -------
    dict
        Each column and a list of its values; None where missing. ``repaid`` is "yes" or "no".

    Notes
    -----
    The log odds of a default rise with the share of income that goes into installments (this
    loan's and those of others), with late payments, and for temporary work; they fall with
    savings and years in the job. The income of one in seven self-employed is not known.
    About one loan in four is not repaid.

    Examples
    --------
    >>> loans = make_loans(n=200)
    >>> list(loans)
    ['age', 'employment', 'years_employed', 'income', 'savings', 'late_payments',
     'other_installments', 'purpose', 'amount', 'months', 'repaid']
    >>> loans["repaid"].count("no")
    55
    """
    rng = np.random.default_rng(random_state)
    age = rng.integers(20, 70, n)
    work = rng.choice(["salaried", "self-employed", "temporary"], n, p=[0.66, 0.18, 0.16])
    years = np.minimum(rng.exponential(np.where(work == "temporary", 1.5, 8), n), age - 18)
    income = np.exp(rng.normal(7.8, 0.35, n) + 0.012 * np.minimum(years, 20))
    savings = rng.choice(4, n, p=[0.34, 0.32, 0.22, 0.12])
    late = rng.poisson(np.where(work == "temporary", 0.7, 0.35) * (savings < 2) + 0.1)
    others = np.where(rng.random(n) < 0.45, income * rng.uniform(0.04, 0.3, n), 0)
    purpose = rng.choice(
        ["car", "education", "furniture", "renovation"], n, p=[0.4, 0.15, 0.2, 0.25]
    )
    scale = np.array(
        [{"car": 3.4, "education": 2.2, "furniture": 1.2, "renovation": 3}[p] for p in purpose]
    )
    amount = np.round(income * scale * rng.lognormal(0, 0.45, n), -2) + 200
    months = rng.choice([12, 24, 36, 48, 60], n, p=[0.12, 0.24, 0.3, 0.2, 0.14])
    burden = (others + 1.06 * amount / months) / income
    odds = -2.2 + 7.0 * burden + 0.9 * late + 0.9 * (work == "temporary")
    odds += -0.6 * savings - 0.05 * np.minimum(years, 15)
    default = rng.random(n) < 1 / (1 + np.exp(-odds))
    unknown = (work == "self-employed") & (rng.random(n) < 1 / 7)
    return {
        "age": age.tolist(),
        "employment": work.tolist(),
        "years_employed": np.round(years).astype(int).tolist(),
        "income": _with_gaps(np.round(income, -1), unknown),
        "savings": np.array(["none", "some", "good", "ample"])[savings].tolist(),
        "late_payments": late.tolist(),
        "other_installments": np.round(others, -1).tolist(),
        "purpose": purpose.tolist(),
        "amount": amount.tolist(),
        "months": months.tolist(),
        "repaid": np.where(default, "no", "yes").tolist(),
    }


def make_transactions(
    n: int = 3000, fraud: int = 30, random_state: int = 0
) -> tuple[dict[str, list[Any]], Bools]:
    """Card payments of one bank, a few of them fraudulent.

    Parameters
    ----------
    n
        Number of payments.
    fraud
        How many of them are fraudulent.
    random_state
        Random seed.

    Returns
    -------
    table : dict
        Each column and a list of its values.
    is_fraud : array of bool
        Which payments are fraudulent; a bank learns this weeks later, if at all.

    Notes
    -----
    Shops have their hours, prices and distances from the customer's home. Of the fraudulent
    payments, a third pay for fuel or food far from home at night, a third buy electronics
    online for several times what is usual, and a third cost less than 3 for things that
    are never that cheap: thieves try out stolen cards. No single column gives them away.

    Examples
    --------
    >>> payments, is_fraud = make_transactions(n=400, fraud=3)
    >>> list(payments)
    ['hour', 'shop', 'online', 'country', 'amount', 'km_from_home', 'days_since_last']
    >>> int(is_fraud.sum())
    3
    """
    rng = np.random.default_rng(random_state)
    is_fraud = np.zeros(n, bool)
    is_fraud[rng.choice(n, fraud, replace=False)] = True
    kind = np.where(is_fraud, np.cumsum(is_fraud) % 3, -1)  # in turn
    shops = ["groceries", "fuel", "restaurant", "clothes", "electronics", "travel"]
    shop = rng.choice(6, n, p=[0.36, 0.14, 0.2, 0.14, 0.09, 0.07])
    shop = np.where(kind == 0, rng.choice([0, 1], n), shop)
    shop = np.where(kind == 1, 4, shop)
    shop = np.where(kind == 2, rng.choice([3, 4, 5], n), shop)
    online = rng.random(n) < np.array([0.06, 0.0, 0.12, 0.45, 0.5, 0.8])[shop]
    online |= kind > 0
    mean_hour = np.array([15.5, 13.5, 19.5, 15.5, 16.5, 14.0])[shop]
    hour = np.where(online, rng.normal(19, 3.5, n), rng.normal(mean_hour, 2.6, n))
    hour = np.where(kind == 0, rng.normal(3, 1, n), hour) % 24
    amount = np.exp(
        rng.normal(
            np.array([3.4, 3.9, 3.5, 4.1, 5.0, 5.7])[shop], np.where(shop == 1, 0.3, 0.6), n
        )
    )
    amount = np.where(kind == 1, amount * rng.uniform(5, 10, n), amount)
    amount = np.where(kind == 2, rng.uniform(0.5, 3, n), amount)
    away = (rng.random(n) < 0.06) | (kind == 0)
    km = np.where(away, rng.lognormal(5.8, 0.7, n), rng.gamma(1.6, 4, n))
    country = np.where(away & (rng.random(n) < 0.5), rng.choice(["FR", "IT", "PL"], n), "DE")
    return {
        "hour": np.round(hour, 2).tolist(),
        "shop": [shops[code] for code in shop],
        "online": np.where(online, "yes", "no").tolist(),
        "country": country.tolist(),
        "amount": np.round(amount, 2).tolist(),
        "km_from_home": np.where(online, 0.0, np.round(km, 1)).tolist(),
        "days_since_last": np.round(rng.exponential(1.2, n), 1).tolist(),
    }, is_fraud


def make_pump_log(
    n: int = 1000, drift: float = 0.0, faulty: str = "pressure", random_state: int = 0
) -> dict[str, list[float]]:
    """Hourly readings of a water pump that runs at changing speeds.

    Parameters
    ----------
    n
        Number of hours.
    drift
        How far the readings of one sensor are off at the end, in parts of its mean. The error
        grows evenly from 0; the pump itself is sound.
    faulty
        The sensor whose readings drift.
    random_state
        Random seed.

    Returns
    -------
    dict
        Each sensor and a list of its readings.

    Notes
    -----
    Flow is proportional to speed and depends on the valve, pressure to the square of
    speed, and the motor's power to the product of flow and pressure; the temperature of the
    bearing follows power and the weather. Noise of each sensor is 1 to 2 % of its mean.

    Examples
    --------
    >>> log = make_pump_log(n=48)
    >>> list(log)
    ['speed', 'valve', 'flow', 'pressure', 'power', 'outside_temperature', 'bearing_temperature']
    """
    rng = np.random.default_rng(random_state)
    hours = np.arange(n)
    shift = np.repeat(rng.integers(0, 3, n // 8 + 1), 8)[:n]  # three regimes of eight hours
    speed = np.array([900.0, 1300.0, 1750.0])[shift] + rng.normal(0, 40, n)
    valve = np.clip(0.75 + 0.15 * np.sin(hours / 31) + rng.normal(0, 0.04, n), 0.4, 1)
    flow = 0.055 * speed * valve**0.7
    pressure = 1.6e-6 * speed**2 * (1.35 - 0.5 * valve)
    power = 0.9 + 0.045 * flow * pressure
    outside = 16 + 6 * np.sin(2 * np.pi * hours / 24) + rng.normal(0, 1, n)
    bearing = 24 + 0.6 * outside + 2.1 * power
    log = {
        "speed": speed + rng.normal(0, 8, n),
        "valve": valve + rng.normal(0, 0.008, n),
        "flow": flow + rng.normal(0, 0.8, n),
        "pressure": pressure + rng.normal(0, 0.04, n),
        "power": power + rng.normal(0, 0.1, n),
        "outside_temperature": outside + rng.normal(0, 0.3, n),
        "bearing_temperature": bearing + rng.normal(0, 0.5, n),
    }
    log[faulty] = log[faulty] * (1 + drift * hours / max(n - 1, 1))
    return {name: np.round(values, 3).tolist() for name, values in log.items()}


def make_apartments(
    n: int = 800, damaged: bool = True, random_state: int = 0
) -> tuple[dict[str, list[Any]], dict[str, list[int]]]:
    """Advertisements of apartments with their rent, and the errors that such lists have.

    Parameters
    ----------
    n
        Number of apartments.
    damaged
        Whether to add the errors below.
    random_state
        Random seed.

    Returns
    -------
    table : dict
        Each column and a list of its values; None where missing.
    errors : dict
        Each kind of error and the rows that have it: ``"area"`` in square feet instead of square
        meters, ``"rent"`` with a zero too many or too few, ``"year"`` -999 for unknown,
        ``"duplicate"`` rows that repeat another one, ``"missing"`` areas or conditions.

    Notes
    -----
    Rent is area × a price that depends on district, condition, year and floor, with 8 % noise.

    Examples
    --------
    >>> apartments, errors = make_apartments(n=200)
    >>> list(apartments)
    ['advertisement', 'district', 'rooms', 'area', 'floor', 'year', 'condition', 'balcony', 'rent']
    >>> {kind: len(rows) for kind, rows in errors.items()}
    {'area': 2, 'rent': 2, 'year': 8, 'duplicate': 6, 'missing': 20}
    """
    rng = np.random.default_rng(random_state)
    district = rng.choice(["center", "harbor", "north", "south", "west"], n)
    rooms = rng.choice([1, 2, 3, 4, 5], n, p=[0.15, 0.31, 0.31, 0.17, 0.06])
    area = np.round(rooms * rng.normal(24, 2.5, n) + rng.normal(10, 4, n))
    floor = rng.integers(0, 8, n)
    year = np.where(rng.random(n) < 0.4, rng.integers(1890, 1940, n), rng.integers(1950, 2024, n))
    condition = np.clip(np.round(rng.normal(1 + (year - 1950) / 80, 0.8, n)), 0, 3).astype(int)
    balcony = rng.random(n) < 0.3 + 0.4 * (year > 1950)
    place = np.array(
        [{"center": 5, "harbor": 3.5, "north": 0, "south": 1, "west": 2}[d] for d in district]
    )
    price = 8.5 + place + 1.1 * condition + 0.6 * balcony + 0.1 * floor + 1.2 * (year < 1940)
    rent = np.round(area * price * (1 + 4 / (area + 10)) * rng.lognormal(0, 0.08, n), -1)
    table: dict[str, Any] = {
        "advertisement": [f"A{number:05}" for number in rng.choice(99999, n, replace=False)],
        "district": district.tolist(),
        "rooms": rooms.tolist(),
        "area": area.tolist(),
        "floor": floor.tolist(),
        "year": year.tolist(),
        "condition": np.array(["poor", "fair", "good", "new"])[condition].tolist(),
        "balcony": np.where(balcony, "yes", "no").tolist(),
        "rent": rent.tolist(),
    }
    return table, _damage(table, rng) if damaged else {}


def _damage(table: dict[str, Any], rng: np.random.Generator) -> dict[str, list[int]]:
    """Write errors into a table, and return which rows have them."""
    n = len(table["rent"])
    shares = {"area": 0.0125, "rent": 0.01, "year": 0.04, "duplicate": 0.03, "missing": 0.1}
    rows = rng.permutation(n).tolist()
    errors = {kind: sorted(rows.pop() for _ in range(round(n * s))) for kind, s in shares.items()}
    for row in errors["area"]:
        table["area"][row] = round(table["area"][row] * 10.764)
    for row in errors["rent"]:
        table["rent"][row] *= rng.choice([0.1, 10])
    for row in errors["year"]:
        table["year"][row] = -999
    for row in errors["duplicate"]:
        source = rows.pop()
        for name, values in table.items():
            if name != "advertisement":
                values[row] = values[source]
    for row in errors["missing"]:
        table[str(rng.choice(["area", "condition"]))][row] = None
    return errors


def _with_gaps(values: NDArray[Any], gaps: Bools) -> list[float | None]:
    return [None if gap else value for value, gap in zip(values.tolist(), gaps, strict=True)]
