from __future__ import annotations

import errno
import os
import stat
from itertools import product

import pytest

from aboutness.core.errors import BadInput, NotFound, StorageError, UsageError
from aboutness.server.access import COOKIE, NEEDED, NOT_KNOWN, SCOPES, Keys, make_key
from aboutness.server.app import PAGES, make_app
from aboutness.server.settings import Settings
from server.served import client_of

OPEN = {("GET", "/v1/live")}  # for these no key is needed
OPEN_PATHS = {"/", "/login", "/logout", "/static/{of}/{name}", "/v1/live", "/v1/openapi.json"}  # nor for these
CHANGING = {  # what is not asked by GET, of all routes, with the least scope for it
    ("POST", "/v1/search"): "read", ("POST", "/v1/explain"): "read", ("POST", "/v1/perturb"): "read",
    ("POST", "/v1/pool"): "read", ("POST", "/v1/pool/revealed"): "read",
    ("POST", "/v1/documents"): "write", ("DELETE", "/v1/documents"): "write",
    ("POST", "/v1/jobs"): "admin", ("DELETE", "/v1/jobs"): "admin",
    ("POST", "/login"): None, ("POST", "/logout"): None,
}  # fmt: skip
WRITE = {("POST", "/v1/documents"), ("DELETE", "/v1/documents")}
ADMIN = {("POST", "/v1/jobs"), ("DELETE", "/v1/jobs")}


@pytest.fixture
def keys(tmp_path):
    """A file of keys, and one key for each scope."""
    path = tmp_path / "keys.txt"
    return path, {scope: make_key(path, scope) for scope in SCOPES}


@pytest.fixture
def guarded(index, keys):
    with client_of(make_app({"sky": index}, Settings(keys=keys[0]))) as client:
        yield client


def routes(client):
    described = client.app.openapi()["paths"]
    return [(method.upper(), path) for path, methods in described.items() for method in methods]


def all_routes(app):
    """Return every route that the application answers, described or not."""
    effective = (one for route in app.routes for one in _effective(route))
    return sorted({(method, path) for path, methods in effective for method in methods})


def _effective(route):
    if hasattr(route, "effective_route_contexts"):  # a router as a whole, in newer versions
        return [(one.path, one.methods or ()) for one in route.effective_route_contexts()]
    return [(route.path, route.methods or ())]


def least(route):
    return "admin" if route in ADMIN else "write" if route in WRITE else "read"


def test_every_route_lets_in_those_who_may_and_nobody_else(guarded, keys):
    known = routes(guarded)
    assert set(known) >= OPEN | WRITE | ADMIN
    for method, path in known:
        if (method, path) in OPEN:
            continue
        assert guarded.request(method, path).status_code == 401, (method, path)
        wrong = guarded.request(method, path, headers={"Authorization": "Bearer wrong"})
        assert wrong.status_code == 401
        assert wrong.headers["www-authenticate"] == "Bearer"
        for place, scope in enumerate(SCOPES):
            by_header = guarded.request(method, path, headers={"Authorization": f"Bearer {keys[1][scope]}"})
            allowed = place >= SCOPES.index(least((method, path)))
            assert (by_header.status_code not in (401, 403)) == allowed, (method, path, scope, by_header.text)


def test_a_key_that_may_change_may_not_train(guarded, keys):
    answer = guarded.post("/v1/jobs", headers={"Authorization": f"Bearer {keys[1]['write']}"})
    assert answer.status_code == 403
    assert "needs the scope admin; here you have write" in answer.json()["message"]


def test_pages_ask_for_a_key_and_keep_it(guarded, keys):
    for shown in PAGES:
        path = shown.router.routes[0].path
        refused = guarded.get(f"{path}?q=a", follow_redirects=False)
        assert refused.status_code == 303
        assert refused.headers["location"] == f"/login?to=%2F{path[1:]}%3Fq%3Da"
    assert guarded.get("/search").url.path == "/login"
    assert "no key of this server" in guarded.post("/login", data={"key": "wrong", "to": "/words"}).text
    let_in = guarded.post("/login", data={"key": f" {keys[1]['read']} ", "to": "/words"}, follow_redirects=False)
    assert (let_in.status_code, let_in.headers["location"]) == (303, "/words")
    cookie = let_in.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert guarded.get("/search").status_code == 200
    assert guarded.get("/v1/health").status_code == 200
    guarded.post("/logout")
    assert guarded.get("/v1/health").status_code == 401


def test_nobody_is_sent_elsewhere(guarded, keys):
    for to in (
        "https://elsewhere.example/",
        "//elsewhere.example",
        "/\\elsewhere.example",
        "javascript:alert(1)",
        "x",
    ):
        sent = guarded.post("/login", data={"key": keys[1]["read"], "to": to}, follow_redirects=False)
        assert sent.headers["location"] == "/"


def test_a_server_for_reading_only_lets_nobody_change_anything(index, keys):
    with client_of(make_app({"sky": index}, Settings(read_only=True))) as client:
        assert client.delete("/v1/documents", params={"id": "d0-0"}).status_code == 403
        assert client.get("/v1/health").status_code == 200
    with client_of(make_app({"sky": index}, Settings(keys=keys[0], read_only=True))) as client:
        admin = {"Authorization": f"Bearer {keys[1]['admin']}"}
        assert client.delete("/v1/documents", params={"id": "d0-0"}, headers=admin).status_code == 403


def test_keys_are_kept_as_hashes_in_a_file_of_their_owner(keys):
    path, made = keys
    text = path.read_text()
    assert not any(key in text for key in made.values())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [Keys(path).scope(made[scope]) for scope in SCOPES] == [0, 1, 2]
    assert Keys(path).scope("") is None
    assert Keys(path).scope("x" * 1000) is None
    assert Keys(path).scope(text.split()[1]) is None  # the hash is no key


def test_files_that_hold_no_keys_are_refused(tmp_path):
    path = tmp_path / "keys.txt"
    for text in ("", "# nothing\n", "read\n", "all " + "0" * 64, "read " + "g" * 64, "read secret\n"):
        path.write_text(text)
        with pytest.raises(BadInput):
            Keys(path)
    with pytest.raises(NotFound, match=r"none\.txt; make it with 'aboutness key"):
        Keys(tmp_path / "none.txt")
    with pytest.raises(BadInput, match="cannot be read as a file of API keys: Is a directory"):
        Keys(tmp_path)
    with pytest.raises(BadInput):
        make_key(path, "read")
    with pytest.raises(UsageError, match="must be one of read, write, admin"):
        make_key(path, "all")


def test_a_key_comes_after_a_last_line_that_an_editor_left_open(keys):
    path, made = keys
    path.write_text(path.read_text().rstrip("\n"))
    more = make_key(path, "read")
    held = Keys(path)
    assert [held.scope(key) for key in (*made.values(), more)] == [0, 1, 2, 0]


@pytest.mark.parametrize("how", ["none", "half"])
def test_a_full_disk_leaves_a_file_of_keys_as_it_was(keys, tmp_path, monkeypatch, how):
    def write(handle, line):
        if how == "none":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(handle, line[: len(line) // 2])

    real = os.write
    path, made = keys
    before = path.read_text()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        for one in (path, tmp_path / "new.txt"):
            with pytest.raises(StorageError, match="no key was made"):
                make_key(one, "read")
    assert path.read_text() == before
    assert not (tmp_path / "new.txt").exists()
    assert Keys(path).scope(made["read"]) == 0


def test_others_can_reach_a_server_only_with_keys(keys):
    for host in ("0.0.0.0", "192.168.1.5", "example.org", "::"):
        with pytest.raises(UsageError, match="needs an API key"):
            Settings(host=host)
        assert not Settings(host=host, keys=keys[0]).loopback
    for host in ("127.0.0.1", "localhost", "::1"):
        assert Settings(host=host).loopback


def test_routes_that_are_not_described_let_in_nobody_else_either(guarded, keys):
    known = all_routes(guarded.app)
    assert {path for _, path in known} >= {"/search", "/v1/search/columns", "/v1/search", "/login"}
    assert {one for one in known if one[0] not in ("GET", "HEAD")} == set(CHANGING)
    for method, path in known:
        if path in OPEN_PATHS:
            continue
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"{COOKIE}=wrong"}):
            answer = guarded.request(method, path, headers=headers, follow_redirects=False)
            wanted = 401 if path.startswith("/v1/") else 303
            assert answer.status_code == wanted, (method, path, headers)
            assert "sky" not in answer.text


def test_scripts_of_pages_are_told_that_a_key_is_needed(guarded, keys):
    path = "/v1/search/columns?q=moon"
    assert guarded.get(path).json()["message"] == NEEDED
    for wrong in ({"Authorization": "Bearer wrong"}, {"Cookie": f"{COOKIE}=wrong"}):
        assert guarded.get(path, headers=wrong).json()["message"] == NOT_KNOWN
        assert guarded.get("/v1/health", headers=wrong).json()["message"] == NOT_KNOWN
    for headers in ({"Authorization": f"Bearer {keys[1]['read']}"}, {"Cookie": f"{COOKIE}={keys[1]['read']}"}):
        assert guarded.get(path, headers=headers).status_code == 200


def test_a_wrong_key_is_not_made_good_by_a_cookie_nor_by_another_way_to_send_it(guarded, keys):
    read = keys[1]["read"]
    cookie = {"Cookie": f"{COOKIE}={read}"}
    for headers, status in (
        ({"Authorization": "Bearer wrong", **cookie}, 401),
        ({"Authorization": f"Bearer {read}", "Cookie": f"{COOKIE}=wrong"}, 200),
        ({"Authorization": f"bearer  {read} "}, 200),
        ({"Authorization": read}, 401),
        ({"Authorization": f"Basic {read}"}, 401),
        ({"Authorization": f"Bearer {read}\u00e9".encode("latin-1")}, 401),
        ({"Authorization": f"Bearer {read.upper()}"}, 401),
        ({"Authorization": f"Bearer {read[:-1]}"}, 401),
        ({"Cookie": f"other={read}"}, 401),
        ({"X-API-Key": read}, 401),
    ):
        assert guarded.get("/v1/health", headers=headers).status_code == status, headers
    assert guarded.get(f"/v1/health?key={read}&access_token={read}").status_code == 401


WRITTEN = (
    "/v1%2fhealth", "/v1/%68ealth", "/%76%31/health", "//v1/health", "/v1//health", "/V1/health", "/v1/health/",
    "/v1/./health", "/v1/live/../health", "/v1/live%2f..%2fhealth", "/static/../v1/health", "/login/../v1/health",
    "/v1/health;x", "/v1/health%00", "/v1/health%20", "/search/", "/%73earch", "/search%2f", "/login/../search",
    "/v1%5chealth", "/v1/live%3f/../health", "/static/%2e%2e/v1/health",
)  # fmt: skip
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "TRACE", "get", "X")


def test_an_address_written_in_another_way_lets_nobody_in(guarded):
    for path, method in product(WRITTEN, METHODS):
        answer = guarded.request(method, f"http://localhost{path}", follow_redirects=False)
        assert answer.status_code in (303, 307, 401, 404, 405), (method, path, answer.text)
        assert "sky" not in answer.text
        if answer.status_code in (303, 307):
            assert answer.headers["location"].startswith(("/login?to=", "http://localhost/"))


def test_the_form_for_the_key_cannot_be_sent_by_another_site(guarded, keys):
    for headers in ({"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        for path in ("/login", "/logout"):
            refused = guarded.post(path, data={"key": keys[1]["read"]}, headers=headers, follow_redirects=False)
            assert refused.status_code == 403
            assert "set-cookie" not in refused.headers


def test_who_is_not_known_may_send_no_more_than_a_form(guarded, keys):
    long = b'{"query": "' + b"x" * 20_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    for content in (long, iter([long])):
        refused = guarded.post("/v1/perturb", content=content, headers=headers)
        assert refused.status_code == 413
        assert "more needs an API key" in refused.json()["message"]
    assert (
        guarded.post("/v1/search", content=iter([long]), headers=headers).status_code == 401
    )  # before it is read
    known = {"Authorization": f"Bearer {keys[1]['read']}"}
    assert guarded.post("/v1/search", content=long, headers=headers | known).status_code == 422


def test_keys_taken_out_of_the_file_or_put_in_count_at_once(keys, monkeypatch):
    monkeypatch.setattr("aboutness.server.access.SECONDS_BETWEEN_LOOKS", 0.0)
    path, made = keys
    held = Keys(path)
    lines = path.read_text().splitlines(keepends=True)
    assert held.scope(made["read"]) == 0
    path.write_text("".join(lines[1:]))
    assert held.scope(made["read"]) is None
    assert held.scope(made["write"]) == 1
    new = make_key(path, "admin")
    assert held.scope(new) == 2
    for change in (lambda: path.write_text("nonsense\n"), path.unlink, lambda: path.write_text("")):
        change()
        assert [held.scope(key) for key in (new, made["write"])] == [None, None]
    path.write_text("".join(lines))
    assert held.scope(made["read"]) == 0


def test_a_file_of_keys_to_which_others_may_write_is_refused(keys):
    path, made = keys
    for mode in (0o620, 0o602, 0o666):
        path.chmod(mode)
        with pytest.raises(BadInput, match="others may write"):
            Keys(path)
        with pytest.raises(BadInput, match="others may write"):
            make_key(path, "admin")
    path.chmod(0o640)
    assert Keys(path).scope(made["read"]) == 0


def test_keys_are_compared_without_telling_by_time_how_much_is_right(keys, monkeypatch):
    compared = []

    def compare(one, other):
        compared.append((one, other))
        return real(one, other)

    from aboutness.server import access

    real = access.hmac.compare_digest
    monkeypatch.setattr(access.hmac, "compare_digest", compare)
    path, made = keys
    held = Keys(path)
    for key in (*made.values(), "wrong"):
        compared.clear()
        held.scope(key)
        assert len(compared) == len(made)  # all of them, whichever is right
        assert all(len(one) == len(other) == 64 for one, other in compared)
