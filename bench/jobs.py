"""One measurement in one fresh process: `python -m bench.jobs TASK SIDE COLLECTION [DOCUMENTS]` prints JSON.

Imports, parsing and a warm-up on a few documents are not timed, for every side alike.
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.data import records, source

Records = list[dict[str, Any]]
Job = Callable[[Records, Path], dict[str, Any]]
JOBS: dict[tuple[str, str], Job] = {}
WARM_UP = 300


def job(task: str, side: str) -> Callable[[Job], Job]:
    def register(function: Job) -> Job:
        JOBS[task, side] = function
        return function

    return register


def texts(docs: Records) -> list[str]:
    return [f"{doc['title']} {doc['text']}" for doc in docs]


# --- text -> matrix: tokens, vocabulary, postings -----------------------------------------------------------


@job("matrix", "aboutness")
def matrix_ours(docs: Any, _: Path) -> dict[str, Any]:
    from aboutness.index.matrix import count_terms

    arrays = count_terms(docs, "plain")
    return {"terms": len(arrays["terms.ends"]), "pairs": len(arrays["postings.documents"])}


@job("matrix", "scikit-learn")
def matrix_sklearn(docs: Any, _: Path) -> dict[str, Any]:
    from sklearn.feature_extraction.text import CountVectorizer

    counted = CountVectorizer().fit_transform(docs)
    return {"terms": counted.shape[1], "pairs": counted.nnz}


@job("matrix", "bm25s")
def matrix_bm25s(docs: Any, _: Path) -> dict[str, Any]:
    import bm25s

    tokens = bm25s.tokenize(docs, stopwords=None, show_progress=False)
    index = bm25s.BM25()
    index.index(tokens, show_progress=False)
    return {"terms": len(tokens.vocab), "pairs": len(index.scores["data"])}


# --- text -> committed, searchable index with the documents stored ------------------------------------------


def index_ours(analyzer: str) -> Job:
    def run(docs: Records, folder: Path) -> dict[str, Any]:
        from aboutness import Index

        return {"documents": len(Index.build(docs, folder / "index", analyzer=analyzer))}

    return run


def index_bm25s(stopwords: str | None) -> Job:
    def run(docs: Records, _: Path) -> dict[str, Any]:
        import bm25s
        import Stemmer

        stemmer = Stemmer.Stemmer("english") if stopwords else None
        index = bm25s.BM25()
        tokens = bm25s.tokenize(texts(docs), stopwords=stopwords, stemmer=stemmer, show_progress=False)
        index.index(tokens, show_progress=False)
        return {"documents": index.scores["num_docs"]}

    return run


def index_tantivy(threads: int, tokenizer: str) -> Job:
    def run(docs: Records, folder: Path) -> dict[str, Any]:
        import tantivy

        schema = tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw")
        schema.add_text_field("title", stored=True, tokenizer_name=tokenizer)
        schema.add_text_field("text", stored=True, tokenizer_name=tokenizer)
        place = folder / "index"
        place.mkdir()
        index = tantivy.Index(schema.build(), str(place))
        writer = index.writer(heap_size=500_000_000, num_threads=threads)
        for doc in docs:
            writer.add_document(tantivy.Document(id=doc["id"], title=doc["title"], text=doc["text"]))
        writer.commit()
        index.reload()
        return {"documents": index.searcher().num_docs}

    return run


job("index", "aboutness")(index_ours("plain"))
job("index", "bm25s")(index_bm25s(None))
job("index", "tantivy, 1 thread")(index_tantivy(1, "default"))
job("index", "tantivy, 2 threads")(index_tantivy(2, "default"))
job("index-english", "aboutness")(index_ours("english"))
job("index-english", "bm25s")(index_bm25s("en"))
job("index-english", "tantivy, 1 thread")(index_tantivy(1, "en_stem"))
job("index-english", "tantivy, 2 threads")(index_tantivy(2, "en_stem"))
job("growth", "aboutness")(index_ours("english"))


# --- file -> index: parsing included --------------------------------------------------------------------------


@job("file", "aboutness")
def file_ours(docs: Records, folder: Path) -> dict[str, Any]:
    from aboutness import Index, read

    if len(docs) <= WARM_UP:
        return {"documents": len(Index.build(docs, folder / "index", analyzer="plain"))}
    return {"documents": len(Index.build(read(docs[0]["path"]), folder / "index", analyzer="plain"))}


def _parsed(docs: Records) -> Records:
    if len(docs) <= WARM_UP:
        return docs
    import gzip

    with gzip.open(Path(docs[0]["path"]) / "corpus.jsonl.gz", "rb") as file:
        return [{**(record := json.loads(line)), "id": record["_id"]} for line in file]


@job("file", "bm25s")
def file_bm25s(docs: Records, folder: Path) -> dict[str, Any]:
    return index_bm25s(None)(_parsed(docs), folder)


@job("file", "tantivy, 2 threads")
def file_tantivy(docs: Records, folder: Path) -> dict[str, Any]:
    return index_tantivy(2, "default")(_parsed(docs), folder)


# --- with metadata: every concept of a document can be filtered by --------------------------------------------


@job("metadata", "aboutness")
def metadata_ours(docs: Records, folder: Path) -> dict[str, Any]:
    return index_ours("plain")(docs, folder)


@job("metadata", "tantivy, 2 threads")
def metadata_tantivy(docs: Records, folder: Path) -> dict[str, Any]:
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw")
    schema.add_text_field("title", stored=True)
    schema.add_text_field("text", stored=True)
    schema.add_text_field("concepts", stored=True, tokenizer_name="raw", index_option="basic")
    place = folder / "index"
    place.mkdir()
    writer = tantivy.Index(schema.build(), str(place)).writer(heap_size=500_000_000, num_threads=2)
    for doc in docs:
        concepts = doc.get("concepts", [])
        writer.add_document(
            tantivy.Document(id=doc["id"], title=doc["title"], text=doc["text"], concepts=concepts)
        )
    writer.commit()
    return {"documents": len(docs)}


def main() -> None:
    task, side, collection, *rest = sys.argv[1:]
    most = int(rest[0]) if rest else None
    run = JOBS[task, side]
    if task == "file":
        docs: Records = [{"path": str(source(collection))}] * (WARM_UP + 1)
        warm = records("cranfield", WARM_UP)
    else:
        docs = records(collection, most, metadata=task == "metadata")
        docs = texts(docs) if task == "matrix" else docs
        warm = docs[:WARM_UP]
    with tempfile.TemporaryDirectory() as folder:
        run(warm, Path(folder))
        shutil.rmtree(Path(folder) / "index", ignore_errors=True)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wall, cpu = time.perf_counter(), time.process_time()
        facts = run(docs, Path(folder))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    print(json.dumps({"wall": wall, "cpu": cpu, "before_mb": before / 1e3, "peak_mb": peak / 1e3,
                      "disk_mb": size / 1e6, **facts}))  # fmt: skip


if __name__ == "__main__":
    main()
