from __future__ import annotations

import pytest

from aboutness.corpus.markdown import Marked, titled


@pytest.mark.parametrize(
    ("markdown", "title", "text"),
    [
        ("# Title\n\nText *here*.\n", "Title", "Text *here*."),
        ("Before.\n\n## Second ##\nAfter.", "Second", "Before.\n\nAfter."),
        ("# One\n# Two\n", "One", "# Two"),
        ("Title\n=====\n\nText", "Title", "Text"),
        ("Title\n---\nText", "Title", "Text"),
        ("# Windows\r\ntext\r\n", "Windows", "text"),
        ("no heading\n\n#hashtag\n", "", "no heading\n\n#hashtag"),
        ("```sh\n# comment\n```\n# Real", "Real", "```sh\n# comment\n```"),
        ("~~~\n# a\n```\n# b\n", "", "~~~\n# a\n```\n# b"),
        ("---\n# yaml: x\ntitle: y\n---\n# Real\ntext", "Real", "---\n# yaml: x\ntitle: y\n---\ntext"),
        ("---\n\nrule first\n", "", "---\n\nrule first"),
        ("#\n# Full", "Full", "#"),
        ("# C#\n", "C#", ""),
        ("# ##\n# Full", "Full", "# ##"),
        ("", "", ""),
        ("# " + " " * 100_000 + "#x", "#x", ""),
    ],
)
def test_title(markdown, title, text):
    assert titled(markdown) == Marked(title, text)


def test_a_comment_in_front_matter_that_was_not_read_is_no_title():
    text = "---\n# a comment\nkey: {a: b}\n---\n# Title\nbody"
    for marked in (titled(text), titled(text.replace("\n", "\r\n"))):
        assert marked.title == "Title"
        assert "# a comment" in marked.text
