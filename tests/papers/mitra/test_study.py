"""The whole study at a small size, on planted topics: what must hold there, and what must not change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.papers.mitra.planted import SYLLABLES, TOPICS, queries_of, query_lines, words_of, write_collection

from aboutness.papers.mitra2016.protocol import Mitra2016
from aboutness.papers.mitra2016.rankings import PUBLISHED, row_of
from aboutness.papers.paper import PAPERS, Work
from aboutness.report.study import Claim, Passage, Sheet, Study, Value, Verdict
from aboutness.text.strings import StringTable
from aboutness.vectors.words import WordVectors

SMALL = Mitra2016(
    dim=10, epochs=12, candidates=20, alphas="alpha=0:1:.1", least=8, words=40, neighbours=4, triples=6, random=20
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    root = tmp_path_factory.mktemp("planted")
    return str(write_collection(root / "graded", graded=True)), str(
        write_collection(root / "binary", graded=False)
    )


@pytest.fixture(scope="module")
def study(folders: tuple[str, str]) -> Study:
    return SMALL.study(work(folders))


def work(on: tuple[str, ...], **given: Any) -> Work:
    """Return what a study is done with: no published vectors, whatever the machine has."""
    return Work(on=on, vectors=Path(on[0]), cache=False, **given)


def sheet(found: Study, start: str) -> Sheet:
    return next(one for one in found.sheets if one.name.startswith(start))


def value(found: Study, start: str, row: str, column: str) -> Value:
    cell = sheet(found, start).rows[row][list(sheet(found, start).columns).index(column)]
    assert isinstance(cell, Value)
    return cell


def claim(found: Study, start: str) -> Claim:
    return next(one for one in found.claims if one.says.startswith(start))


def test_it_is_registered_with_the_papers_sizes() -> None:
    assert PAPERS["mitra2016"]().dim == 200
    assert PAPERS["mitra2016"]().alphas == "alpha=0:1:.01"


def test_all_tables_and_figures_are_there(study: Study) -> None:
    names = [one.name for one in study.sheets]
    assert [sum(name.startswith(f"Table {table}") for name in names) for table in (1, 2, 3, 4)] == [1, 1, 1, 1]
    assert {f"figure-{figure}-{name}" for figure in (1, 4, 5) for name in ("graded", "binary")} <= {
        one.name for one in study.drawings
    }
    assert any(isinstance(item, Passage) for part in study.parts for item in part.items)
    assert len(study.claims) >= 15


def test_numbers_stand_beside_the_papers_of_the_same_kind_of_judgements(study: Study) -> None:
    assert value(study, "Table 3", "BM25", "graded NDCG@10").paper == 44.77
    assert value(study, "Table 3", "BM25", "binary NDCG@10").paper == 49.26
    assert value(study, "Table 4", row_of("in-out", "queries", mixed=True), "binary NDCG@1").paper == 12.22


def test_rows_that_need_queries_say_so_and_have_no_number(study: Study) -> None:
    cell = value(study, "Table 4", row_of("in-out", "queries"), "graded NDCG@3")
    assert (cell.here, cell.said, cell.paper) == (None, "\u2013", 0.58)
    assert "cannot be tested here" in sheet(study, "Table 4").caption
    assert claim(study, "Vectors trained on queries").verdict is Verdict.UNTESTED


def test_sizes_are_told_in_words(study: Study) -> None:
    assert PAPERS["mitra2016"]()._in_words["epochs"] == "as many as the text needs"
    assert study.made.parameters["share"] == "33% of the queries, to choose parameters by"
    assert study.made.parameters["alphas"] == "0 to 1 in steps of .1"
    assert "default % 20" not in "".join(one.caption for one in (*study.sheets, *study.drawings))


def test_values_are_percents_and_best_ones_are_marked(study: Study) -> None:
    for start in ("Table 3", "Table 4"):
        columns = zip(*sheet(study, start).rows.values(), strict=True)
        for column in columns:
            numbers = [cell for cell in column if isinstance(cell, Value) and cell.here is not None]
            assert all(0 <= cell.here <= 100 for cell in numbers if cell.here is not None)
            assert max(cell.here or 0 for cell in numbers) > 20
            assert {cell.here for cell in numbers if cell.best} == {max(cell.here or 0 for cell in numbers)}


def test_a_mixture_is_tuned_over_all_of_alpha_and_never_far_below_its_parts(study: Study) -> None:
    alphas = [cells for row, cells in sheet(study, "Parameters").rows.items() if row.startswith("alpha")]
    assert all(isinstance(cell, Value) and 0 <= (cell.here or 0) <= 1 for cells in alphas for cell in cells)
    assert len(alphas) == 4


def test_candidates_are_no_harder_than_all_documents(study: Study) -> None:
    row = row_of("in-in", "body text")
    telescoped = value(study, "Table 3", row, "binary NDCG@10").here or 0
    assert telescoped >= (value(study, "Table 4", row, "binary NDCG@10").here or 0)


def test_neighbours_are_of_the_words_topic(study: Study) -> None:
    table = sheet(study, "Table 1")
    for place, column in enumerate(table.columns):
        if "IN-IN" in column:
            word = column.partition(":")[0]
            found = [str(cells[place]).split()[0] for cells in table.rows.values() if cells[place]]
            assert found[0] == word
            assert sum(one[:2] == word[:2] for one in found) > len(found) / 2


def test_planted_passages_resist_stuffing(study: Study) -> None:
    orders = sheet(study, "Orders of passages")
    cells = dict(
        zip(orders.columns, orders.rows["about the word, without it, above stuffed with it"], strict=True)
    )
    counts = {name: cell.here for name, cell in cells.items() if isinstance(cell, Value)}
    assert counts["count"] == 0  # one has the word, the other has not
    assert (counts["IN-IN"] or 0) >= 80


def test_words_of_a_topic_separate_relevant_from_random_documents(study: Study) -> None:
    assert (value(study, "Separation", "DESM (IN-IN)", "binary: random").here or 0) > 0.8
    assert (value(study, "Separation", "BM25", "binary: random").here or 0) > 0.9


def test_titles_tell_what_a_text_is_about_where_there_are_titles(study: Study) -> None:
    columns = sheet(study, "About").columns
    assert list(columns) == ["graded, by judgements", "binary, by judgements", "binary, by titles"]
    assert (value(study, "About", "DESM (IN-OUT)", "binary, by titles").here or 0) > 50
    assert claim(study, "IN-OUT tells a text about a word").found.startswith(
        "The text that is about it comes first"
    )


def test_evidence_is_marked_in_texts_that_have_the_word_equally_often(study: Study) -> None:
    part = next(one for one in study.parts if "figure 3" in one.title)
    one, other = [item for item in part.items if isinstance(item, Passage)][:2]
    own = [[piece for piece, kind in text.pieces if kind == "query"] for text in (one, other)]
    assert len(own[0]) == len(own[1]) > 0
    assert any(kind == "evidence" for _, kind in one.pieces)


def test_the_same_seed_gives_the_same_numbers(folders: tuple[str, str], study: Study) -> None:
    again = SMALL.study(work(folders))
    assert again.table == study.table
    assert [one.found for one in again.claims] == [one.found for one in study.claims]


@pytest.fixture(scope="module")
def with_queries(folders: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Return the study of one collection with a file of queries, and vectors that know each word's topic."""
    root = tmp_path_factory.mktemp("given")
    log, tests = root / "log.txt", queries_of(Path(folders[1]))
    log.write_text("\n".join([*query_lines(400), *(text.upper() for text in tests)]) + "\n")
    words = [word for topic in range(TOPICS) for word in words_of(topic)]
    rows = np.zeros((len(words), TOPICS), np.float32)
    rows[np.arange(len(words)), [SYLLABLES.index(word[:2]) for word in words]] = 1
    for name in ("in", "out"):
        WordVectors(StringTable.of(words), {"in": rows}).save(root / f"{name}.safetensors")
    pair = f"{root / 'in.safetensors'},{root / 'out.safetensors'}"
    return SMALL.study(work(folders[1:], queries=log, embeddings=(pair,)))


def test_queries_are_trained_on_but_test_queries_never(with_queries: Study) -> None:
    told = next(one.here for one in with_queries.replaced if "618,644,170 queries" in one.paper)
    assert told.startswith("408 queries of a file; 16 of its lines are test queries")  # 8 choose parameters
    assert value(with_queries, "Table 3", row_of("in-out", "queries"), "binary NDCG@10").here is not None
    assert claim(with_queries, "Vectors trained on queries").verdict is not Verdict.UNTESTED


def test_published_vectors_stand_beside_the_papers_row_of_queries(with_queries: Study) -> None:
    row = row_of("in-out", PUBLISHED)
    assert value(with_queries, "Table 3", row, "binary NDCG@10").paper == 55.84
    assert (
        value(with_queries, "Table 4", row, "binary NDCG@10").here or 0
    ) > 60  # the topic of each word is known
