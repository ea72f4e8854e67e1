from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given, settings

from aboutness.report.findings import sections
from aboutness.report.latex import escaped, latex_report
from report.latex_check import check
from report.made_results import HEBREW, HOSTILE, HOSTILE_NAMES, LONG, MADE, comparison, results
from text.hard_texts import texts

ENGINE = shutil.which("tectonic") or shutil.which("pdflatex")


def made(given) -> str:
    return latex_report(given, sections(given))


def hostile() -> str:
    one = comparison(HOSTILE_NAMES, ids=[*HOSTILE_NAMES, "q6"], collection=HOSTILE, setting=HEBREW, note=HOSTILE)
    return made(replace(results(one, made=replace(MADE, command=HOSTILE, data={HOSTILE: HOSTILE})), name=LONG))


def test_a_table_as_papers_have_it():
    text = made(results(comparison(["one", "two", "bm25 % 100 >> ql"], 12)))
    check(text)
    found = sections(results(comparison(["one", "two", "bm25 % 100 >> ql"], 12)))[0]
    last = found.findings["bm25 % 100 >> ql"]["AP"]
    assert last.beats
    cell = rf"\textbf{{{last.mean:.4f}}}\textsuperscript{{{','.join(last.beats)}}} ({last.deviation:.2f})"
    assert r"c & bm25 \% 100 \textgreater{}\textgreater{} ql & " in text
    assert cell in text
    for part in (
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\usepackage{booktabs}",
        r"better than these rankers, $p<0.05$ (fisher, holm-corrected).",
    ):
        assert part in text
    assert text.count(r"\begin{table}") == 2


def test_everything_that_makes_it_again_is_told():
    text = made(results())
    for part in (
        escaped(MADE.command),
        "data/chance",
        "abc123",
        "12.5 s",
        "346 MB",
        "python 3.13",
        "Holm",
        "bootstrap",
    ):
        assert part in text


def test_hostile_names():
    check(hostile())


@pytest.mark.parametrize("one", [comparison([]), comparison(["only"], 1)])
def test_little_to_show(one):
    check(made(results(one)))


@given(texts)
@settings(max_examples=200)
def test_any_text_is_only_text(text):
    told = escaped(text)
    check(f"\\begin{{document}}\n{told}\n\\end{{document}}")
    assert "\n" not in told


def test_letters():
    assert escaped("naïve Erdős ﬁ 日 \0") == "naïve Erdos fi {[}U+65E5{]} {[}U+0000{]}"
    assert (
        escaped('a--b `c\' "d"')
        == r"a-{}-{}b \textasciigrave{}c\textquotesingle{} \textquotedbl{}d\textquotedbl{}"
    )
    assert escaped("x" * 30).count(r"\allowbreak{}") == 2


@pytest.mark.skipif(not ENGINE, reason="needs pdflatex or tectonic")
def test_it_compiles(tmp_path):
    (tmp_path / "report.tex").write_text(hostile(), "utf-8")
    options = [] if "tectonic" in str(ENGINE) else ["-interaction=nonstopmode", "-halt-on-error"]
    subprocess.run(
        [str(ENGINE), *options, "report.tex"], cwd=tmp_path, check=True, capture_output=True, timeout=60
    )
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_all_comparisons_together():
    text = made(results(comparison(["one", "two"], 3), comparison(["two", "x_1"], 3, setting="50% & more")))
    check(text)
    assert r"All comparisons by nDCG@10" in text
    assert r"a: one; b: two; c: x\_1." in text
    assert "chance & " in text
    assert r" & -- & " in text
