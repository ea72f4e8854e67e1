"""The built site: it has a page or an entry for all that is registered, and needs nothing from elsewhere."""

from __future__ import annotations

import json
import re

import pytest
from docsite.built import read_page
from docsite.checking import problems_in
from docsite.generated.commands import known_commands
from docsite.generated.http_api import anchor, openapi
from docsite.generated.measures import slug, value_of
from docsite.generated.python_api import place_of, public_names
from docsite.repository import written_by_hand

import aboutness
from aboutness.app.outcome import OUTCOMES
from aboutness.app.picturing import known_figures
from aboutness.app.sources import formats
from aboutness.corpus.read import READERS
from aboutness.evaluate.measures import known_measures
from aboutness.rank.known import known_rankers
from aboutness.text.analyzers import known_analyzers
from aboutness.vectors.known import TRAINERS


def words_of(site, name):
    """All words of a page's own content, part by part."""
    return {part.heading.strip(): part.text for part in read_page(site / name).parts}


# --- everything is there -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", known_rankers(combinations=True))
def test_every_ranker_has_its_page(site, name):
    parts = words_of(site, f"models/{name}.html")
    ranker = known_rankers(combinations=True)[name]
    wanted = {
        "Equation",
        "Parameters",
        "How it differs from the paper",
        "Unknown words",
        "Empty documents",
        "Cost",
    }
    assert {name, *wanted, "How to use it", "At work"} <= parts.keys()
    assert all(parts[part].strip() for part in wanted)
    assert all(one.name in parts["Parameters"] for one in ranker.declared())
    assert any(ranker.summary in text for text in words_of(site, "models/index.html").values())
    shown = (site / f"models/{name}.html").read_text("utf-8")
    assert shown.count("<figure><svg") >= 1
    assert "about elephants, called London" in parts["At work"]


@pytest.mark.parametrize("known", known_measures(), ids=lambda known: known["name"])
def test_every_measure_has_its_page(site, known):
    parts = words_of(site, f"measures/{slug(known['name'])}.html")
    assert known["name"] in parts
    wanted = {"Equation", "Parameters", "How it differs from the paper", "Cost"}
    assert all(parts[part].strip() for part in wanted)
    assert "paper" in parts[known["name"]]
    assert (site / f"measures/{slug(known['name'])}.html").read_text("utf-8").count("<figure><svg") == 2
    assert f"{known['example']} is {value_of(known['example']):.4f} here" in parts["An example"]
    listed = words_of(site, "measures/index.html")["Measures"]
    assert known["example"] in listed


@pytest.mark.parametrize("name", TRAINERS)
def test_every_way_of_training_has_its_page(site, name):
    parts = words_of(site, f"trainers/{name}.html")
    assert all(one.name in parts["Parameters"] for one in TRAINERS[name].declared())
    assert f"aboutness train notes.index {name}" in parts["How to use it"]


@pytest.mark.parametrize("command", known_commands(), ids=lambda command: command.name)
def test_every_command_has_its_page(site, command):
    (title, *_), text = (found := words_of(site, command.path.replace(".md", ".html"))), " ".join(found.values())
    assert title == f"aboutness {command.name}"
    names = [name for one in command.parsed.params for name in one.opts if name.startswith("-")]
    assert all(name in text for name in names)
    assert ("Options" in found) == bool(names)


def test_every_command_that_help_lists_is_there(site):
    from typer.testing import CliRunner

    from aboutness.cli.main import app

    told = CliRunner().invoke(app, ["--help"]).output
    listed = re.findall(r"^  ([a-z]+) {2,}", told.partition("Options:")[2], re.MULTILINE)
    assert len(listed) > 25
    assert {name.split()[0] for name in (command.name for command in known_commands())} == set(listed)


def test_exit_codes_and_statuses_are_those_of_the_table(site):
    codes = words_of(site, "reference/cli.html")["Exit codes"]
    statuses = words_of(site, "reference/http.html")["Errors"]
    for outcome in OUTCOMES.values():
        assert re.search(rf"\b{outcome.exit_code}\s+{re.escape(outcome.meaning)}", codes)
        assert str(outcome.http_status) in statuses


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_has_its_entry(site, name):
    page = read_page(site / "reference" / "python" / f"{place_of(name)}.html")
    assert name in page.anchors
    text = next(part.text for part in page.parts if part.anchor == name)
    first = (getattr(aboutness, name).__doc__ or "").strip().split("\n")[0].replace("`", "")
    assert first
    assert first in " ".join(text.split())


def test_public_names_are_all_of_the_package():
    assert {*public_names(), "__version__"} == set(aboutness.__all__)


def test_every_request_and_schema_is_described(site):
    described = openapi()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            page = read_page(site / "reference" / "http" / f"{operation['tags'][0]}.html")
            text = next(part.text for part in page.parts if part.anchor == anchor(method, path))
            assert all(one["name"] in text for one in operation.get("parameters", []))
    assert (
        described["components"]["schemas"].keys()
        <= read_page(site / "reference" / "http" / "schemas.html").anchors
    )


def test_lists_are_complete(site):
    everything = {
        name: " ".join(words_of(site, f"reference/{name}.html").values())
        for name in ("analyzers", "formats", "figures")
    }
    assert all(name in everything["analyzers"] for name in known_analyzers())
    assert all(name in everything["formats"] for name in READERS)
    assert all(one["about"] in everything["formats"] for one in formats())
    assert all(one["name"] in everything["figures"] for one in known_figures())


def test_every_page_written_by_hand_is_there_and_in_the_navigation(site):
    first = (site / "index.html").read_text("utf-8")
    for target in written_by_hand().values():
        name = re.sub(r"README\.md$", "index.md", target).replace(".md", ".html")
        assert (site / name).is_file()
        assert f'href="{name}"' in first


def test_the_benchmarks_list_every_stored_result(site):
    listed = words_of(site, "benchmarks/index.html")["Measurements"]
    titles = [
        title
        for path in sorted((site / "benchmarks").glob("*.html"))
        for title in list(words_of(site, f"benchmarks/{path.name}"))[:1]
    ]
    assert len(titles) > 10
    assert all(title in listed for title in titles if title != "Measurements")


# --- it works by itself --------------------------------------------------------------------------------------------


def test_every_link_leads_somewhere_and_nothing_comes_from_elsewhere(site):
    assert list(problems_in(site)) == []


def test_scripts_and_styles_know_no_address(site):
    for path in [site / "assets" / "site.js", *sorted(site.rglob("*.css"))]:
        assert not re.search(r"https?:|//[a-z]+\.[a-z]", path.read_text("utf-8")), path


def test_nothing_of_the_place_where_it_was_built_is_on_it(site):
    for path in sorted(site.rglob("*.html")):
        if "source/" not in path.as_posix():
            assert not re.search(r"/tmp/|/home/|/root/| at 0x[0-9a-f]{6}", path.read_text("utf-8")), path


def test_what_can_be_searched_is_there(site):
    text = (site / "assets" / "search-index.js").read_text("utf-8")
    parts = json.loads(text.removeprefix("window.searchIndex=").removesuffix(";\n"))
    found = {address: (title, heading, words) for address, title, heading, words in parts}
    assert found["models/bm25.html"][0] == "bm25"
    assert found["models/bm25.html#cost"][:2] == ("bm25", "Cost")
    assert "posting lists" in found["models/bm25.html#cost"][2]
    assert not any(address.startswith("source/") for address in found)
    assert not any("<svg" in words for _, _, words in found.values())
