"""Train word vectors on a part of Python's own documentation, and see what each space says.

IN against IN finds words that could stand in each other's place; IN against OUT, words that stand beside it.

    python examples/word_vectors.py
"""

from itertools import islice

import aboutness as ab

index = ab.Index.build(islice(ab.read("stdlib"), 2000), analyzer="plain")
vectors = index.train("word2vec", dim=50, epochs=10, seed=1, threads=1)
print(f"{len(vectors):,} words x {vectors.dim}, spaces: {', '.join(vectors.spaces)}\n")

for word in ("file", "return"):
    for pair, found in index.neighbours(word, k=6).items():
        print(f"{word:>8} {pair:8}", " ".join(f"{one.word} ({one.score:.2f})" for one in found))

print()
for row in index.oov(queries={"questions": ["how do I open a file", "quux the frobnicator"]}):
    print(f"{row.name:>10}: {row.token_ratio:.1%} of {row.tokens:,} words have no vector", *row.examples[:3])
