"""How a file is written down as a memory: a first line that names it, then what it holds.

A memory is one version of one file. Its first line tells a reader of a recall where the words come
from; it also sets apart two files that say the same, and two versions that differ by white space
alone, for else one would be taken for a repetition of the other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from pinyon.domain.draft import Draft
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.text.normal import keep

PATH = "memory_file"
"""The key of the metadata under which a memory that is a file has its path."""

REVISION = "memory_file_revision"
ESCAPED = "memory_file_escaped"

_PLAIN = re.compile(r"[a-z0-9_./-]+")
_WIDE = re.compile(r"[^\x01-\x7f]+")
_ESCAPE = re.compile(r"\\(?:\\|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One version of a file.

    Attributes:
        path: Where it is, from `/memories` on.
        text: What it holds, to the letter.
        id: The memory that is this version.
        revision: Which version it is, from 1; moving a file makes one too.
    """

    path: str
    text: str
    id: MemoryId
    revision: int

    @property
    def size_bytes(self) -> int:
        """How many bytes it takes as UTF-8."""
        return len(self.text.encode())


def draft_of(path: str, text: str, *, revision: int, supersedes: Sequence[str] = ()) -> Draft:
    """Return the draft of a version of a file.

    What it holds comes back to the letter; but for half a surrogate pair, which no file can hold
    and which becomes U+FFFD.
    """
    whole = _LONE.sub("\ufffd", text)
    escaped = keep(whole) != whole
    return Draft(
        text=_first_line(path, revision) + (_escape(whole) if escaped else whole),
        metadata={PATH: path, REVISION: revision, **({ESCAPED: True} if escaped else {})},
        trust="agent",
        supersedes=supersedes,
    )


def file_of(memory: Memory) -> File | None:
    """Return the file that a memory is a version of, `None` where it is none."""
    marks = dict(memory.metadata)
    path, revision = marks.get(PATH), marks.get(REVISION)
    if not isinstance(path, str) or not isinstance(revision, int):
        return None
    first = _first_line(path, revision)
    if not memory.text.startswith(first):
        return None
    text = memory.text[len(first) :]
    text = _unescape(text) if marks.get(ESCAPED) is True else text
    return File(path=path, text=text, id=memory.id, revision=revision)


def _first_line(path: str, revision: int) -> str:
    """Return the line that names a version; no two have lines that count as equal."""
    if _PLAIN.fullmatch(path):
        return f"{path}, revision {revision}\n"
    # Case and white space make another file, but no other text.
    told_apart = blake2b(path.encode(), digest_size=4).hexdigest()
    return f"{path} ({told_apart}), revision {revision}\n"


def _escape(text: str) -> str:
    """Return a text that is kept as it is, from which `_unescape` makes the given one.

    What normalising would change is written as Python escapes it; the rest stays readable, and can
    be found.
    """
    return _WIDE.sub(_steady, text.replace("\\", "\\\\"))


def _steady(run: re.Match[str]) -> str:
    """Return characters beyond ASCII as they are, where they stay that way behind what precedes."""
    wide = run[0]
    # The last character before them may take their first into itself.
    before = run.string[run.start() - 1 : run.start()] if run.start() else ""
    if keep(before + wide) == before + wide:
        return wide
    return wide.encode("unicode_escape").decode()


def _unescape(text: str) -> str:
    def meant(escape: re.Match[str]) -> str:
        digits = escape[1] or escape[2] or escape[3]
        return chr(int(digits, 16)) if digits else "\\"

    return _ESCAPE.sub(meant, text)
