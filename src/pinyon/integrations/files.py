"""A file system in a user's own space: text files below `/memories`, with their history.

Each version of a file is a memory: recall finds it, an edit supersedes it, and what it said before
can be asked for. Directories are there as long as files are in them. It knows no agent and no
library: adapters give its answers the words that their models expect.
"""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pinyon.domain.answers import Written
from pinyon.domain.draft import Draft
from pinyon.domain.memory import Memory
from pinyon.errors import InvalidText, InvalidValue, NotFound, Superseded, TooLarge
from pinyon.integrations.file_form import PATH, File, draft_of, file_of
from pinyon.ports.client import Operations
from pinyon.text.normal import keep
from pinyon.text.orders import gives_orders
from pinyon.text.passages import TEXT_CHARS_MAX

ROOT = "/memories"
PATH_CHARS_MAX = 500

PAGE = 200
FORGOTTEN_AT_ONCE = 1_000
DELETED_ANEW = 5
"""How often a deletion looks again for what was written while it went on."""

UNFIT = "may not be kept as it is; choose another"

Where = Mapping[str, object]

_AT = f"metadata.{PATH}"
_HOLDS: Where = {"status": "active", "valid_until": {"exists": False}}


@dataclass(frozen=True, slots=True)
class Saved:
    """A file as it was kept, and the categories of which something was taken out of it."""

    file: File
    redacted: tuple[str, ...] = ()


def canonical(path: str) -> str | None:
    """Return the one way to write a path that is at or below `/memories`, `None` for any other.

    `.`, `..` and double slashes are gone, and it is NFC, as all that is kept. Nothing else is read
    into it: `%2e` is three characters of a name.
    """
    below = keep(path.removeprefix(ROOT)).lstrip("/")
    found = posixpath.normpath(f"{ROOT}/{below}")
    is_below = found == ROOT or found.startswith(f"{ROOT}/")
    return found if path.startswith(ROOT) and is_below else None


class Files:
    """The files of the user whom a client is bound to.

    Paths are canonical. What a client's user may not see is no file here: there is no path to it.
    """

    def __init__(self, client: Operations) -> None:
        self._client = client

    async def at(self, path: str) -> tuple[File, ...]:
        """Return the file at a path, or else those below it, by path."""
        found = map(file_of, await self._found(_at_or_below(path)))
        # Of two at one path the later one is about to give way; see `_put`.
        files = {file.path: file for file in found if file is not None}
        if path in files:
            return (files[path],)
        return tuple(files[one] for one in sorted(files, key=lambda one: one.split("/")))

    async def read(self, path: str) -> File | None:
        """Return the file at a path, `None` where none is."""
        return next((file for file in await self.at(path) if file.path == path), None)

    async def create(self, path: str, text: str) -> Saved | None:
        """Make a file, or return `None` where its path is taken.

        Raises:
            InvalidValue: The path is not below `/memories`, or leads through a file.
            InvalidText: It gives orders to a model, or its path may not be kept.
            TooLarge: It is longer than a memory may be.
            Refused: The user, or the tenant's policy, wants none of it kept.
        """
        if path == ROOT or await self.at(path):
            return None
        put = await self._put(path, [draft_of(path, text, revision=1)])
        return None if put is None else put[0]

    async def replace(self, file: File, text: str) -> Saved:
        """Let a file hold another text, if it is still at the version that was read.

        Raises:
            Superseded: Somebody changed it, or moved it, meanwhile.
            NotFound: Somebody deleted it meanwhile.
            PinyonError: As `create`.
        """
        revision = file.revision + 1
        draft = draft_of(file.path, text, revision=revision, supersedes=[file.id])
        (written,) = await self._write([draft])
        if not written.created:
            raise Superseded(file.id, by=written.id)  # the same change, made by somebody else
        kept = file_of(await self._client.show(written.id))
        if kept is None or kept.path != file.path:
            await self._take_back([written])
            raise InvalidText("path", UNFIT)
        return Saved(kept, written.redacted)

    async def rename(self, old: str, new: str) -> bool:
        """Move a file, or all files below a path; return whether the new path was free.

        All of them move, or none; their history goes with them.

        Raises:
            NotFound: There is nothing at the old path.
            InvalidValue: The new path is not below `/memories`, is below the old one, or leads
                through a file.
            PinyonError: As `replace`.
        """
        if new == ROOT or await self.at(new):
            return False
        files = await self.at(old)
        if not files:
            raise NotFound(old)
        if new.startswith(f"{old}/"):
            raise InvalidValue("path", new, "a path that is not below the one that is moved")
        drafts = [
            draft_of(
                new + file.path.removeprefix(old),
                file.text,
                revision=file.revision + 1,
                supersedes=[file.id],
            )
            for file in files
        ]
        return await self._put(new, drafts) is not None

    async def delete(self, path: str) -> bool:
        """Forget a file, or all files below a path, with all versions; return whether any was.

        What somebody writes there at the same time goes too.
        """
        for attempt in range(DELETED_ANEW):
            files = await self.at(path)
            if not files:
                return attempt > 0
            try:
                ids = await self._versions(files)
                for start in range(0, len(ids), FORGOTTEN_AT_ONCE):
                    await self._client.forget(ids[start : start + FORGOTTEN_AT_ONCE])
            except NotFound:
                continue  # somebody else deletes it too
        return True

    async def _put(self, path: str, drafts: Sequence[Draft]) -> Sequence[Saved] | None:
        """Write files to a path at which nothing is, or return `None` where something came first.

        Nothing keeps two writers from putting a file at one path at the same time. But they come
        one after the other, and memories are listed in that order: the later one sees the earlier
        one, and takes its own back.
        """
        _check_path(path)
        above: Where = {_AT: _above(path)}
        if await self._found(above):
            raise InvalidValue("path", path, "a path that leads through no file")
        written = await self._write(drafts)
        there = await self._found({"or": [_at_or_below(path), above]})
        ours = {one.id: one for one in written if one.created}
        if len(ours) == len(written) and there[-1:] and there[-1].id in ours:
            files = [(file_of(one), ours[one.id]) for one in there if one.id in ours]
            saved = [Saved(file, one.redacted) for file, one in files if file is not None]
            if len(saved) == len(written):
                return saved
        await self._take_back(written)
        if any(one.redacted or one.quarantined for one in written):
            raise InvalidText("path", UNFIT)
        return None

    async def _write(self, drafts: Sequence[Draft]) -> Sequence[Written]:
        for draft in drafts:
            if len(draft.text) > TEXT_CHARS_MAX:
                raise TooLarge(
                    "file",
                    size=len(draft.text),
                    limit=TEXT_CHARS_MAX,
                    unit="characters",
                    hint="keep it in several files",
                )
            if gives_orders(draft.text):
                why = "gives orders to a model, which no memory may; write down what is so"
                raise InvalidText("file", why)
        return await self._client.write_many(drafts)

    async def _take_back(self, written: Sequence[Written]) -> None:
        """Let it be as if something had not been written: what it replaced holds again."""
        for one in written:
            if one.created and one.superseded:
                await self._client.undo(one.id)
            if one.created:
                await self._client.forget(one.id)

    async def _versions(self, files: Sequence[File]) -> list[str]:
        """Return the ids of all versions of files: their chains, and what was taken back."""
        versions: list[Memory] = []
        for file in files:
            versions += (await self._client.history(file.id)).chain
        paths = {_path_of(one) for one in versions}
        taken_back = await self._found({_AT: {"exists": True}}, {"status": "retracted"})
        versions += (one for one in taken_back if _path_of(one) in paths)
        return list(dict.fromkeys(one.id for one in versions if _path_of(one)))

    async def _found(self, where: Where, standing: Where = _HOLDS) -> Sequence[Memory]:
        """Return the memories that pass a filter, the latest first."""
        found: list[Memory] = []
        cursor: str | None = None
        while True:
            listing = await self._client.list(
                kinds=["semantic"],
                filters={"and": [where, standing]},
                cursor=cursor,
                limit=PAGE,
            )
            found += listing.memories
            cursor = listing.next_cursor
            if cursor is None:
                return found


def _at_or_below(path: str) -> Where:
    # What begins with "path/" comes before all that begins with the next character, "0".
    return {"or": [{_AT: path}, {_AT: {"gte": f"{path}/", "lt": f"{path}0"}}]}


def _path_of(memory: Memory) -> str:
    return str(dict(memory.metadata).get(PATH, ""))


def _above(path: str) -> list[str]:
    """Return the directories that a path leads through, below the first."""
    above = map(str, PurePosixPath(path).parents)
    return [one for one in above if one.startswith(f"{ROOT}/")]


def _check_path(path: str) -> None:
    if canonical(path) != path or path == ROOT:
        raise InvalidValue("path", path, f"a path below {ROOT}, without '.' and '..'")
    if len(path) > PATH_CHARS_MAX:
        raise TooLarge(
            "path", size=len(path), limit=PATH_CHARS_MAX, unit="characters", hint="shorten it"
        )
