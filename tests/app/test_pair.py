"""Two passages that name coffee once each: the page tells the one that is about it (mitra2016, fig. 3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from aboutness.app.index import Index
from aboutness.app.perturbing import read_passages
from aboutness.corpus.read import read
from report.test_explained import Page

PASSAGES = Path(__file__).parents[2] / "examples" / "passages"
PAIR = ["about_coffee", "mentions_coffee"]
DESM = "desm-in-out"


@pytest.fixture(scope="module", params=["plain", "english"])
def index(data_folder, request):
    """News with vectors trained on it, and then the two passages."""
    made = Index.build(read(data_folder / "reuters21578_apte90"), analyzer=request.param)
    made.train("word2vec", architecture="cbow", dim=50, epochs=3, seed=1, threads=1)
    texts = read_passages(PASSAGES / f"{name}.txt" for name in PAIR)
    made.add([{"id": name, "text": text} for name, text in texts.items()])
    return made


def evidence(index: Index, query: str) -> list[set[str]]:
    """Return the terms of each passage that are evidence when the page opens, besides the query's."""
    data = Page(index.explain_page(query, PAIR, DESM)).data
    limit = data["rankers"][0]["threshold"][0]
    found = []
    for (why,) in data["documents"]:
        over = [
            parts for _, value, own, _, parts in why["marks"] if value is not None and value > limit and not own
        ]
        found.append({why["parts"][part][0] for parts in over for part in parts})
    return found


def scores(index: Index, query: str, ranker: str) -> list[float]:
    return [index.explain(query, name, ranker).score for name in PAIR]


def test_each_names_coffee_once(index):
    page = Page(index.explain_page("coffee", PAIR, DESM))
    assert [word for word, look, _ in page.words if "own" in look.split()] == ["Coffee", "coffee"]
    about, mentions = scores(index, "coffee", "bm25[b=0]")  # lengths left aside
    assert about == mentions > 0


def test_the_passage_about_coffee_has_more_evidence_and_the_higher_score(index):
    words = evidence(index, "coffee")
    assert len(words[0]) > len(words[1])
    assert words[0] >= set(index.view().analyzer.terms("Colombia ICO quotas"))
    about, mentions = scores(index, "coffee", DESM)
    assert about > mentions


def test_asked_for_what_the_other_is_about_it_is_the_other_way_round(index):
    words = evidence(index, "dividend")
    assert len(words[0]) < len(words[1])
    about, mentions = scores(index, "dividend", DESM)
    assert about < mentions
