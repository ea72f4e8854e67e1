"""`python -m bench.serving_peer FOLDER PORT numpy|numba`: what one writes to serve bm25s by FastAPI.

The collection is the folder's `documents.jsonl`. Nothing is spared that costs nothing: documents are in memory,
stemming and stop words are those of the README of bm25s, and uvicorn has its fastest parts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bm25s
import Stemmer
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel


class Asked(BaseModel):
    query: str
    k: int = 10


def make_app(folder: Path, backend: str) -> FastAPI:
    documents = [json.loads(line) for line in (folder / "documents.jsonl").open(encoding="utf-8")]
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{one['title']} {one['text']}" for one in documents]
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    retriever = bm25s.BM25(backend=backend)
    retriever.index(tokens, show_progress=False)
    app = FastAPI()

    def best(query: str, k: int) -> tuple[list[int], list[float]]:
        asked = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
        if not asked.vocab:
            return [], []
        numbers, scores = retriever.retrieve(asked, k=k, show_progress=False, n_threads=1)
        return numbers[0].tolist(), scores[0].tolist()

    def shown(number: int) -> dict[str, str]:
        document = documents[number]
        return {"id": document["id"], "title": document["title"], "text": document["text"][:200]}

    best("a first query", 10)  # what is compiled is compiled now

    @app.post("/v1/search")
    def search(asked: Asked) -> dict[str, object]:
        found = zip(*best(asked.query, asked.k), strict=True)
        hits = [{"rank": rank, "score": score, **shown(number)} for rank, (number, score) in enumerate(found, 1)]
        return {"query": asked.query, "hits": hits}

    return app


if __name__ == "__main__":
    uvicorn.run(
        make_app(Path(sys.argv[1]), sys.argv[3]), port=int(sys.argv[2]), log_level="warning", access_log=False
    )
