"""Arguments and options of commands of all kinds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the index.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
