"""Spaces that hold the same: for measuring a home of many full spaces, which no one has by hand.

A space's file is copied and told its new name. Its journal is still chained under the old one, so
that `verify` finds fault with a copy: nothing that anybody relies on is ever made like this.
"""

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from pinyon.domain.space import Space
from pinyon.stores.sqlite.connection import connect
from pinyon.stores.sqlite.home import keyed_name
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.space_file import make_private_folder


def make_alike(
    home: Path,
    source: Space,
    others: Iterable[Space],
    *,
    made: Callable[[Space], None] = lambda _space: None,
) -> None:
    """Make other spaces hold what one does, in a home that nobody has open.

    Args:
        home: The home.
        source: The space that is filled.
        others: Those that hold nothing yet.
        made: Hears of each one that is there.
    """
    secret = bytes.fromhex((home / "secret.key").read_text("ascii").strip())
    filled = _path(home, source, secret)
    for space in others:
        path = _path(home, space, secret)
        make_private_folder(path.parent)
        shutil.copyfile(filled, path)
        path.chmod(0o600)
        connection = connect(path)
        try:
            connection.execute(query("name_space"), {"space": str(space)})
        finally:
            connection.close()
        _flush(path)
        made(space)


def _path(home: Path, space: Space, secret: bytes) -> Path:
    name = keyed_name(space, secret).hex()
    return home / "spaces" / name[:2] / f"{name}.db"


def _flush(path: Path) -> None:
    """Wait until the disk has a file, which else it would be busy with while others measure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
