"""When the words of a space are kept in memory, and how they stay as new as its file."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import apsw

from pinyon.domain.space import Space
from pinyon.stores.sqlite.connection import get_rows
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.space_file import SpaceFile, read_meta
from pinyon.stores.sqlite.threads import Threads
from pinyon.stores.sqlite.words import WordIndex

T = TypeVar("T")

WORDS_AFTER = 16
"""Questions to the index of a space before its words are brought into memory: that takes as long as
some forty of them, and most programs ask a few times and end. A recall asks twice."""

_PAUSE_S = 0.001
"""Whoever brings words lets others have the interpreter so long after each millisecond of work: one
who asks wants it a dozen times, and would wait for it each time."""

AT_ONCE_ROWS_MAX = 50_000
"""Rows that are summed over in the event loop; it takes two milliseconds."""


@dataclass(frozen=True, slots=True)
class _Answered(Generic[T]):
    answer: T


class WordsAtHand:
    """Answers questions from the words of spaces, as far as they are in memory."""

    def __init__(self, threads: Threads, *, after: int) -> None:
        """Begin without any.

        Args:
            threads: Where what takes long happens.
            after: How often a space is asked before; 0 for at once, while the first one waits.
        """
        self._threads, self._after = threads, after

    async def ask(self, space: Space, answer: Callable[[WordIndex], T | None]) -> T | None:
        """Return an answer; `None` where the words are not at hand, or cannot tell."""
        file = self._threads.home.opened(space)
        if file is None and self._after:
            return None
        if file is not None and file.words is None and self._after:
            file.asked += 1
            # Once: if they cannot be brought, the file tells what is wrong to whoever asks it.
            if file.asked == self._after:
                self._threads.later(space, _bring)
            return None
        found = self._threads.home.glance(space, partial(_at_once, answer=answer))
        if found is not None:
            return found.answer

        def act(file: SpaceFile) -> T | None:
            with file.words_lock, file.reading() as connection:
                return answer(_refreshed(connection, file))

        return await self._threads.over(space, act, None, leaves=True)


def _at_once(
    file: SpaceFile, connection: apsw.Connection, answer: Callable[[WordIndex], T | None]
) -> "_Answered[T | None] | None":
    """Return an answer where that takes no time: the words are few, and as new as the file."""
    if not file.words_lock.acquire(blocking=False):
        return None
    try:
        words = file.words
        if words is None or words.size > AT_ONCE_ROWS_MAX:
            return None
        is_fresh = words.seq == read_meta(connection).seq
        return _Answered(answer(words)) if is_fresh else None
    finally:
        file.words_lock.release()


def _bring(file: SpaceFile) -> None:
    with file.words_lock, file.reading() as connection:
        _refreshed(connection, file, pause=lambda: time.sleep(_PAUSE_S))


def _refreshed(
    connection: apsw.Connection, file: SpaceFile, pause: Callable[[], None] = lambda: None
) -> WordIndex:
    """Return the words of a space, as new as the reader's state of it."""
    meta = read_meta(connection)
    words = file.words
    if words is None or words.seq < meta.emptied_seq or words.is_worn:
        words = WordIndex()
    if words.seq != meta.seq:
        since: dict[str, Any] = {"seq": words.seq}
        changed = get_rows(connection, query("columns_changed"), **since)
        columns = {row[0]: row[1:] for row in changed}
        if words.seq >= 0:
            if get_rows(connection, query("gone_since"), **since):
                held = {seq for (seq,) in get_rows(connection, query("all_seqs"))}
                words.drop(words.known_seqs() - held)
            words.drop(columns)
        words.put(get_rows(connection, query("words_changed"), **since), columns, pause=pause)
        words.seq = meta.seq
    # Only now: who finds none here does not wait, and asks the index on the disk.
    file.words = words
    return words
