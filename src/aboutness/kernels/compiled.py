"""The one decorator for compiled functions: `@compiled` is numba's `njit`, without the GIL, safely cached.

Plain `cache=True` has three faults for an installed package: it fails at import where no folder can be
written, it keeps a stale caller when a callee in another file was edited, and it loads pickles from wherever
it finds them. Here compiled code is kept only in a folder that belongs to the user and that nobody else can
write (`ABOUTNESS_CACHE`, else `$XDG_CACHE_HOME/aboutness`, else `~/.cache/aboutness`), under a hash of all
kernel sources; without such a folder functions are compiled anew in each process, and everything works.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import caching

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` at its first call; its Python source stays reachable as `.py_func`."""
    return _compiled(function, numba.njit(nogil=True))


def compiled_loosely(function: Callable[P, R]) -> Callable[P, R]:
    """Compile with sums in any order and fused multiply-add, for training and bounds: near what the source gives.

    On one machine they are the same at every call; infinities and NaN are kept as they are.
    """
    return _compiled(function, numba.njit(nogil=True, fastmath={"reassoc", "contract", "nsz"}))


def _compiled(function: Callable[P, R], compile_: Any) -> Callable[P, R]:  # noqa: ANN401 - numba's
    dispatcher: Any = compile_(function)
    if cache_folder() is not None:
        dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call] # noqa: SLF001 - numba offers no other way to choose the folder
    return cast("Callable[P, R]", dispatcher)


@cache
def kernel_hash() -> str:
    """Return a hash of all kernel sources: any edit makes a new cache."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


@cache
def cache_folder() -> Path | None:
    """Return the private folder for compiled code, or None where there is none."""
    chosen = os.environ.get("ABOUTNESS_CACHE")
    if chosen:
        root = Path(chosen)
    elif os.environ.get("XDG_CACHE_HOME"):
        root = Path(os.environ["XDG_CACHE_HOME"]) / "aboutness"
    else:
        try:
            root = Path.home() / ".cache" / "aboutness"
        except RuntimeError:
            return None
    folder = root / "kernels" / kernel_hash()
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # else it would have what the umask leaves
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    return folder if is_private(folder) and is_private(folder.parent) else None


def is_private(folder: Path) -> bool:
    """Tell whether `folder` is ours, writable by us and by nobody else."""
    try:
        status = folder.stat()
    except OSError:
        return False
    ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return ours and not shared and os.access(folder, os.W_OK)


class _Locator(caching._CacheLocator):  # noqa: SLF001
    """Tells numba where the compiled code of one function lies and what it was made from."""

    def __init__(self, function: Callable[..., Any]) -> None:
        code = function.__code__
        self._name = f"{Path(code.co_filename).stem}-{code.co_firstlineno}"

    @classmethod
    def from_function(cls, function: Callable[..., Any], _path: str) -> _Locator:
        return cls(function)

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return kernel_hash()

    def get_disambiguator(self) -> str:
        return self._name


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes: list[Any] = [_Locator]  # noqa: RUF012 - numba's own form


class _Cache(caching.FunctionCache):
    """A cache that is damaged, full or gone only costs time: the function is compiled anew."""

    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401 - numba's own
        try:
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            if found is None:
                log.debug("compiling %s", sig)
            return found
        except Exception:  # files cut short raise whatever their pickles run into
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        # Two processes that save at the same moment could file one's code under the other's signature.
        with suppress(OSError), (Path(self.cache_path).parent / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
