"""The OpenAPI document, the page that shows it, metrics and logs of a running service."""

import json
import logging
import re

import pytest

from vicinal.explorer.http.logs import JsonFormatter
from vicinal.explorer.questions import QUESTIONS


def referred(node):
    """Every form that a part of the document refers to."""
    if isinstance(node, dict):
        yield from ([node["$ref"]] if "$ref" in node else [])
        for one in node.values():
            yield from referred(one)
    elif isinstance(node, list):
        for one in node:
            yield from referred(one)


def test_the_document_has_every_route_and_every_form(client):
    document = client.get("/v1/openapi.json").json()
    paths = set(document["paths"])
    assert {f"/v1/models/{{model}}/{name}" for name in QUESTIONS} <= paths
    assert {"/v1/models", "/v1/models/{model}/cases", "/health"} <= paths
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(referred(document)) <= known


def test_every_route_says_what_it_answers(client):
    document = client.get("/v1/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            answers = set(told["responses"])
            assert answers & {"200", "201"}, (path, method)
            assert "422" in answers
            assert ("requestBody" in told) == (method in ("post", "patch"))


def test_the_page_needs_nothing_from_elsewhere_and_no_script(client):
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "<script" not in page.text
    assert not re.search(r'(src|href)="(?!/v1/openapi\.json)', page.text)
    assert "/v1/models/{model}/explain" in page.text


def test_requests_are_counted_by_route(client):
    client.get("/v1/models")
    client.get("/v1/models/nobody")
    text = client.get("/metrics").text
    assert 'vicinal_requests_total{method="GET",route="/v1/models",status="200"}' in text
    assert 'route="/v1/models/{model}",status="404"' in text
    assert 'vicinal_cases{model="mixed"} 60.0' in text
    assert "vicinal_request_seconds_bucket" in text
    assert "nobody" not in text


def test_a_request_is_one_line_of_json_without_its_content(client, caplog):
    with caplog.at_level(logging.INFO, "vicinal.service"):
        client.post("/v1/models/mixed/predict", json={"rows": [{"size": 123456.5}]})
    [record] = [one for one in caplog.records if one.name == "vicinal.service"]
    line = JsonFormatter().format(record)
    said = json.loads(line)
    assert "\n" not in line
    assert (said["method"], said["status"]) == ("POST", 200)
    assert said["path"] == "/v1/models/mixed/predict"
    assert "123456" not in line


@pytest.mark.parametrize("path", ["/%0a%0dx", "/\u202e", "/%1b[31m"])
def test_no_path_can_break_a_line_of_the_log(client, caplog, path):
    with caplog.at_level(logging.INFO, "vicinal.service"):
        assert client.get(path).status_code == 404
    line = JsonFormatter().format(caplog.records[-1])
    assert line.isprintable()
    assert line.isascii()
