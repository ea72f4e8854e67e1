"""Who may do what: API keys with scopes, of which only hashes are kept."""

from __future__ import annotations

import errno
import hashlib
import hmac
import logging
import os
import re
import secrets
import stat
import time
from pathlib import Path
from typing import Any

from fastapi import Depends, HTTPException, Request
from starlette.requests import HTTPConnection

from aboutness.core.errors import BadInput, NotFound, StorageError, UsageError, shown

log = logging.getLogger(__name__)

SCOPES = ("read", "write", "admin")  # each may do what those before it may
COOKIE = "aboutness_key"
HASH = re.compile(r"[0-9a-f]{64}")
MOST_KEY = 200  # characters
SECONDS_BETWEEN_LOOKS = 1.0  # at the file

NEEDED = "an API key is needed: send it as 'Authorization: Bearer KEY'"
NOT_KNOWN = "this API key is not in the server's file of keys (any more): ask for a new one"

BEARER = {"type": "http", "scheme": "bearer", "description": "An API key, made by `aboutness key`."}


class Keys:
    """The keys of a server. Without a file, whoever can reach the server may do everything.

    The file is looked at once a second while keys are asked about: new keys count, those taken out no longer. As
    long as it cannot be read, no key counts.
    """

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        self.needed = path is not None
        self._most = SCOPES.index("read" if read_only else "admin")
        self._path = path
        self._stamp, self._looked = _stamp(path), time.monotonic()
        self._scopes = {} if path is None else _read(path)

    def scope(self, key: str | None) -> int | None:
        """Return the place of a key's scope among SCOPES; None where it has none."""
        if not self.needed:
            return self._most
        if key is None or len(key) > MOST_KEY:
            return None
        if time.monotonic() - self._looked >= SECONDS_BETWEEN_LOOKS:
            self._look()
        hashed, found = _hash(key), None
        for known, scope in self._scopes.items():  # all of them, so that time tells nothing
            if hmac.compare_digest(known, hashed):
                found = scope
        return None if found is None else min(found, self._most)

    def _look(self) -> None:
        """Read the file anew where it has changed."""
        assert self._path is not None
        stamp, self._looked = _stamp(self._path), time.monotonic()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._scopes = _read(self._path)
        except (BadInput, NotFound) as error:
            self._scopes = {}
            log.error("nobody is let in any more: %s", error)


def make_key(path: Path, scope: str) -> str:
    """Make a new key, add its hash to a file that only its owner may read, and return the key."""
    if scope not in SCOPES:
        raise UsageError(f"a scope must be one of {', '.join(SCOPES)}, got {shown(scope)}")
    if is_there := path.exists():
        _read(path)  # raises where it is something else than a file of keys
    key = secrets.token_urlsafe(32)
    try:
        _append(path, f"{scope} {_hash(key)}\n".encode())
    except OSError as error:
        if not is_there:
            path.unlink(missing_ok=True)
        raise StorageError(f"cannot write to {path}: {error.strerror}; no key was made") from error
    return key


def _append(path: Path, line: bytes) -> None:
    """Write a line at the end of a file, whole or not at all: a server may be letting people in by it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":  # by an editor that leaves the last line open
            line = b"\n" + line
        try:
            if os.write(handle, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(path: Path | None) -> tuple[int, ...] | None:
    """Return what changes when a file does; None where there is none."""
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return found and (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def _read(path: Path) -> dict[str, int]:
    """Return the hashes of keys with the places of their scopes."""
    try:
        if path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise BadInput(f"others may write to {path}, and so give themselves keys: chmod 600 {path}")
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        raise NotFound(f"there is no file of API keys {path}; make it with 'aboutness key {path}'") from None
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise BadInput(f"{path} cannot be read as a file of API keys: {problem}") from None
    found: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 2 or words[0] not in SCOPES or not HASH.fullmatch(words[1]):
            raise BadInput(
                f"{path}, line {number} must be a scope ({', '.join(SCOPES)}) and the hash of a key, as "
                f"'aboutness key {path}' writes it"
            )
        found[words[1]] = SCOPES.index(words[0])
    if not found:
        raise BadInput(f"{path} has no API key; make one with 'aboutness key {path}'")
    return found


def key_of(request: HTTPConnection) -> str | None:
    """Return the key that comes with a request: in its Authorization, otherwise in the browser's cookie."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else request.cookies.get(COOKIE)


def no_key(request: HTTPConnection) -> HTTPException:
    """Return the refusal of a request that brought no key, or one that does not count."""
    return HTTPException(401, NOT_KNOWN if key_of(request) else NEEDED, {"WWW-Authenticate": "Bearer"})


def needs(scope: str) -> Any:  # noqa: ANN401 - as FastAPI has it
    """Return what lets only those through who may do as much as a scope."""
    least = SCOPES.index(scope)

    async def allowed(request: Request) -> None:
        held = request.app.state.site.keys.scope(key_of(request))
        if held is None:
            raise no_key(request)
        if held < least:
            raise HTTPException(403, f"this needs the scope {scope}; here you have {SCOPES[held]}")

    return Depends(allowed)
