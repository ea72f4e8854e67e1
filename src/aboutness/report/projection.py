"""Points of many dimensions in the plane."""

from __future__ import annotations

import math
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from aboutness.core.advance import begin, did
from aboutness.core.errors import UsageError

F64 = NDArray[np.float64]

NEEDED = "a t-SNE map needs openTSNE; run: pip install 'aboutness[figures]'"
PERPLEXITY = 30.0
FEWEST = 5  # points of which t-SNE can make anything
ROUNDS_TOLD = 10  # after so many it is told how far it is


def principal_axes(points: NDArray[np.floating]) -> tuple[F64, tuple[float, float]]:
    """Return the two directions in which points differ most, as columns, and the share of all variance of each.

    The sign of an axis is such that its largest number is positive: the same points have the same axes.
    """
    exact = np.asarray(points, np.float64)
    if not exact.size:
        return np.zeros((exact.shape[1], 2)), (0.0, 0.0)
    centred = exact - exact.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    axes, spread = np.zeros((exact.shape[1], 2)), np.zeros(2)
    some = min(2, len(values))
    axes[:, :some], spread[:some] = vectors[:, ::-1][:, :some], np.maximum(values[::-1][:some], 0)
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    shares = spread / (np.maximum(values, 0).sum() or 1.0)
    return axes, (float(shares[0]), float(shares[1]))


def neighbour_map(points: NDArray[np.floating], *, seed: int = 1) -> F64:
    """Return a t-SNE map of points (van der Maaten and Hinton 2008), by openTSNE, as malina2016 shows one.

    It starts from the principal components. One thread and exact neighbours: a seed gives the same map every time.
    """
    if len(points) < FEWEST:
        raise UsageError(f"t-SNE needs at least {FEWEST} documents, got {len(points)}; use pca")
    try:
        opened = import_module("openTSNE")
    except ImportError:
        raise UsageError(NEEDED) from None
    most = max(1.0, (len(points) - 1) / 3)  # as many neighbours as openTSNE can look at
    tsne = opened.TSNE(
        perplexity=min(PERPLEXITY, most), initialization="pca", neighbors="exact", metric="cosine", n_jobs=1,
        random_state=seed, negative_gradient_method="bh" if len(points) < 10_000 else "fft",
        callbacks=_round, callbacks_every_iters=ROUNDS_TOLD,
    )  # fmt: skip
    begin("rounds", tsne.early_exaggeration_iter + tsne.n_iter)
    found = np.asarray(tsne.fit(np.asarray(points, np.float64)), np.float64)
    if not all(map(math.isfinite, found.ravel().tolist())):
        raise UsageError("t-SNE found no map of these documents; use pca")
    return found


def _round(*_: object) -> None:
    did("rounds", ROUNDS_TOLD)
