"""Figures from results, tunings and indexes, drawn to files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aboutness.app.comparing import results_of
from aboutness.app.index import Index
from aboutness.core.errors import BadInput, NotFound, UsageError, shown
from aboutness.evaluate.atomic import write_whole
from aboutness.experiment.collection import Collection, collection
from aboutness.experiment.compare import Comparison
from aboutness.experiment.labels import read_groups
from aboutness.experiment.results import Results
from aboutness.experiment.results_folder import read_results
from aboutness.experiment.sweep import Sweep
from aboutness.report.figures.sheet import as_bytes, ending_of, house_style
from aboutness.report.pictures import FIGURES

__all__ = ["figure", "known_figures"]

BY_QUERIES = ("query-pca", "features", "scores")  # need a collection besides an index


def figure(
    kind: str,
    of: Results | Comparison | Sweep | Index | str | Path,
    target: str | Path,
    *,
    on: Collection | str | Path | None = None,
    groups: Mapping[str, str] | str | Path | None = None,
    **choices: Any,  # noqa: ANN401 - what the kind has
) -> Path:
    """Draw a figure to a file, whose ending says in which form: .svg, .pdf or .png.

    `kind` is one of `known_figures()`, which say what each is drawn from: results (also a folder of them), a sweep
    (also a folder), or an index. `on` says which comparison of several, by its collection or title, or with an
    index which test collection. `groups` says in which group a label or a query is: a mapping, a file with a tab
    in each line, or "malina2016". All other choices are the kind's: rankers, measure, baseline, parameter, by,
    label, method, most, random, seed.
    """
    ending = ending_of(target)
    known = FIGURES[kind]
    if isinstance(groups, str | Path):
        groups = read_groups(groups)
    made = known.checked(kind, {**choices, "groups": groups})
    with house_style():  # so that a missing library is told before any work
        pass
    if known.of == "results":
        results = _results(of)
        drawn = known.draw(results, chosen_comparison(results, on), **made)
    elif known.of == "tuning":
        drawn = known.draw(of if isinstance(of, Sweep) else _sweep(of), **made)
    elif kind in BY_QUERIES:
        if on is None:
            raise UsageError(f"the figure {kind} needs a test collection: its queries and judgements")
        asked = on if isinstance(on, Collection) else collection(on)
        drawn = known.draw(_index(of).snapshot, asked, **made)
    else:
        drawn = known.draw(_index(of).snapshot, **made)
    with write_whole(target) as file:
        file.write(as_bytes(drawn, ending))
    return Path(target)


def known_figures() -> list[dict[str, str]]:
    """Return all kinds of figures: what each shows, what it is drawn from, and its choices."""
    return [
        {"name": name, "from": kind.of, "shows": kind.summary, "choices": ", ".join(kind.choices)}
        for name, kind in FIGURES.items()
    ]


def chosen_comparison(results: Results, on: object = None) -> Comparison:
    """Return the comparison with a title, or of a collection that has one only; or the only one there is."""
    every = results.comparisons
    found = [one for one in every if on is None or str(on) in (one.title, one.collection)]
    exact = [one for one in found if one.title == str(on)]
    if len(exact or found) == 1:
        return (exact or found)[0]
    titles = "; ".join(one.title for one in every) or "none"
    if not found:
        raise NotFound(f"there is no comparison {shown(str(on))}. There are: {titles}")
    raise UsageError(f"there are several comparisons: say which one (on, or --on): {titles}")


def _results(of: object) -> Results:
    if isinstance(of, Results):
        return of
    if isinstance(of, Comparison):
        return results_of(of)
    if isinstance(of, str | Path):
        return read_results(of)
    raise UsageError(f"this figure is drawn from results, a comparison or a folder of results, got {shown(of)}")


def _index(of: object) -> Index:
    if isinstance(of, Index):
        return of
    if isinstance(of, str | Path):
        return Index.open(of)
    raise UsageError(f"this figure is drawn from an index, got {shown(of)}")


def _sweep(of: object) -> Mapping[str, Any]:
    """Return the plain values of a sweep that a folder holds."""
    if not isinstance(of, str | Path):
        raise UsageError(f"this figure is drawn from a sweep, or the folder of one, got {shown(of)}")
    path = Path(of) / "results.json" if Path(of).is_dir() else Path(of)
    try:
        plain = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise NotFound(f"there is no {path}; make one: aboutness tune ... --train .5 -o DIR") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: this is no JSON: {error}") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    if not isinstance(plain, dict):
        raise BadInput(f"{path}: these are no results of a sweep")
    return plain
