from __future__ import annotations

import pytest
import typer

from aboutness.app.outcome import OUTCOMES, outcome
from aboutness.cli import render
from aboutness.core import errors

CODES = {
    errors.UsageError("x"): 2,
    errors.BadInput("x"): 3,
    errors.BadRecord("x"): 3,
    errors.NotFound("x"): 4,
    errors.DamagedIndex("x"): 5,
    errors.FormatMismatch("x"): 5,
    errors.StorageError("x"): 6,
    errors.IndexBusy("x"): 7,
    errors.AboutnessError("x"): 1,
    KeyboardInterrupt(): 130,
    OSError(36, "File name too long", "x"): 6,
    MemoryError(): 6,
    RuntimeError("can't start new thread"): 6,
}


@pytest.mark.parametrize(("error", "code"), CODES.items(), ids=lambda value: type(value).__name__)
def test_every_error_ends_with_its_code_and_one_line(error, code, capsys):
    @render.ends_well
    def command() -> None:
        raise error

    with pytest.raises(typer.Exit) as ended:
        command()
    captured = capsys.readouterr()
    assert ended.value.exit_code == code
    assert captured.out == ""
    assert captured.err.startswith("aboutness: ")
    assert captured.err.count("\n") == 1


def test_other_errors_are_not_hidden():
    @render.ends_well
    def command(error: BaseException) -> None:
        raise error

    for error in (ZeroDivisionError(), BrokenPipeError(), RuntimeError("x")):
        with pytest.raises(type(error)):
            command(error)


def test_every_error_class_has_an_outcome():
    classes = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(classes) > 10
    for kind in classes:
        told = outcome(kind("x"))
        assert told.http_status >= 400
        assert (told.exit_code == 1) == (kind is errors.AboutnessError)
    assert len({told.exit_code for told in OUTCOMES.values()}) == len(OUTCOMES)


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (2640, "2.6 kB"),
        (1_500_000, "1.5 MB"),
        (2_000_000_000, "2.0 GB"),
        (3_000_000_000_000, "3.0 TB"),
        (4_000_000_000_000_000, "4,000.0 TB"),
    ],
)
def test_size(count, said):
    assert render.size(count) == said


def test_tables_and_pairs(capsys):
    render.show_table([{"name": "a", "count": 1234}, {"name": "longer", "count": 5}])
    render.show_pairs([("x", "1"), ("long", "")])
    render.show_table([])
    assert capsys.readouterr().out == "name    count\na       1,234\nlonger  5\nx     1\nlong\n"


def test_json_keeps_letters(capsys):
    render.show_json({"é": [1, None, True]})
    assert capsys.readouterr().out == '{\n  "é": [\n    1,\n    null,\n    true\n  ]\n}\n'


@pytest.mark.parametrize(
    ("p", "told"),
    [
        (0.0312, "0.031"), (0.0496, "0.0496"), (0.04998, "0.04998"), (0.0504, "0.05"), (0.05, "0.05"),
        (0.05 - 1e-16, "0.0499999999999999"), (1e-5, "1e-05"), (1.0, "1"),
    ],
)  # fmt: skip
def test_rounding_moves_no_p_value_over_the_level(p, told):
    assert render.told_p(p) == told
