"""A page for each measure, and one that lists them, with an example that is worked out when the page is made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from aboutness.app.evaluating import evaluate_run
from aboutness.evaluate.computing import formula as own_formula
from aboutness.evaluate.conventions import CONVENTIONS
from aboutness.evaluate.measures import DEFAULT_MEASURES, known_measures, measure
from aboutness.evaluate.own_measures import load_ir_measures
from aboutness.evaluate.parameters import ALLOWED
from docsite.figures.drawing import side_by_side
from docsite.figures.measured import measure_pictures
from docsite.generated.measure_formulas import FORMULAS, Formula
from docsite.generated.measure_sources import SOURCES, cost
from docsite.markdown import NONE, block, code, page, prose, sentence, table
from docsite.page import Page

FOLDER = "measures"
RANKED = ["d1", "d2", "d3", "d4", "d5", "d6"]
GRADES = {"d1": 0, "d2": 2, "d4": 1, "d6": 0, "d7": 1}
"""Of a small example: d3 and d5 are not judged, and d7 is not found."""
MEANT = {
    "cutoff": "how many documents are looked at: the number after @",
    "rel": "the lowest grade that counts as relevant",
    "recall": "the share of the relevant documents: the number after @",
    "judged_only": "whether documents without a grade are left out first",
    "dcg": "how gains come from grades",
    "gains": "other gains for grades",
    "beta": "how much recall counts, against precision",
    "relative": "whether it is divided by the best value that could be reached",
    "p": "how much deeper ranks count",
    "normalize": "whether the overlap is a share of the best one",
    "convention": "the paper or program whose formula it is",
}
SYMBOLS = (
    "*Symbols*: r\\_i is 1 where the document at rank i is relevant (its grade is at least `rel`), else 0; P@i is "
    "the mean of r\\_1 … r\\_i; R is how many documents are relevant, n how many are found, k the cut-off."
)


def measure_pages() -> Iterator[Page]:
    """Yield the list of measures, and their pages."""
    known = known_measures()
    rows = (
        [f"[{code(one['name'])}]({slug(one['name'])}.md)", prose(sentence(one["about"])), code(one["example"])]
        for one in known
    )
    yield Page(
        f"{FOLDER}/index.md",
        "All measures",
        page(
            "# Measures",
            "They carry the names that ir_measures gives them, with a cut-off after @ and parameters in "
            "brackets: `nDCG@10`, `P(rel=2)@5`. Unless some are named, these are measured: "
            f"{', '.join(map(code, DEFAULT_MEASURES))}. `aboutness measures` prints the list.",
            table(["measure", "what it is", "written"], rows),
            "## What all have in common",
            "Documents are in the order that trec_eval gives them: by score, and of equal scores the greater id "
            "first ([why](../decisions/0009-ties-as-trec-eval-breaks-them.md)). A document without a judgement "
            "is not relevant. A query that has judgements and no answer counts 0, as with `trec_eval -c`.",
            "## Conventions",
            "Some papers have formulas of their own. They are asked for by the parameter `convention`, or for "
            f"all measures at once by `--convention`: {', '.join(map(code, CONVENTIONS))}.",
        ),
    )
    yield from map(_page, known)


def slug(name: str) -> str:
    """Return the name of a measure's page.

    >>> slug("nDCG"), slug("AP(convention='galke2017')")
    ('ndcg', 'ap-galke2017')
    """
    return "-".join(_words(name)).lower()


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9-]+", name.replace("convention", ""))


def _page(known: dict[str, str]) -> Page:
    name, chosen = known["name"], measure(known["example"])
    formula, source = FORMULAS[name], SOURCES[name]
    is_ours = bool(own_formula(chosen))
    return Page(
        f"{FOLDER}/{slug(name)}.md",
        ", ".join(_words(name)),
        page(
            f"# {code(name)}",
            prose(sentence(known["about"])),
            _facts(known, chosen, formula),
            "## Equation",
            block(formula.formula),
            SYMBOLS,
            prose(formula.meaning),
            "## Parameters",
            _parameters(chosen),
            "## How it differs from the paper",
            prose(source.differs),
            *_conventions(name),
            "## Cost",
            f"{cost(name, is_ours)} [Measured](../benchmarks/measures.md) beside others.",
            "## An example",
            _example(known["example"]),
            "## At work",
            side_by_side(measure_pictures(slug(name), known["example"])),
        ),
    )


def _facts(known: dict[str, str], chosen: Any, formula: Formula) -> str:  # noqa: ANN401 - ir_measures' Measure
    whose = (
        "by our own formula, for all queries at once"
        if own_formula(chosen)
        else "by one of ir_measures' providers"
    )
    rows = [
        ["written", code(known["example"])],
        ["paper", prose(SOURCES[known["name"]].paper)],
        ["range", f"{formula.least:g} to {formula.most:g}; more is better"],
        ["computed", whose],
        [
            "in ir_measures",
            f"{code(str(chosen))}, by {', '.join(map(code, _providers(chosen)))}" if _providers(chosen) else NONE,
        ],
        ["in trec\\_eval", formula.trec_eval or NONE],
    ]
    return table(["", ""], rows)


def _providers(chosen: Any) -> list[str]:  # noqa: ANN401
    """Return which of ir_measures' providers compute a measure."""
    if "convention" in chosen.params or chosen.NAME not in load_ir_measures().measures.registry:
        return []
    return [name for name, one in load_ir_measures().providers.registry.items() if one.supports(chosen)]


def _parameters(chosen: Any) -> str:  # noqa: ANN401
    rows = [
        [code(name), _default(info), prose(_allowed(name, info)), prose(MEANT[name])]
        for name, info in chosen.SUPPORTED_PARAMS.items()
    ]
    return table(["parameter", "default", "allowed", "meaning"], rows) if rows else "It has none."


def _default(info: Any) -> str:  # noqa: ANN401
    if info.required:
        return "must be given"
    return NONE if type(info.default) is object else code(str(info.default))  # ir_measures' own sign for none


def _allowed(name: str, info: Any) -> str:  # noqa: ANN401
    if name in ALLOWED:
        return ALLOWED[name].words
    if info.dtype is bool:
        return "True or False"
    return (
        " or ".join(f"`{one}`" for one in info.choices) if isinstance(info.choices, list) else info.dtype.__name__
    )


def _conventions(name: str) -> list[str]:
    others = [one["name"] for one in known_measures() if one["name"].startswith(f"{name}(convention")]
    if not others:
        return []
    links = ", ".join(f"[{code(one)}]({slug(one)}.md)" for one in others)
    return ["## Conventions", f"This is trec_eval's. Others: {links}.".replace("trec_eval", "trec\\_eval")]


def _example(text: str) -> str:
    """Return a ranking with its grades, and the value of a measure, which is computed here."""
    rows = [
        ["rank", *map(str, range(1, len(RANKED) + 1)), "not found"],
        ["document", *RANKED, ", ".join(sorted(GRADES.keys() - set(RANKED)))],
        ["grade", *(str(GRADES[one]) if one in GRADES else NONE for one in RANKED), str(GRADES["d7"])],
    ]
    return page(
        "Six documents are found; two of them are not judged, and one that is relevant is missing:",
        table(rows[0], rows[1:]),
        f"{code(text)} is **{value_of(text):.4f}** here.",
        block(
            "import aboutness as ab\n\n"
            f"ranked = {json.dumps(RANKED)}\n"
            f'qrels = {{"q": {json.dumps(GRADES)}}}\n'
            'run = {"q": {document: -rank for rank, document in enumerate(ranked)}}\n'
            f'print(ab.evaluate_run(qrels, run, ["{text}"]).mean)',
            "python",
        ),
    )


def value_of(text: str) -> float:
    """Return the value of a measure in the example."""
    run = {"q": {document: -float(rank) for rank, document in enumerate(RANKED)}}
    evaluated = evaluate_run({"q": GRADES}, run, [text])
    return next(iter(evaluated.mean.values()))
