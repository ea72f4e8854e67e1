"""`python -m bench.ladder [--quick] [--seeds N] [--on NAME …]`: ai2016's ladder of language models.

Query likelihood, LDA and paragraph vectors with one change after the other, on collections that anybody can have.
Parameters are chosen by cross-validation, and differences are tested by Fisher's randomisation. Everything is
reported as found. Needs aboutness[krovetz,topics]. Results go to bench/results/ladder.{json,md}.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

from aboutness import Index, analyzer, collection, fisher, ranker
from aboutness.core.errors import UsageError
from aboutness.experiment.collection import Collection
from aboutness.experiment.validate import Validation, cross_validate
from aboutness.index.trained import Trained
from aboutness.models.model import Model
from bench.report import circumstances, deviation, keep, kept, made_by, met, table, tell
from bench.vectors import data

NAME = "ladder"
ANALYZER = "krovetz"
COLLECTIONS = ("cranfield", "cisi", "cacm", "vaswani_npl", "nfcorpus_preprocessed", "scifact")
QL, LDA, DRJ = "ql", "lda-lm", "epv-drj-lm"
STEPS = (QL, "pv-lm", "epv-d-lm", "epv-dr-lm", DRJ)
PRINTED, ONE_STATE, FAST = "epv-drj-lm, eq. 9 as printed", "lda-lm, one state", "pv-lm, rate .05"
OTHERS: dict[str, tuple[str, dict[str, float]]] = {  # rankers whose training is not the default
    PRINTED: (DRJ, {"joint": 1, "rate": 0.025}),
    ONE_STATE: (LDA, {"samples": 1}),
    FAST: ("pv-lm", {"rate": 0.05}),
}
MODELS = (QL, LDA, *STEPS[1:], *OTHERS)
MEASURES = ("AP", "nDCG@20")
DEPTH = 1000
LAMBDAS, MU = tuple(number / 10 for number in range(10)), 300.0
LAMBDA = "lam"
GRIDS: dict[str, dict[str, tuple[float, ...]]] = {LAMBDA: {"mu": (MU,), "lam": LAMBDAS}}
STRETCH = {QL: 0.05, LDA: 0.035}  # of AP, ai2016's figures on Robust04 titles
SIGNIFICANT = 0.05
QUICK_DOCUMENTS, QUICK_LAMBDAS, QUICK_EPOCHS = 500, (0.0, 0.3), {"epochs": 3, "iterations": 5}
EXPLANATION = (
    f"Analyzer {ANALYZER}. Each model is trained on the collection itself with its declared defaults, by one "
    f"thread{{seeds}}, but for three: {PRINTED} (joint 1, rate .025: contexts count as much as documents), "
    f"{ONE_STATE} (topics of one state of the sampler, not the mean of ten) and {FAST} (the rate of epv). What "
    "ai2016 leaves open of epv (rate, epochs, joint) was chosen on these collections, by AP. All documents with "
    f"any word of the query are ranked; the first {DEPTH:,} are measured. mu is {MU:g} everywhere; lam (0 to .9 "
    "in steps of .1) is the one with the highest mean AP over the queries of the other four folds. p: Fisher's "
    f"randomisation test, paired, two-sided; * is below {SIGNIFICANT:g}."
)


def trained(index: Index, label: str, seed: int, changes: Mapping[str, int]) -> tuple[str, float]:
    """Train what a model needs with a seed; return the ranker that reads it, and how many seconds that took."""
    name, own = OTHERS.get(label, (label, {}))
    model = ranker(name)
    assert isinstance(model, Model)
    begin, needed = time.perf_counter(), model.needs(Trained())
    for what, way in needed:
        declared = {one.name for one in way.declared()}
        values = {key: value for key, value in {**own, **changes, "seed": seed}.items() if key in declared}
        kept_as = f"{what}-{MODELS.index(label)}-{seed}"
        index.train(replace(way, **values), name=kept_as, threads=1)
        name = f"{name}[vectors={kept_as}]"
    return name, time.perf_counter() - begin


def validated(index: Index, test: Collection, name: str, lambdas: Sequence[float]) -> dict[str, Validation]:
    """Cross-validate a ranker over each grid."""
    found = {}
    for title, grid in GRIDS.items():
        values = {"mu": grid["mu"], **({} if name == QL else {"lam": lambdas})}
        found[title] = cross_validate(
            index.snapshot, test, name, values, MEASURES[0], measures=MEASURES, depth=DEPTH
        )
    return found


def measured(name: str, seeds: int, quick: bool) -> dict[str, Any]:
    """Train and validate every model on a collection."""
    test = collection(str(data(name)))
    index = Index.build(islice(test.documents(), QUICK_DOCUMENTS if quick else None), analyzer=ANALYZER)
    changes, lambdas = (QUICK_EPOCHS, QUICK_LAMBDAS) if quick else ({}, LAMBDAS)
    found: dict[tuple[str, str], list[Validation]] = {}
    seconds: dict[str, list[float]] = {}
    for model in MODELS:
        for seed in range(1, 2 if model == QL else seeds + 1):
            expression, took = trained(index, model, seed, changes)
            seconds.setdefault(model, []).append(took)
            begin = time.perf_counter()
            for title, validation in validated(index, test, expression, lambdas).items():
                found.setdefault((title, model), []).append(validation)
            means = {title: round(found[title, model][-1].evaluation.mean["AP"], 4) for title in GRIDS}
            ranked = time.perf_counter() - begin
            tell(f"{name} {model} seed {seed}: AP {means}, trained in {took:.0f} s, validated in {ranked:.0f} s")
    return {
        "documents": len(index),
        "queries": found[LAMBDA, QL][0].evaluation.queries,
        "tokens": int(index.view().lengths.sum()),
        "seconds": seconds,
        **{title: {model: _row(found[title, model]) for model in MODELS} for title in GRIDS},
        "fisher": {title: _tests({model: found[title, model] for model in MODELS}) for title in GRIDS},
    }


def _row(validations: Sequence[Validation]) -> dict[str, Any]:
    """Return what is kept of a model: values of every seed, what the folds chose, and the best in hindsight."""
    chosen = Counter(str(fold.setting) for validation in validations for fold in validation.folds)
    best = [max(validation.settings, key=lambda one: one.mean["AP"]) for validation in validations]
    return {
        **{measure: [one.evaluation.mean[measure] for one in validations] for measure in MEASURES},
        "chosen": dict(chosen.most_common()),
        "best": [{**one.parameters, **one.mean} for one in best],
    }


def _tests(found: Mapping[str, Sequence[Validation]]) -> dict[str, Any]:
    """Test the last step against the baselines; a query's value is its mean over the seeds."""
    values = {
        (model, measure): {
            query: statistics.mean(one.evaluation.per_query[query][measure] for one in found[model])
            for query in found[model][0].evaluation.per_query
        }
        for model in (DRJ, QL, LDA)
        for measure in MEASURES
    }
    return {
        baseline: {m: fisher(values[DRJ, m], values[baseline, m]).to_json() for m in MEASURES}
        for baseline in (QL, LDA)
    }


# --- the report -------------------------------------------------------------------------------------------------


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    every, seeds = results["collections"], results["seeds"]
    said = (
        " and seed 1" if seeds == 1 else f" and seeds 1 to {seeds}, of which the mean counts (± their deviation)"
    )
    lines = ["# The ladder of ai2016", "", made_by("bench.ladder", results), EXPLANATION.format(seeds=said)]
    for title in GRIDS:
        lines += ["", f"## {title} by cross-validation, mu {MU:g}"]
        for measure in MEASURES:
            lines += ["", f"### {measure}", "", *_mean_lines(every, title, measure)]
            lines += ["", *_step_lines(every, title, measure), *_bar_lines(every, title, measure)]
        lines += ["", f"### {DRJ} against {QL} and {LDA}", "", *_test_lines(every, title)]
        lines += ["", "### What the folds chose, and the best for all queries", "", *_chosen_lines(every, title)]
    return "\n".join([*lines, "", "## Training, seconds by one thread", "", *_second_lines(every), ""])


def _mean(of: dict[str, Any], title: str, model: str, measure: str) -> float:
    return statistics.mean(of[title][model][measure])


def _over_all(every: dict[str, Any], title: str, model: str, measure: str) -> float:
    return statistics.mean(_mean(of, title, model, measure) for of in every.values())


def _mean_lines(every: dict[str, Any], title: str, measure: str) -> list[str]:
    rows = []
    for name, of in every.items():
        cells = [f"{name} ({of['documents']:,} documents, {of['queries']} queries)"]
        for model in MODELS:
            values = of[title][model][measure]
            spread = f" ± {deviation(values):.4f}" if len(values) > 1 else ""
            cells.append(f"{statistics.mean(values):.4f}{spread}")
        rows.append(cells)
    means = {model: _over_all(every, title, model, measure) for model in MODELS}
    rows.append(["**mean**", *(f"**{means[model]:.4f}**" for model in MODELS)])
    rows += [
        [f"mean against {baseline}", *(f"{means[model] / means[baseline] - 1:+.1%}" for model in MODELS)]
        for baseline in (QL, LDA)
    ]
    return table(["collection", *MODELS], rows)


def _step_lines(every: dict[str, Any], title: str, measure: str) -> list[str]:
    """Say of each step of the ladder whether it goes up in the mean, and on how many collections."""
    said = []
    for lower, higher in pairwise(STEPS):
        gain = _over_all(every, title, higher, measure) - _over_all(every, title, lower, measure)
        up = sum(_mean(of, title, higher, measure) > _mean(of, title, lower, measure) for of in every.values())
        said.append(f"{lower} → {higher} {gain:+.4f} (up on {up} of {len(every)})")
    return [f"The steps, in the mean: {'; '.join(said)}.", ""]


def _bar_lines(every: dict[str, Any], title: str, measure: str) -> list[str]:
    lines = []
    for baseline, wanted in STRETCH.items():
        gain = _over_all(every, title, DRJ, measure) / _over_all(every, title, baseline, measure) - 1
        stretch = f"; stretch ≥ {wanted:+.1%}: {met(gain >= wanted)}" if measure == "AP" else ""
        lines.append(f"- {DRJ} above {baseline} in the mean: {gain:+.1%}, {met(gain > 0)}{stretch}")
    return lines


def _test_lines(every: dict[str, Any], title: str) -> list[str]:
    rows = []
    for name, of in every.items():
        for measure in MEASURES:
            cells = [name, measure]
            for baseline in (QL, LDA):
                test = of["fisher"][title][baseline][measure]
                relative = test["difference"] / _mean(of, title, baseline, measure)
                sure = " *" if test["p_value"] < SIGNIFICANT else ""
                cells += [f"{test['difference']:+.4f}", f"{relative:+.1%}", f"{test['p_value']:.2g}{sure}"]
            rows.append(cells)
    head = [f"{what}{baseline}" for baseline in (QL, LDA) for what in ("difference to ", "relative to ", "p, ")]
    return table(["collection", "measure", *head], rows)


def _chosen_lines(every: dict[str, Any], title: str) -> list[str]:
    rows = []
    for name, of in every.items():
        for model in MODELS:
            row = of[title][model]
            often = "; ".join(f"{setting} ({count}x)" for setting, count in row["chosen"].items())
            best = row["best"][0]
            shown = ", ".join(f"{key} {value:g}" for key, value in best.items() if key in ("lam", "mu"))
            rows.append([name, model, often, shown, f"{best['AP']:.4f}"])
    return table(["collection", "model", "folds chose", "best for all (seed 1)", "AP with it"], rows)


def _second_lines(every: dict[str, Any]) -> list[str]:
    rows = [
        [
            name,
            f"{of['tokens']:,}",
            *(f"{statistics.mean(of['seconds'][model]):.0f}" for model in MODELS if model != QL),
        ]
        for name, of in every.items()
    ]
    return table(["collection", "tokens", *(model for model in MODELS if model != QL)], rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.ladder", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a part of cranfield; nothing is stored")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument(
        "--on", nargs="+", choices=COLLECTIONS, default=COLLECTIONS, help="the others stay as they were"
    )
    options = parser.parse_args()
    try:
        analyzer(ANALYZER).terms("installed")
    except UsageError as error:
        tell(f"left out: {error}")
        return
    seeds = 1 if options.quick else options.seeds
    results: dict[str, Any] = {**circumstances("tomotopy", "numba", "numpy"), "seeds": seeds}
    for name in COLLECTIONS[:1] if options.quick else options.on:
        found = measured(name, seeds, options.quick)
        before = {} if options.quick else kept(NAME)  # others may have been measured meanwhile
        if before.get("seeds") != seeds:
            before = {}
        every = {**before.get("collections", {}), name: found}
        dates = {**before.get("measured", {}), name: circumstances()["date"]}
        for what, by_name in (("measured", dates), ("collections", every)):
            results[what] = {one: by_name[one] for one in COLLECTIONS if one in by_name}
        if not options.quick:  # a run takes long: what is done is kept
            keep(NAME, results, report(results))
    print(report(results))


if __name__ == "__main__":
    main()
