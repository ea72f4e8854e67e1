"""The files of a training by shards: what has been reached, so that nothing is done twice.

What a round begins with, the word matrices, lies in pieces of some rows each, so that many can make it of what the
shards wrote, and nobody has to hold all of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.scale.training_plan import Plan

ROWS = "rows"
Arrays = Mapping[str, NDArray[Any]]


def start_of(number: int, piece: int) -> str:
    """Return the name of the file with a piece of the word matrices that a round begins with."""
    return f"start-{number}-{piece}"


def bowl_of(number: int) -> str:
    """Return the name of the file that says how the word matrices of a round become one."""
    return f"bowl-{number}"


def words_of(shard: int, number: int) -> str:
    """Return the name of the file with the word matrices of a shard after a round."""
    return f"words-{number}-{shard}"


def rows_of(shard: int, number: int) -> str:
    """Return the name of the file with the document rows of a shard after a round."""
    return f"rows-{number}-{shard}"


def end_of(shard: int) -> str:
    """Return the name of the file with the document rows of a shard as they are kept."""
    return f"end-{shard}"


def load(plan: Plan, name: str, *, verify: bool = True) -> Arrays:
    """Return a file of a training that must be there; without `verify`, one that is known to be whole."""
    kept = plan.file(name).load(about(plan, name), verify=verify)
    if kept is None:
        raise DamagedIndex(
            f"{plan.folder} has no file {name}: this machine does not see that folder, which every node must see "
            "under the same path; or the file was lost, and the training must start anew with restart (--restart)"
        )
    return kept


def about(plan: Plan, name: str) -> dict[str, Any]:
    """Return what a file of a training says of itself."""
    return {**plan.about, "file": name}


def save(plan: Plan, name: str, arrays: Arrays, *, durable: bool = True) -> None:
    """Write a file of a training, in one step."""
    plan.file(name).save(about(plan, name), arrays, durable=durable)


def is_done(plan: Plan, name: str) -> bool:
    """Tell whether a file of a training is there, and whole."""
    try:
        return plan.file(name).load(about(plan, name)) is not None
    except UsageError:
        return False


def reached(plan: Plan) -> int:
    """Return the round with which to go on."""
    for number in range(plan.last_round, 0, -1):
        if all(plan.file(start_of(number, piece)).path.exists() for piece in range(plan.pieces)):
            return number
    return 0


def save_start(plan: Plan, matrices: Arrays) -> None:
    """Write the word matrices with which the first round begins."""
    for piece in range(plan.pieces):
        rows = plan.rows(piece)
        save(plan, start_of(0, piece), {name: matrix[rows] for name, matrix in matrices.items()})


def started(plan: Plan, number: int, *, verify: bool = False) -> Iterator[tuple[slice, Arrays]]:
    """Yield the word matrices that a round begins with, piece by piece, with the rows that these are."""
    for piece in range(plan.pieces):
        yield plan.rows(piece), load(plan, start_of(number, piece), verify=verify)
