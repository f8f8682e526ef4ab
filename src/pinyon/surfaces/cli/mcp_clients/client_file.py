"""A client's file: read, changed where it is ours, put in place whole, with a copy beside it."""

import difflib
import os
import stat
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from json import JSONDecodeError
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from pinyon.errors import Conflict, InvalidFile
from pinyon.surfaces.cli.mcp_clients import json_text, toml_text
from pinyon.surfaces.cli.mcp_clients.clients import Dialect
from pinyon.surfaces.cli.mcp_clients.thing import Thing, held, with_thing, without_thing

MARK = "\ufeff"
"""What some editors of Windows begin a file with."""

CONNECTING = frozenset(
    "type command args url httpUrl headers http_headers bearer_token_env_var".split()
)
"""The fields by which an entry connects; others are its user's, and stay."""

BY_HAND = (
    "it is written in a way in which it cannot be changed without touching the rest; put in what "
    "`pinyon mcp config` prints, or take it out, by hand"
)


@dataclass(frozen=True, slots=True)
class _Language:
    """How the files of a dialect are read and changed."""

    read: Callable[[str], dict[str, Any]]
    put: Callable[[str, Thing], str]
    take: Callable[[str, Thing], str]
    rendered: Callable[[Thing], str]


def _json(*, comments: bool) -> _Language:
    return _Language(
        read=partial(json_text.read, comments=comments),
        put=partial(json_text.put, comments=comments),
        take=partial(json_text.take, comments=comments),
        rendered=json_text.rendered,
    )


_LANGUAGES: Mapping[Dialect, _Language] = {
    "json": _json(comments=False),
    "commented json": _json(comments=True),
    "toml": _Language(toml_text.read, toml_text.put, toml_text.take, toml_text.rendered),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a file is to become.

    Attributes:
        path: The file, as it was named.
        before: What is in it; `None` where it is not there.
        after: What is to be in it.
    """

    path: Path
    before: bytes | None
    after: bytes

    @property
    def changes(self) -> bool:
        """Return whether there is anything to do."""
        return self.after != (self.before or b"")

    def diff(self) -> str:
        """Return what changes, as a unified diff."""
        old, new = ((one or b"").decode("utf-8") for one in (self.before, self.after))
        name = str(self.path)
        lines = difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), name, name
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def snippet(dialect: Dialect, things: Iterable[Thing]) -> str:
    """Return things as a whole file of their own."""
    language, text = _LANGUAGES[dialect], ""
    for thing in things:
        text = language.put(text, thing) if text else language.rendered(thing)
    return text


def changed(
    path: Path, dialect: Dialect, *, puts: Sequence[Thing] = (), takes: Sequence[Thing] = ()
) -> Change:
    """Return what a file becomes when things are put into it and others taken out of it.

    Everything else in it stays as it is, and that is checked.

    Raises:
        InvalidFile: It cannot be read, is not what it should be, or is written in a way in which
            it cannot be changed without touching what is not ours.
    """
    language = _LANGUAGES[dialect]
    before = _read(path)
    try:
        text = (before or b"").decode("utf-8")
        mark, text = (MARK, text[1:]) if text.startswith(MARK) else ("", text)
        said = language.read(text)
        for thing in takes:
            if held(said, thing) is not None:
                text, said = language.take(text, thing), without_thing(said, thing)
        for thing in puts:
            merged = replace(thing, value=_merged(held(said, thing), thing.value))
            if held(said, thing) != merged.value:
                text, said = language.put(text, merged), with_thing(said, merged)
        tables = {thing.table for thing in (*puts, *takes)}
        if not _says(language, text, said, tables):
            raise InvalidFile(str(path), BY_HAND)
    except UnicodeDecodeError as error:
        raise InvalidFile(str(path), f"it is no UTF-8 (byte {error.start + 1})") from error
    except JSONDecodeError as error:
        why = f"column {error.colno}: {error.msg}; mend it, nothing was changed"
        raise InvalidFile(str(path), why, line=error.lineno) from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidFile(str(path), f"{error}; mend it, nothing was changed") from error
    except RecursionError as error:
        raise InvalidFile(str(path), "it is nested too deeply") from error
    return Change(path=path, before=before, after=_encoded(path, mark + text))


def written(change: Change) -> Path | None:
    """Put a change in its place, whole or not at all; return where what was there before is kept.

    A link stays one, and the file keeps its mode. Folders that are missing are made.

    Raises:
        InvalidFile: It cannot be written, or is not meant to be.
        Conflict: Somebody else has changed it meanwhile.
    """
    try:
        return _write(change)
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "its links lead nowhere"
        raise InvalidFile(str(change.path), f"it cannot be written ({why})") from error


def _write(change: Change) -> Path | None:
    target = change.path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(target.stat().st_mode) if change.before is not None else None
    if mode is not None and not mode & stat.S_IWUSR:
        why = "it is read-only, so somebody means it to stay; name another one with --path"
        raise InvalidFile(str(change.path), why)
    draft = _draft(target, change.after, mode)
    try:
        if _read(target) != change.before:
            raise Conflict(f"{change.path} was changed meanwhile, and is left so; try again")
        kept = None if change.before is None else _keep(target, change.before, mode or 0o600)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    _flush_folder(target.parent)
    return kept


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidFile(str(path), f"it cannot be read ({error.strerror})") from error


def _merged(known: Mapping[str, object] | None, new: Mapping[str, object]) -> dict[str, object]:
    """Return an entry anew, with what its user has set beside the connection.

    What is set for a program means nothing for a server that is called, and is not taken over.
    """
    if known is None:
        return dict(new)
    if not CONNECTING.isdisjoint(known) and ("command" in known) != ("command" in new):
        return dict(new)
    own = {key: value for key, value in known.items() if key not in CONNECTING and key not in new}
    return {**new, **own}


def _says(
    language: _Language, text: str, expected: Mapping[str, Any], tables: Collection[str]
) -> bool:
    """Return whether a text says what it should; a table with nothing in it may as well be gone."""

    def counting(said: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in said.items() if value or key not in tables}

    try:
        return counting(language.read(text)) == counting(expected)
    except ValueError:
        return False


def _encoded(path: Path, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidFile(str(path), "a name for it is no Unicode; choose another") from error


def _draft(target: Path, content: bytes, mode: int | None) -> Path:
    """Write a file beside its place, to the disk; where none was, for its owner alone."""
    descriptor, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            draft.chmod(mode)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return draft


def _keep(target: Path, content: bytes, mode: int) -> Path:
    """Write what was there before beside it, under the first name that is free."""
    number = 1
    while True:
        kept = target.with_name(f"{target.name}.bak" + ("" if number == 1 else str(number)))
        with suppress(FileExistsError):
            # For its owner alone until it is whole: it may hold the keys of others.
            descriptor = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            kept.chmod(mode)
            return kept
        number += 1


def _flush_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
