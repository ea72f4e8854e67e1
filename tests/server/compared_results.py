"""Results of experiments for the tests of the comparing page: small ones, ones with settings, and odd ones."""

from __future__ import annotations

from pathlib import Path

from aboutness.experiment.results_folder import RESULTS, save_results
from report.made_results import HOSTILE, HOSTILE_NAMES, comparison, results

TEXTS = {f"q{number}": f"what is question {number} about?" for number in range(12)}
HOSTILE_QUERY = '<img/src=x/onerror=alert(1)>&"\u202e'


def write_results(folder: Path) -> Path:
    """Write results to folders below one, and return it."""
    names = ["bm25", "ql", "wcs"]
    usual = comparison(names, 12, texts=TEXTS, measures=("nDCG@10", "AP", "P@5"), seed=3)
    titles = comparison(names, 12, texts=TEXTS, measures=("nDCG@10", "AP", "P@5"), seed=4, setting="titles")
    save_results(results(usual, titles), folder / "first")
    save_results(results(comparison(["alone"], 3)), folder / "single")
    ids = [HOSTILE_QUERY, "q1", "q2"]
    texts = {HOSTILE_QUERY: HOSTILE, "q1": "</script><svg onload=alert(1)>"}
    save_results(results(comparison(HOSTILE_NAMES, ids=ids, texts=texts), test="t"), folder / "odd")
    (folder / "broken").mkdir()
    (folder / "broken" / RESULTS).write_text("{")
    return folder
