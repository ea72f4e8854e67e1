"""Nothing that a client sends becomes a path or an address: requests drawn from the OpenAPI document, with ears open."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute

import aboutness
from aboutness.app import jobs
from aboutness.experiment.results import Results
from aboutness.experiment.results_folder import save_results
from aboutness.server.app import OPEN_PAGES, PAGES, make_app
from aboutness.server.settings import Settings
from report.made_results import MADE, comparison
from server.served import client_of, sky_index

EVERY = int(
    os.environ.get("ABOUTNESS_EVERY_WORD", "3")
)  # of the hostile words one of so many is tried in each place
SECRET = "xyzzy-canary-plugh"
VALID = {
    "index": "sky", "query": "sun", "id": "d0-0", "word": "sun", "name": "first", "rankers": ["bm25"], "ranker": "bm25",
    "kind": "word2vec", "where": ["year>=1990"], "fields": "title", "match": "or", "text": "the sun", "method": "pca",
    "to": "/", "q": "sun", "r": "bm25", "parameters": {}, "layer": None,
}  # fmt: skip
LISTENED = (
    "open",
    "os.listdir",
    "os.scandir",
    "sqlite3.connect",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
)
CALLED = (
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.sendto",
    "urllib.Request",
    "os.system",
)


class Ears:
    """What is opened and called while `open`; a hook can never be taken off again, so there is one."""

    def __init__(self) -> None:
        self.open = False
        self.heard: list[tuple[str, Any]] = []
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.open and (event in LISTENED or event in CALLED or event == "subprocess.Popen"):
            caller = sys._getframe(1).f_code
            if (
                caller.co_filename != shutil.__file__ or "rmtree" not in caller.co_name
            ):  # it removes what is scratch
                self.heard.append((event, arguments))


EARS = Ears()


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with an index and results that are served, and an index, results and a file beside them that are not."""
    folder = tmp_path_factory.mktemp("place")
    for name in ("sky", "canary"):
        sky_index(folder / f"{name}.index")
        found = Results(name, (comparison(["bm25", "ql"], 3),), None, "t", "none", MADE)
        save_results(found, folder / ("results" if name == "sky" else "canaries") / "first")
    for name in ("canary.txt", "canary.json", "results/../canary.tsv"):
        (folder / name).write_text(SECRET, "utf-8")
    return folder


@pytest.fixture(scope="module")
def app(place):
    with pytest.MonkeyPatch.context() as patch:
        (place / "scratch").mkdir()
        patch.setattr(tempfile, "tempdir", str(place / "scratch"))
        patch.setattr(jobs, "COMMAND", (sys.executable, "-c", ""))  # which does nothing, instead of training
        yield make_app({"sky": aboutness.Index.open(place / "sky.index")}, Settings(results=place / "results"))


@pytest.fixture(scope="module")
def client(app):
    with client_of(app) as client:
        yield client


def hostile(place: Path) -> list[str]:
    canary = place / "canary.txt"
    return [
        "../canary.txt", "../canaries/first", "../canary.index", "..%2fcanary.txt", "%2e%2e%2fcanary.index",
        "..%252fcanary.txt", "....//canary.txt", "..\\canary.txt", "sky/../../canary.index", str(canary),
        str(place / "canary.index"), str(place / "canaries" / "first"), canary.as_uri(), "first/../../canaries/first",
        "http://127.0.0.1:9/canary", "//127.0.0.1:9/canary", "irds:vaswani", "/etc/passwd", "/proc/self/environ",
        "%c0%ae%c0%ae/canary.txt", "..;/canary.txt", "~/.bashrc", "sky\0/../../canary.txt", "|id", "$(id)", "CON", ".", "..",
    ]  # fmt: skip


# --- requests -----------------------------------------------------------------------------------------------


def example(schema: dict[str, Any], document: dict[str, Any], name: str = "") -> Any:
    """Return a value that fits a schema: the one by its name, where there is such."""
    if name in VALID:
        value = VALID[name]
        return [value] if schema.get("type") == "array" and not isinstance(value, list) else value
    if "$ref" in schema:
        return example(document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], document)
    if "anyOf" in schema:
        return example(schema["anyOf"][0], document, name)
    if "default" in schema:
        return schema["default"]
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        needed = schema.get("required", ())
        return {
            key: example(one, document, key)
            for key, one in properties.items()
            if key in needed or has_text(one, document)
        }
    if kind == "array":
        return [example(schema.get("items", {}), document)]
    return {"integer": 1, "number": 1.0, "boolean": False, "null": None}.get(str(kind), "sun")


def has_text(schema: dict[str, Any], document: dict[str, Any]) -> bool:
    if "$ref" in schema:
        return True
    inner = [*schema.get("anyOf", ()), *([schema["items"]] if isinstance(schema.get("items"), dict) else ())]
    return schema.get("type") in ("string", "object") or any(has_text(one, document) for one in inner)


def leaves(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where the texts of a value stand."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*at, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from leaves(one, (*at, number))
    elif isinstance(value, str) or value is None:
        yield at


def with_leaf(value: Any, at: tuple[Any, ...], word: str) -> Any:
    if not at:
        return word
    copy = deepcopy(value)
    inner = copy
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = word
    return copy


Request = tuple[str, str, dict[str, Any], Any]


def operations(app) -> list[Request]:
    """Return a sound request for each route of the interface and each page, with every text that it takes."""
    document = app.openapi()
    found: list[Request] = []
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            asked = {
                one["name"]: example(one["schema"], document, one["name"])
                for one in said.get("parameters", ())
                if one["in"] == "query" and (one.get("required") or has_text(one["schema"], document))
            }
            content = said.get("requestBody", {}).get("content", {})
            body = (
                example(content["application/json"]["schema"], document) if "application/json" in content else None
            )
            found.append((method, path, asked, body))
    for module in (*PAGES, *OPEN_PAGES):
        for route in module.router.routes:
            if isinstance(route, APIRoute) and "GET" in route.methods:
                names = [one.alias for one in route.dependant.query_params]
                names += [
                    name
                    for one in route.dependant.query_params
                    for name in getattr(one.field_info.annotation, "model_fields", ())
                ]
                found.append(("get", route.path, {name: VALID.get(name, "sun") for name in names}, None))
    return found


def hostile_requests(request: Request, words: list[str]) -> Iterator[Request]:
    method, path, asked, body = request
    places = [("asked", at) for at in leaves(asked)] + [("body", at) for at in leaves(body) if body is not None]
    places += [("path", (part,)) for part in path.split("/") if part.startswith("{")]
    for number, (where, at) in enumerate(places):
        for word in words[(number + len(path)) % EVERY :: EVERY]:
            if where == "path":
                yield method, path.replace(at[0], word), asked, body
            elif where == "asked":
                yield method, path, with_leaf(asked, at, word), body
            else:
                yield method, path, asked, with_leaf(body, at, word)


def sent(client, request: Request) -> Any:
    method, path, asked, body = request
    given = {name: value for name, value in asked.items() if value is not None}
    more = {} if body is None else {"json": body}
    address = "http://localhost" + path.replace("{", "").replace("}", "").replace("\0", "%00")
    return client.request(method, address, params=given, **more)


# --- what is allowed ----------------------------------------------------------------------------------------


def elsewhere(place: Path) -> list[tuple[str, Any]]:
    """Return what was opened that is neither served nor part of Python, and what was called."""
    served = [place / "sky.index", place / "results", place / "scratch"]
    python = [Path(aboutness.__file__).parent, *map(Path, (sys.prefix, sys.base_prefix))]
    roots = [str(form) for one in (*served, *python) for form in (one, one.resolve())]
    found = []
    for event, arguments in EARS.heard:
        if event == "subprocess.Popen":
            if tuple(arguments[1]) != jobs.COMMAND:
                found.append((event, arguments))
            continue
        first = arguments[0] if arguments else None
        if event in CALLED or not isinstance(first, str | bytes | os.PathLike):
            found += [(event, arguments)] if event in CALLED else []
            continue
        path = os.fsdecode(first).removeprefix("file:").partition("?mode")[0]
        full = os.path.abspath(path)
        if full != os.devnull and not any(full == root or full.startswith(root + os.sep) for root in roots):
            found.append((event, path))
    return found


def test_every_text_of_every_route(app, client, place):
    words = hostile(place)
    requests = operations(app)
    assert {path for _, path, _, _ in requests} >= set(app.openapi()["paths"])
    for request in requests:  # what is loaded at first use is loaded now
        assert sent(client, request).status_code < 500, request
    count = 0
    EARS.heard.clear()
    EARS.open = True
    try:
        for request in requests:
            for one in hostile_requests(request, words):
                answer = sent(client, one)
                count += 1
                assert answer.status_code < 500, one
                assert SECRET not in answer.text, one
    finally:
        EARS.open = False
    assert elsewhere(place) == []
    assert count > 3000 / EVERY / 2


def test_paths_that_lead_out(client, place):
    EARS.heard.clear()
    EARS.open = True
    try:
        for start in ("/", "/static/", "/static/x/", "/v1/", "/v1/documents/", "/search/", "//", "/%2f"):
            for word in hostile(place):
                answer = client.get("http://localhost" + start + word.replace("\0", "%00"))
                assert answer.status_code < 500
                assert SECRET not in answer.text
    finally:
        EARS.open = False
    assert elsewhere(place) == []


def test_the_ears_hear(place):
    EARS.heard.clear()
    EARS.open = True
    (place / "canary.txt").read_text("utf-8")
    EARS.open = False
    assert elsewhere(place) != []
