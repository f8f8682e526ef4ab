"""Sessions, and feedback: read by their ports, changed inside a batch."""

from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import assert_never

import apsw

from pinyon.domain.change import (
    DropFeedback,
    DropSession,
    EndSession,
    FeedbackChange,
    InSession,
    PutFeedback,
    PutSession,
    SessionChange,
)
from pinyon.domain.feedback import FEEDBACK_KEPT, Feedback
from pinyon.domain.session import Session
from pinyon.domain.space import Space
from pinyon.errors import NotFound, SessionChanged
from pinyon.ports.feedback import FeedbackPage
from pinyon.stores.cursors import cursor_of, place_of
from pinyon.stores.sqlite import lineage
from pinyon.stores.sqlite.connection import Value, find_row, get_rows
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import id_bytes, memory_id_of
from pinyon.stores.sqlite.space_file import read_meta
from pinyon.stores.sqlite.threads import Threads
from pinyon.text.quoting import quotes


class SqliteSessions:
    """See `pinyon.ports.sessions.Sessions`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def list_sessions(self, space: Space) -> Sequence[Session]:
        """See the port."""

        def act(connection: apsw.Connection) -> Sequence[Session]:
            return [
                Session(
                    name=name,
                    mode=mode,
                    started_at_us=started_at_us,
                    last_turn_at_us=last_turn_at_us,
                    ended_at_us=ended_at_us,
                )
                for name, mode, started_at_us, last_turn_at_us, ended_at_us in connection.execute(
                    query("list_sessions")
                )
            ]

        return await self._threads.glance(space, act, ())

    async def sessions_over(self, space: Space, names: Collection[str]) -> frozenset[str]:
        """See the port."""

        def act(connection: apsw.Connection) -> frozenset[str]:
            key = read_meta(connection).hash_key
            hashes = {name: _keyed(name, key) for name in names}
            sql = query("find_session_over")
            return frozenset(
                name
                for name, hashed in hashes.items()
                if find_row(connection, sql, hash=hashed) is not None
            )

        return await self._threads.read(space, act, frozenset()) if names else frozenset()


class SqliteFeedback:
    """See `pinyon.ports.feedback.FeedbackLog`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def list_feedback(
        self, space: Space, *, cursor: str | None = None, limit: int = 100
    ) -> FeedbackPage:
        """See the port."""
        after = 0 if cursor is None else place_of(cursor)

        def act(connection: apsw.Connection) -> FeedbackPage:
            rows = get_rows(connection, query("list_feedback"), after=after, limit=limit + 1)
            page = rows[:limit]
            more = len(rows) > limit and page
            return FeedbackPage(
                [
                    Feedback(
                        memory=memory_id_of(raw),
                        outcome=outcome,
                        query=asked,
                        session=session,
                        at_us=at_us,
                    )
                    for raw, outcome, asked, session, at_us, _ in page
                ],
                cursor_of(page[-1][-1]) if more else None,
            )

        return await self._threads.read(space, act, FeedbackPage((), None))


def change_session(
    connection: apsw.Connection, change: SessionChange, *, hash_key: bytes, now_us: int
) -> bool:
    """Apply a change, inside the caller's transaction; return whether readers must know of it."""
    match change:
        case PutSession(session):
            values: dict[str, Value] = {
                "name": session.name,
                "mode": session.mode,
                "started_at_us": session.started_at_us,
                "last_turn_at_us": session.last_turn_at_us,
                "ended_at_us": session.ended_at_us,
            }
            connection.execute(query("put_session"), values)
            connection.execute(query("drop_session_over"), {"hash": _keyed(session.name, hash_key)})
            return True
        case InSession():
            values = {"name": change.name, "mode": change.mode, "at_us": change.at_us}
            if find_row(connection, query("in_session"), **values) is None:
                raise SessionChanged
            return False
        case DropSession(name):
            held = find_row(connection, query("mode_of_session"), name=name)
            if held is None:
                return False
            lineage.erase_session(connection, name)
            if held[0] == "temporary":
                over = {"hash": _keyed(name, hash_key), "at_us": now_us}
                connection.execute(query("put_session_over"), over)
            return True
        case EndSession():
            ended = {"hash": _keyed(change.name, hash_key), "at_us": change.at_us}
            connection.execute(query("put_session_ended"), ended)
            return False
        case _:
            assert_never(change)


def session_ended_at_us(connection: apsw.Connection, name: str) -> int:
    """Return when a session last ended; before all times where it did not."""
    hashed = _keyed(name, read_meta(connection).hash_key)
    found = find_row(connection, query("find_session_ended"), hash=hashed)
    return -(1 << 62) if found is None else int(found[0])


def change_feedback(connection: apsw.Connection, change: FeedbackChange) -> None:
    """Apply a change, inside the caller's transaction."""
    match change:
        case PutFeedback(feedback):
            held = find_row(connection, query("seq_of"), id=id_bytes(feedback.memory))
            if held is None:
                raise NotFound(feedback.memory)
            values: dict[str, Value] = {
                "seq": held[0],
                "at_us": feedback.at_us,
                "outcome": feedback.outcome,
                "query": feedback.query,
                "session": feedback.session,
            }
            connection.execute(query("put_feedback"), values)
            connection.execute(query("drop_old_feedback"), {"kept": FEEDBACK_KEPT})
        case DropFeedback():
            if change.session:
                connection.execute(query("drop_feedback_of_session"), {"session": change.session})
            for n, asked in get_rows(connection, query("asked_in_feedback")):
                if any(quotes(asked, text) for text in change.said):
                    connection.execute(query("drop_feedback"), {"n": n})
        case _:
            assert_never(change)


def _keyed(name: str, hash_key: bytes) -> bytes:
    """Return what stands for a session that is over; useless once the space's key is gone."""
    return blake2b(name.encode(), key=hash_key, digest_size=16, person=b"session").digest()
