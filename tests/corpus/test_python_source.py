from __future__ import annotations

from aboutness.corpus.python_source import Import, Source

MODULE = '''"""A module.

    Indented."""
from ._private import Thing, _hidden, unlisted
from .. import up
from _c import *
__all__ = ["Thing", "Shape"] + ["area"]
try:
    def area(shape, /, *, scale=1.0):
        """Return the area."""
except ImportError:
    def area():
        """Never reached first."""
class Shape:
    """A shape."""
    def __init__(self, sides: int = 3):
        """Not public."""
    @property
    def sides(self):
        """How many."""
    @staticmethod
    def make(sides):
        """Make one."""
    @classmethod
    async def later(cls, *args, **more):
        """Make one later."""
    def undocumented(self): pass
    class Inner:
        """Inside."""
def _private():
    """Hidden."""
"\\d"
'''


def test_members(tmp_path):
    (tmp_path / "__init__.py").write_text(MODULE)
    source = Source("pack.sub", tmp_path / "__init__.py")
    (module,) = source.module()
    assert (module.id, module.fields["text"]) == ("pack.sub", "A module.\n\nIndented.")
    members = list(source.members("pack.sub", lambda _name: True))
    assert [(one.fields["title"], one.metadata["kind"]) for one in members] == [
        ("pack.sub.area(shape, /, *, scale=1.0)", "function"),
        ("pack.sub.area()", "function"),
        ("pack.sub.Shape(sides: int=3)", "class"),
        ("pack.sub.Shape.sides", "method"),
        ("pack.sub.Shape.make(sides)", "method"),
        ("pack.sub.Shape.later(*args, **more)", "method"),
        ("pack.sub.Shape.Inner", "class"),
    ]
    assert [one.id for one in source.members("other", "area".__eq__)] == ["other.area", "other.area"]
    assert members[0].origin.line == 9


def test_imports(tmp_path):
    (tmp_path / "__init__.py").write_text(MODULE)
    expected = [Import("pack.sub._private", "Thing", "Thing"), Import("_c", "*", "*")]
    assert list(Source("pack.sub", tmp_path / "__init__.py").imports()) == expected
    (tmp_path / "plain.py").write_text(MODULE)
    assert next(Source("pack.plain", tmp_path / "plain.py").imports()).module == "pack._private"


def test_halves_of_surrogate_pairs_are_no_text(tmp_path):
    path = tmp_path / "odd.py"
    path.write_text('def odd(one="\\ud800"):\n    "half \\udfff a pair"\n')
    (found,) = Source("odd", path).members("odd", lambda _: True)
    assert found.fields["text"] == "half ? a pair"
    assert found.fields["title"].encode()
