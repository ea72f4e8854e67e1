"""A server over shards answers as one without; where a shard does not answer, the others do, and that is told."""

from __future__ import annotations

import re
import threading
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from aboutness.app.over_shards import IndexOverShards, opened_to_serve
from aboutness.cli.main import app
from aboutness.core.errors import DamagedIndex, Unreachable
from aboutness.models.question import Question
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.scale import replicas
from aboutness.scale.engine import Here, engine_of
from aboutness.scale.shards import Service
from aboutness.server.app import make_app
from aboutness.server.held import Held
from cli.serving import Serving
from scale.losing import SHARDS, Losing, sky_in_parts, until
from scale.raylets import of_session
from server.served import client_of

RANKERS = ["bm25", "ql", "iwcs", "default", "bm25 + iwcs", "rrf(bm25, ql)", "bm25 % 5 >> iwcs", "rm3(bm25)"]
SUMS = ["bm25", "ql", "iwcs", "bm25 + iwcs", "wmd"]  # a document's score depends on no other document


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(replicas, "PAUSE_S", 0.02)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return sky_in_parts(tmp_path_factory.mktemp("shards") / "sky.index")


@pytest.fixture
def engine():
    return Losing()


@pytest.fixture
def over(index, engine):
    return served(index, engine)


def served(index, engine, replicas=1, seconds=5.0):
    return IndexOverShards(index.snapshot, engine, None, Service(seconds, replicas))


def found(index, ranker, query="songs of the moon and cities", k=100, **how):
    return [(hit.id, hit.score) for hit in index.search(query, k, ranker, **how)]


def of_shards(index, places) -> set[str]:
    """The ids of the documents in some shards."""
    segments = [index.snapshot.segments[place] for place in places]
    numbers = [np.arange(segment.first, segment.first + len(segment)) for segment in segments]
    return set(index.snapshot.ids_of(np.concatenate(numbers)))


# --- all shards answer ------------------------------------------------------------------------------------------

ADDRESSES = [
    "/v1/search?query=songs%20of%20the%20moon&rankers=bm25&rankers=default&explain=true",
    "/v1/search?like=d1-2&rankers=iwcs&rankers=ql&rankers=doc2vec&where=year>=1991&k=7",
    "/v1/search?query=sea%20city&rankers=bm25%20%25%205%20%3E%3E%20iwcs&match=and&fields=3*title%2Btext",
    "/v1/explain?query=harbour%20songs&id=d3-1&rankers=bm25&rankers=default&rankers=wmd&ranks=true",
    "/v1/documents?offset=3", "/v1/indexes", "/v1/indexes/vocabulary", "/v1/indexes/health",
    "/v1/map?ranker=iwcs&method=pca", "/v1/neighbours?word=moon", "/v1/health", "/v1/models",
    "/v1/search?query=x&rankers=nothing", "/v1/search?query=x&rankers=lsa", "/v1/explain?query=x&id=none",
    "/search?q=songs+of+the+moon&r=bm25&r=iwcs", "/explain?q=moon&id=d1-1&r=default", "/indexes", "/words",
    "/v1/search/columns?q=moon&r=bm25&r=default&r=nothing",
]  # fmt: skip
POSTED = {
    "/v1/perturb": {"query": "moon", "passages": {"a": "the moon and the sea", "b": "a song"}, "replace": []},
    "/v1/pool": {"query": "moon harbour", "rankers": ["bm25", "iwcs"], "depth": 5},
}


def answered(client, address):
    """Return the status and the body of an answer, without the time that it took."""
    answer = client.post(address, json=POSTED[address]) if address in POSTED else client.get(address)
    body = re.sub(r'"took_ms": ?[0-9.e-]+', '"took_ms": 0', answer.text)
    return answer.status_code, answer.headers["content-type"], re.sub(r"[0-9.]+ ms", "", body)


@pytest.fixture(scope="module")
def clients(index):
    over = opened_to_serve({"sky": index}, Here(), replicas=2)
    with client_of(make_app({"sky": index})) as one, client_of(make_app(over)) as other:
        yield one, other


@pytest.mark.parametrize("address", [*ADDRESSES, *POSTED])
def test_a_server_over_shards_gives_the_same_answers(clients, address):
    one, other = clients
    assert answered(other, address) == answered(one, address)


def test_most_of_what_is_compared_is_there(clients):
    statuses = [answered(clients[0], address)[0] for address in [*ADDRESSES, *POSTED]]
    assert statuses.count(200) == len(statuses) - 3, statuses


def test_remote_answers_are_not_waited_for_by_the_loop(over, monkeypatch):
    inside = []
    with client_of(make_app({"sky": over})) as client:
        site = client.app.state.site
        monkeypatch.setattr(type(site.pace), "timed", lambda *_: inside.append("timed"))
        for _ in range(3):
            assert client.get("/v1/search?query=moon&rankers=bm25").status_code == 200
    assert not inside


# --- a shard does not answer ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranker", SUMS)
@pytest.mark.parametrize("match", ["or", "all"])
def test_without_a_shard_the_others_answer_as_before(index, over, engine, ranker, match):
    whole = found(over, ranker, match=match)
    assert whole == found(index, ranker, match=match)
    engine.lost.add(2)
    gone = of_shards(index, [2])
    assert {one for one, _ in whole} & gone
    assert found(over, ranker, match=match) == [one for one in whole if one[0] not in gone]
    hits = over.search("moon", 5, ranker)
    assert [(one.shard, one.documents) for one in hits.missing] == [(3, 5)]
    assert "5 of 20 documents could not be searched: shard 3 does not answer" in hits.to_json()["note"]


@pytest.mark.parametrize("ranker", RANKERS)
def test_every_ranker_answers_without_a_shard_also_one_bound_only_then(index, over, engine, ranker):
    engine.lost.add(0)
    hits = over.search("songs of the moon and cities", 100, ranker)
    assert hits
    assert hits.missing
    assert not {hit.id for hit in hits} & of_shards(index, [0])
    engine.restart(0)
    until(lambda: not over.down)
    assert found(over, ranker) == found(index, ranker)


@pytest.mark.parametrize("ranker", RANKERS)
@pytest.mark.parametrize("answers", [0, 1, 2])
def test_a_shard_that_is_lost_on_the_way_leaves_nothing_in_the_answer(index, over, engine, ranker, answers):
    over.search("moon", 10, ranker)
    for method in ("top_many", "scores", "rows", "has_rows"):
        engine.after[1, method] = answers
    hits = over.search("songs of the moon and cities", 100, ranker)
    if 1 in engine.lost:
        assert [one.shard for one in hits.missing] == [2]
        assert not {hit.id for hit in hits} & of_shards(index, [1])
        assert [(hit.id, hit.score) for hit in hits] == found(over, ranker)  # as if it had never been there
    else:
        assert not hits.missing


def test_when_it_is_back_answers_are_whole_and_its_rankers_are_bound(index, over, engine):
    whole = found(over, "bm25"), found(over, "iwcs")
    engine.lost.add(1)
    assert len(found(over, "bm25")) < len(whole[0])
    assert [one.shard for one in over.down] == [2]
    before = len(engine.asked)
    for _ in range(3):
        found(over, "bm25")
    assert (1, "top_many") not in engine.asked[before:]  # nobody waits for it meanwhile
    engine.restart(1)
    until(lambda: not over.down)
    before = len(engine.asked)
    assert (found(over, "bm25"), found(over, "iwcs")) == whole
    assert (1, "bind") not in engine.asked[before:]


def test_where_nobody_answers_that_is_no_answer(over, engine):
    engine.lost |= set(range(SHARDS))
    with pytest.raises(Unreachable, match="of 4 shards, shards 1, 2, 3 and 4 do not answer; ask again soon"):
        over.search("moon", 3, "bm25")


def test_who_does_not_tell_what_is_missing_must_not_pass_over(index, over, engine):
    over.search("moon", 3, "bm25")
    engine.lost.add(1)
    searcher = over.generation.bound(named_ranker("bm25"))
    with pytest.raises(Unreachable, match="of 4 shards, shard 2 does not answer"):
        searcher.top_many([Question("moon")], 10, threads=1)


def test_a_shard_that_is_too_slow_is_waited_for_once(index, engine):
    over = served(index, engine, seconds=1.0)
    over.search("moon", 3, "bm25")
    engine.slow.add(3)
    start = time.monotonic()
    assert over.search("moon", 3, "bm25").missing
    assert 0.9 < time.monotonic() - start < 2
    start = time.monotonic()
    assert over.search("moon", 3, "bm25").missing
    assert time.monotonic() - start < 0.9


def test_another_replica_answers_where_one_does_not(index, engine):
    over = served(index, engine, replicas=2)
    assert len(engine.made) == 2 * SHARDS
    whole = found(over, "bm25 + iwcs")
    engine.lost |= {0, 3, 5}  # one of each pair
    for _ in range(4):
        assert found(over, "bm25 + iwcs") == whole
        assert not over.search("moon", 3, "bm25").missing
    assert not over.down
    engine.lost.add(1)
    assert [one.shard for one in over.search("moon", 3, "bm25").missing] == [1]


def test_replicas_take_turns(index, engine):
    over = served(index, engine, replicas=2)
    over.search("moon", 3, "bm25")
    engine.asked.clear()
    for _ in range(4):
        over.search("moon", 3, "bm25")
    assert [engine.asked.count((number, "top_many")) for number in range(2 * SHARDS)] == [2] * 2 * SHARDS


def test_statistics_are_those_of_the_whole_also_of_what_is_down(index, engine):
    over = served(index, engine)
    engine.lost.add(1)
    ours, theirs = over.snapshot.view().statistics, index.snapshot.view().statistics
    assert ours.documents == theirs.documents
    assert ours.df.tolist() == theirs.df.tolist()
    assert ours.total_length == theirs.total_length


# --- what the server tells of it --------------------------------------------------------------------------------


@pytest.fixture
def down(over, engine):
    """A client of a server of which shard 3 does not answer."""
    with client_of(make_app({"sky": over})) as client:
        client.get("/v1/search?query=moon&rankers=bm25&rankers=default")
        engine.lost.add(2)
        yield client


TOLD = "5 of 20 documents could not be searched: shard 3 does not answer"


def test_answers_tell_what_is_missing(down):
    answer = down.get("/v1/search?query=moon&rankers=bm25&rankers=default&explain=true")
    assert answer.status_code == 200
    for one in answer.json():
        assert one["missing"] == [{"shard": 3, "documents": 5}]
        assert TOLD in one["note"]
        assert one["hits"]


def test_health_and_metrics_tell_it(down, over, engine):
    assert down.get("/v1/health").json()["status"] == "ok"
    over.look()  # as the server does each second: nobody needs to have asked
    health = down.get("/v1/health").json()
    assert health["status"] == "degraded"
    assert health["indexes"][0]["missing"] == [{"shard": 3, "documents": 5}]
    metrics = down.get("/v1/metrics").text
    assert 'aboutness_index_shards_down{index="sky"} 1\n' in metrics
    assert 'aboutness_index_documents_missing{index="sky"} 5\n' in metrics
    engine.restart(2)
    until(lambda: down.get("/v1/health").json()["status"] == "ok")
    assert "missing" not in down.get("/v1/search?query=moon&rankers=bm25").json()[0]


def test_the_page_shows_it(down):
    page = down.get("/search?q=moon&r=bm25&r=iwcs").text
    assert page.count(TOLD) == 2  # to be seen, and for the script
    assert f'<p id="incomplete" class="incomplete" role="status">{TOLD}</p>' in page
    answer = down.get("/v1/search/columns?q=moon&r=bm25&r=iwcs").json()
    assert answer["incomplete"] == TOLD
    assert [column["missing"] for column in answer["columns"]] == [[{"shard": 3, "documents": 5}]] * 2
    assert [column["note"] for column in answer["columns"]] == [None] * 2
    assert TOLD in down.get("/indexes").text


def test_what_needs_the_shard_is_refused_and_the_rest_is_not(index, down):
    there, gone = min(of_shards(index, [0])), min(of_shards(index, [2]))
    assert down.get(f"/v1/explain?query=moon&id={there}&rankers=bm25").status_code == 200
    for address in (
        f"/v1/explain?query=moon&id={gone}&rankers=bm25",
        f"/v1/explain?query=moon&id={there}&rankers=bm25&ranks=true",  # others might be before it
        f"/explain?q=moon&id={gone}&r=bm25",
    ):
        answer = down.get(address)
        assert answer.status_code == 503, address
        assert "shard 3 does not answer" in answer.text
        assert answer.headers["retry-after"]
    pool = down.post("/v1/pool", json={"query": "moon", "rankers": ["bm25"], "depth": 5})
    assert pool.status_code == 503
    like = {name: down.get(f"/v1/search?like={gone}&rankers={name}") for name in ("bm25", "iwcs", "doc2vec")}
    assert like["bm25"].json()[0]["hits"]  # by its words, which are read here
    assert like["iwcs"].json()[0]["hits"]
    assert like["doc2vec"].status_code == 503  # by its row, which its shard has
    assert gone in down.get("/v1/documents?offset=0").text + down.get("/v1/documents?offset=10").text
    assert down.get("/v1/map?ranker=iwcs&method=pca").status_code == 200


# --- new generations --------------------------------------------------------------------------------------------


def test_a_new_generation_has_new_actors_and_the_old_ones_are_let_go(tmp_path, engine):
    index = sky_in_parts(tmp_path / "sky.index")
    over = served(index, engine)
    over.search("moon", 3, "default")
    over.search("moon", 3, "bm25")
    first = list(engine.made)
    held = Held({"sky": over})
    index.add([{"id": "new", "text": "a comet"}])
    assert held.look() == ["sky"]
    assert set(over.generation.in_use) >= {named_ranker("bm25"), named_ranker("default")}
    assert [hit.id for hit in over.search("comet", 3, "bm25")] == ["new"]
    until(lambda: engine.released == first)
    assert all(one not in first for one in engine.made[len(first) :])


def test_who_is_still_asking_keeps_the_old_actors(tmp_path, engine):
    index = sky_in_parts(tmp_path / "sky.index")
    over = served(index, engine)
    hits = over.search("moon", 3, "bm25")
    index.add([{"id": "new", "text": "a comet"}])
    over.refresh()
    time.sleep(0.1)
    assert not engine.released
    assert hits[0].explain().score == hits[0].score
    del hits
    until(lambda: engine.released)


def test_a_generation_that_cannot_be_opened_leaves_the_old_one_answering(tmp_path, engine, monkeypatch):
    index = sky_in_parts(tmp_path / "sky.index")
    over = served(index, engine)
    held = Held({"sky": over})
    index.add([{"id": "new", "text": "a comet"}])

    def not_there(*_):
        raise DamagedIndex("a file is not there")

    with monkeypatch.context() as patched:
        patched.setattr("aboutness.scale.shards.ShardWork", not_there)
        assert held.look() == []
    assert "a file is not there" in held.trouble("sky")
    assert over.search("moon", 3, "bm25")
    assert held.look() == ["sky"]
    assert held.trouble("sky") is None


# --- on a cluster -----------------------------------------------------------------------------------------------


def with_shards(cluster, over) -> int:
    """Return a node, not the head, that has some of the shards: Ray puts them where it likes."""
    processes = over.generation.shards.opened()
    held = [len(set(processes) & set(of_session(node.pid))) for node in cluster.nodes]
    return next(place for place in range(1, len(held)) if 0 < held[place] < len(processes))


def test_a_cluster_serves_and_goes_on_while_a_node_is_lost(index, cluster):
    queries = ["songs of the moon", "harbour", "the sun over the sea", "new cities"]
    rankers = ["bm25", "default", "iwcs"]
    with engine_of(cluster.address) as engine:
        over = opened_to_serve({"sky": index}, engine)["sky"]
        place = with_shards(cluster, over)
        with client_of(make_app({"sky": index})) as plain, client_of(make_app({"sky": over})) as client:

            def ask(one, query):
                answer = one.post("/v1/search", json={"query": query, "rankers": rankers, "k": 100})
                assert answer.status_code == 200, answer.text
                return [{**hits, "took_ms": 0} for hits in answer.json()]

            expected = {query: ask(plain, query) for query in queries}
            assert {query: ask(client, query) for query in queries} == expected
            stop, seen = threading.Event(), []

            def keep_asking():
                while not stop.is_set():
                    seen.extend((query, ask(client, query)) for query in queries)

            asking = threading.Thread(target=keep_asking)
            asking.start()
            cluster.kill(place)
            until(lambda: any("missing" in hits for _, answer in seen for hits in answer), 30)
            until(lambda: client.get("/v1/health").json()["status"] == "ok", 60)
            stop.set()
            asking.join()
            assert {query: ask(client, query) for query in queries} == expected
    by_scores = {
        (query, hits["ranker"], hit["id"]): hit["score"]
        for query, answer in expected.items() for hits in answer for hit in hits["hits"]
    }  # fmt: skip
    degraded = 0
    for query, answer in seen:
        for hits in answer:
            if "missing" not in hits:
                assert hits in expected[query]
                continue
            degraded += 1
            assert "could not be searched" in hits["note"]
            if hits["ranker"] != "default":
                assert all(by_scores[query, hits["ranker"], hit["id"]] == hit["score"] for hit in hits["hits"])
    assert degraded


def needed_by_no_shard(over, cluster):
    """A node that has some replicas: none has both of a shard, so it can be lost."""
    workers = over.generation.shards.opened()
    nodes = [set(of_session(node.pid)) for node in cluster.nodes]
    for pair in zip(workers[::2], workers[1::2], strict=True):
        assert not any({*pair} <= node for node in nodes)
    return next(place for place in (1, 2) if nodes[place] & {*workers})


def test_a_cluster_with_replicas_has_nothing_missing_while_a_node_is_lost_and_can_be_left(index, cluster):
    import ray

    with engine_of(cluster.address) as engine:
        over = opened_to_serve({"sky": index}, engine, 2, replicas=2)["sky"]
        expected = found(over, "bm25")
        assert expected == found(index, "bm25")
        cluster.kill(needed_by_no_shard(over, cluster))
        end = time.monotonic() + 3
        while time.monotonic() < end:
            hits = over.search("songs of the moon and cities", 100, "bm25")
            assert not hits.missing
            assert [(hit.id, hit.score) for hit in hits] == expected
            time.sleep(0.05)
    with pytest.raises(Unreachable):  # while others may still wait for the node
        over.search("moon", 3, "bm25")
    assert not ray.is_initialized()  # as Ray would be by itself


def test_the_command_serves_over_a_cluster_until_it_is_told_to_stop(index, cluster):
    with Serving(index.path, "--ray", cluster.address, "--shards", 2) as server:
        (hits,) = server.get("v1/search?query=songs+of+the+moon&rankers=bm25")
        assert server.get("v1/health")["status"] == "ok"
    assert [hit["id"] for hit in hits["hits"]] == [hit.id for hit in index.search("songs of the moon", 10, "bm25")]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--replicas", "2"], "--replicas says how many workers of --ray hold each shard: give --ray, too"),
        (["--shards", "2"], "give --ray, too"),
        (["--ray", "local", "--replicas", "0"], "the number of replicas must be at least 1, got 0"),
        (["--ray", "nowhere"], "must be HOST:PORT"),
    ],
)
def test_options_that_do_not_fit(index, options, why):
    found = CliRunner().invoke(app, ["serve", str(index.path), *options])
    assert found.exit_code == 2
    assert why in " ".join(found.output.split())
