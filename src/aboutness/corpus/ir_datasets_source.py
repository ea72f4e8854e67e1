"""Collections of the ir_datasets package, an optional dependency: `irds:NAME`, for example `irds:vaswani`.

The first use of a collection downloads it, where its licence allows that. `doc_id` is the id; the attributes
in TEXT_NAMES that are strings (or those the caller names) are the text, all others are metadata: a value
that is neither a scalar nor a list of scalars is left out, for it may be a whole page or a picture. A
document without any of TEXT_NAMES has what ir_datasets takes for its text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aboutness.core.errors import BadRecord, NotFound, UsageError
from aboutness.core.record import Document, Origin, Query, Value
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.qrels import Judgement
from aboutness.corpus.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aboutness.corpus.keys import Keys

PREFIX = "irds:"
TEXT_NAMES = ("title", "headline", "text", "abstract", "body", "contents", "detailed_description", "summary")


def read_ir_datasets(
    source: str, *, fields: Sequence[str] | None = None, on_bad: OnBad = stop
) -> Iterator[Document]:
    """Read the documents of a collection; `source` is its name, with or without `irds:`."""
    for number, record in enumerate(_records(source, "docs"), start=1):
        origin = Origin(f"{PREFIX}{source.removeprefix(PREFIX)}", number)
        text = {name: value for name in fields or TEXT_NAMES if type(value := getattr(record, name, None)) is str}
        if not text and fields is None and hasattr(record, "default_text"):
            text = {"text": record.default_text()}
        if text:
            yield Document(record.doc_id, text, _metadata(record, text), origin)
        else:
            problem = f"no text: none of {', '.join(fields or TEXT_NAMES)} among {', '.join(record._fields)}"
            on_bad(BadRecord(problem, origin=origin, raw=record.doc_id))


def read_ir_datasets_queries(source: str) -> Iterator[Query]:
    """Read the queries of a collection; the longer forms of a topic are kept under their names."""
    for record in _records(source, "queries"):
        strings = {name: value for name, value in record._asdict().items() if type(value) is str}
        name = strings.pop("query_id")
        text = strings.pop("text", None) or strings.get("title") or strings.get("query") or record.default_text()
        yield Query(name, text, strings)


def read_ir_datasets_qrels(source: str) -> Iterator[Judgement]:
    """Read the judgements of a collection."""
    for record in _records(source, "qrels"):
        yield Judgement(record.query_id, record.doc_id, record.relevance)


def _records(source: str, part: str) -> Iterator[Any]:
    """Yield the records of a part of a collection, which may be downloaded first."""
    dataset = _load(source, part)
    try:
        yield from getattr(dataset, f"{part}_iter")()
    except (RuntimeError, OSError) as error:
        why = next((one for one in error.args if isinstance(one, str)), type(error).__name__)
        raise NotFound(
            f"ir_datasets could not download the {part} of {source.removeprefix(PREFIX)!r} ({why}); "
            "it needs the network once, and some collections must be asked for: see https://ir-datasets.com"
        ) from None


def _load(source: str, part: str) -> Any:  # noqa: ANN401 - the package has no types
    try:
        import ir_datasets
    except ImportError:
        raise UsageError(
            f"{source}: needs ir_datasets; install it with: pip install 'aboutness[datasets]'"
        ) from None
    name = source.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        raise NotFound(
            f"ir_datasets has no collection {name!r}; see https://ir-datasets.com for its names"
        ) from None
    if not getattr(dataset, f"has_{part}")():
        raise NotFound(f"the ir_datasets collection {name!r} has no {part}")
    return dataset


def _metadata(record: Any, text: dict[str, str]) -> dict[str, Value]:  # noqa: ANN401
    metadata: dict[str, Value] = {}
    for name, value in record._asdict().items():
        values = value if isinstance(value, list | tuple) else [value]
        if name != "doc_id" and name not in text and all(isinstance(one, str | int | float) for one in values):
            metadata[name] = list(value) if isinstance(value, tuple) else value
    return metadata


def _read(source: str, keys: Keys, on_bad: OnBad) -> Iterator[Document]:
    if keys.id_key is not None:
        raise UsageError(f"{source}: the id is always doc_id, id_key cannot be {keys.id_key!r}")
    return read_ir_datasets(source, fields=keys.fields, on_bad=on_bad)


READER = Reader(
    name="ir-datasets",
    about="a collection of the ir_datasets package (pip install 'aboutness[datasets]')",
    sources="names that start with irds:",
    recognises=lambda source: source.startswith(PREFIX),
    read=_read,
    takes_keys=True,
)
