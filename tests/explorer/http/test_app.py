"""The routes: what they answer, in JSON, Arrow and CSV, and what they refuse."""

import csv
import io
import json

import httpx
import pyarrow as pa
import pytest

from tests.explorer.http.test_guard import is_problem
from tests.explorer.tables import HOSTILE, hostile_table, mixed_table, quick_model
from vicinal.explorer.answers import overview, parts, quality, tables
from vicinal.explorer.http.bodies import ARROW
from vicinal.explorer.http.server import Server
from vicinal.explorer.http.settings import ServiceSettings
from vicinal.explorer.served import ServedModel

M = "/v1/models/mixed"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/health", parts.Health),
        ("/ready", parts.Health),
        ("/v1/models", tables.ModelList),
        (M, tables.ModelEntry),
        (f"{M}/status", tables.Status),
        (f"{M}/schema", tables.SchemaAnswer),
        (f"{M}/overview", overview.Overview),
        (f"{M}/log", quality.Log),
        (f"{M}/log?offset=3&limit=1", quality.Log),
    ],
)
def test_a_get_answers_in_its_form(client, path, form):
    answer = client.get(path)
    assert answer.status_code == 200
    form.model_validate_json(answer.content, strict=True)


def computed_overview(client, target):
    while (answer := client.get(f"{M}/overview", params={"target": target})).status_code == 202:
        pass
    return overview.Overview.model_validate_json(answer.content, strict=True)


def test_the_overview_of_another_target_is_computed_when_it_is_asked_for(client):
    first = client.get(f"{M}/overview", params={"target": "count"})
    assert first.status_code == 202
    assert first.headers["retry-after"] == "1"
    parts.Pending.model_validate(first.json(), strict=True)
    residuals = computed_overview(client, "count").performance.residuals
    assert residuals.points
    assert residuals.unit == ""


def test_errors_of_times_are_in_a_unit_that_fits(client):
    residuals = computed_overview(client, "wait").performance.residuals
    assert residuals.unit == "minutes"
    assert max(map(abs, residuals.histogram.edges)) < 100


def test_an_answer_over_http_is_the_one_in_python(client, served):
    request = {"cases": [1, 2], "k": 2}
    assert client.post(f"{M}/neighbors", json=request).json() == served.ask("neighbors", request)


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        (b"{", 400, "syntax"),
        (b"\xff\xfe", 400, "syntax"),
        (b"[" * 100_000, 400, "syntax"),
        (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, 400, "syntax"),
        (b'{"cases": [NaN]}', 400, "syntax"),
        (b'{"rows": [{"size": Infinity}]}', 400, "syntax"),
        (b'{"rows": [{"size": 1e999}]}', 422, "table"),
        (b'{"rows": [{"size": ' + b"9" * 400 + b"}]}", 422, "table"),
        (b'{"rows": [{"size": ' + b"9" * 5000 + b"}]}", 400, "syntax"),
        (b"[]", 422, "request"),
        (b"null", 422, "request"),
        (b'"text"', 422, "request"),
        (b"{}", 422, "request"),
        (b'{"cases": []}', 422, "parameter"),
        (b'{"rows": []}', 422, "parameter"),
        (b'{"rows": [{}]}', 422, "table"),
        (b'{"rows": [[1]]}', 422, "request"),
        (b'{"rows": [{"size": [1]}]}', 422, "request"),
        (b'{"rows": [{"size": {"$gt": 0}}]}', 422, "request"),
        (b'{"rows": [{"size": "1; DROP TABLE x"}]}', 422, "table"),
        (b'{"rows": [{"day": "2024-13-45"}]}', 422, "table"),
        (b'{"rows": [{"sise": 1}]}', 422, "feature"),
        (b'{"rows": [{"size": 1}], "target": "../../etc/passwd"}', 422, "feature"),
        (b'{"cases": [-1]}', 422, "request"),
        (b'{"cases": [1e300]}', 422, "request"),
        (b'{"cases": [9007199254740993]}', 422, "request"),
        (b'{"cases": [1], "alpha": 0}', 422, "request"),
        (b'{"cases": [1], "context": []}', 422, "parameter"),
        (b'{"cases": [1], "context": ["kind"]}', 422, "table"),
        (b'{"cases": [1], "__class__": 1}', 422, "request"),
    ],
    ids=lambda one: str(one)[:40],
)
def test_a_bad_request_is_a_problem_that_says_why(client, body, status, kind):
    answer = client.post(
        f"{M}/predict", content=body, headers={"Content-Type": "application/json"}
    )
    assert is_problem(answer, status, kind)
    assert len(answer.content) < 5000


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/v1/models/mixd", 404, "not-found"),
        ("GET", "/v1/models/..%2f..%2fetc%2fpasswd", 404, "not-found"),
        ("GET", "/assets/../../../pyproject.toml", 404, "not-found"),
        ("GET", "/assets/%2e%2e/%2e%2e/served.py", 404, "not-found"),
        ("GET", "//etc/passwd", 404, "not-found"),
        ("GET", f"{M}/%00", 404, "not-found"),
        ("DELETE", f"{M}/predict", 405, "method"),
        ("GET", f"{M}/predict", 405, "method"),
        ("OPTIONS", f"{M}/predict", 405, "method"),
        ("GET", f"{M}/log?offset=-1", 422, "parameter"),
        ("GET", f"{M}/log?limit=9999", 422, "parameter"),
        ("GET", f"{M}/overview?target=nope", 422, "feature"),
    ],
)
def test_other_addresses_are_problems(client, method, path, status, kind):
    assert is_problem(client.request(method, path), status, kind)


def test_a_body_of_another_type_is_refused(client):
    # A form of another site could send these without asking.
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = client.post(f"{M}/predict", content=b"x", headers={"Content-Type": kind})
        assert is_problem(answer, 415, "media-type")


def test_changes_of_a_read_only_model_are_refused(client):
    assert is_problem(client.post(f"{M}/cases", json={"rows": [{}]}), 403, "read-only")
    assert is_problem(client.patch(f"{M}/cases", json={}), 403, "read-only")
    assert is_problem(client.post(f"{M}/cases/remove", json={"cases": [1]}), 403, "read-only")


# --- tables --------------------------------------------------------------------------------------


def arrow_body(table):
    made = pa.table(table)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, made.schema) as writer:
        writer.write_table(made)
    return sink.getvalue().to_pybytes()


def test_rows_come_and_go_as_arrow(client, served):
    table = mixed_table(10)
    answer = client.post(
        f"{M}/predict?target=size&alpha=0.2",
        content=arrow_body(table),
        headers={"Content-Type": ARROW, "Accept": ARROW},
    )
    assert answer.headers["content-type"] == ARROW
    found = pa.ipc.open_stream(answer.content).read_all()
    model = served.state.model
    assert found.column_names == ["prediction", "low", "high"]
    assert found["prediction"].to_pylist() == model.predict(table, "size").tolist()


def test_rows_come_as_csv_and_go_as_csv(client, served):
    text = "size,count\n1.5,3\n,4\n"
    answer = client.post(
        f"{M}/predict", content=text, headers={"Content-Type": "text/csv", "Accept": "text/csv"}
    )
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    expected = served.ask("predict", {"rows": [{"size": 1.5, "count": 3}, {"count": 4}]})
    assert [row["prediction"] for row in rows] == [
        one["prediction"] for one in expected["predictions"]
    ]
    assert "p_small" in rows[0]


@pytest.mark.parametrize("name", ["cases/query", "conviction", "density", "neighbors", "impute"])
def test_other_answers_are_tables_too(client, name):
    request = {"cases": [1, 2]} if name not in ("cases/query", "impute") else {}
    if name == "impute":
        request = {"rows": [{"size": None, "count": 2}]}
    for kind in (ARROW, "text/csv"):
        answer = client.post(f"{M}/{name}", json=request, headers={"Accept": kind})
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["x-vicinal-version"] == "1"


def test_a_second_file_is_compared_for_drift(client):
    body = "\n".join(["size,count", *(f"{50 + i},{i}" for i in range(30))])
    answer = client.post(f"{M}/drift", content=body, headers={"Content-Type": "text/csv"})
    assert answer.json()["changed"] is True
    assert answer.json()["features"][0]["feature"] == "size"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "text/csv"),
        (b"size\n", "text/csv"),
        (b"size,size\n1,2\n", "text/csv"),
        (b"size\n1\n2,3\n", "text/csv"),
        (b"other\n1\n", "text/csv"),
        (b'size\n"1\n', "text/csv"),
        (b"size\n\xff\n", "text/csv"),
        (b"not arrow", ARROW),
        (b"", ARROW),
        (b"ARROW1\x00\x00" + b"\x00" * 50, ARROW),
    ],
    ids=lambda one: str(one)[:30],
)
def test_tables_that_cannot_be_read_are_problems(client, body, kind):
    answer = client.post(f"{M}/predict", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_cells_that_a_spreadsheet_would_run_are_escaped():
    model = quick_model(ignore=[]).fit(hostile_table())
    server = Server([ServedModel(model, "hostile", target="y")], ServiceSettings(port=0))
    server.start()
    try:
        with httpx.Client(base_url=server.address, timeout=60) as client:
            url = "/v1/models/hostile/cases/query"
            text = client.post(url, json={}, headers={"Accept": "text/csv"}).text
            assert "'=HYPERLINK(1)" in text
            page = client.post(url, json={"limit": 5})
            assert page.json()["columns"] == [*HOSTILE, "y"]
            assert "<script>" in json.loads(page.content)["columns"][0]
            assert client.get("/v1/models/hostile/schema").status_code == 200
    finally:
        server.stop()
