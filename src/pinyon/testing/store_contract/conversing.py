"""What a store promises of sessions, of feedback, and of what users let memory keep."""

from itertools import pairwise

import pytest

from pinyon.domain.change import (
    Change,
    DropFeedback,
    DropSession,
    Erase,
    Expose,
    InSession,
    Mask,
    PutFeedback,
    PutSession,
)
from pinyon.domain.consent import Consent
from pinyon.domain.feedback import FEEDBACK_KEPT, Feedback
from pinyon.domain.session import Session, SessionMode
from pinyon.errors import InvalidCursor, NotFound, SessionChanged
from pinyon.ports.feedback import every_feedback
from pinyon.ports.store import Store
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import ANN, memory_of, put, rows_of
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import BOB


def session_of(name: str, mode: SessionMode = "temporary", at_us: int = 5) -> Session:
    """Return a session that has just been started."""
    return Session(name=name, mode=mode, started_at_us=at_us, last_turn_at_us=at_us)


def feedback_of(number: int, query: str = "where?", session: str = "", at_us: int = 5) -> Feedback:
    """Return feedback on a memory."""
    memory = memory_of(number).id
    return Feedback(memory=memory, outcome="used", query=query, session=session, at_us=at_us)


class ConversingPromises(Promises):
    """Sessions that are not simply normal; feedback; consent."""

    # ── sessions ─────────────────────────────────────────────────────────────────────────────

    async def test_a_session_is_kept_under_its_name(self, store: Store) -> None:
        later, first = session_of("a", at_us=9), session_of("b", "off")
        await self.apply(store, PutSession(later), PutSession(session_of("b")))

        await self.apply(store, PutSession(first))

        assert list(await store.sessions.list_sessions(ANN)) == [first, later]
        assert list(await store.sessions.list_sessions(BOB)) == []

    async def test_a_session_that_begins_or_ends_moves_the_number(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        numbers = [await store.changes.seq(ANN)]
        for change in (
            PutSession(session_of("a")),
            InSession(name="a", mode="temporary", at_us=7),
            DropSession("a"),
            DropSession("a"),
        ):
            await self.apply(store, change)
            numbers.append(await store.changes.seq(ANN))

        begun, went_on, ended, again = (b - a for a, b in pairwise(numbers))
        assert (begun, went_on, ended, again) == (1, 0, 1, 0)

    async def test_a_turn_is_noted_in_a_session_that_goes_on(self, store: Store) -> None:
        await self.apply(store, PutSession(session_of("a")))

        await self.apply(store, InSession(name="a", mode="temporary", at_us=9))
        await self.apply(store, InSession(name="a", mode="temporary", at_us=7))

        (held,) = await store.sessions.list_sessions(ANN)
        assert (held.started_at_us, held.last_turn_at_us) == (5, 9)

    @pytest.mark.parametrize("now", ["gone", "of another mode", "closed"])
    async def test_what_is_said_in_a_session_that_changed_is_not_kept(
        self, store: Store, now: str
    ) -> None:
        closed = Session(
            name="a", mode="temporary", started_at_us=5, last_turn_at_us=5, ended_at_us=6
        )
        held = {
            "gone": session_of("b"),
            "of another mode": session_of("a", "off"),
            "closed": closed,
        }
        await self.apply(store, PutSession(held[now]))
        turn = InSession(name="a", mode="temporary", at_us=9)

        with pytest.raises(SessionChanged):
            await self.apply(store, put(memory_of(1)), turn)

        assert (await store.records.scan(ANN)).memories == ()

    async def test_of_a_temporary_session_that_is_over_only_that_is_known(
        self, store: Store
    ) -> None:
        await self.apply(store, PutSession(session_of("a")), PutSession(session_of("b", "off")))

        await self.apply(store, DropSession("a"), DropSession("b"))

        assert list(await store.sessions.list_sessions(ANN)) == []
        assert await store.sessions.sessions_over(ANN, ["a", "b", "c"]) == {"a"}
        assert await store.sessions.sessions_over(BOB, ["a"]) == frozenset()
        await self.apply(store, PutSession(session_of("a")))
        assert await store.sessions.sessions_over(ANN, ["a"]) == frozenset()

    async def test_where_something_was_given_loses_the_name_of_a_session_that_ends(
        self, store: Store, clock: FrozenClock
    ) -> None:
        memory, at_us = memory_of(1), clock.now_us()
        given = [Expose(id=memory.id, at_us=at_us, session=name) for name in ("a", "b")]
        await self.apply(store, put(memory), *given, PutSession(session_of("a")))

        await self.apply(store, DropSession("a"))

        assert [one.session for one in await store.exposures.given(ANN, memory.id)] == ["", "b"]

    # ── feedback ─────────────────────────────────────────────────────────────────────────────

    async def test_feedback_is_kept_with_its_memory(self, store: Store) -> None:
        first, other, last = feedback_of(1), feedback_of(2, "what?"), feedback_of(1, "when?", "s1")
        await self.apply(store, put(memory_of(1)), put(memory_of(2, "two")))
        seq = await store.changes.seq(ANN)

        await self.apply(store, *map(PutFeedback, (first, other, last)))

        assert [one async for one in every_feedback(store.feedback, ANN)] == [first, other, last]
        assert await store.changes.seq(ANN) == seq
        assert (await store.feedback.list_feedback(BOB)).feedback in ([], ())
        await self.apply(store, Erase(memory_of(1).id))
        assert (await store.feedback.list_feedback(ANN)).feedback == [other]

    async def test_feedback_is_read_in_parts(self, store: Store) -> None:
        given = [feedback_of(1, f"question {number}") for number in range(5)]
        await self.apply(store, put(memory_of(1)), *map(PutFeedback, given))

        first = await store.feedback.list_feedback(ANN, limit=3)
        rest = await store.feedback.list_feedback(ANN, cursor=first.next_cursor, limit=3)

        assert [*first.feedback, *rest.feedback] == given
        assert rest.next_cursor is None
        with pytest.raises(InvalidCursor):
            await store.feedback.list_feedback(ANN, cursor="first")

    async def test_feedback_on_what_is_not_there_changes_nothing(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))

        with pytest.raises(NotFound):
            await self.apply(store, PutFeedback(feedback_of(1)), PutFeedback(feedback_of(9)))

        assert (await store.feedback.list_feedback(ANN)).feedback == []

    async def test_of_too_much_feedback_the_oldest_goes(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        given = [feedback_of(1, "", at_us=number) for number in range(FEEDBACK_KEPT + 3)]
        for start in range(0, len(given), 2_000):
            await self.apply(store, *map(PutFeedback, given[start : start + 2_000]))

        held = [one async for one in every_feedback(store.feedback, ANN)]
        assert held == given[3:]

    async def test_feedback_goes_whose_query_tells_of_what_is_forgotten(self, store: Store) -> None:
        await self.apply(
            store,
            put(memory_of(1)),
            PutFeedback(feedback_of(1, "is the code of the safe 4711?")),
            PutFeedback(feedback_of(1, "which lamp is in the hall?")),
            PutFeedback(feedback_of(1, "which lamp?", "s1")),
        )

        await self.apply(store, DropFeedback(said=("The safe opens with 4711",), session="s1"))

        held = (await store.feedback.list_feedback(ANN)).feedback
        assert [one.query for one in held] == ["which lamp is in the hall?"]

    async def test_feedback_on_what_is_covered_in_part_goes(self, store: Store) -> None:
        memory = memory_of(1)
        await self.apply(store, put(memory), PutFeedback(feedback_of(1)))

        await self.apply(store, Mask(memory_of(1, "█████"), rows_of(memory)))

        assert (await store.feedback.list_feedback(ANN)).feedback == []

    async def test_an_erased_space_has_neither_session_nor_feedback(self, store: Store) -> None:
        over: list[Change] = [PutSession(session_of("b")), DropSession("b")]
        await self.apply(
            store,
            put(memory_of(1)),
            PutFeedback(feedback_of(1)),
            PutSession(session_of("a")),
            *over,
        )

        await store.erase(ANN)
        await self.apply(store, put(memory_of(1)))

        assert list(await store.sessions.list_sessions(ANN)) == []
        assert await store.sessions.sessions_over(ANN, ["b"]) == frozenset()
        assert (await store.feedback.list_feedback(ANN)).feedback == []

    # ── consent ──────────────────────────────────────────────────────────────────────────────

    async def test_consent_is_a_users_own_and_outlives_the_space(self, store: Store) -> None:
        consent = Consent(paused=True, never=("diabetes", "失业"))
        assert await store.registry.consent(ANN) == Consent()
        await self.apply(store, put(memory_of(1)))

        await store.registry.put_consent(ANN, never=("tea",))
        assert await store.registry.put_consent(ANN, paused=True) == Consent(
            paused=True, never=("tea",)
        )
        assert await store.registry.put_consent(ANN, never=consent.never) == consent
        await store.erase(ANN)

        assert await store.registry.consent(ANN) == consent
        assert await store.registry.consent(BOB) == Consent()
