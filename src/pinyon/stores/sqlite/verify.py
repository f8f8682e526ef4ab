"""Comparing what is derived with the records, and making it anew from them."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

import apsw

from pinyon.domain.event import Event
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.errors import StoreCorrupt
from pinyon.ports.store import Finding
from pinyon.stores.sqlite.audit import chain_key, keyed_hash
from pinyon.stores.sqlite.connection import find_row, get_row, get_rows
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.reading import broken_at
from pinyon.stores.sqlite.rows import (
    id_bytes,
    links_of,
    selected,
    to_event,
    to_memory,
    turn_bytes,
)
from pinyon.stores.sqlite.space_file import SpaceFile, read_meta
from pinyon.text.event_words import event_words
from pinyon.text.index_rows import index_rows
from pinyon.text.normal import content_hash
from pinyon.text.tokens import TOKENIZER

T = TypeVar("T")

_ORPHANS = {
    "passage": "passage >> 6 NOT IN (SELECT seq FROM memory)",
    "dense": "passage NOT IN (SELECT passage FROM passage)",
    "token": "passage NOT IN (SELECT passage FROM passage)",
    "turn_token": "event NOT IN (SELECT id FROM event)",
    "event_words": "event NOT IN (SELECT seq FROM event)",
    "exposure": "seq NOT IN (SELECT seq FROM memory)",
    "feedback": "seq NOT IN (SELECT seq FROM memory)",
    "version": "seq NOT IN (SELECT seq FROM memory)",
    "link": "seq NOT IN (SELECT seq FROM memory)",
}
_PAGE = 500

INDEXES: Mapping[str, tuple[str, ...]] = {
    "keyword": (
        "create_keyword",
        "secure_keyword",
        "rank_keyword",
        "merge_keyword",
        "rebuild_keyword",
    ),
    "keyword_event": ("create_keyword_event", "secure_keyword_event", "rebuild_keyword_event"),
}
"""What makes each keyword index anew, in order; it is what the migrations made."""

_MADE_FROM = {"keyword": "the passages", "keyword_event": "the events"}


class Verifier:
    """Checks one space, and mends what can be made from its records."""

    def __init__(
        self, file: SpaceFile, *, secret: bytes, head: tuple[int, bytes] | None, fix: bool
    ) -> None:
        self._file, self._secret, self._head, self._fix = file, secret, head, fix
        self._found: list[Finding] = []

    def run(self) -> list[Finding]:
        """Return what is wrong.

        Raises:
            StoreCorrupt: The file itself cannot be read; only a backup helps.
        """
        with self._file.writing() as connection:
            for (line,) in connection.execute("PRAGMA quick_check(10)"):
                # Of its own index FTS5 says the same words; that is looked at, and mended, below.
                if line != "ok" and "fts5" not in line:
                    raise StoreCorrupt(str(self._file.path), line)
            self._check_journal(connection)
            self._check_orphans(connection)
            self._check_memories(connection)
            self._check_events(connection)
            self._check_missing(connection)
            self._check_index(connection)
        return self._found

    def _say(self, what: str, *, mended: bool = False) -> None:
        self._found.append(Finding(str(self._file.space), what, mended))

    def _check_journal(self, connection: apsw.Connection) -> None:
        place = broken_at(connection, chain_key(self._secret, self._file.space), self._head)
        if place is not None:
            self._say(f"the journal does not hold from entry {place} on")

    def _check_orphans(self, connection: apsw.Connection) -> None:
        # In this order: vectors whose passage is dropped are orphans too.
        for name, condition in _ORPHANS.items():
            (count,) = get_row(connection, query("count_orphans", table=name, condition=condition))
            if count:
                if self._fix:
                    connection.execute(query("drop_orphans", table=name, condition=condition))
                self._say(f"{count} rows of {name} belong to no memory", mended=self._fix)

    def _check_memories(self, connection: apsw.Connection) -> None:
        hash_key = read_meta(connection).hash_key
        for seq, memory in _memories(connection, self._file.space):
            if memory.content_hash != content_hash(memory.text):
                self._say(f"{memory.id}: the text is not the one that was written")
            raw = memory.id[:1].encode() + id_bytes(memory.id)
            entry = find_row(connection, query("last_hash"), target=raw)
            if entry is None or entry[0] != keyed_hash(memory.content_hash, hash_key):
                self._say(f"{memory.id}: the journal knows another text, or none")
            self._check_links(connection, seq, memory)
            self._check_passages(connection, seq, memory)

    def _check_events(self, connection: apsw.Connection) -> None:
        hash_key = read_meta(connection).hash_key
        for seq, event in _events(connection):
            if event.content_hash != content_hash(event.text):
                self._say(f"{event.id}: the text is not the one that was written")
            entry = find_row(connection, query("last_hash"), target=b"e" + id_bytes(event.id))
            if entry is None or entry[0] != keyed_hash(event.content_hash, hash_key):
                self._say(f"{event.id}: the journal knows another text, or none")
            self._check_event_words(connection, seq, event)

    def _check_event_words(self, connection: apsw.Connection, seq: int, event: Event) -> None:
        words = event_words(event)
        wanted = None if words is None else (TOKENIZER, words)
        if find_row(connection, query("event_words_of"), event=seq) == wanted:
            return
        if self._fix:
            connection.execute(query("drop_event_words"), {"event": seq})
            if words is not None:
                values = {"event": seq, "tokenizer": TOKENIZER, "body": words}
                connection.execute(query("put_event_words"), values)
        self._say(f"{event.id}: its words are not those of its text", mended=self._fix)

    def _check_missing(self, connection: apsw.Connection) -> None:
        for (target,) in connection.execute(query("missing")):
            kind = "mem_" if target[:1] == b"m" else "evt_"
            self._say(f"{kind}{target[1:].hex()}: it was put, never erased, and is gone")

    def _check_links(self, connection: apsw.Connection, seq: int, memory: Memory) -> None:
        held = set(get_rows(connection, query("links_held"), seq=seq))
        if held == links_of(memory):
            return
        if self._fix:
            connection.execute(query("drop_links"), {"seq": seq})
            for target, relation in links_of(memory):
                values = {"target": target, "relation": relation, "seq": seq}
                connection.execute(query("put_link"), values)
        self._say(f"{memory.id}: its links are not indexed", mended=self._fix)

    def _check_passages(self, connection: apsw.Connection, seq: int, memory: Memory) -> None:
        span = {"first": seq << 6, "last": (seq << 6) + 63}
        held = get_rows(connection, query("passages_of"), **span)
        context = _context(connection, memory)
        wanted = [
            (row.position, row.tokenizer, row.head, row.body, row.context)
            for row in index_rows(memory, context)
        ]
        if held == wanted:
            return
        if self._fix:
            connection.execute(query("drop_passages"), span)
            for position, tokenizer, head, body, before in wanted:
                values = {
                    "passage": (seq << 6) + position,
                    "tokenizer": tokenizer,
                    "head": head,
                    "body": body,
                    "context": before,
                }
                connection.execute(query("put_passage"), values)
            (moved,) = get_row(connection, query("move_seq"))
            connection.execute(query("touch_memory"), {"changed_seq": moved, "seq": seq})
        self._say(f"{memory.id}: its passages are not those of its text", mended=self._fix)

    def _check_index(self, connection: apsw.Connection) -> None:
        for name, source in _MADE_FROM.items():
            try:
                connection.execute(query(f"check_{name}"))
            except apsw.Error:
                if self._fix:
                    rebuild_index(connection, name)
                self._say(f"the keyword index is not that of {source}", mended=self._fix)


def mending(file: SpaceFile, act: Callable[[SpaceFile], T]) -> T:
    """Do something with the keyword indexes; if one is broken or missing, make them anew first.

    They are derived, so nothing is lost by it, and no question has to fail for it.
    """
    try:
        return act(file)
    except (StoreCorrupt, apsw.SQLError):
        with file.writing() as connection:
            for name in INDEXES:
                rebuild_index(connection, name)
        return act(file)


def rebuild_index(connection: apsw.Connection, name: str) -> None:
    """Make a keyword index anew from the words it is over, inside the caller's transaction."""
    try:
        connection.execute(query(f"rebuild_{name}"))
        connection.execute(query(f"check_{name}"))
    except apsw.Error:
        connection.execute(query(f"drop_{name}"))
        for statement in INDEXES[name]:
            connection.execute(query(statement))


def _events(connection: apsw.Connection) -> Iterator[tuple[int, Event]]:
    after = 0
    while True:
        rows = get_rows(connection, query("scan_events"), after=after, session=None, limit=_PAGE)
        for row in rows:
            yield row[-1], to_event(row)
        if len(rows) < _PAGE:
            return
        after = rows[-1][-1]


def _memories(connection: apsw.Connection, space: Space) -> Iterator[tuple[int, Memory]]:
    after = 0
    sql = query("scan_oldest", columns=selected(), where="1")
    while True:
        rows = get_rows(connection, sql, after=after, limit=_PAGE)
        for row in rows:
            yield row[-1], to_memory(row, space)
        if len(rows) < _PAGE:
            return
        after = rows[-1][-1]


def _context(connection: apsw.Connection, memory: Memory) -> str:
    raw = turn_bytes(memory.links.previous)
    if raw is None:
        return ""
    row = find_row(connection, query("turn_text"), kind=raw[:1].decode(), id=raw[1:])
    return "" if row is None else str(row[0])
