"""The measures of rankings by their names, in the form that ir_measures has for them: `nDCG@10`, `P(rel=2)@5`."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from aboutness.core.errors import UsageError, shown
from aboutness.evaluate.computing import is_computable
from aboutness.evaluate.conventions import TREC_EVAL
from aboutness.evaluate.own_measures import (
    ABOUT,
    IN_CONVENTIONS,
    in_convention,
    load_ir_measures,
    own_measures,
    with_convention,
)
from aboutness.evaluate.parameters import checked_parameters

if TYPE_CHECKING:
    from ir_measures import Measure

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")

LONGEST = 200
OF_TREC_EVAL = re.compile(r"[A-Za-z_]{1,30}([._][0-9.]{1,10})?")
SHAPE = "it must look like Name, Name@10 or Name(parameter=value)@10"


def measure(text: str) -> Measure:
    """Return the measure that `text` names; its `str` is the name to show and to keep it under.

    Raises UsageError for a name that is unknown or ill-formed, a parameter that is not allowed, and a measure
    that cannot be computed here.
    """
    registry = _registry()
    name, parameters, at = _parsed(text)
    known = registry.get(name)
    if known is None:
        raise _refusal(text, f"there is no measure {name!r}{_suggestion(name, registry)}")
    if parameters.get("convention") == TREC_EVAL and known.NAME in with_convention():
        del parameters["convention"]
    if not parameters.keys() <= known.SUPPORTED_PARAMS.keys():
        known = with_convention().get(known.NAME, known)
    if at is not None:
        if known.AT_PARAM not in known.SUPPORTED_PARAMS:
            raise _refusal(text, f"{name} takes no number after @")
        if known.AT_PARAM in parameters:
            raise _refusal(text, f"{known.AT_PARAM} is given twice")
        parameters[known.AT_PARAM] = at
    try:
        chosen: Measure = known(**checked_parameters(known, parameters))
    except UsageError as error:
        raise _refusal(text, str(error)) from None
    if not is_computable(chosen):
        raise _refusal(text, "it is known but cannot be computed here")
    return chosen


def measures(
    texts: str | Iterable[str | Measure] = DEFAULT_MEASURES, convention: str | None = None
) -> tuple[Measure, ...]:
    """Return the measures that lists such as `nDCG@10,P(rel=2)@5` name, each once, in their order.

    With a convention, those for which it has its own formula are meant as it has them.

    >>> [str(one) for one in measures("AP,nDCG@10,P@5", "galke2017")]
    ["AP(convention='galke2017')@20", "nDCG(convention='galke2017')@10", 'P@5']
    """
    chosen: dict[str, Measure] = {}
    for text in [texts] if isinstance(texts, str) else texts:
        for name in split_list(text) if isinstance(text, str) else [str(text)]:
            one = measure(name) if convention is None else in_convention(measure(name), convention)
            if not is_computable(one):
                raise _refusal(str(one), "it is known but cannot be computed here")
            chosen.setdefault(str(one), one)
    if not chosen:
        raise UsageError(f"no measure is named; name some, for example {_examples()}")
    return tuple(chosen.values())


def known_measures() -> list[dict[str, str]]:
    """Return name, description and an example of every measure that can be computed here, and in conventions."""
    listed: dict[str, dict[str, str]] = {}
    for name, known in _registry().items():
        if known.NAME not in listed:  # else it is a second name of the same
            example = _example(name, known)
            try:
                measure(example)
            except UsageError:
                continue
            theirs = (known.SHORT_DESC or known.__doc__ or "").strip().partition("\n")[0].rstrip(".")
            listed[known.NAME] = {"name": name, "about": ABOUT.get(name, theirs), "example": example}
    conventional = [
        {"name": text.partition("@")[0], "about": about, "example": text} for text, about in IN_CONVENTIONS.items()
    ]
    return [*listed.values(), *conventional]


def _registry() -> dict[str, Any]:
    return {**load_ir_measures().measures.registry, **own_measures()}


def split_list(text: str) -> list[str]:
    """Split a list at its commas, but not at those within brackets; what is empty is left out.

    >>> split_list("P(rel=2,judged_only=True)@5, AP,")
    ['P(rel=2,judged_only=True)@5', 'AP']
    """
    pieces, depth = [""], 0
    for character in text:
        depth += (character in "({") - (character in ")}")
        if character == "," and depth <= 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return [stripped for piece in pieces if (stripped := piece.strip())]


def _parsed(text: str) -> tuple[str, dict[str, Any], Any]:
    """Return name, parameters, and what stands after the @, if anything does.

    ir_measures' own parser uses parts of `ast` that Python 3.14 no longer has.
    """
    try:
        if len(text) > LONGEST or "\\" in text:
            raise ValueError
        node = ast.parse(text.strip(), mode="eval").body
        at, parameters = None, {}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at, node = ast.literal_eval(node.right), node.left
        if isinstance(node, ast.Call) and not node.args:
            parameters = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
            node = node.func
        if not isinstance(node, ast.Name):
            raise ValueError
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise _refusal(text, SHAPE) from None
    return node.id, parameters, at


def _refusal(text: str, problem: str) -> UsageError:
    if name := _of_trec_eval(text):
        problem = f"that is trec_eval's name; here it is called {name}"
    end = "" if problem.endswith("?") else "."
    known = f"Examples: {_examples()}; `aboutness measures` lists all"
    return UsageError(f"cannot use the measure {shown(text)}: {problem}{end} {known}")


def _of_trec_eval(text: str) -> str | None:
    """Return the name here of what trec_eval calls `map`, `ndcg_cut_10` or `ndcg_cut.10`; None for other names."""
    if not OF_TREC_EVAL.fullmatch(text):
        return None
    try:
        found = load_ir_measures().parse_trec_measure(text)
    except ValueError:
        return None
    return str(found[0]) if len(found) == 1 and is_computable(found[0]) else None


def _examples() -> str:
    return ", ".join((*DEFAULT_MEASURES, "P(rel=2)@5"))


def _suggestion(name: str, names: Iterable[str]) -> str:
    by_small_letters: dict[str, str] = {}
    for known in names:
        by_small_letters.setdefault(known.lower(), known)
    close = difflib.get_close_matches(name.lower(), by_small_letters, n=1)
    return f"; did you mean {by_small_letters[close[0]]!r}?" if close else ""


def _example(name: str, known: Measure) -> str:
    default = next((text for text in DEFAULT_MEASURES if text.partition("@")[0] == name), None)
    at = "@10" if "cutoff" in known.SUPPORTED_PARAMS else "@0.1" if "recall" in known.SUPPORTED_PARAMS else ""
    return default or name + at
