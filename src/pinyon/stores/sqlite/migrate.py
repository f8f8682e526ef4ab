"""Numbered migrations, forward only; a copy is kept until the new schema was opened once."""

import os
import secrets
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import apsw

from pinyon.errors import StoreCorrupt, StoreTooNew
from pinyon.stores.sqlite.connection import connect, transaction
from pinyon.stores.sqlite.filling import FILLED


@cache
def migrations() -> Mapping[int, str]:
    """Return the script of every migration, by number from 1."""
    folder = files(__package__) / "migrations"
    scripts = {int(p.name[:4]): p.read_text("utf-8") for p in folder.iterdir() if p.name[0] == "0"}
    return dict(sorted(scripts.items()))


def copy_before(path: Path, number: int) -> Path:
    """Return where the copy from before a migration lies."""
    return path.with_name(f"{path.name}.before-{number:04d}")


def create_schema(connection: apsw.Connection, scripts: Mapping[int, str]) -> None:
    """Run every migration on an empty file, inside the caller's transaction."""
    for script in scripts.values():
        connection.execute(script)
    connection.execute(f"PRAGMA user_version = {max(scripts)}")


def migrate(connection: apsw.Connection, path: Path, scripts: Mapping[int, str]) -> None:
    """Bring a file to the newest schema, or leave it as it was.

    Two processes may try at once: the version is read again under the write lock.

    Raises:
        StoreTooNew: A newer Pinyon wrote it.
    """
    newest = max(scripts)
    found = int(connection.pragma("user_version"))
    if found == 0:
        raise StoreCorrupt(str(path), "it holds no space")
    if found > newest:
        raise StoreTooNew(str(path), found=found, known=newest)
    if found == newest:
        drop_copies(path)
        return
    _copy(connection, copy_before(path, newest))
    with transaction(connection):
        for number, script in scripts.items():
            if number > int(connection.pragma("user_version")):
                connection.execute(script)
                if number in FILLED:
                    FILLED[number](connection)
                connection.execute(f"PRAGMA user_version = {number}")


def _copy(connection: apsw.Connection, target: Path) -> None:
    unfinished = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(6)}")
    copy = connect(unfinished, create=True)
    try:
        with copy.backup("main", connection, "main") as backup:
            backup.step()
    finally:
        copy.close()
    unfinished.chmod(0o600)
    unfinished.replace(target)


def drop_copies(path: Path) -> None:
    """Remove what a migration left: this open with the new schema went well."""
    for copy in path.parent.glob(f"{path.name}.before-*"):
        copy.unlink(missing_ok=True)
