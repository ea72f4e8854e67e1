"""A part of a large collection, drawn by chance, as the paper's 100,000 stories of RCV1 are."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from aboutness.experiment.collection import Collection


def sampled(opened: Collection, most: int, seed: int, folder: Path) -> str:
    """Return the folder with so many documents of a collection; its own where it has no more.

    Queries without a relevant document among them are left out.
    """
    names = [one.id for one in opened.documents()]
    if len(names) <= most:
        return opened.source
    chance = np.random.default_rng(seed)
    chosen = {names[place] for place in chance.choice(len(names), most, replace=False).tolist()}
    target = Path(mkdtemp(dir=folder)) / opened.name
    target.mkdir()
    with (target / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for one in opened.documents():
            if one.id in chosen:
                file.write(json.dumps({"_id": one.id, **one.fields}) + "\n")
    left = {
        query.id: relevant
        for query in opened.judged_queries
        if (relevant := [one for one, grade in opened.qrels[query.id].items() if grade > 0 and one in chosen])
    }
    queries = (json.dumps({"_id": one.id, "text": one.text}) for one in opened.queries if one.id in left)
    (target / "queries.jsonl").write_text("".join(f"{one}\n" for one in queries), encoding="utf-8")
    lines = (f"{query}\t{one}\t1\n" for query, relevant in left.items() for one in relevant)
    (target / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines), encoding="utf-8")
    return str(target)
