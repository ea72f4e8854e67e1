"""Mix BM25 with the dual embedding space model, as in mitra2016: how much should the second count?

The collection is a folder with corpus.jsonl, queries.jsonl and qrels.tsv or, without an argument, Python's own
documentation with the questions that come with this package.

    python examples/mixtures.py path/to/cranfield
"""

from __future__ import annotations

import sys

import aboutness as ab

collection = ab.collection(sys.argv[1] if len(sys.argv) > 1 else "stdlib")
index = ab.Index.build(collection.documents())
index.train("word2vec", architecture="cbow", seed=1, threads=1)

bm25, desm = ab.BM25(k1=1.7, b=0.95), ab.DESM(space="in-out")
mixtures = [bm25 + weight * desm for weight in (1, 3, 10, 30, 100)]
table = ab.compare([bm25, desm, bm25 % 100 >> desm, *mixtures], collection, ["nDCG@10", "AP"], index=index)
print(f"{table.collection}: {table.queries} queries, {table.documents} documents\n\n{table}")

query = collection.queries[0]
best = index.search(query, k=1, ranker=bm25 + 10 * desm)[0]
print(f"\nFirst for {query.text!r}: {best.title}")
print("\n".join(best.explain().lines(12)))
