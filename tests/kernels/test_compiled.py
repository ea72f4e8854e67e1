from __future__ import annotations

import importlib
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import aboutness
from aboutness.kernels import compiled as module
from aboutness.kernels.compiled import is_private

choose_folder = module.cache_folder.__wrapped__
hash_kernels = module.kernel_hash.__wrapped__
KERNELS = Path(module.__file__).parent

ONE_CALL = """
import numpy as np
from aboutness.kernels.strings import absorb
print(absorb(np.uint64(1), np.uint64(2)), sum(absorb.stats.cache_hits.values()),
      sum(absorb.stats.cache_misses.values()), absorb.stats.cache_path)
"""
ABSORBED = (1 ^ 2) * 0x9E3779B97F4A7C15 & ((1 << 64) - 1)
ABSORBED ^= ABSORBED >> 32


def run_python(code: str, cache: Path | str, source: Path | None = None, **more: str) -> list[str]:
    """Run `code` in a new process with its own cache; return the words it printed."""
    root = source or Path(aboutness.__file__).parent.parent
    env = (
        os.environ
        | {"ABOUTNESS_CACHE": str(cache), "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
        | more
    )
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.split()


@pytest.fixture
def env(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("ABOUTNESS_CACHE", raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("settings", "root"),
    [
        ({}, "home/.cache/aboutness"),
        ({"XDG_CACHE_HOME": "xdg"}, "xdg/aboutness"),
        ({"XDG_CACHE_HOME": "xdg", "ABOUTNESS_CACHE": "own"}, "own"),
        ({"ABOUTNESS_CACHE": "own/deep/down"}, "own/deep/down"),
        ({"XDG_CACHE_HOME": "", "ABOUTNESS_CACHE": ""}, "home/.cache/aboutness"),
    ],
)
@pytest.mark.parametrize("umask", [0o022, 0o002, 0o077, 0o000])
def test_where_the_cache_is(env, tmp_path, settings, root, umask):
    for name, value in settings.items():
        env.setenv(name, value and str(tmp_path / value))
    before = os.umask(umask)
    try:
        folder = choose_folder()
    finally:
        os.umask(before)
    assert folder == tmp_path / root / "kernels" / module.kernel_hash()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert choose_folder() == folder


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777, 0o720])
@pytest.mark.parametrize("which", ["kernels", "hash"])
def test_a_folder_others_can_write_is_refused(env, tmp_path, mode, which):
    env.setenv("ABOUTNESS_CACHE", str(tmp_path))
    folder = choose_folder()
    assert folder is not None
    (folder if which == "hash" else folder.parent).chmod(mode)
    assert choose_folder() is None


def test_a_folder_others_can_read_is_fine(env, tmp_path):
    env.setenv("ABOUTNESS_CACHE", str(tmp_path))
    choose_folder().chmod(0o755)
    assert choose_folder() is not None


def test_a_folder_of_somebody_else_is_refused(env, tmp_path):
    env.setenv("ABOUTNESS_CACHE", str(tmp_path))
    assert choose_folder() is not None
    env.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert choose_folder() is None
    assert not is_private(tmp_path)


def test_no_folder_can_be_made(env, tmp_path):
    (tmp_path / "file").write_text("")
    env.setenv("ABOUTNESS_CACHE", str(tmp_path / "file"))
    assert choose_folder() is None
    assert not is_private(tmp_path / "nothing")


def test_no_home(env):
    def no_home() -> Path:
        raise RuntimeError

    env.setattr(Path, "home", no_home)
    assert choose_folder() is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_refused(env, tmp_path):
    env.setenv("ABOUTNESS_CACHE", str(tmp_path))
    choose_folder().chmod(0o500)
    assert choose_folder() is None


@pytest.mark.parametrize("name", sorted(path.name for path in KERNELS.glob("*.py")))
def test_editing_any_kernel_file_changes_the_hash(monkeypatch, tmp_path, name):
    copy = shutil.copytree(KERNELS, tmp_path / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(module, "__file__", str(copy / "compiled.py"))
    assert hash_kernels() == module.kernel_hash()
    with (copy / name).open("a") as file:
        file.write("\n")
    edited = hash_kernels()
    assert edited != module.kernel_hash()
    (copy / name).rename(copy / "other.py")
    assert hash_kernels() not in {edited, module.kernel_hash()}


def test_without_a_folder_functions_are_compiled_all_the_same():
    assert run_python(ONE_CALL, "/proc/nonexistent") == [str(ABSORBED), "0", "1", "None"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache that a process has filled, and what that process printed."""
    cache = tmp_path_factory.mktemp("cache")
    return cache, run_python(ONE_CALL, cache)


@pytest.fixture
def copied(filled, tmp_path):
    return shutil.copytree(filled[0], tmp_path / "copy")


def test_the_second_process_loads_what_the_first_compiled(filled):
    cache, printed = filled
    folder = cache / "kernels" / module.kernel_hash()
    assert printed == [str(ABSORBED), "0", "1", str(folder)]
    files = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert sorted(Path(name).suffix for name in files) == [".nbc", ".nbi"]
    assert run_python(ONE_CALL, cache) == [str(ABSORBED), "1", "0", str(folder)]
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == files


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_cache_is_made_anew(copied, suffix):
    (file,) = (copied / "kernels" / module.kernel_hash()).glob(f"*{suffix}")
    file.write_bytes(file.read_bytes()[:20])
    assert run_python(ONE_CALL, copied)[:3] == [str(ABSORBED), "0", "1"]
    assert run_python(ONE_CALL, copied)[:3] == [str(ABSORBED), "1", "0"]


def test_a_full_disk_is_no_reason_to_fail(tmp_path):
    limited = "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    assert run_python(limited + ONE_CALL, tmp_path)[0] == str(ABSORBED)


def test_an_edited_callee_in_another_file_reaches_its_callers(tmp_path):
    """What plain `cache=True` gets wrong: `child_place` stands in another file than `absorb`."""
    shutil.copytree(KERNELS.parent, tmp_path / "aboutness", ignore=shutil.ignore_patterns("__pycache__"))
    code = """
import numpy as np
from aboutness.kernels.terms import child_place
print(child_place(np.zeros(1 << 20, np.uint64), np.uint64(1)), sum(child_place.stats.cache_hits.values()))
"""
    for mix in (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93):
        file = tmp_path / "aboutness" / "kernels" / "strings.py"
        file.write_text(re.sub(r"MIX = np.uint64\(0x\w+\)", f"MIX = np.uint64(0x{mix:X})", file.read_text()))
        place = (mix ^ (mix >> 32)) & ((1 << 20) - 1)
        assert run_python(code, tmp_path / "cache", tmp_path) == [str(place), "0"]
    assert sum(path.is_dir() for path in (tmp_path / "cache" / "kernels").iterdir()) == 2


def kernels() -> list[tuple[str, str]]:
    found = []
    for path in sorted(KERNELS.glob("*.py")):
        one = importlib.import_module(
            f"aboutness.kernels.{path.stem}" if path.stem != "__init__" else "aboutness.kernels"
        )
        found += [
            (path.stem, name)
            for name, value in vars(one).items()
            if hasattr(value, "py_func") and value.py_func.__module__ == one.__name__
        ]
    return found


@pytest.mark.parametrize(("home", "name"), kernels())
def test_every_kernel_is_run_three_ways(home, name):
    tests = Path(__file__).with_name(f"test_{home}.py").read_text("utf-8")
    assert re.search(rf"\b(run|both|near)\(\s*(\w+\.)?{name}\b", tests)


LOOSE = {"movers": {"least_costs", "relaxed", "priced"}}  # bounds, with room for any order of their sums


@pytest.mark.parametrize(("home", "name"), kernels())
def test_kernels_give_the_lock_back_and_are_cached(home, name):
    kernel = getattr(importlib.import_module(f"aboutness.kernels.{home}"), name)
    assert kernel.targetoptions["nogil"] is True
    loosely = kernel.targetoptions.get("fastmath", set())
    allowed = home in ("rows", "bowl") or name in LOOSE.get(
        home, ()
    )  # in training, and in bounds; never in a score
    assert loosely == ({"reassoc", "contract", "nsz"} if allowed else set())
    assert kernel.stats.cache_path == (str(module.cache_folder()) if module.cache_folder() else None)


def test_the_source_stays_reachable(monkeypatch):
    monkeypatch.setattr(module, "cache_folder", lambda: None)

    @module.compiled
    def double(value: int) -> int:
        return 2 * value

    assert double(np.int64(21)) == double.py_func(21) == 42
