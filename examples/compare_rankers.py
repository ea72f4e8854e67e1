"""Compare rankers on a test collection, and look at the query on which two of them differ most.

python examples/compare_rankers.py path/to/cranfield
"""

from __future__ import annotations

import sys

import aboutness as ab

collection = ab.collection(sys.argv[1])
table = ab.compare(
    ["bm25", "bm25[k1=1.7,b=.95]", "tfidf", "ql", "bm25 % 100 >> ql"], collection, ["nDCG@10", "AP"]
)
print(f"{table.collection}: {table.queries} queries, {table.documents} documents\n\n{table}")

bm25, tfidf = table.rows[0].evaluation.per_query, table.rows[2].evaluation.per_query
texts = {query.id: query.text for query in collection.queries}
furthest = max(bm25, key=lambda query: abs(bm25[query]["nDCG@10"] - tfidf[query]["nDCG@10"]))
print(f"\nThey differ most on {texts[furthest]!r}:")
print(f"bm25 {bm25[furthest]['nDCG@10']:.3f}, tfidf {tfidf[furthest]['nDCG@10']:.3f}")
