"""Pages of the Python interface: every name of `aboutness.__all__`, with its signature and its docstring."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import aboutness
from aboutness.core.algebra import Ranker
from aboutness.core.parameters import Parameters
from aboutness.vectors.trainer import Trainer
from docsite.docstring import as_markdown
from docsite.markdown import block, code, page, prose, table
from docsite.page import Page, link

FOLDER = "reference/python"
LIST = f"{FOLDER}.md"
LONGEST = 88  # characters of a signature in one line
HERE = "indexes"
PAGES = {
    HERE: "Documents and indexes",
    "rankers": "Rankers",
    "training": "Vectors and training",
    "evaluation": "Evaluation",
    "experiments": "Experiments and reports",
    "other-tools": "Other tools",
}
PLACES = {
    "aboutness.frames.": "other-tools",
    "aboutness.interop.": "other-tools",
    "aboutness.core.kinds": "rankers",
    "aboutness.core.parameters": "rankers",
    "aboutness.models.": "rankers",
    "aboutness.rank.": "rankers",
    "aboutness.vectors.": "training",
    "aboutness.evaluate.": "evaluation",
    "aboutness.app.evaluating": "evaluation",
    "aboutness.app.index": HERE,
    "aboutness.app.hits": HERE,
    "aboutness.app.": "experiments",
    "aboutness.experiment.": "experiments",
    "aboutness.papers.": "experiments",
}
"""On which page a name is, by where it comes from; all others are on the first."""


def python_pages() -> Iterator[Page]:
    """Yield the list of names, and the pages that describe them."""
    names = {page: [name for name in public_names() if place_of(name) == page] for page in PAGES}
    parts = [
        "# Python",
        (
            "Everything public is reachable from the package itself: `import aboutness as ab`. It is typed, and "
            "nothing heavy is imported before it is used."
        ),
    ]
    for place, some in names.items():
        rows = (
            [f"[{code(name)}]({link(LIST, f'{FOLDER}/{place}.md')}#{name})", prose(_first_sentence(name))]
            for name in some
        )
        parts += [f"## {PAGES[place]}", table(["name", "what it is"], rows)]
    yield Page(LIST, "All names", page(*parts))
    for place, title in PAGES.items():
        described = (_described(name, f"{FOLDER}/{place}.md") for name in names[place])
        yield Page(f"{FOLDER}/{place}.md", title, page(f"# {title}", *described))


def public_names() -> list[str]:
    """Return the names that are public, but for the version, in alphabetical order."""
    return sorted((name for name in aboutness.__all__ if not name.startswith("__")), key=str.lower)


def place_of(name: str) -> str:
    """Return the page that a name is on."""
    home = getattr(getattr(aboutness, name), "__module__", "")
    return next((place for start, place in PLACES.items() if home.startswith(start)), HERE)


def _first_sentence(name: str) -> str:
    return " ".join(_doc(getattr(aboutness, name)).partition("\n\n")[0].split())


def _doc(thing: Any) -> str:  # noqa: ANN401 - any public thing
    return inspect.cleandoc(thing.__doc__ or "")


def _described(name: str, path: str) -> str:
    thing = getattr(aboutness, name)
    parts = [f"## {name} {{ #{name} }}", block(_signature(name, thing), "python"), as_markdown(_doc(thing))]
    if inspect.isclass(thing) and issubclass(thing, Parameters) and thing.name:  # what all models inherit has none
        parts.append(_page_of(thing, path))
    elif inspect.isclass(thing) and issubclass(thing, Exception):
        parts.append(as_markdown(sys.modules[thing.__module__].__doc__ or ""))  # where the tree of errors is drawn
    elif inspect.isclass(thing):
        parts += [_member(name, member, value) for member, value in _members(thing)]
    return page(*parts)


def _page_of(thing: type[Parameters], path: str) -> str:
    """Return where parameters are described: on the page of the ranker or of the way of training."""
    folder = "trainers" if issubclass(thing, Trainer) else "models"
    kind = "ranker" if issubclass(thing, Ranker) else "way of training"
    target = link(path, f"{folder}/{thing.name}.md")
    return f"Its parameters, and what it does: the {kind} [{code(thing.name)}]({target})."


def _members(thing: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of a class of ours, in the order in which they are written."""
    seen = set()
    for base in thing.__mro__:
        if not base.__module__.startswith("aboutness."):
            continue
        for name, value in vars(base).items():
            shown = isinstance(value, property | classmethod | staticmethod) or inspect.isfunction(value)
            if shown and not name.startswith("_") and name not in seen and (value.__doc__ or ""):
                seen.add(name)
                yield name, value


def _member(owner: str, name: str, value: Any) -> str:  # noqa: ANN401
    heading = f"### {owner}.{name} {{ #{owner}.{name} }}"
    if isinstance(value, property):
        told = _annotation(inspect.signature(value.fget).return_annotation) if value.fget else ""
        return page(heading, block(f"{owner}.{name}: {told}", "python"), as_markdown(_doc(value)))
    function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    without_self = not isinstance(value, staticmethod)
    signature = _signature(f"{owner}.{name}", function, without_first=without_self)
    return page(heading, block(signature, "python"), as_markdown(_doc(value)))


def _signature(name: str, thing: Any, *, without_first: bool = False) -> str:  # noqa: ANN401
    """Return how something is called, in one line or with an argument in each."""
    try:
        found = inspect.signature(thing)
    except ValueError:  # an exception
        return name
    given = list(found.parameters.values())[1 if without_first else 0 :]
    arguments = list(_arguments(given))
    returned = found.return_annotation
    end = "" if inspect.isclass(thing) or returned is inspect.Signature.empty else f" -> {_annotation(returned)}"
    line = f"{name}({', '.join(arguments)}){end}"
    if len(line) <= LONGEST:
        return line
    return "\n".join([f"{name}(", *(f"    {one}," for one in arguments), f"){end}"])


def _arguments(parameters: list[inspect.Parameter]) -> Iterator[str]:
    keywords = False
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not keywords:
            keywords = True
            yield "*"
        stars = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
        keywords |= one.kind is one.VAR_POSITIONAL
        told = f"{stars}{one.name}"
        if one.annotation is not one.empty:
            told += f": {_annotation(one.annotation)}"
        if one.default is not one.empty:
            told += (
                f" = {_default(one.default)}" if one.annotation is not one.empty else f"={_default(one.default)}"
            )
        yield told


def _annotation(annotation: Any) -> str:  # noqa: ANN401
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _default(value: Any) -> str:  # noqa: ANN401
    name = getattr(value, "__name__", None)
    if callable(value) and name:
        return str(name)
    return "…" if repr(value).startswith("<") else repr(value)
