"""Anthropic's memory tool (`memory_20250818`), kept in a user's own space.

`AsyncMemoryTool` and `MemoryTool` go into the SDK's tool runner, and answer with the strings of its
own reference class, which models know. What that class has no words for, because a file system
knows no policy and no second writer, is told in a sentence.
"""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from pinyon.blocking import BlockingMemoryClient
from pinyon.errors import Conflict, NotFound, PinyonError
from pinyon.integrations.file_form import File
from pinyon.integrations.files import ROOT, Files, Saved, canonical
from pinyon.ports.client import Operations

try:
    from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ImportError as error:
    needed = "the memory tool needs Anthropic's SDK: pip install 'pinyon[anthropic]'"
    raise ImportError(needed) from error

T = TypeVar("T")

NUMBER_WIDTH = 6
"""How wide a line's number is set. The reference class shows no file of over 999,999 lines, which a
memory is too short for."""

LEVELS = 2

DIRECTORY_BYTES = 4096
"""What a directory is said to take: as most file systems say of one that holds little."""

SNIPPET_AROUND = 2
"""Lines that an edit shows before and after the one that it changed."""


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool on an async client, for the runner of `anthropic.AsyncAnthropic`."""

    def __init__(
        self,
        client: Operations,
        *,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._commands = _Commands(Files(client))

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file, or what is in a directory."""
        return await self._commands.view(command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return await self._commands.create(command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Put other words in the place of words that stand in a file once."""
        return await self._commands.str_replace(command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines into a file."""
        return await self._commands.insert(command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forget a file, or a directory with all that is in it."""
        return await self._commands.delete(command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a directory."""
        return await self._commands.rename(command)

    async def clear_all_memory(self) -> str:
        """Forget all files."""
        return await self._commands.clear()


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool on a blocking client, for the runner of `anthropic.Anthropic`."""

    def __init__(
        self,
        client: BlockingMemoryClient,
        *,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._commands = _Commands(Files(cast(Operations, _AtOnce(client))))

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file, or what is in a directory."""
        return _done(self._commands.view(command))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return _done(self._commands.create(command))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Put other words in the place of words that stand in a file once."""
        return _done(self._commands.str_replace(command))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines into a file."""
        return _done(self._commands.insert(command))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forget a file, or a directory with all that is in it."""
        return _done(self._commands.delete(command))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a directory."""
        return _done(self._commands.rename(command))

    def clear_all_memory(self) -> str:
        """Forget all files."""
        return _done(self._commands.clear())


class _AtOnce:
    """A blocking client in the form of one that is awaited: a call is over when it is made."""

    def __init__(self, client: BlockingMemoryClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        call = getattr(self._client, name)

        async def done(*given: object, **named: object) -> object:
            return call(*given, **named)

        return done


def _done(work: Coroutine[Any, Any, T]) -> T:
    """Return what comes of work that never waits."""
    try:
        work.send(None)
    except StopIteration as over:
        return cast(T, over.value)
    work.close()
    raise RuntimeError("a call that blocks has waited")


def _told(
    act: Callable[["_Commands", Any], Awaitable[str]],
) -> Callable[..., Coroutine[Any, Any, str]]:
    """Tell a model what memory refuses, as the result of its call."""

    @wraps(act)
    async def told(commands: "_Commands", command: object) -> str:
        path = getattr(command, "path", None) or getattr(command, "old_path", None)
        try:
            return await act(commands, command)
        except NotFound as error:
            raise ToolError(
                f"The file {path} no longer exists (may have been deleted or renamed concurrently)."
            ) from error
        except Conflict as error:
            raise ToolError(
                f"The file {path} has been changed by somebody else. View it, and edit it anew."
            ) from error
        except PinyonError as error:
            raise ToolError(str(error)) from error

    return told


class _Commands:
    """The six commands: what the reference class does on a disk, with its strings."""

    def __init__(self, files: Files) -> None:
        self._files = files

    @_told
    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        shown, path = _path(command, "path")
        files = await self._files.at(path)
        if files and files[0].path == path:
            return _view_of(files[0], shown, command.view_range)
        if files or path == ROOT:
            return _listing_of(files, path, shown)
        raise ToolError(f"The path {shown} does not exist. Please provide a valid path.")

    @_told
    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        shown, path = _path(command, "path")
        saved = await self._files.create(path, _given(command, "file_text", str))
        if saved is None:
            raise ToolError(f"File {shown} already exists")
        return f"File created successfully at: {shown}{_taken_out(saved)}"

    @_told
    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        shown, path = _path(command, "path")
        old, new = _given(command, "old_str", str), _given(command, "new_str", str)
        file = await self._file(path, shown)
        times = file.text.count(old)
        if times == 0:
            raise ToolError(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
            )
        lines = _lines_with(old, file.text)
        if times > 1:
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{', '.join(map(str, lines))}. Please ensure it is unique"
            )
        saved = await self._files.replace(file, file.text.replace(old, new))
        kept = saved.file.text.split("\n")
        start = max(0, lines[0] - 1 - SNIPPET_AROUND)
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line "
            f"numbers):\n{_numbered(kept[start : lines[0] + SNIPPET_AROUND], start + 1)}"
            f"{_taken_out(saved)}"
        )

    @_told
    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        shown, path = _path(command, "path")
        at, inserted = _given(command, "insert_line", int), _given(command, "insert_text", str)
        file = await self._file(path, shown)
        lines = file.text.split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= at <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {at}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(at, inserted.rstrip("\n"))
        text = "\n".join(lines)
        saved = await self._files.replace(file, text if text.endswith("\n") else text + "\n")
        return f"The file {shown} has been edited.{_taken_out(saved)}"

    @_told
    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        shown, path = _path(command, "path")
        if path == ROOT:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        if not await self._files.delete(path):
            raise ToolError(f"The path {shown} does not exist")
        return f"Successfully deleted {shown}"

    @_told
    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        (old, old_path), (new, new_path) = _path(command, "old_path"), _path(command, "new_path")
        if old_path == ROOT:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        if new_path == ROOT or await self._files.at(new_path):
            raise ToolError(f"The destination {new} already exists")
        if not await self._files.at(old_path):
            raise ToolError(f"The path {old} does not exist")
        if not await self._files.rename(old_path, new_path):
            raise ToolError(f"The destination {new} already exists")
        return f"Successfully renamed {old} to {new}"

    async def clear(self) -> str:
        await self._files.delete(ROOT)
        return "All memory cleared"

    async def _file(self, path: str, shown: str) -> File:
        files = await self._files.at(path)
        if files and files[0].path == path:
            return files[0]
        if files or path == ROOT:
            raise ToolError(f"The path {shown} is not a file.")
        raise ToolError(f"The path {shown} does not exist. Please provide a valid path.")


def _given(command: object, name: str, wanted: type[T]) -> T:
    """Return a parameter as a model gave it; nobody has checked that it is there."""
    value = getattr(command, name, None)
    if not isinstance(value, wanted) or isinstance(value, bool):
        form = "text" if wanted is str else "a whole number"
        raise ToolError(f"Missing or invalid `{name}` parameter: it should be {form}.")
    return value


def _path(command: object, name: str) -> tuple[str, str]:
    """Return a path as the model wrote it, for answers, and in its canonical form."""
    shown = _given(command, name, str)
    if not shown.startswith(ROOT):
        raise ToolError(f"Path must start with {ROOT}, got: {shown}")
    path = canonical(shown)
    if path is None:
        raise ToolError(f"Path {shown} would escape {ROOT} directory")
    return shown, path


def _view_of(file: File, shown: str, view_range: object) -> str:
    lines = file.text.split("\n")
    start, end = 1, len(lines)
    if isinstance(view_range, Sequence) and len(view_range) == 2:
        if not all(isinstance(one, int) for one in view_range):
            raise ToolError("Invalid `view_range` parameter: it should be two whole numbers.")
        start, end = max(1, view_range[0]), len(lines) if view_range[1] == -1 else view_range[1]
    numbered = _numbered(lines[start - 1 : end], start)
    return f"Here's the content of {shown} with line numbers:\n{numbered}"


def _listing_of(files: Sequence[File], path: str, shown: str) -> str:
    """Return what is in a directory, two levels deep, without what is hidden."""
    entries: dict[tuple[str, ...], str] = {}
    for file in files:
        names = tuple(file.path.removeprefix(path).split("/")[1:])
        for level in range(1, min(len(names), LEVELS) + 1):
            if names[level - 1].startswith("."):
                break
            is_file = level == len(names)
            size = _size_of(file.size_bytes if is_file else DIRECTORY_BYTES)
            name = "/".join(names[:level]) + ("" if is_file else "/")
            entries[names[:level]] = f"{size}\t{shown}/{name}"
    header = (
        f"Here're the files and directories up to {LEVELS} levels deep in {shown}, excluding "
        "hidden items:"
    )
    listed = [entry for _, entry in sorted(entries.items())]
    return "\n".join([header, f"{_size_of(DIRECTORY_BYTES)}\t{shown}", *listed])


def _lines_with(old: str, text: str) -> list[int]:
    """Return the lines in which a text begins, from 1, once for each time."""
    lines: list[int] = []
    at = text.find(old)
    while at != -1:
        lines.append(text.count("\n", 0, at) + 1)
        at = text.find(old, at + 1)
    return lines


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(
        f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first)
    )


def _size_of(size_bytes: int) -> str:
    """Return a size as `ls -h` nearly writes it: 0B, 12B, 1.5K, 4K."""
    if size_bytes == 0:
        return "0B"
    unit = min((size_bytes.bit_length() - 1) // 10, 3)
    size = size_bytes / 1024**unit
    return f"{size:.0f}{'BKMG'[unit]}" if size == int(size) else f"{size:.1f}{'BKMG'[unit]}"


def _taken_out(saved: Saved) -> str:
    """Return what the gate did not let into a file, to be told behind the answer."""
    if not saved.redacted:
        return ""
    marks = ", ".join(f"[redacted:{category}]" for category in saved.redacted)
    return f"\nWhat must not be remembered was left out; in its place stands {marks}."
