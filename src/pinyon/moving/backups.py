"""A copy of a whole home while it is in use, and the way back."""

import json
import shutil
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from pinyon.domain.times import read_instant
from pinyon.errors import InvalidFile, InvalidTime, NotEmpty, StoreReadOnly
from pinyon.ports.store import BacksUp

MANIFEST = "backup.json"
FORMAT = "pinyon-backup/1"


async def back_up(
    store: BacksUp, target: Path, *, taken_at: str, progress: Callable[[int, int], None]
) -> int:
    """Copy a home into a folder that does not exist yet, and return how many spaces it holds.

    Raises:
        NotEmpty: The folder holds something.
        StoreReadOnly: It cannot be written.
    """
    names = await store.backup(target, progress=progress)
    files = {name: _digest(target / name) for name in names}
    manifest = {"format": FORMAT, "taken_at": taken_at, "files": files}
    (target / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    (target / MANIFEST).chmod(0o600)
    return _count_spaces(names)


def taken_at_us(source: Path) -> int:
    """Return when a backup was begun.

    Raises:
        InvalidFile: It is no backup.
    """
    try:
        return read_instant(json.loads((source / MANIFEST).read_text("utf-8"))["taken_at"])[0]
    except (OSError, ValueError, KeyError, TypeError, InvalidTime) as error:
        raise InvalidFile(str(source), f"it is no backup ({error})") from error


def restore(source: Path, home: Path, *, under: Path | None = None) -> int:
    """Make a home of a backup, and return how many spaces it holds.

    Every file is checked against the manifest before the home is begun.

    Args:
        source: The backup.
        home: Where to.
        under: Where it will be moved afterwards, if not there; must be free too.

    Raises:
        InvalidFile: It is no backup, or a file of it is not what it was.
        NotEmpty: There is a home already.
        StoreReadOnly: The home cannot be written.
    """
    files = _checked(source)
    place = under or home
    if place.exists() and any(place.iterdir()):
        raise NotEmpty(str(place))
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in files:
            target = home / name
            for folder in reversed([home / part for part in Path(name).parents]):
                folder.mkdir(mode=0o700, exist_ok=True)
                folder.chmod(0o700)
            shutil.copyfile(source / name, target)
            target.chmod(0o600)
    except OSError as error:
        raise StoreReadOnly(str(home), str(error)) from error
    return _count_spaces(files)


def _count_spaces(names: Iterable[str]) -> int:
    return sum(name.startswith("spaces/") for name in names)


def _checked(source: Path) -> list[str]:
    try:
        manifest = json.loads((source / MANIFEST).read_text("utf-8"))
        files = dict(manifest["files"])
        if manifest["format"] != FORMAT:
            raise InvalidFile(str(source), f"format {manifest['format']!r} is not {FORMAT!r}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidFile(str(source), f"it is no backup ({error})") from error
    for name, digest in files.items():
        path = source / name
        if ".." in Path(name).parts or Path(name).is_absolute():
            raise InvalidFile(str(source), f"its manifest names {name!r}")
        if not path.is_file() or _digest(path) != digest:
            raise InvalidFile(str(path), "it is not the file that was backed up")
    return list(files)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        digest = sha256()
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
