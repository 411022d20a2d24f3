import json
import random
import signal
import threading
import time

import httpx
import pytest

import vicinal
from tests.cli.running import refused
from tests.cli.serving import serving
from vicinal import Model

TOKEN = "a-token-of-24-characters"
ROW = {"size": 9.0, "kind": "c"}


@pytest.fixture
def path(tmp_path):
    table = {"size": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "a", "b", "b"]}
    path = tmp_path / "my model.vicinal"
    Model(n_jobs=1, scores=False).fit(table).save(path)
    return path


def test_a_model_file_is_served_until_it_is_told_to_stop(path):
    with serving("serve", path, "-t", "kind") as (process, url):
        listed = httpx.get(f"{url}v1/models").json()["models"]
        assert [one["name"] for one in listed] == ["my-model"]
        answer = httpx.post(f"{url}v1/models/my-model/neighbors", json={"cases": [0], "k": 1})
        assert answer.json()["neighbors"][0][0]["case"] == 1
        process.send_signal(signal.SIGTERM)
        _, logged = process.communicate(timeout=60)
    assert process.returncode in (0, -signal.SIGTERM)
    lines = [json.loads(line) for line in logged.splitlines()]
    assert [one["status"] for one in lines if one["message"] == "request"] == [200, 200]


def test_changes_are_saved_and_another_start_has_them(path):
    with serving("serve", path, "--writable", "--quiet") as (_, url):
        answer = httpx.post(f"{url}v1/models/my-model/cases", json={"rows": [ROW]})
        assert answer.status_code == 201
    assert len(vicinal.load(path)) == 5
    with serving("serve", path) as (_, url):
        assert httpx.get(f"{url}v1/models/my-model").json()["version"] == 2
        answer = httpx.post(f"{url}v1/models/my-model/cases", json={"rows": [ROW]})
        assert answer.status_code == 403


def test_a_kill_in_mid_write_leaves_the_file_whole_with_all_that_was_answered(path):
    chance = random.Random(3)
    for _ in range(3):
        before = len(vicinal.load(path).log_)
        answered = []
        with serving("serve", path, "--writable", "--quiet") as (process, url):

            def write(url=url, answered=answered):
                try:
                    with httpx.Client(base_url=url, timeout=10) as client:
                        while True:
                            answer = client.post("v1/models/my-model/cases", json={"rows": [ROW]})
                            answered.append(answer.json()["version"])
                except httpx.HTTPError:
                    return  # it was killed

            writers = [threading.Thread(target=write) for _ in range(2)]
            for one in writers:
                one.start()
            while len(answered) < 3:
                time.sleep(0.01)
            time.sleep(chance.random() * 0.2)
            process.kill()
            for one in writers:
                one.join()
        again = vicinal.load(path)
        assert len(set(answered)) == len(answered)
        assert max(answered) <= len(again.log_) <= before + len(answered) + 2
        assert len(again) == len(again.log_) + 3


def test_other_machines_need_a_token_which_comes_from_the_environment_or_a_file(path, tmp_path):
    assert "needs a token" in refused("serve", str(path), "--host", "0.0.0.0")
    with serving("serve", path, VICINAL_TOKEN=TOKEN) as (_, url):
        assert httpx.get(f"{url}v1/models").status_code == 401
        allowed = {"Authorization": f"Bearer {TOKEN}"}
        assert httpx.get(f"{url}v1/models", headers=allowed).status_code == 200
    (tmp_path / "token").write_text("short\n", encoding="utf-8")
    said = refused("serve", str(path), "--token-file", str(tmp_path / "token"))
    assert "expected at least 16" in said


def test_what_cannot_be_served_is_refused_in_one_line(path, tmp_path):
    assert "would both be called" in refused("serve", str(path), str(path))
    assert "Did you mean 'kind'" in refused("serve", str(path), "-t", "kidn")
    assert "no.vicinal" in refused("serve", str(tmp_path / "no.vicinal"))
