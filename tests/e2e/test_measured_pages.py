"""Figures that pages show are those of the stored results."""

from __future__ import annotations

import re

import pytest
from bench.pages import PAGES, ROOT, figures_of, filled


@pytest.mark.parametrize("name", PAGES)
def test_figures_are_those_that_were_measured(name):
    page = (ROOT / name).read_text("utf-8")
    assert filled(page, figures_of(name)) == page
    assert not re.search(r"-->\n<!-- /measured", page)


def test_blocks_and_single_numbers_are_filled():
    page = "a\n<!-- measured: x -->\nold\n<!-- /measured -->\nit is <!-- measured: y -->.4, or so\n"
    made = filled(page, {"x": "| new |", "y": ".512"})
    assert made == "a\n<!-- measured: x -->\n| new |\n<!-- /measured -->\nit is <!-- measured: y -->.512, or so\n"
