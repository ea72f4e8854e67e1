"""Tables of declared parameters, and rankers and trainings as they are written."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

import aboutness
from aboutness.core.kinds import Choice
from aboutness.core.parameters import Parameter, Parameters
from aboutness.vectors.trainer import Trainer
from docsite.markdown import NONE, code, prose, table
from docsite.page import link

INDEX = "notes.index"


def parameter_table(declared: Iterable[Parameter]) -> str:
    """Return a table of parameters: name, symbol, default, what is allowed, what it means."""
    return table(
        ["parameter", "symbol", "default", "allowed", "meaning"],
        ([code(one.name), one.symbol, shown_default(one), _allowed(one), prose(one.help)] for one in declared),
    )


def shown_default(parameter: Parameter) -> str:
    """Return the default as it is written; a dash where there is none."""
    return NONE if parameter.default is None else code(parameter.kind.show(parameter.default))


def _allowed(parameter: Parameter) -> str:
    if isinstance(parameter.kind, Choice):
        return ", ".join(map(code, parameter.kind.words))
    return prose(parameter.kind.allowed)


def training_command(name: str, way: Trainer) -> str:
    """Return the command that trains something and keeps it under a name.

    >>> from aboutness.vectors.pv import EPV
    >>> training_command("epv-d", EPV(gamma=0, joint=0))
    'aboutness train notes.index epv --gamma 0 --joint 0 --name epv-d'
    """
    options = [word for key, value in way.changed().items() for word in (f"--{key.replace('_', '-')}", value)]
    named = [] if name == way.name else ["--name", name]
    return shlex.join(["aboutness", "train", INDEX, way.name, *options, *named])


def is_public(kind: type[Parameters]) -> bool:
    """Tell whether a class can be reached from the package itself."""
    return kind.__name__ in aboutness.__all__


def python_name(kind: type[Parameters], source: str, target: str) -> str:
    """Return a class as it is named in Python, with a link to its entry on another page, if it has one."""
    if not is_public(kind):
        return code(f"{kind.__module__}.{kind.__name__}")
    return f"[{code(f'ab.{kind.__name__}')}]({link(source, target)}#{kind.__name__})"


def in_python(made: Parameters) -> str:
    """Return the Python that makes a record of parameters: its class, or where that is not public, its text.

    >>> from aboutness.models.bm25 import BM25
    >>> in_python(BM25(b=0.5))
    'ab.BM25(b=0.5)'
    """
    if not is_public(type(made)):
        return f"ab.ranker({str(made)!r})"
    given = {one.name: getattr(made, one.name) for one in made.declared()}
    changed = {one.name: given[one.name] for one in made.declared() if given[one.name] != one.default}
    return f"ab.{type(made).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"
