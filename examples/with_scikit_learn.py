"""Text vectors in scikit-learn: a classifier in a pipeline, a grid search, and the nearest texts.

The task is made of what every machine has: from which part of Python's standard library is a piece of its
documentation? (Needs scikit-learn: pip install 'aboutness[sklearn]'.)

    python examples/with_scikit_learn.py
"""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline

import aboutness as ab

PARTS = ("asyncio", "email", "logging", "decimal", "tkinter", "unittest")

documents = [one for one in ab.read("stdlib") if one.id.partition(".")[0] in PARTS]
texts = [one.fields["text"] for one in documents]  # without titles, which would say it all
labels = [one.id.partition(".")[0] for one in documents]
train, test, train_labels, test_labels = train_test_split(texts, labels, random_state=1, stratify=labels)

pipeline = make_pipeline(ab.TextVectorizer(), LogisticRegression(max_iter=1000))
grid = [
    {"textvectorizer__by": ["lsa"], "textvectorizer__dim": [20, 100]},
    {"textvectorizer__by": ["wcs", "iwcs"], "textvectorizer__vectors": [ab.Word2Vec(dim=50, epochs=5)]},
]
search = GridSearchCV(pipeline, grid, cv=3).fit(train, train_labels)
for setting, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
    print(f"{score:.3f}", ", ".join(f"{name.partition('__')[2]}={value}" for name, value in setting.items()))
print(f"{search.score(test, test_labels):.3f} on {len(test)} others, with the best")

searcher = ab.TextSearcher("default", n_neighbors=5).fit(train, train_labels)
print(f"{searcher.score(test, test_labels):.3f} of the five nearest texts are from the same part")
hits = searcher.search(["run several tasks at once"], k=1)[0]
print(f"\nnearest to {hits.query!r} ({train_labels[int(hits[0].id)]}): {hits[0].text}")
