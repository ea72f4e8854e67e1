"""Many texts to term numbers at once: what `Analyzer.terms` defines, done with compiled code.

Each distinct token is looked at in Python only once (stop words, stemming, n-grams), whatever the collection's
size; everything else happens to numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from aboutness.text.analyzer import Analyzer, each_letter_ngram, letter_ngrams
from aboutness.text.classes import CODE_POINTS, FIRST_PLANE, ascii_map, code_point_classes
from aboutness.text.ngrams import WordNgrams
from aboutness.text.strings import Bytes, Ends, GrowingTable, pack, wide_strings

Numbers = NDArray[np.int32]

NOTHING = np.zeros(0, np.uint8)
AT_ONCE = 1 << 19  # letter n-grams that are strings at a time: some 60 bytes each
FEW_PIECES = 32  # letter n-grams that take as much memory as what else is kept of a token


class BatchAnalyzer:
    """Numbers the terms of texts; numbers once given stay. Not to be shared between threads.

    >>> batch = BatchAnalyzer(Analyzer("plain"))
    >>> numbers, ends = batch.analyze(["to be or not", "to be"])
    >>> numbers.tolist(), ends.tolist(), batch.vocabulary.strings()
    ([0, 1, 2, 3, 0, 1], [4, 6], ['to', 'be', 'or', 'not'])
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._tokens = GrowingTable()
        self._ascii = ascii_map(analyzer.token, analyzer.solo, lowercase=analyzer.lowercase)
        self._rename = bool(analyzer.stop or analyzer.stemmer)
        self._letters = analyzer.letters != (0, 0)
        self._ngrams = WordNgrams(*analyzer.words) if analyzer.words != (1, 1) else None
        stems = GrowingTable() if self._rename else self._tokens
        self._stems = stems
        self._names = np.zeros(0, np.int32)  # token -> stem
        self._pieces = np.zeros(0, np.int32)  # token -> letter n-grams
        self._piece_ends = np.zeros(0, np.int64)
        self.vocabulary = GrowingTable() if self._letters or self._ngrams else stems

    @property
    def remembered(self) -> int:
        """Return how many distinct tokens, or terms made of them, it keeps."""
        return max(len(self._tokens), len(self.vocabulary), len(self._pieces) // FEW_PIECES)

    def analyze(self, cells: Sequence[str], packed: tuple[Bytes, Ends] | None = None) -> tuple[Numbers, Ends]:
        """Return the terms of all cells end to end, and where each cell ends.

        `packed` is the UTF-8 form of the cells where the caller has it; it saves making it again.
        """
        tokens, ends = self._tokenize(*self._prepared(cells, packed))
        if self._letters:
            return self._cut(tokens, ends)
        if self._rename:
            self._name_new_tokens()
            from aboutness.kernels.terms import rename

            tokens = tokens[: rename(tokens, ends, self._names)]
        if self._ngrams:
            return self._ngrams.join(tokens, ends, self._stems, self.vocabulary), ends
        return tokens, ends

    def _prepared(self, cells: Sequence[str], packed: tuple[Bytes, Ends] | None) -> tuple[Bytes, Ends]:
        """Return the cells in UTF-8, in lower case except for ASCII letters (the kernel folds those)."""
        if self.analyzer.lowercase and self.analyzer.solo:
            return pack([cell.lower() for cell in cells])
        data, ends = pack(cells) if packed is None else packed
        if not self.analyzer.lowercase or not len(data) or data.max() < 0x80:
            return data, ends
        lowered = bytearray(data.data)
        for i in wide_strings(cells):
            start, end = int(ends[i - 1]) if i else 0, int(ends[i])
            cell = cells[i].lower().encode()
            if len(cell) != end - start:  # a letter whose lower case is longer or shorter: rare
                return pack([cell if cell.isascii() else cell.lower() for cell in cells])
            lowered[start:end] = cell
        return np.frombuffer(lowered, np.uint8), ends

    def _tokenize(self, text: Bytes, cells: Ends) -> tuple[Numbers, Ends]:
        from aboutness.kernels.tokenize import tokenize

        analyzer, table = self.analyzer, self._tokens
        classes = self._classes(int(text.max(initial=0)))
        shortest = 1 if analyzer.solo else analyzer.shortest
        tokens = np.empty(len(text) // shortest + 1, np.int32)
        ends = np.empty(len(cells), np.int64)
        state = np.array([0, 0, 0, len(table)], np.int64)
        table.reserve(1, len(text))
        while not tokenize(
            text, cells, classes, self._ascii, analyzer.shortest,
            table.data, table.ends, table.slots, state, tokens, ends,
        ):  # fmt: skip
            table.count = int(state[3])
            table.reserve(table.count, len(text))
        table.count = int(state[3])
        return tokens[: int(state[2])], ends

    def _classes(self, largest: int) -> Bytes:
        """Return the table of classes that text needs whose largest UTF-8 byte this is."""
        if largest < 0x80:
            return NOTHING
        count = FIRST_PLANE if largest < 0xF0 else CODE_POINTS
        return code_point_classes(self.analyzer.token, self.analyzer.solo, count)

    def _name_new_tokens(self) -> None:
        """Look at the tokens that have come since the last time: which are dropped, and what the others are."""
        known = len(self._names)
        if known == len(self._tokens):
            return
        fresh = self._tokens.strings(known)
        stop = self.analyzer.stop_set
        kept = [i for i, token in enumerate(fresh) if token not in stop] if stop else range(len(fresh))
        stems = self.analyzer.stem_words([fresh[i] for i in kept])
        names = np.full(len(fresh), -1, np.int32)
        names[np.fromiter(kept, np.int64, len(kept))] = self._stems.add(*pack(stems))
        self._names = np.concatenate([self._names, names])

    def _cut(self, tokens: Numbers, ends: Ends) -> tuple[Numbers, Ends]:
        """Return the letter n-grams of the tokens."""
        from aboutness.kernels.terms import expand

        analyzer = self.analyzer
        fresh = self._tokens.strings(len(self._piece_ends))
        pieces: list[str] = []
        numbers = [self._pieces]
        sizes = np.zeros(len(fresh), np.int64)
        kept = [i for i, token in enumerate(fresh) if token not in analyzer.stop_set]
        for i, stem in zip(kept, analyzer.stem_words([fresh[i] for i in kept]), strict=True):
            for cut in _in_parts(stem, *analyzer.letters):
                pieces += cut
                sizes[i] += len(cut)
                if len(pieces) >= AT_ONCE:
                    numbers.append(self.vocabulary.add(*pack(pieces)).astype(np.int32))
                    pieces = []
        self._piece_ends = np.concatenate([self._piece_ends, len(self._pieces) + sizes.cumsum()])
        self._pieces = np.concatenate([*numbers, self.vocabulary.add(*pack(pieces)).astype(np.int32)])
        lengths = np.diff(self._piece_ends, prepend=0)
        out = np.empty(int(lengths[tokens].sum()), np.int32)
        expand(tokens, ends, self._pieces, self._piece_ends, out)
        return out, ends


def _in_parts(stem: str, low: int, high: int) -> Iterator[list[str]]:
    """Yield the letter n-grams of a word; those of one that is very long in parts."""
    if len(stem) * (high - low + 1) <= AT_ONCE:
        yield letter_ngrams(stem, low, high)
        return
    pieces = each_letter_ngram(stem, low, high)
    while part := list(islice(pieces, AT_ONCE)):
        yield part
