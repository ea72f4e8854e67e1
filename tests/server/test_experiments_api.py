from __future__ import annotations

import json
from dataclasses import replace

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from pydantic import TypeAdapter

from aboutness.app.compared import ComparedResults, compared
from aboutness.app.reporting import write_report
from aboutness.app.results import Saved, SavedResults
from aboutness.app.two_rankings import TwoRankings, per_query
from aboutness.experiment.results_folder import save_results
from aboutness.server.app import make_app
from aboutness.server.settings import Settings
from report.made_results import MADE, comparison, results
from server.compared_results import HOSTILE_QUERY, write_results
from server.served import client_of
from server.test_schema import CHECKS, OWN_NAME

pytestmark = pytest.mark.filterwarnings(  # a thread of the server's may draw while requests are drawn
    "ignore:Do not use the `random` module:hypothesis.errors.HypothesisDeprecationWarning"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def client(folder, index):
    with client_of(make_app({"sky": index}, Settings(results=folder))) as made:
        yield made


def plain(value):
    return json.loads(json.dumps(value))


def test_the_list(client, folder):
    found = client.get("/v1/experiments").json()
    assert found == plain([one.to_json() for one in SavedResults(folder).all()])
    by_name = {one["name"]: one for one in found}
    assert set(by_name) == {"first", "single", "odd", "broken"}
    assert by_name["first"]["rankers"] == ["bm25", "ql", "wcs"]
    assert by_name["first"]["queries"] == 12
    assert by_name["broken"]["problem"]


def test_no_path_of_the_machine_is_told(index, tmp_path):
    noted = comparison(["bm25", "ql"], 3, left_out={"lsa": f"run: aboutness train {index.path} lsa"})
    made = replace(MADE, command="aboutness experiment /data/private/cranfield")
    save_results(results(noted, made=made), tmp_path / "one")
    with client_of(make_app({"sky": index}, Settings(results=tmp_path))) as client:
        answer, page = client.get("/v1/experiments/one"), client.get("/compare")
    for text in (answer.text, page.text):
        assert "run: aboutness train sky.index lsa" in text
        assert "aboutness experiment cranfield" in text
        assert "/data/private" not in text
        assert str(index.path) not in text


def test_without_a_folder_the_list_is_empty(site_client):
    assert site_client.get("/v1/experiments").json() == []
    answer = site_client.get("/v1/experiments/one")
    assert answer.status_code == 404
    assert "aboutness serve … --results results" in answer.json()["message"]


@pytest.mark.parametrize("asked", [{}, {"measure": "AP"}, {"on": "chance, titles", "measure": "P@5"}])
def test_one_is_what_python_says(client, folder, asked):
    answer = client.get("/v1/experiments/one", params={"name": "first", **asked})
    assert answer.status_code == 200
    expected = compared(SavedResults(folder).open("first"), asked.get("on"), asked.get("measure"))
    assert answer.json() == plain(expected.to_json())


def test_one_is_what_the_report_says(client, folder, tmp_path):
    write_report(folder / "first", tmp_path / "report.json")
    said = json.loads((tmp_path / "report.json").read_text("utf-8"))["comparisons"][0]
    found = client.get("/v1/experiments/one", params={"name": "first", "measure": "AP"}).json()
    for row in found["table"]:
        told = said["findings"][row["ranker"]]["AP"]
        assert row["means"]["AP"] == {name: told[name] for name in ("mean", "deviation", "best")}
        if row["against"]:
            assert {name: row["against"][name] for name in ("difference", "low", "high", "p", "effect")} == {
                name: told[name] for name in ("difference", "low", "high", "p", "effect")
            }
    pairs = said["pairs"]["AP"]
    names = pairs["names"]
    assert {(one["ranker"], one["other"]): one["adjusted"] for one in found["significance"]["pairs"]} == {
        (names[i], names[j]): pairs["adjusted"][i][j] for i in range(3) for j in range(i + 1, 3)
    }


def test_two_rankings_are_what_python_says(client, folder):
    asked = {"name": "first", "query": "q3", "a": "wcs", "b": "bm25", "k": 7}
    answer = client.get("/v1/experiments/query", params=asked)
    expected = per_query(SavedResults(folder).open("first"), "q3", "wcs", "bm25", k=7)
    assert answer.json() == plain(expected.to_json())
    assert len(answer.json()["a"]["documents"]) == 7


def test_ids_of_any_kind(client):
    answer = client.get("/v1/experiments/query", params={"name": "odd", "query": HOSTILE_QUERY})
    assert answer.json()["query"] == HOSTILE_QUERY
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("path", "asked", "status", "told"),
    [
        ("one", {"name": "../first"}, 404, "there are no results '../first'; there are broken, first, odd, single"),
        ("one", {"name": "first", "on": "x"}, 404, "have no part 'x'; there are chance; chance, titles"),
        ("one", {"name": "first", "measure": "RR"}, 404, "the measure must be one of nDCG@10, AP, P@5, got 'RR'"),
        ("one", {"name": "broken"}, 422, "this is no JSON"),
        ("one", {"nome": "first"}, 422, "nome: there is nothing of this name to be given here"),
        ("query", {"name": "first"}, 422, "query: Field required"),
        ("query", {"name": "first", "query": "q99"}, 404, "no judged query 'q99'"),
        ("query", {"name": "first", "query": "q1", "a": "x"}, 404, "no ranker is called 'x' here; there are bm25, ql, wcs"),
        ("query", {"name": "first", "query": "q1", "k": 0}, 422, "k: Input should be greater than or equal to 1"),
    ],
)  # fmt: skip
def test_refusals(client, folder, path, asked, status, told):
    answer = client.get(f"/v1/experiments/{path}", params=asked)
    assert answer.status_code == status
    assert told in answer.json()["message"]
    assert str(folder) not in answer.text


def test_results_that_come_later_are_seen(tmp_path, index):
    with client_of(make_app({"sky": index}, Settings(results=tmp_path))) as client:
        assert client.get("/v1/experiments").json() == []
        write_results(tmp_path)
        assert len(client.get("/v1/experiments").json()) == 4
        assert client.get("/v1/experiments/one", params={"name": "single"}).json()["significance"] is None


@pytest.mark.parametrize(
    ("path", "asked", "kind"),
    [
        ("", {}, list[Saved]),
        ("/one", {"name": "odd"}, ComparedResults),
        ("/query", {"name": "odd", "query": "q1"}, TwoRankings),
    ],
)
def test_answers_are_as_the_interface_says(client, path, asked, kind):
    answer = client.get(f"/v1/experiments{path}", params=asked)
    described = TypeAdapter(kind)
    assert json.loads(described.dump_json(described.validate_json(answer.content))) == answer.json()
    told = client.get("/v1/openapi.json").json()["paths"][f"/v1/experiments{path}"]["get"]["responses"]
    schema = told["200"]["content"]["application/json"]["schema"]
    assert (schema.get("items") or schema)["$ref"].endswith(getattr(kind, "__args__", [kind])[0].__name__)
    assert {"404", "422"} <= set(told)


def test_requests_that_are_drawn(index, folder):
    app = make_app({"sky": index}, Settings(results=folder))
    schema = schemathesis.openapi.from_asgi("/v1/openapi.json", app, headers=OWN_NAME)
    for path in ("/v1/experiments/one", "/v1/experiments/query"):

        @settings(max_examples=10, suppress_health_check=list(HealthCheck), database=None, deadline=None)
        @given(case=schema[path]["GET"].as_strategy())
        def answered(case):
            if case.query and "name" in case.query:
                case.query["name"] = "first"  # so that something is found now and then
            case.call_and_validate(checks=CHECKS, headers=OWN_NAME)

        answered()
