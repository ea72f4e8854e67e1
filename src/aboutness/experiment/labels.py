"""Documents as queries: what has the same label, or a label of the same group, is relevant (malina2016).

Some documents are drawn to be queries; none of them is ever found. A file of groups has a label, a tab and its
group in each line; "malina2016" is the one that comes with this package, for the topics of Reuters-21578. That
paper does not print its seven groups: these follow its examples and the kinds of topics in the corpus's own list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from aboutness.core.errors import BadInput, BadRecord, UsageError, shown
from aboutness.core.kinds import Whole, checked
from aboutness.core.record import Document, Origin, Query
from aboutness.corpus.files import lines, utf8
from aboutness.corpus.read import read
from aboutness.evaluate.judgements import Qrels
from aboutness.experiment.collection import Collection, collection

GROUPS = {"malina2016": Path(__file__).parent / "malina2016_groups.tsv"}
FROM_QRELS = "qrels"
QUERIES = 1000
SHOWN = 200  # characters of a document that stand for it where queries are shown


def by_label(
    source: str | Path,
    field: str,
    *,
    groups: str | Path | Mapping[str, str] | None = None,
    queries: int = QUERIES,
    single: bool = True,
    seed: int = 1,
) -> Collection:
    """Return a collection whose queries are some of its documents, drawn by a seed.

    A document is relevant if it shares a label with the query or, with `groups`, a group of labels. Its labels
    are a `field` of its metadata or, with "qrels", the queries of the collection that it is relevant to. With
    `single`, only documents with exactly one label belong to the collection. Query documents are never found.
    Which are drawn depends on the seed and the ids alone.
    """
    count = checked(Whole(1, 10**9), "the number of query documents", queries)
    start = checked(Whole(0, (1 << 63) - 1), "seed", seed)
    group_of = groups if groups is None or isinstance(groups, Mapping) else read_groups(groups)
    judged = _judged_labels(collection(source)) if field == FROM_QRELS else None
    labels, texts = _labels(read(str(source)), field, judged, single=single)
    if not labels:
        which = "exactly one" if single else "any"
        raise UsageError(f"{source}: no document has {which} label in {shown(field)}")
    if len(labels) <= count:
        raise UsageError(
            f"{source}: {count:,} documents cannot be queries where {len(labels):,} have labels, and some must be "
            "left to be found; choose fewer"
        )
    if group_of is not None:
        labels = {one: _grouped(own, group_of) for one, own in labels.items()}
    drawn = set(sorted(labels, key=lambda one: hashlib.sha256(f"{start} {one}".encode()).digest())[:count])
    in_groups = "" if group_of is None else " in groups"
    asked = tuple(Query(one, texts[one]) for one in labels if one in drawn)
    return Collection(
        name=f"{Path(source).resolve().name if Path(source).exists() else source} by {field}{in_groups}",
        source=str(source),
        queries=asked,
        qrels=_judgements(labels, drawn),
        only=frozenset(labels) if single else None,
        hidden=frozenset(drawn),
        by_document=True,
    )


def read_groups(source: str | Path) -> dict[str, str]:
    """Return the group of each label, from a file or one that comes with this package."""
    path = GROUPS.get(str(source), Path(source))
    groups: dict[str, str] = {}
    for number, line in lines(path):
        if line.isspace() or line.startswith(b"#"):
            continue
        try:
            label, _, group = (part.strip() for part in utf8(line).partition("\t"))
            if not label or not group:
                raise BadInput("the line must hold a label, a tab and its group")
            if groups.setdefault(label, group) != group:
                raise BadInput(f"the label {shown(label)} has two groups, {groups[label]} and {group}")
        except BadInput as error:
            raise BadRecord(str(error), origin=Origin(str(path), number), raw=line.rstrip(b"\r\n")) from None
    return groups


def _judged_labels(judged: Collection) -> dict[str, set[str]]:
    """Return for each relevant document the queries that it is relevant to."""
    labels: dict[str, set[str]] = {}
    for query, grades in judged.qrels.items():
        for one, grade in grades.items():
            if grade > 0:
                labels.setdefault(one, set()).add(query)
    return labels


def _labels(
    documents: Iterable[Document], field: str, judged: Mapping[str, set[str]] | None, *, single: bool
) -> tuple[dict[str, frozenset[str]], dict[str, str]]:
    """Return by document its labels, and the beginning of its text."""
    labels: dict[str, frozenset[str]] = {}
    texts: dict[str, str] = {}
    seen: set[str] = set()
    for one in documents:
        seen.update(one.metadata)
        value = one.metadata.get(field, ()) if judged is None else judged.get(one.id, ())
        own = frozenset(map(str, [value] if isinstance(value, str | int | float) else value))
        if own and not (single and len(own) > 1):
            labels[one.id] = own
            texts[one.id] = " ".join(" ".join(text[: 4 * SHOWN] for text in one.fields.values()).split())[:SHOWN]
    if judged is None and field not in seen:
        known = ", ".join([*sorted(seen), f"{FROM_QRELS} (the queries that a document is relevant to)"])
        raise UsageError(f"no document has the metadata field {shown(field)}. There are: {known}")
    return labels, texts


def _grouped(labels: frozenset[str], group_of: Mapping[str, str]) -> frozenset[str]:
    if unknown := sorted(label for label in labels if label not in group_of):
        raise UsageError(f"the label {shown(unknown[0])} is in no group; give it one in the file of groups")
    return frozenset(group_of[label] for label in labels)


def _judgements(labels: Mapping[str, frozenset[str]], drawn: set[str]) -> Qrels:
    """Return the relevant documents of each query; queries with the same labels share them."""
    with_label: dict[str, dict[str, int]] = {}
    for one, own in labels.items():
        if one not in drawn:
            for label in own:
                with_label.setdefault(label, {})[one] = 1
    shared: dict[frozenset[str], dict[str, int]] = {}
    for one in labels:
        own = labels[one]
        if one in drawn and own not in shared:
            shared[own] = {document: 1 for label in sorted(own) for document in with_label.get(label, ())}
    return {one: shared[own] for one, own in labels.items() if one in drawn}
