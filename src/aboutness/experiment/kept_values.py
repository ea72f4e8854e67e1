"""Measured values kept in a folder, so that they need not be measured again: one file for each ranker.

A file has its name from all that its values depend on: the ranker, the index (documents, analyzers, what was
trained), the queries, the judgements, the measures, and this package's code. A file that is damaged is as good
as none. Of a ranker with code from elsewhere nothing is kept, for that may change.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from aboutness.core.algebra import Ranker, inside
from aboutness.core.errors import StorageError
from aboutness.core.record import Query
from aboutness.evaluate.atomic import write_whole
from aboutness.evaluate.judgements import Qrels
from aboutness.experiment.hashes import code_version, digest, is_ours, qrels_checksum
from aboutness.index.snapshot import Snapshot

Values: TypeAlias = dict[str, dict[str, float]]
"""For each query the value of each measure."""

NOTE = "about.txt"
ABOUT = (
    "Values that aboutness measured while it tuned rankers. Each file is written once and never changed.\n"
    "All of them can be deleted: what is needed is then measured again.\n"
)


def check_folder(folder: str | Path, about: str = ABOUT) -> Path:
    """Make the folder for what is kept, with a note about it, or say at once that nothing can be written."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {error.strerror}") from None
    with write_whole(place / NOTE) as file:
        file.write(about.encode())
    return place


class KeptValues:
    """The values of rankers over the same index, queries and judgements, by the same measures."""

    def __init__(
        self,
        folder: str | Path,
        snapshot: Snapshot,
        queries: Sequence[Query],
        qrels: Qrels,
        measures: Sequence[str],
        depth: int,
        match: str,
    ) -> None:
        self.folder = check_folder(folder)
        self.shared = digest(
            {
                "code": code_version(),
                "index": index_contents(snapshot),
                "queries": [[query.id, query.text] for query in queries],
                "qrels": qrels_checksum(qrels),
                "measures": list(measures),
                "depth": depth,
                "match": match,
            }
        )

    def get(self, ranker: Ranker) -> Values | None:
        """Return the values of a ranker, if they are there and whole."""
        if not is_ours(inside(ranker)):
            return None
        key = self._key(ranker)
        try:
            kept = json.loads(self._path(key).read_bytes())
            values: Values = kept["values"]
            whole = kept["seal"] == digest([key, values])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return values if whole else None

    def put(self, ranker: Ranker, values: Values) -> None:
        """Keep the values of a ranker."""
        if not is_ours(inside(ranker)):
            return
        key = self._key(ranker)
        plain = {"ranker": str(ranker), "values": values, "seal": digest([key, values])}
        with write_whole(self._path(key)) as file:
            file.write(json.dumps(plain).encode())

    def _key(self, ranker: Ranker) -> str:
        return digest([self.shared, str(ranker)])

    def _path(self, key: str) -> Path:
        return self.folder / f"{key[:32]}.json"


def index_contents(snapshot: Snapshot) -> dict[str, Any]:
    """Return what an index holds, by the checksums of its files: the same where it is built again."""
    manifest = snapshot.manifest
    return {
        "fields": dict(manifest.fields),
        "layers": {name: dict(analyzer) for name, analyzer in manifest.layers.items()},
        "segments": [
            [
                one.documents,
                {role: [file.bytes, file.checksum] for role, file in one.files.items()},
                one.dead.hex(),
            ]
            for one in manifest.segments
        ],
        "artefacts": {
            name: [one.kind, dict(one.parameters), one.seed, one.file.bytes, one.file.checksum]
            for name, one in manifest.artefacts.items()
        },
    }
