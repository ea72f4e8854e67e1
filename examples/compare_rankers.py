"""Compare seven rankers on a test collection: a table, which differences are more than chance, and a report.

Each pair is tested by Fisher's randomisation test, and p is corrected for the number of pairs (Holm). The
collection is a folder with corpus.jsonl, queries.jsonl and qrels.tsv (each may be packed) or, without an argument,
Python's own documentation with the questions that come with this package.

    python examples/compare_rankers.py path/to/cranfield
"""

from __future__ import annotations

import sys

import aboutness as ab

RANKERS = ["tfidf", "bm25", "ql", "iwcs", "bm25 % 100 >> desm-in-out", "lsa", "default"]

try:
    collection = ab.collection(sys.argv[1] if len(sys.argv) > 1 else "stdlib")
except ab.AboutnessError as error:  # such as a folder without judgements: what is missing
    sys.exit(f"compare_rankers: {error}")
table = ab.compare(RANKERS, collection, ["nDCG@10", "AP"], vectors=ab.Word2Vec(dim=50, epochs=5, min_count=2))
print(f"{table.collection}: {table.queries} queries, {table.documents} documents\n\n{table}\n")

values = {row.name: [of_query["nDCG@10"] for of_query in row.evaluation.per_query.values()] for row in table.rows}
pairs = ab.all_pairs(values, measure="nDCG@10", test="fisher", correction="holm")
sure = [row for row in pairs.rows() if row["adjusted"] < 0.05]
print(f"{len(sure)} of {len(pairs.rows())} differences of nDCG@10 are more than chance (Fisher, Holm, 0.05):")
for row in sure:
    better, worse = (row["ranker"], row["other"])[:: 1 if row["difference"] > 0 else -1]
    print(f"  {better} is better than {worse} by {abs(row['difference']):.3f}, p = {row['adjusted']:.2g}")

table.report("report.html", "table.tex")
print("\nreport.html has curves and every query; table.tex goes into a paper")
