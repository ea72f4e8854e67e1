"""The interface to pools: the same as in Python, blind, and revealed."""

from __future__ import annotations

import json

import pytest

from aboutness.app.pooling import pooled

ASKED = {"query": "sun sea", "rankers": ["bm25", "ql"], "depth": 6}


def test_a_pool_is_what_python_gives(site_client, index):
    told = pooled(index, "sun sea", ["bm25", "ql"], 6).to_json()
    expected = {"index": "sky", **json.loads(json.dumps(told))}
    assert site_client.post("/v1/pool", json=ASKED).json() == expected
    assert site_client.get("/v1/pool", params=ASKED).json() == expected
    assert "bm25" not in json.dumps(expected)


def test_another_seed_gives_another_order(site_client):
    one, other = (site_client.post("/v1/pool", json=ASKED | {"seed": seed}).json() for seed in (1, 2))
    assert one["documents"] != other["documents"]


def test_afterwards_it_is_told_who_had_what(site_client, index):
    pool = pooled(index, "sun sea", ["bm25", "ql"], 6)
    grades = {document.id: place % 3 for place, document in enumerate(pool.documents)}
    told = site_client.post("/v1/pool/revealed", json=ASKED | {"grades": grades}).json()
    assert told == pool.revealed(grades)
    assert site_client.post("/v1/pool/revealed", json=ASKED).json() == pool.revealed()


@pytest.mark.parametrize(
    ("change", "status", "part"),
    [
        ({"index": "nobody"}, 404, "nobody"),
        ({"rankers": ["nobody"]}, 400, "nobody"),
        ({"rankers": []}, 422, "rankers"),
        ({"rankers": ["bm25"] * 5}, 422, "rankers"),
        ({"depth": 101}, 422, "depth"),
        ({"depht": 3}, 422, "depht"),
    ],
)
def test_what_is_wrong_is_told(site_client, change, status, part):
    answer = site_client.post("/v1/pool", json=ASKED | change)
    assert answer.status_code == status
    assert part in answer.json()["message"]
