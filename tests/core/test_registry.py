from __future__ import annotations

import pytest

from aboutness.core.errors import UsageError
from aboutness.core.registry import Registry


@pytest.fixture
def tools() -> Registry[int]:
    registry: Registry[int] = Registry("tool")
    for number, name in enumerate(["saw", "hand-saw", "drill2"]):
        assert registry.register(name, number) == number
    return registry


def test_a_mapping_in_the_order_of_registration(tools):
    assert list(tools) == ["saw", "hand-saw", "drill2"]
    assert dict(tools) == {"saw": 0, "hand-saw": 1, "drill2": 2}
    assert len(tools) == 3
    assert "hand-saw" in tools
    assert "axe" not in tools
    assert 3 not in tools


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hand-sew", "unknown tool 'hand-sew'; did you mean 'hand-saw'? Known: saw, hand-saw, drill2"),
        ("xyz", "unknown tool 'xyz'. Known: saw, hand-saw, drill2"),
        ("", "unknown tool ''. Known: saw, hand-saw, drill2"),
    ],
)
def test_an_unknown_name(tools, name, message):
    with pytest.raises(UsageError) as caught:
        tools[name]
    assert str(caught.value) == message
    assert caught.value.__suppress_context__


def test_duplicates_are_refused(tools):
    with pytest.raises(UsageError, match=r"^the tool 'saw' is registered already$"):
        tools.register("saw", 9)
    assert tools["saw"] == 0


@pytest.mark.parametrize("name", ["", "Saw", "2saw", "saw_", "a--b", "-a", "a-", "a b", "säge", "saw\n"])
def test_names_have_one_form(tools, name):
    with pytest.raises(UsageError) as caught:
        tools.register(name, 9)
    assert str(caught.value) == f"the name of a tool must look like 'word-word2', got {name!r}"
    assert len(tools) == 3


@pytest.mark.parametrize("name", ["a", "a1", "a-1", "galke2017-w2v", "a-b-c"])
def test_names_that_are_fine(tools, name):
    tools.register(name, 9)
    assert tools[name] == 9
