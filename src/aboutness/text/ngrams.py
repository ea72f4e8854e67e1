"""Word n-grams over token numbers: each longer n-gram is a shorter one and one more token."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.text.strings import Ends, GrowingTable, slots_for

Numbers = NDArray[np.int32]


class WordNgrams:
    """Numbers the n-grams of `low` to `high` tokens; see `aboutness.kernels.terms.word_ngrams`."""

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high
        self.count = 0
        self._parents = np.empty(0, np.int32)
        self._lasts = np.empty(0, np.int32)
        self._keys = slots_for(8)
        self._nodes = np.empty(len(self._keys), np.int32)
        self._node_terms = np.zeros(0, np.int32)
        self._token_terms = np.zeros(0, np.int32)

    def join(self, tokens: Numbers, ends: Ends, stems: GrowingTable, vocabulary: GrowingTable) -> Numbers:
        """Return the numbers in `vocabulary` of the n-grams of `tokens` (numbers in `stems`); update `ends`."""
        from aboutness.kernels.terms import name_ngrams, word_ngrams

        self._reserve(len(tokens) * (self.high - 1))
        out = np.empty(len(tokens) * (self.high - self.low + 1), np.int32)
        self.count = word_ngrams(
            tokens, ends, self.low, self.high,
            self._keys, self._nodes, self._parents, self._lasts, self.count, out,
        )  # fmt: skip
        out = out[: int(ends[-1]) if len(ends) else 0]
        self._name(stems, vocabulary)
        name_ngrams(out, self._token_terms, self._node_terms)
        return out

    def _reserve(self, more: int) -> None:
        from aboutness.kernels.terms import enter_keys

        room = self.count + more
        if room > len(self._parents):
            grown = max(room, 2 * len(self._parents))
            self._parents = np.concatenate([self._parents, np.empty(grown - len(self._parents), np.int32)])
            self._lasts = np.concatenate([self._lasts, np.empty(grown - len(self._lasts), np.int32)])
        if room > len(self._keys) // 2:
            self._keys = slots_for(room)
            self._nodes = np.empty(len(self._keys), np.int32)
            enter_keys(self._parents, self._lasts, self.count, self._keys, self._nodes)

    def _name(self, stems: GrowingTable, vocabulary: GrowingTable) -> None:
        """Give new nodes, and new tokens where they are terms themselves, their numbers."""
        from aboutness.kernels.terms import spell_nodes

        known = len(self._node_terms)
        texts, ends, chosen = spell_nodes(
            self._parents, self._lasts, known, self.count, self.low, stems.data, stems.ends
        )
        terms = np.full(self.count - known, -1, np.int32)
        terms[chosen - known] = vocabulary.add(texts, ends)
        self._node_terms = np.concatenate([self._node_terms, terms])
        if self.low == 1:
            fresh = vocabulary.add(*stems.packed(len(self._token_terms))).astype(np.int32)
            self._token_terms = np.concatenate([self._token_terms, fresh])
