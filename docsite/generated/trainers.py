"""A page for each way of training, and one that lists them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from aboutness.app.needed import needs
from aboutness.index.trained import Trained
from aboutness.rank.known import known_rankers
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.trainer import DocumentTrainer, Trainer
from docsite.docstring import as_markdown
from docsite.generated.parameters import (
    INDEX,
    in_python,
    is_public,
    parameter_table,
    python_name,
    training_command,
)
from docsite.markdown import block, code, page, prose, sentence, table
from docsite.page import Page, link

FOLDER = "trainers"


def trainer_pages() -> Iterator[Page]:
    """Yield the list of ways of training, and their pages."""
    rows = (
        [f"[{code(name)}]({name}.md)", prose(way.summary), _makes(way), prose(way.source)]
        for name, way in TRAINERS.items()
    )
    yield Page(
        f"{FOLDER}/index.md",
        "All ways of training",
        page(
            "# Ways of training",
            "What is learnt from documents, and kept in their index. `aboutness trainers` prints the same list. "
            "With one thread the same seed gives the same bytes.",
            table(["training", "what it does", "what it makes", "source"], rows),
        ),
    )
    yield from (_page(name, way) for name, way in TRAINERS.items())


def _makes(way: type[Trainer]) -> str:
    return "a row for each document, and word vectors" if issubclass(way, DocumentTrainer) else "word vectors"


def _page(name: str, way: type[Trainer]) -> Page:
    path = f"{FOLDER}/{name}.md"
    rows = [
        ["in short", prose(sentence(way.summary))],
        ["what it makes", _makes(way)],
        ["in Python", python_name(way, path, "reference/python/training.md")],
        ["source", prose(way.source)],
        ["rankers that need it", ", ".join(_needing(path, way)) or "none by default"],
        *([["layers that it adds", ", ".join(map(code, way.layers))]] if way.layers else []),
    ]
    return Page(
        path,
        name,
        page(
            f"# {code(name)}",
            as_markdown(way.__doc__ or ""),
            table(["", ""], rows),
            "## Parameters",
            parameter_table(way.declared()),
            "## How it works",
            as_markdown(sys.modules[way.__module__].__doc__ or ""),
            "## How to use it",
            block(training_command(name, way()), "sh"),
            block(_python(way()), "python"),
        ),
    )


def _needing(path: str, way: type[Trainer]) -> Iterator[str]:
    for name, ranker in known_rankers().items():
        if any(type(one) is way for one in needs([_made(ranker)], Trained()).values()):
            yield f"[{code(name)}]({link(path, f'models/{name}.md')})"


def _made(ranker: type[Any]) -> Any:  # noqa: ANN401 - a ranker of any kind
    return ranker()


def _python(way: Trainer) -> str:
    return "\n".join(
        [
            "import aboutness as ab",
            "",
            f'index = ab.Index.open("{INDEX}")',
            f"index.train({in_python(way) if is_public(type(way)) else repr(way.name)}, threads=1)",
        ]
    )
