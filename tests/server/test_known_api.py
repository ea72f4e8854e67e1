"""What is known is told as the command line tells it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from aboutness.app.inventory import vocabulary
from aboutness.cli.main import app


def shell(*arguments):
    return json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)


@pytest.mark.parametrize("what", ["models", "measures", "analyzers", "trainers"])
def test_it_is_what_the_command_line_lists(site_client, what):
    assert site_client.get(f"/v1/{what}").json() == shell(what)


def test_indexes_are_as_info_has_them_but_for_their_folders(site_client, index):
    (told,) = site_client.get("/v1/indexes").json()
    assert told == shell("info", str(index.path)) | {"index": "sky"}
    assert str(index.path.parent) not in json.dumps(told)


def test_frequent_terms(site_client, index):
    assert site_client.get("/v1/indexes/vocabulary", params={"k": 3}).json() == vocabulary(index, 3)


def test_health_is_that_of_check(site_client, index):
    told, checked = site_client.get("/v1/indexes/health").json(), shell("check", str(index.path))
    assert {key: told[key] for key in ("ok", "generation", "files", "bytes", "documents")} == {
        key: checked[key] for key in ("ok", "generation", "files", "bytes", "documents")
    }
    assert site_client.get("/v1/indexes/health", params={"index": "nobody"}).status_code == 404
