from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import aboutness
from aboutness.cli.main import main
from cli.running import environment

COMMANDS = [
    "demo", "index", "add", "delete", "merge", "layer", "info", "check", "analyzers", "formats", "search", "explain", "run",
    "models", "evaluate", "measures", "experiment",
]  # fmt: skip


def test_version(run):
    ran = run("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"aboutness {aboutness.__version__}\n", "")


def test_help_lists_every_command(call):
    ran = call("--help")
    assert ran.code == 0
    assert set(COMMANDS) <= set(re.findall(r"^  (\w+)  ", ran.out, re.MULTILINE))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(call, command):
    for option in ("-h", "--help"):
        ran = call(command, option)
        assert ran.code == 0
        assert ran.out.startswith(f"Usage: aboutness {command}") or f" {command} " in ran.out.splitlines()[0]


def test_no_command_is_wrong_usage(call):
    ran = call()
    assert ran.code == 2
    assert "Usage:" in ran.out + ran.err


@pytest.mark.parametrize("arguments", [["nosuch"], ["info"], ["info", "--nosuch", "x"], ["index", "x"], ["check"]])
def test_wrong_usage_ends_with_2_and_says_so_on_standard_error(call, arguments):
    ran = call(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Usage:" in ran.err


SCRIPTS = {
    "bash": "complete -o default -F _aboutness_completion aboutness",
    "zsh": "compdef _aboutness_completion aboutness",
    "fish": "complete --command aboutness",
}


@pytest.mark.parametrize("shell", SCRIPTS)
def test_completion_scripts(run, shell):
    ran = run(env={"_ABOUTNESS_COMPLETE": f"source_{shell}"})
    assert (ran.code, ran.err) == (0, "")
    assert SCRIPTS[shell] in ran.out


def test_completion_of_a_command(run):
    asked = {"_ABOUTNESS_COMPLETE": "complete_bash", "COMP_WORDS": "aboutness mer", "COMP_CWORD": "1"}
    assert run(env=asked).out.split() == ["merge"]


def test_help_and_version_load_no_heavy_module():
    script = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from aboutness.cli.main import app\n"
        f"for command in [], *([name] for name in {COMMANDS}):\n"
        "    assert CliRunner().invoke(app, [*command, '--help']).exit_code == 0\n"
        "sys.exit(len({'numba', 'numpy', 'scipy', 'sqlite3', 'ir_measures', 'ir_datasets'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment()
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_pipe_is_no_traceback():
    command = f"{sys.executable} -m aboutness analyzers --json | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment())
    assert done.stdout == "["
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_traceback_and_harm_no_index(three, run, closed, tmp_path):
    def ended(*arguments):
        command = f"{sys.executable} -m aboutness {' '.join(arguments)} {closed}"
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=False, env=environment(), cwd=tmp_path
        )
        assert "Traceback" not in done.stderr
        return done.returncode, bool(done.stdout)

    assert ended("search", "three.index", "city", "-r", "bm25") == (0, ">&-" not in closed.split())
    assert ended("info", "nothing.index") == (4, False)
    assert ended("delete", "three.index", "b")[0] == 0
    checked = run("check", "three.index", "--deep")
    assert (checked.code, checked.err) == (0, "")
    assert "sound: 2 documents" in checked.out


@pytest.mark.parametrize(("command", "threads"), [("run", "1"), ("serve", "1"), ("train", None)])
def test_matrix_products_have_no_threads_of_their_own_where_we_have_threads(monkeypatch, command, threads):
    seen = []
    monkeypatch.setattr("aboutness.cli.main.app", lambda **_: seen.append(os.environ.get("OPENBLAS_NUM_THREADS")))
    monkeypatch.setattr("sys.argv", ["aboutness", command])
    monkeypatch.setattr("os.environ", {})
    main()
    assert seen == [threads]
    monkeypatch.setattr("os.environ", {"OPENBLAS_NUM_THREADS": "3"})
    main()
    assert seen[1] == "3"
