"""Some texts on two subjects, and what each is about."""

from __future__ import annotations

SKY = ["sun", "moon", "star", "comet", "orbit", "planet"]
SEA = ["wave", "tide", "harbour", "ship", "sail", "anchor"]


def about(words, number):
    return " ".join(words[(number * step + step) % len(words)] for step in range(1, 6)) + " and the day"


TEXTS = [about(words, number) for number in range(20) for words in (SKY, SEA)]
LABELS = ["sky", "sea"] * 20
NEW = ["a comet and the moon", "the ship has an anchor", "nothing that is known", "", "tide of stars"]
