"""Commands that look into an index, and at the ways there are to make one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from aboutness.cli.help import Command
from aboutness.cli.options import FolderArgument, JsonOption
from aboutness.cli.progress import working
from aboutness.cli.render import ends_well, show_json, show_pairs, show_table, size
from aboutness.core.counted import counted
from aboutness.core.one_line import one_line


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    commands: dict[str, Callable[..., None]] = {
        "info": info,
        "check": check,
        "analyzers": analyzers,
        "formats": formats,
    }
    for name, command in commands.items():
        app.command(name, cls=Command)(ends_well(command))


def info(folder: FolderArgument, as_json: JsonOption = False) -> None:
    """Show what an index holds."""
    from aboutness.app.describe import describe
    from aboutness.app.index import Index

    facts = describe(Index.open(folder))
    if as_json:
        show_json(facts)
        return
    show_pairs(
        [
            ("index", facts["index"]),
            (
                "documents",
                f"{facts['documents']:,}" + (f" ({facts['deleted']:,} deleted)" if facts["deleted"] else ""),
            ),
            ("size", f"{size(facts['bytes'])} in {counted(facts['segments'], 'segment')}"),
            ("generation", f"{facts['generation']}, made {facts['created']}, last by {facts['software']}"),
        ]
    )
    for title in ("fields", "layers", "metadata", "artefacts"):
        if facts[title]:
            typer.echo(f"\n{title}")
            show_table([_artefact(row) if title == "artefacts" else row for row in facts[title]])
    changes = [line for row in facts["artefacts"] if (line := _since(row, folder))]
    if changes:
        typer.echo("\n" + "\n".join(changes))


def _artefact(facts: dict[str, Any]) -> dict[str, Any]:
    """Return a row for something trained or derived: what it holds, and how it was made."""
    counts = [f"{facts[what]:,} {what}" for what in ("documents", "words") if facts[what] is not None]
    holds = f"{', '.join(counts)} x {facts['dim']}" if counts else None
    made_by = one_line(facts["made_by"], 60) if facts["made_by"] else None
    named = {"name": facts["name"], "kind": facts["kind"], "holds": holds, "size": size(facts["bytes"])}
    return {**named, "made by": made_by, "generation": facts["generation"], "created": facts["created"]}


def _since(facts: dict[str, Any], folder: Path) -> str:
    """Return what to say where documents have come or gone since something was trained, or else nothing."""
    came, went, inferred = facts["added_since"], facts["deleted_since"], facts["inferred"]
    moves = [f"{counted(count, 'document')} {how}" for count, how in ((came, "came"), (went, "went")) if count]
    if not moves:
        return ""
    text = f"{facts['name']}: {' and '.join(moves)} since"
    if came and inferred:
        text += f", {inferred:,} folded in when searched (aboutness prepare {folder} keeps them)"
    elif came and inferred is not None:
        text += ", folded in"
    return f"{text}; train again to learn from them" if came else text


def check(
    folder: FolderArgument,
    deep: Annotated[bool, typer.Option("--deep", help="Read and compare everything, not only sizes.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Look for damage; the exit code is 5 where some is found."""
    from aboutness.app.index import check_folder

    with working("Checking"):
        report = check_folder(folder, deep=deep)
    if as_json:
        show_json({"index": str(folder), "ok": report.ok, **vars(report)})
    else:
        for problem in report.problems:
            typer.echo(problem)
        if report.unnamed:
            files = counted(len(report.unnamed), "file belongs", "files belong")
            them = "it" if len(report.unnamed) == 1 else "them"
            typer.echo(f"{files} to no commit; the next writer removes {them}")
        if report.ok:
            typer.echo(
                f"{folder} is sound: {report.documents:,} documents, {report.files} files, {size(report.bytes)}"
                + ("" if deep else " (sizes and headers; --deep compares everything)")
            )
    if not report.ok:
        typer.echo(f"aboutness: {folder} is damaged; build it anew, or restore a copy", err=True)
        raise typer.Exit(5)


def analyzers(as_json: JsonOption = False) -> None:
    """List the ways in which text can become terms."""
    from aboutness.app.describe import analyzers as known

    if as_json:
        show_json(known())
    else:
        show_table(known())
        typer.echo("\nOptions go in brackets: 'english[stop=none,words=1-2]', 'plain[letters=3-5]'")


def formats(as_json: JsonOption = False) -> None:
    """List the formats that can be read."""
    from aboutness.app.sources import formats as known

    (show_json if as_json else show_table)(known())
