"""Retrieval on data frames, as in PyTerrier: queries in, results out, and everything between is pandas.

Documents, queries and judgements are frames with the columns that PyTerrier gives them; results have ranks from 0.
The collection is a folder, or Python's own documentation with its questions. (Needs pandas: pip install
'aboutness[frames]'.)

    python examples/with_data_frames.py path/to/cranfield
"""

from __future__ import annotations

import sys

import pandas as pd

import aboutness as ab

collection = ab.collection(sys.argv[1] if len(sys.argv) > 1 else "stdlib")
documents = pd.DataFrame([{"docno": one.id, **one.fields} for one in collection.documents()])
queries = pd.DataFrame([{"qid": one.id, "query": one.text} for one in collection.queries])
qrels = ab.judgements_to_frame(collection.qrels)

index = ab.Index.build(documents)
index.train("lsa", dim=50, threads=1)
bm25 = ab.Retriever(index, "bm25", k=100)
lsa = ab.Retriever(index, "lsa")  # ranks anew what it is given

found = queries.pipe(bm25)
telescoped = queries.pipe(bm25).pipe(lsa)
both = found.merge(telescoped, on=["qid", "query", "docno"], suffixes=("_bm25", "_lsa"))
mixed = both.assign(score=both["score_bm25"] + 5 * both["score_lsa"])  # any arithmetic of columns is a ranker
print(found[found["qid"] == queries["qid"][0]].head(3).to_string(index=False))

runs = {"bm25": found, "bm25, then lsa": telescoped, "bm25 + 5 lsa": mixed}
table = ab.evaluate_runs(qrels, runs, "nDCG@10,AP", test="fisher").to_frame()
print(f"\n{table.to_string(index=False, float_format='{:.4f}'.format)}")

each = ab.evaluate_run(qrels, mixed, "nDCG@10").to_frame().merge(queries, on="qid")
hardest = each.sort_values("nDCG@10").iloc[0]
print(f"\nhardest: {hardest['query']!r} ({hardest['nDCG@10']:.2f})")
