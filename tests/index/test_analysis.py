"""Two lanes number terms as one would."""

from __future__ import annotations

import random

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.index import analysis as module
from aboutness.index.analysis import Analysis
from aboutness.index.builder import joined
from aboutness.text.analyzers import analyzer
from aboutness.text.strings import StringTable, pack


def numbered(work, batches, layer="main"):
    streams = work.streams()
    for cells in batches:
        work.submit(cells, pack(cells), streams)
    work.finish()
    tokens, ends = joined(streams.of_layer(layer))
    assert streams.tokens == sum(len(part) for layer in streams.parts for part, _ in streams.of_layer(layer))
    return tokens.tolist(), ends.tolist()


def test_numbers_go_on_from_what_is_known():
    known = {"main": [StringTable.of(["aa", "bb"]), StringTable.of(["cc"])]}
    work = Analysis({"main": analyzer("plain")}, known)
    assert numbered(work, [["cc dd aa", "", "dd ee"]]) == ([2, 3, 0, 3, 4], [3, 3, 5])
    assert work.terms["main"].strings() == ["aa", "bb", "cc", "dd", "ee"]
    assert numbered(work, [["ff aa"], ["gg ff"]]) == ([5, 0, 6, 5], [2, 4])
    work.close()


@pytest.mark.parametrize("lanes", [1, 2, 3])
@pytest.mark.parametrize("name", ["plain", "english", "bigrams", "letters"])
def test_any_batches_and_lanes_number_by_first_appearance(monkeypatch, lanes, name):
    monkeypatch.setattr(module, "LANES", lanes)
    chance = random.Random(lanes)
    cells = [" ".join(f"w\u00fc{chance.randrange(40)}ing" for _ in range(chance.randrange(9))) for _ in range(200)]
    terms = [analyzer(name).terms(cell) for cell in cells]
    first = list(dict.fromkeys(term for one in terms for term in one))
    expected = [first.index(term) for one in terms for term in one]
    work = Analysis({"main": analyzer(name)})
    batches, start = [], 0
    while start < len(cells):
        size = chance.randrange(1, 30)
        batches.append(cells[start : start + size])
        start += size
    tokens, ends = numbered(work, batches)
    assert (tokens, work.terms["main"].strings()) == (expected, first)
    assert ends == np.cumsum([len(one) for one in terms]).tolist()
    work.close()


@pytest.mark.parametrize("name", ["plain", "english", "bigrams", "letters"])
def test_lanes_that_forget_give_the_same_numbers(monkeypatch, name):
    segments = [[[f"w{n % 13}ing v{n % 7}ed"] for n in range(start, start + 9)] for start in (0, 9, 18)]
    found = []
    for most in (1 << 20, 3, 0):
        monkeypatch.setattr(module, "MOST_REMEMBERED", most)
        work = Analysis({"main": analyzer(name)})
        found.append([numbered(work, batches) for batches in segments])
        kept = max(lane.batches["main"].remembered for lane in work._lanes)
        assert (kept == 0) == (most < 1 << 20)
        work.close()
    assert found[0] == found[1] == found[2]


def test_an_error_in_a_lane_reaches_the_caller():
    work = Analysis({"main": analyzer("plain")})
    streams = work.streams()
    work.submit([5], pack(["\u00fc"]), streams)
    for _ in range(2):  # and goes on to: what was lost must not be committed
        with pytest.raises(TypeError):
            work.finish()
    work.close()


def test_a_failed_analysis_cannot_be_committed(tmp_path, monkeypatch):
    index = Index.build([{"id": "old", "text": "old"}], tmp_path / "i")
    with index.changes() as writer:
        analyze, calls = module._Lane.analyze, []

        def fail_once(lane, cells, packed):
            calls.append(1)
            if len(calls) == 2:
                raise MemoryError
            return analyze(lane, cells, packed)

        monkeypatch.setattr(module._Lane, "analyze", fail_once)
        writer.add({"id": f"d{n}", "text": f"word{n}"} for n in range(2000))
        for _ in range(2):
            with pytest.raises(MemoryError):
                writer.commit()
        writer.rollback()
        writer.add([{"id": "new", "text": "new"}])
    assert [document.id for document in index] == ["old", "new"]
    assert index.check(deep=True).ok
