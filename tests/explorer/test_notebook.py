import httpx

import vicinal
from tests.explorer.tables import mixed_table, quick_model


def test_a_model_is_explored_from_python_by_those_who_have_the_address(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    model = quick_model().fit(mixed_table())
    with model.explore("kind") as explorer:
        assert opened == [explorer.url]
        address, _, token = explorer.url.partition("#token=")
        assert httpx.get(f"{address}v1/models").status_code == 401
        allowed = {"Authorization": f"Bearer {token}"}
        listed = httpx.get(f"{address}v1/models", headers=allowed).json()
        assert listed["models"][0]["target"] == "kind"
        assert explorer.ask("predict", {"cases": [0]})["target"] == "kind"
        assert explorer.url in repr(explorer)
        assert "<a " in explorer._repr_html_()
        model.add({name: [column[0]] for name, column in mixed_table().items()})
        assert explorer.ask("cases/query")["of"] == 60


def test_the_explorer_is_public():
    assert isinstance(vicinal.Explorer, type)
