from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aboutness

SOURCE = str(Path(aboutness.__file__).parents[1])


def environment(**more: str) -> dict[str, str]:
    """Return the environment for a process that imports what this one does, whatever its folder."""
    return {**os.environ, "PYTHONPATH": SOURCE, **more}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


THREE = [
    {"id": "a", "title": "Cities", "text": "a city in New Mexico", "year": 1706},
    {"id": "b", "text": "songs of the city", "year": 1999},
    {"id": "c", "title": "Song", "text": "", "topics": ["x", "y"]},
]
