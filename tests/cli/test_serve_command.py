from __future__ import annotations

import signal
import socket
import time
import urllib.error

import pytest
from typer.testing import CliRunner

from aboutness.app.index import Index
from aboutness.cli.main import app
from cli.running import THREE
from cli.serving import Serving


@pytest.fixture
def folder(tmp_path):
    return Index.build(THREE, tmp_path / "three.index").path


def run(*arguments):
    ran = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    return ran.exit_code, ran.stdout, ran.stderr


def test_it_says_where_it_serves_and_ends_when_told(folder):
    serving = Serving(folder)
    assert serving.url.startswith("http://127.0.0.1:")
    (found,) = serving.get("v1/search?query=city&rankers=bm25")
    assert [hit["id"] for hit in found["hits"]] == [
        hit.id for hit in Index.open(folder).search("city", 10, "bm25")
    ]
    code, err = serving.end(signal.SIGINT)
    assert code == 0
    assert err == "three: 3 documents\nCtrl-C ends it.\n"


def test_it_serves_what_is_added_by_others(folder):
    serving = Serving(f"town={folder}")
    assert serving.get("v1/health")["indexes"][0] == {
        "name": "town",
        "documents": 3,
        "generation": 1,
        "trouble": None,
        "missing": [],
    }
    Index.open(folder).add([{"id": "d", "text": "a comet"}])
    for _ in range(100):
        if serving.get("v1/health")["indexes"][0]["documents"] == 4:
            break
        time.sleep(0.1)
    assert serving.get("v1/search?query=comet&rankers=bm25")[0]["hits"][0]["id"] == "d"
    assert serving.end()[0] == 0


def test_keys_let_in(folder, tmp_path):
    code, key, said = run("key", tmp_path / "keys.txt", "--scope", "read")
    assert code == 0
    assert "scope read" in said
    serving = Serving(folder, "--api-key-file", tmp_path / "keys.txt")
    with pytest.raises(urllib.error.HTTPError, match="401"):
        serving.get("v1/health")
    assert serving.get("v1/health", Authorization=f"Bearer {key.strip()}")["status"] == "ok"
    assert serving.end()[0] == 0


def test_what_cannot_be_served_is_said(folder, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = run("serve", folder, "--port", port)
        assert code == 2
        assert f"port {port} of 127.0.0.1 cannot be used" in err
        assert "3 documents" not in err  # it is said before an index is opened
    for arguments, status, said in (
        ((folder, "--host", "0.0.0.0"), 2, "needs an API key"),
        ((tmp_path / "none.index",), 4, "none.index"),
        ((folder, "--results", tmp_path / "none"), 2, "results must be a folder"),
        ((folder, folder), 2, "two indexes have the name 'three'"),
        ((folder, "--api-key-file", tmp_path / "none.txt"), 4, "none.txt; make it with 'aboutness key"),
        ((folder, "--api-key-file", tmp_path), 3, "cannot be read as a file of API keys: Is a directory"),
    ):
        code, _, err = run("serve", *arguments, "--port", "0")
        assert (code, said in err) == (status, True), err
    assert run("key", tmp_path / "keys.txt", "--scope", "all")[0] == 2


def test_damaged_files_are_not_served(folder, tmp_path):
    postings = next(path for path in sorted((folder / "arrays").iterdir()) if "postings" in path.name)
    content = bytearray(postings.read_bytes())
    content[-5] ^= 1
    postings.write_bytes(content)
    code, _, err = run("serve", folder, "--port", "0")
    assert code == 5
    assert "was changed" in err
    with Serving(folder, "--no-verify") as serving:
        assert serving.get("v1/live") == {"status": "ok"}
