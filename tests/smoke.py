"""What an installed package must be able to do, with its own dependencies alone.

Run by ``python tests/smoke.py`` where a wheel was installed; no test framework is needed.
"""

import vicinal
from vicinal.data import load_penguins


def main():
    table = load_penguins()
    model = vicinal.Model().fit(table)
    first = {name: values[:5] for name, values in table.items() if name != "species"}
    predicted = model.predict(first, target="species")
    assert predicted.tolist() == ["Adelie"] * 5, predicted
    found = model.explain(first, target="species")[0]
    shares = found.columns("cases")["influence"]
    assert 0.95 < sum(shares) <= 1 + 1e-9, sum(shares)
    near = model.neighbors(first, k=3)
    assert near.indices.shape == (5, 3)
    print(f"vicinal {vicinal.__version__} predicts and explains")


if __name__ == "__main__":
    main()
