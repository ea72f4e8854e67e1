"""The data sets: which stand in for the paper's, or those that somebody who has others names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from aboutness.core.errors import NotFound
from aboutness.corpus.read import guess
from aboutness.experiment.asking import forms_of
from aboutness.experiment.collection import Collection, collection
from aboutness.papers.galke2017.sampling import sampled
from aboutness.papers.paper import DATA, Work

TITLE, ABSTRACT, FULL_TEXT = "title", "abstract", "full-text"
SHORT, LONG = "short queries", "long queries"
NEWS = "news"
LOOKED_AT = 1_000  # documents, to tell which fields there are


class Setting(NamedTuple):
    """One way of asking a data set: which form of its queries, and which field of its documents."""

    data: str
    form: str
    field: str

    def __str__(self) -> str:
        return ", ".join(filter(None, self))


@dataclass(frozen=True)
class DataSet:
    """A test collection as the paper has it: fields and forms of queries under the paper's names for them."""

    name: str
    source: str
    fields: Mapping[str, str]  # as experiments have them
    domain: str
    tables: Mapping[str, str] = field(default_factory=dict)  # of the paper, for each form of the queries
    forms: Mapping[str, str] = field(default_factory=lambda: {"": "text"})

    @property
    def settings(self) -> list[Setting]:
        """Return all ways of asking it, in the order of an experiment's conditions."""
        return [Setting(self.name, form, one) for one in self.fields for form in self.forms]

    def beside(self, form: str) -> str:
        """Return the table of the paper that results are set beside, if there is one."""
        return self.tables.get(form, "")


# Claims of SciFact are whole sentences, as the long queries of NTCIR-2 are; nothing else of the two is alike.
STAND_INS = (
    DataSet("SciFact", "scifact", {TITLE: "title", ABSTRACT: "text"}, "science", {"": f"NTCIR2, {LONG}"}),
    DataSet("YSO Economics", "yso_econ", {TITLE: "text"}, "economics", {"": "Economics"}),
    DataSet(
        "Reuters-21578", "reuters21578_apte90", {TITLE: "title", FULL_TEXT: "title+text"}, NEWS, {"": "Reuters"}
    ),
)
OF_THE_PAPER = {  # by the form in which they are handed out
    "ntcir": ("science", {SHORT: f"NTCIR2, {SHORT}", LONG: f"NTCIR2, {LONG}", "": f"NTCIR2, {SHORT}"}),
    "annotated": ("economics", {"": "Economics"}),
    "rcv1": (NEWS, {"": "Reuters"}),
}


def data_sets(work: Work, stories: int, folder: Path) -> list[DataSet]:
    """Return the data sets that a study is made with; of RCV1 so many stories, drawn into a folder."""
    if not work.on:
        return [_at(one, work.collection(one.source)) for one in STAND_INS]
    known = {one.source: one for one in STAND_INS}
    found = [_source(work, name) for name in work.on]
    sets = [
        _at(known[Path(one).name], one) if Path(one).name in known else _given(one, stories, work.seed, folder)
        for one in found
    ]
    names = [one.name for one in sets]
    return [
        replace(one, name=f"{one.name} {place + 1}") if names.count(one.name) > 1 else one
        for place, one in enumerate(sets)
    ]


def _at(one: DataSet, source: str) -> DataSet:
    return replace(one, source=source)


def _source(work: Work, name: str) -> str:
    """Return a collection that was named: a folder, one in the folder of collections, or one of ir_datasets'."""
    root = work.data or Path(os.environ.get(DATA, ""))
    return name if Path(name).exists() or not (root / name).is_dir() else str(root / name)


def _given(source: str, stories: int, seed: int, folder: Path) -> DataSet:
    opened = collection(source)
    handed_out = guess(source).name if Path(source).is_dir() else ""
    there = _fields(opened)
    fields = {one: one for one in (TITLE, ABSTRACT) if one in there}
    rest = [one for one in there if one not in fields]
    if rest:  # a full text starts with its title
        fields[FULL_TEXT] = "+".join([*([TITLE] if TITLE in fields else []), *rest])
    known = forms_of(opened)
    both = "title" in known and ("desc" in known or "description" in known)
    forms = {SHORT: "short", LONG: "long"} if both else {"": "text"}
    domain, tables = OF_THE_PAPER.get(handed_out, (opened.name, {}))
    source = sampled(opened, stories, seed, folder) if handed_out == "rcv1" else source
    return DataSet(opened.name, source, fields, domain, tables, forms)


def _fields(opened: Collection) -> list[str]:
    """Return the fields that documents have, as far as the first of them tell."""
    found: dict[str, None] = {}
    for document in islice(opened.documents(), LOOKED_AT):
        found |= dict.fromkeys(name for name, text in document.fields.items() if text.strip())
    if not found:
        raise NotFound(f"{opened.source}: the first {LOOKED_AT:,} documents have no text")
    return list(found)
