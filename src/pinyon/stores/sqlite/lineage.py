"""How each table of a space is erased: one line a table, and a test that refuses a table without.

Erasing, emptying a space, counting and verifying walk this list; nothing else deletes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import apsw

from pinyon.stores.sqlite.connection import Value

How = Literal["by memory", "by event", "by reference", "by session", "kept", "index"]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, and what becomes of it.

    Attributes:
        how: `by memory`, `by event`: its rows go with the memory or event; `by reference`: rows
            elsewhere that name it go or are changed; `by session`: a row goes when its session
            ends (`DropSession`); `kept`: it holds no word of any memory; `index`: kept equal to
            another table by the statement that changes that one.
        erase: Deletes the rows of one memory or event; `:id`, `:turn`, `:seq`, `:first` and
            `:last` are bound.
        empty: Deletes all rows, when a whole space is emptied; "" where it must stay.
    """

    name: str
    how: How
    erase: tuple[str, ...]
    empty: tuple[str, ...]


_UNINDEX = (
    "INSERT INTO keyword (keyword, rowid, head, body, context) "
    "SELECT 'delete', passage, head, body, context FROM passage "
    "WHERE passage BETWEEN :first AND :last"
)

_UNINDEX_EVENT = (
    "INSERT INTO keyword_event (keyword_event, rowid, body) "
    "SELECT 'delete', w.event, w.body FROM event_words AS w "
    "WHERE w.event = (SELECT seq FROM event WHERE id = :id)"
)

_FOLLOWING = (  # nothing but our own words is put together below
    "FROM passage AS p JOIN memory AS m ON p.passage BETWEEN m.seq << 6 AND (m.seq << 6) + 63 "
    "WHERE m.previous = :turn AND p.context <> ''"
)
# The turns that follow one keep its words beside their own; those go with it.
_FORGET_CONTEXT = (
    "INSERT INTO keyword (keyword, rowid, head, body, context) "
    "SELECT 'delete', p.passage, p.head, p.body, p.context " + _FOLLOWING,
    "INSERT INTO keyword (rowid, head, body, context) "
    "SELECT p.passage, p.head, p.body, '' " + _FOLLOWING,
    "UPDATE memory SET changed_seq = (SELECT seq FROM meta) WHERE seq IN "  # noqa: S608 - our own words
    "(SELECT p.passage >> 6 " + _FOLLOWING + ")",
    "UPDATE passage SET context = '' WHERE passage IN (SELECT p.passage " + _FOLLOWING + ")",  # noqa: S608 - our own words
)

# Of the event itself, and of the one before a memory that is the last to follow it.
_FORGET_TURN = (
    "DELETE FROM turn_token WHERE (substr(:turn, 1, 1) = x'65' AND event = substr(:turn, 2)) "
    "OR event = (SELECT substr(m.previous, 2) FROM memory AS m "
    "WHERE substr(:turn, 1, 1) = x'6d' AND m.id = substr(:turn, 2) "
    "AND NOT EXISTS (SELECT 1 FROM memory AS o WHERE o.previous = m.previous AND o.id <> m.id))"
)

# In the order of erasing: what is derived before what it is derived from.
TABLES: tuple[Table, ...] = (
    Table(
        "keyword",
        "by memory",
        (_UNINDEX,),
        ("INSERT INTO keyword (keyword) VALUES ('delete-all')",),
    ),
    Table(
        "passage",
        "by memory",
        ("DELETE FROM passage WHERE passage BETWEEN :first AND :last",),
        ("DELETE FROM passage",),
    ),
    Table(
        "dense",
        "by memory",
        ("DELETE FROM dense WHERE passage BETWEEN :first AND :last",),
        ("DELETE FROM dense",),
    ),
    Table(
        "token",
        "by memory",
        ("DELETE FROM token WHERE passage BETWEEN :first AND :last",),
        ("DELETE FROM token",),
    ),
    Table(
        "turn_token",
        "by reference",
        (_FORGET_TURN,),
        ("DELETE FROM turn_token",),
    ),
    Table(
        "exposure",
        "by memory",
        ("DELETE FROM exposure WHERE seq = :seq",),
        ("DELETE FROM exposure",),
    ),
    Table(
        "feedback",
        "by memory",
        ("DELETE FROM feedback WHERE seq = :seq",),
        ("DELETE FROM feedback",),
    ),
    Table(
        "version", "by memory", ("DELETE FROM version WHERE seq = :seq",), ("DELETE FROM version",)
    ),
    Table("link", "by memory", ("DELETE FROM link WHERE seq = :seq",), ("DELETE FROM link",)),
    Table(
        "once",
        "by reference",
        (
            "DELETE FROM once WHERE EXISTS (SELECT 1 FROM json_tree(once.answer) "
            "WHERE atom = :shown)",
        ),
        ("DELETE FROM once",),
    ),
    Table("memory", "by memory", ("DELETE FROM memory WHERE seq = :seq",), ("DELETE FROM memory",)),
    Table(
        "job",
        "by reference",
        (
            "DELETE FROM job WHERE EXISTS (SELECT 1 FROM "
            "json_each(iif(payload = '', '{}', payload)) WHERE value = :shown)",
        ),
        ("DELETE FROM job",),
    ),
    Table(
        "keyword_event",
        "by event",
        (_UNINDEX_EVENT,),
        ("INSERT INTO keyword_event (keyword_event) VALUES ('delete-all')",),
    ),
    Table(
        "event_words",
        "by event",
        ("DELETE FROM event_words WHERE event = (SELECT seq FROM event WHERE id = :id)",),
        ("DELETE FROM event_words",),
    ),
    Table("event", "by event", ("DELETE FROM event WHERE id = :id",), ("DELETE FROM event",)),
    Table(
        "session",
        "by session",
        (
            "DELETE FROM session WHERE name = :name",
            # What was given in it was given all the same; its name is nobody's any more.
            "UPDATE exposure SET session = '' WHERE session = :name",
        ),
        ("DELETE FROM session",),
    ),
    Table("session_over", "kept", (), ("DELETE FROM session_over",)),
    Table("session_ended", "kept", (), ("DELETE FROM session_ended",)),
    Table("receipt", "kept", (), ("DELETE FROM receipt",)),
    Table("forgotten", "kept", (), ("DELETE FROM forgotten",)),
    Table("gone", "kept", (), ("DELETE FROM gone",)),
    Table("journal", "kept", (), ("DELETE FROM journal",)),
    Table("actor", "kept", (), ("DELETE FROM actor",)),
    Table("model", "kept", (), ("DELETE FROM model",)),
    Table("spent", "kept", (), ("DELETE FROM spent",)),
    Table("meta", "kept", (), ()),
    Table("keyword_terms", "index", (), ()),
    Table("keyword_data", "index", (), ()),
    Table("keyword_idx", "index", (), ()),
    Table("keyword_docsize", "index", (), ()),
    Table("keyword_config", "index", (), ()),
    Table("keyword_event_terms", "index", (), ()),
    Table("keyword_event_data", "index", (), ()),
    Table("keyword_event_idx", "index", (), ()),
    Table("keyword_event_docsize", "index", (), ()),
    Table("keyword_event_config", "index", (), ()),
    Table("sqlite_sequence", "kept", (), ()),
)


def erase_memory(connection: apsw.Connection, seq: int, raw_id: bytes, shown: str) -> None:
    """Delete every row of a memory, inside the caller's transaction."""
    values: dict[str, Value] = {
        "id": raw_id,
        "turn": b"m" + raw_id,
        "seq": seq,
        "shown": shown,
        "first": seq << 6,
        "last": (seq << 6) + 63,
    }
    _run(connection, ("by memory", "by reference"), values)


def erase_event(connection: apsw.Connection, raw_id: bytes, shown: str) -> None:
    """Delete every row of an event, inside the caller's transaction."""
    values: dict[str, Value] = {"id": raw_id, "turn": b"e" + raw_id, "shown": shown}
    _run(connection, ("by event", "by reference"), values)


def erase_session(connection: apsw.Connection, name: str) -> None:
    """Delete the record of a session, and its name elsewhere, inside the caller's transaction."""
    for table in TABLES:
        if table.how == "by session":
            for statement in table.erase:
                connection.execute(statement, {"name": name})


def empty(connection: apsw.Connection) -> None:
    """Delete every row of a space but what says that it was one."""
    for table in TABLES:
        for statement in table.empty:
            connection.execute(statement)


def _run(connection: apsw.Connection, hows: tuple[How, ...], values: Mapping[str, Value]) -> None:
    for statement in _FORGET_CONTEXT:
        connection.execute(statement, values)
    for table in TABLES:
        if table.how in hows:
            for statement in table.erase:
                connection.execute(statement, values)
