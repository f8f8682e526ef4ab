"""The event log of a space: finding what happened, and reading it again from the beginning."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.event import Event, Turn
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.ports.search import TermStats


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """Which events are looked at; what is left out keeps none out.

    Attributes:
        session: Only this conversation's; "" are those of none.
        types: Only these event types.
        speaker: Only by this name; of calls and results that is the tool's.
        since_us: Only what happened then or later.
        until_us: Only what happened before.
    """

    session: str | None = None
    types: tuple[str, ...] = ()
    speaker: str = ""
    since_us: int | None = None
    until_us: int | None = None

    def holds(self, event: Event) -> bool:
        """Return whether an event is one of these."""
        return (
            self.session in (None, event.session)
            and (not self.types or event.event_type in self.types)
            and self.speaker in ("", event.speaker)
            and (self.since_us is None or event.occurred_at_us >= self.since_us)
            and (self.until_us is None or event.occurred_at_us < self.until_us)
        )


ALL_EVENTS = Within()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCandidate:
    """An event that was found.

    Attributes:
        score: Greater is better; comparable within one call only.
        matched: The asked words that stand in it.
    """

    event: Event
    score: float
    matched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TurnPage:
    """A part of what happened, and where the next one begins (`None` after the last)."""

    turns: tuple[Turn, ...]
    next_cursor: str | None


class EventLog(Protocol):
    """Finds events of one space and reads its turns again; several spaces are several calls.

    An event is found as soon as the change that put it returns, and by what it says now. One that
    gives orders to a model is not found (`pinyon.text.event_words`); it can be read.
    """

    async def find(
        self, space: Space, terms: Terms, within: Within = ALL_EVENTS, *, limit: int
    ) -> list[EventCandidate]:
        """Return events that hold a word or, where there are phrases, every one of them.

        Scored by BM25 (k1 1.2, b 0.75) in the log's own statistics; a phrase counts twice. What
        `within` keeps out is out before any cut. Ties go to the one that was kept later.
        """

    async def newest(self, space: Space, within: Within = ALL_EVENTS, *, limit: int) -> list[Event]:
        """Return the events that happened last and can be found, newest first."""

    async def word_stats(self, space: Space, words: Sequence[str]) -> TermStats:
        """Return in how many events that can be found each word occurs."""

    async def replay(
        self,
        space: Space,
        *,
        session: str | None = None,
        types: Sequence[str] = (),
        cursor: str | None = None,
        limit: int = 100,
    ) -> TurnPage:
        """Return what was said and done, oldest first, of one session or of all.

        Events, and the episodes that messages became, by when they happened; what is in quarantine
        is left out. Walking the cursors gives every turn that was there throughout exactly once.

        Raises:
            InvalidCursor: `cursor` was not given by a replay of this store.
        """

    async def latest(
        self,
        space: Space,
        session: str,
        *,
        before_us: int | None = None,
        also_ended: bool = False,
        limit: int,
    ) -> tuple[Turn, ...]:
        """Return the last turns of a session since it last ended, oldest first.

        As `replay` gives them; what was kept before a session ended is none of it, and the turns
        of no session are no conversation. `before_us`: only what happened before. `also_ended`:
        what was kept before the session ended, too.
        """

    async def of_task(self, space: Space, task: str, *, limit: int) -> tuple[Turn, ...]:
        """Return the last turns of a task, oldest first, whatever sessions they were in.

        As `replay` gives them; what is of no task is of none.
        """

    async def turn_named(
        self, space: Space, session: str, message_id: str
    ) -> MemoryId | EventId | None:
        """Return the first turn of a session with a message id, `None` where there is none."""

    async def last_summary(self, space: Space, session: str | None = None) -> Memory | None:
        """Return what tells a session, or the last one, in short; `None` where nothing does.

        A memory of the event type `summary`, whatever its shelf: the one that happened last. It is
        no turn, and none of the other methods gives it.
        """
