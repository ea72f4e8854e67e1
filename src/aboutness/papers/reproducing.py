"""Do a paper again, and write down what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aboutness.core.errors import StorageError, UsageError
from aboutness.evaluate.atomic import write_whole
from aboutness.papers.expected import Check, checked, expected_file, expected_of
from aboutness.papers.known import paper as known_paper
from aboutness.papers.paper import Paper, Step, Work
from aboutness.report.figures.sheet import as_bytes, is_there
from aboutness.report.study import Study
from aboutness.report.study_page import study_page
from aboutness.report.study_texts import study_csv, study_json, study_markdown

PAGE, FIGURES = "index.html", "figures"


@dataclass(frozen=True)
class Reproduction:
    """A paper done again: its study, and how that compares with what is expected.

    `check` is None where nothing is known: with other data, sizes or seeds than the usual ones, or the full grids.
    """

    study: Study
    check: Check | None = None

    @property
    def page(self) -> str:
        """Return the report as a web page that loads nothing."""
        return study_page(self.study, self._checked)

    @property
    def _checked(self) -> str:
        return str(self.check) if self.check else ""

    def save(self, folder: str | Path) -> list[Path]:
        """Write the report to a folder: index.html, the same as Markdown and JSON, all values, and figures."""
        root = Path(folder)
        _make(root)
        texts = {
            PAGE: self.page,
            "report.md": study_markdown(self.study, self._checked),
            "report.json": json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n",
            "values.csv": study_csv(self.study),
            "expected.tsv": expected_file(self.study),
        }
        files = {root / name: text.encode("utf-8", "replace") for name, text in texts.items()}
        if is_there() and self.study.drawings:
            _make(root / FIGURES)
            files |= {
                root / FIGURES / f"{one.name}.svg": as_bytes(one.draw(), "svg") for one in self.study.drawings
            }
        for path, content in files.items():
            with write_whole(path) as file:
                file.write(content)
        return list(files)

    def to_json(self) -> dict[str, Any]:
        """Return claims, what was replaced, all numbers, and how they were made, in plain values."""
        return study_json(self.study, self._checked)

    def __str__(self) -> str:
        return str(self.study)


def reproduce(
    paper: str | Paper,
    *,
    data: str | Path | None = None,
    vectors: str | Path | None = None,
    on: Sequence[str | Path] = (),
    embeddings: Sequence[str | Path] = (),
    queries: str | Path | None = None,
    full: bool = False,
    seed: int = 1,
    threads: int | None = None,
    cache: str | Path | bool = True,
    progress: Callable[[Step], None] | None = None,
    command: str = "",
) -> Reproduction:
    """Do the experiments of a paper again, from the documents to its tables, figures and claims.

        reproduce("malina2016", data="collections").save("malina2016")

    `data` and `vectors` are folders of collections and of word vectors, else those that ABOUTNESS_DATA and
    ABOUTNESS_VECTORS name. `on` are collections in place of those that stand in for the paper's own, `embeddings`
    files of word vectors in place of the usual, `queries` a file of queries to train on (mitra2016), and `full`
    searches the grids too. Finished runs and trainings are kept (`cache`), but for mitra2016.
    """
    if isinstance(on, str | Path) or isinstance(embeddings, str | Path):
        raise UsageError("on and embeddings are lists: give ['robust04'], not 'robust04'")
    one = known_paper(paper) if isinstance(paper, str) else paper
    for what, given in {"embeddings": embeddings, "queries": queries}.items():
        if given and what not in one.takes:
            raise UsageError(f"{one.name} makes no use of {what} that are given; leave them out")
    work = Work(
        Path(data) if data else None, Path(vectors) if vectors else None, tuple(map(str, on)),
        tuple(map(str, embeddings)), Path(queries) if queries else None, full, seed, threads, cache, progress,
    )  # fmt: skip
    study = one.study(work)
    study = replace(study, made=replace(study.made, command=command), earlier=work.earlier)
    usual = one == type(one)() and not (on or embeddings or queries or full) and seed == 1
    return Reproduction(study, checked(study, expected_of(one.name)) if usual else None)


def check_ready(paper: str, folder: str | Path) -> None:
    """Raise before the work, not after it, where a paper is not known or its report cannot be written.

    Nothing is made: work that fails leaves no empty folder behind.
    """
    known_paper(paper)
    root = Path(folder).absolute()
    there = next(one for one in (root, *root.parents) if one.exists())
    if not there.is_dir():
        raise StorageError(f"cannot make the folder {folder}: {there} is a file")
    try:
        with TemporaryDirectory(dir=there):
            pass
    except OSError as error:
        raise StorageError(f"cannot write to {there}: {error.strerror or error}") from error


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {error.strerror or error}") from error
