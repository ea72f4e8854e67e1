"""The page of an index, as the server makes it."""

from __future__ import annotations

import shutil

import pytest

from aboutness.app.index import Index
from aboutness.app.inventory import vocabulary
from aboutness.server.access import COOKIE, make_key
from aboutness.server.app import make_app
from aboutness.server.settings import Settings
from server.served import RECORDS, client_of

BAD = "<script>alert(1)</script>"


def page_of(index, settings=None, **params):
    with client_of(make_app({"sky": index}, settings)) as client:
        answer = client.get("/indexes", params=params)
        assert answer.status_code == 200
        return answer.text


def test_it_says_what_the_index_holds(index):
    html = page_of(index)
    for part in ("<dd>20</dd>", "sound", "word2vec", "up to date", "1 to 10 of 20", "topic", "harbour"):
        assert part in html
    assert str(index.path.parent) not in html


def test_an_index_with_nothing_trained_says_what_needs_what(tmp_path):
    html = " ".join(page_of(Index.build(RECORDS, tmp_path / "bare.index")).split())
    assert "<code>default</code> needs what is trained by <code>default</code>" in html


def test_what_was_trained_before_documents_came_is_stale(changing):
    changing.add([{"id": "new", "text": "a comet"}])
    changing.delete(["d0-0", "d1-0"])
    html = " ".join(page_of(changing).split())
    assert "1 came, 2 went since" in html
    assert "up to date" not in html


def test_documents_come_in_pages(index):
    html = page_of(index, offset="15")
    assert "16 to 20 of 20" in html
    assert "offset=5#documents" in html
    assert "There are only 20 documents" in page_of(index, offset="100")
    assert "1 to 10 of 20" in page_of(index, offset="-3")


def test_documents_without_a_title_or_any_text_are_listed(tmp_path):
    records = [{"id": "a", "text": "only text"}, {"id": "b", "text": ""}]
    html = page_of(Index.build(records, tmp_path / "bare.index"))
    assert ">only text<" in html
    assert ">(no text)<" in html


def test_an_index_without_anything_says_what_to_do(tmp_path):
    html = page_of(Index.build([], tmp_path / "empty.index"))
    assert "There is no document yet" in html
    assert "Nothing is trained on these documents yet" in html


@pytest.mark.parametrize("which", ["memory", "read-only", "key"])
def test_what_cannot_be_changed_has_no_buttons_and_says_why(index, tmp_path, which):
    settings, cookies = None, {}
    if which == "memory":
        index = Index.build(RECORDS)
    elif which == "read-only":
        settings = Settings(read_only=True)
    else:
        settings, cookies = Settings(keys=tmp_path / "keys"), {COOKIE: make_key(tmp_path / "keys", "read")}
    with client_of(make_app({"sky": index}, settings)) as client:
        client.cookies.update(cookies)
        html = client.get("/indexes").text
    reason = {"memory": "in memory only", "read-only": "--read-only", "key": "may read, but not change"}[which]
    assert reason in html
    for part in ('id="train"', 'id="add"', "data-delete", "data-again", 'id="check"'):
        assert part not in html


def test_damage_is_told(changing):
    file = next((changing.path / "arrays").iterdir())
    with file.open("ab") as more:  # not less: what is mapped must stay
        more.write(b"x")
    html = page_of(changing)
    assert "Damage was found" in html
    assert "sky/arrays" in html


def test_hostile_texts_are_only_text(tmp_path):
    record = {"id": BAD, "title": BAD, "text": f"{BAD} </script>", BAD: BAD}
    html = page_of(Index.build([record], tmp_path / "bad.index"))
    assert BAD not in html
    assert "&lt;script&gt;" in html


def test_several_indexes_are_listed(index, changing):
    with client_of(make_app({"sky": index, "more": changing})) as client:
        html = client.get("/indexes", params={"index": "more"}).text
    assert "/indexes?index=sky" in html
    assert 'data-index="more"' in html


def test_an_index_whose_folder_is_gone_is_shown_as_it_is_held(changing):
    with client_of(make_app({"sky": changing})) as client:
        shutil.rmtree(changing.path)
        answer = client.get("/indexes")
    assert answer.status_code == 200
    assert "The folder of sky is gone" in answer.text


def test_a_title_that_is_cut_says_so(tmp_path):
    records = [{"id": "a", "title": "moon " * 40}, {"id": "b", "title": "sun"}]
    html = page_of(Index.build(records, tmp_path / "long.index"))
    assert f">{'moon ' * 23}moon…<" in html
    assert ">sun<" in html


def test_only_terms_of_the_first_layer_are_searched_for(tmp_path):
    index = Index.build(RECORDS, tmp_path / "layers.index", layers={"letters": "english[letters=4]"})
    html = page_of(index)
    term = next(one["term"] for one in vocabulary(index)[1]["frequent"])
    assert f'q={vocabulary(index)[0]["frequent"][0]["term"]}"' in html
    assert f'<span class="text" dir="auto">{term}</span>' in html


def test_a_term_without_an_end_is_cut(tmp_path):
    endless = "acgt" * 5000
    html = page_of(Index.build([{"id": "a", "text": f"{endless} moon"}], tmp_path / "genes.index"))
    assert f'<span class="text" dir="auto">{endless[:100]}…</span>' in html
    assert endless not in html.partition('id="documents"')[0]
    assert 'q=moon"' in html
