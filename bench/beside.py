"""One table of how fast the package is beside others, from stored results: where it is slower is in it, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bench.report import kept, table
from bench.serving import OURS as SERVED
from bench.serving import PEERS as SERVED_BY_OTHERS
from bench.serving import middle

OURS = "aboutness"
HEAD = ["work (one thread unless said)", "here", "others", "times faster"]
FIRST = (0, 1, 2, 3, 5, 7, 10, 12)
"""Rows that show what most people do."""


def rows() -> Iterator[list[str]]:
    """Yield what is done, how fast here and by others, and how many times faster."""
    yield from _indexing(kept("indexing")["comparisons"])
    yield from _searching(kept("search")["rows"])
    yield from _training(kept("vectors")["speed"], kept("paragraphs")["speed"])
    yield from _vectors(kept("dense")["models"], kept("movers")["titles"])
    yield from _evaluating(kept("measures")["comparisons"])
    yield from _serving(kept("serving"))


def lines(some: Sequence[int] | None = None) -> list[str]:
    """Return the table, or some of its rows, as lines of Markdown."""
    every = list(rows())
    return table(HEAD, every if some is None else [every[place] for place in some])


def _row(work: str, here: str, others: dict[str, tuple[str, float]]) -> list[str]:
    shown = "; ".join(f"{name} {value}" for name, (value, _) in others.items())
    return [work, here, shown, "; ".join(_times(ratio) for _, ratio in others.values())]


def _times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}"


def _indexing(found: list[dict[str, Any]]) -> Iterator[list[str]]:
    for task, work in (
        ("index", "653,478 documents in memory → a committed index"),
        ("file", "the same from a .jsonl.gz file"),
    ):
        sides = {one["side"]: one for one in found if (one["task"], one["collection"]) == (task, "yso_finna_en")}
        own = sides[OURS]["wall"]
        others = {name: sides[name] for name in ("bm25s", "tantivy, 2 threads") if name in sides}
        yield _row(
            f"{work}, two threads", f"{own:.1f} s",
            {name: (f"{one['wall']:.1f} s", one["wall"] / own) for name, one in others.items()},
        )  # fmt: skip


def _searching(found: list[dict[str, Any]]) -> Iterator[list[str]]:
    cases = [
        ("short, top 10", "terms", "BM25, the first 10 of 653,478, in a batch"),
        ("short, top 10", "text, one by one", "the same, one query after the other, from its text"),
        ("long, top 1000", "terms", "BM25, 100 words, the first 1,000, in a batch"),
    ]
    for what, start, work in cases:
        sides = {
            one["side"]: one["us_per_query"]
            for one in found
            if (one["what"], one["from"], one["collection"]) == (what, start, "yso_finna_en")
        }
        own = sides.pop(OURS)
        yield _row(work, f"{own:.0f} µs", {name: (f"{us:,.0f} µs", us / own) for name, us in sides.items()})


def _training(words: list[dict[str, Any]], documents: list[dict[str, Any]]) -> Iterator[list[str]]:
    for kind, dim in (("skip-gram", 100), ("cbow", 100)):
        sides = {
            one["side"]: one["words_per_second"]
            for one in words
            if (one["kind"], one["dim"], one["threads"]) == (kind, dim, 1)
        }
        yield _tokens(f"word2vec, {kind}, {dim} dimensions", sides[OURS], sides["gensim"])
    one = next(row for row in documents if (row["kind"], row["dim"], row["threads"]) == ("PV-DBOW", 100, 1))
    sides = one["tokens_per_second"]
    yield _tokens("paragraph vectors (PV-DBOW), 100 dimensions", sides[OURS], sides["gensim"])


def _tokens(work: str, own: float, other: float) -> list[str]:
    return _row(work, f"{own / 1e6:.1f} M tokens/s", {"gensim": (f"{other / 1e6:.1f} M", own / other)})


def _vectors(models: list[dict[str, Any]], titles: list[dict[str, Any]]) -> Iterator[list[str]]:
    found = next(one for one in models if one["model"] == "iwcs")["rows"]
    for queries, work in (("one by one", "one by one"), ("batch", "in a batch")):
        sides = {one["side"]: one["ms_per_query"] for one in found if one["what"] == queries}
        own = sides.pop(OURS)
        yield _row(
            f"IWCS, exact first 10 of 200,000 x 300, {work}", f"{own:.1f} ms",
            {name: (f"{ms:.1f} ms", ms / own) for name, ms in sides.items()},
        )  # fmt: skip
    short = titles[0]
    yield _row(
        f"Word Mover's Distance, exact first 20 of {short['documents']:,} (others: extrapolated from 200)",
        f"{1000 * short['seconds']:.0f} ms",
        {name: (f"{short[side]:.0f} s", short[side] / short["seconds"])
         for side, name in (("gensim", "gensim"), ("pot", "POT"))},
    )  # fmt: skip


def _evaluating(found: list[dict[str, Any]]) -> Iterator[list[str]]:
    sides = {one["side"]: one["fresh"] for one in found if one["source"] == "dictionaries"}
    others = {name: (f"{sides[name]:.1f} s", sides[name] / sides[OURS]) for name in ("ranx", "pytrec_eval")}
    yield _row("five measures of 1,000 x 1,000, in a new process", f"{sides[OURS]:.1f} s", others)


def _serving(found: dict[str, Any]) -> Iterator[list[str]]:
    own = middle(found["rows"], SERVED, "bm25", "a_second")
    others = {name: middle(found["rows"], name, "bm25", "a_second") for name in SERVED_BY_OTHERS.values()}
    yield _row(
        "answers a second to ten clients, BM25, 653,478 documents, two cores", f"{own:,.0f}",
        {name: (f"{other:,.0f}", own / other) for name, other in others.items()},
    )  # fmt: skip
