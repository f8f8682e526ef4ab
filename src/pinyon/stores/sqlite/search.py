"""The legs of a space: FTS5 over our tokens, and exact search over a matrix."""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import partial

import apsw
import numpy as np

from pinyon.domain.filter import EVERYTHING, Filter
from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.errors import OtherModel
from pinyon.ports.search import Candidate, TermStats, TokenVectors
from pinyon.stores.sqlite.columns import Ints
from pinyon.stores.sqlite.connection import Row, find_row, get_row, get_rows
from pinyon.stores.sqlite.filters import Compiled
from pinyon.stores.sqlite.matrix import Matrix
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import memory_id_of
from pinyon.stores.sqlite.space_file import SpaceFile, read_meta
from pinyon.stores.sqlite.threads import Threads
from pinyon.stores.sqlite.vectors import tokens_around
from pinyon.stores.sqlite.verify import mending
from pinyon.stores.sqlite.words import WordIndex
from pinyon.stores.sqlite.words_at_hand import WORDS_AFTER, WordsAtHand

_NOTHING: frozenset[str] = frozenset()


class SqliteSearch:
    """See `pinyon.ports.search.Search`."""

    def __init__(self, threads: Threads, *, words_after: int = WORDS_AFTER) -> None:
        self._threads = threads
        self._words = WordsAtHand(threads, after=words_after)

    async def keyword(
        self,
        space: Space,
        terms: Terms,
        where: Filter = EVERYTHING,
        *,
        limit: int,
        known_at_us: int | None = None,
    ) -> list[Candidate]:
        """See the port."""
        if not terms:
            return []
        if known_at_us is None and not terms.phrases:
            answer = partial(WordIndex.best, words=terms.words, where=where, limit=limit)
            if (indexed := await self._words.ask(space, answer)) is not None:
                return indexed
        compiled = Compiled(where, known=known_at_us is not None)
        name = "keyword" if known_at_us is None else "keyword_known"
        sql = query(name, where=compiled.sql)
        values = {**compiled.values, "match": match_expression(terms), "known_at_us": known_at_us}
        asked = {*terms.words, *(word for phrase in terms.phrases for word in phrase)}

        def act(file: SpaceFile) -> list[Candidate]:
            with file.reading() as connection:
                passages = limit
                while True:
                    rows = get_rows(connection, sql, **values, limit=passages)
                    found = _best_passages(rows, asked)
                    if len(found) >= limit or len(rows) < passages:
                        return found[:limit]
                    # Several passages of one memory took the places of others.
                    passages *= 2

        return await self._threads.over(space, lambda file: mending(file, act), [], leaves=True)

    async def dense(
        self,
        space: Space,
        vector: bytes,
        model: str,
        where: Filter = EVERYTHING,
        *,
        limit: int,
        known_at_us: int | None = None,
    ) -> list[Candidate]:
        """See the port."""

        def act(file: SpaceFile) -> list[Candidate]:
            with file.matrix_lock, file.reading() as connection:
                matrix = _refreshed(connection, file, model)
                if matrix is None:
                    return []
                mask = matrix.mask(where) if known_at_us is None else None
                allowed = None
                if mask is None:
                    allowed = _allowed(connection, where, known_at_us)
                return matrix.best(np.frombuffer(vector, np.float32), mask, allowed, limit)

        return await self._threads.over(space, act, [], leaves=True)

    async def token_vectors(
        self, space: Space, model: str, around: Mapping[MemoryId, int]
    ) -> Mapping[MemoryId, TokenVectors]:
        """See the port."""

        def act(connection: apsw.Connection) -> Mapping[MemoryId, TokenVectors]:
            row = find_row(connection, query("find_model"), fingerprint=model)
            return {} if row is None else tokens_around(connection, row[0], around)

        return await self._threads.read(space, act, {})

    async def followers(
        self,
        space: Space,
        turns: Sequence[MemoryId],
        where: Filter = EVERYTHING,
        *,
        known_at_us: int | None = None,
    ) -> Mapping[MemoryId, MemoryId]:
        """See the port."""
        compiled = Compiled(where, known=known_at_us is not None)
        name = "followers" if known_at_us is None else "followers_known"
        values = {
            **compiled.values,
            "turns": json.dumps(["6d" + turn[4:] for turn in turns]),
            "known_at_us": known_at_us,
        }

        def act(connection: apsw.Connection) -> Mapping[MemoryId, MemoryId]:
            rows = connection.execute(query(name, where=compiled.sql), values)
            return {memory_id_of(raw): memory_id_of(previous[1:]) for raw, previous in rows}

        return await self._threads.read(space, act, {})

    async def term_stats(self, space: Space, words: Sequence[str]) -> TermStats:
        """See the port."""
        indexed = await self._words.ask(space, partial(WordIndex.stats, words=words))
        if indexed is not None:
            return indexed

        def act(file: SpaceFile) -> TermStats:
            with file.reading() as connection:
                (passages,) = get_row(connection, query("count_passages"))
                rows = get_rows(connection, query("term_df"), words=json.dumps(list(words)))
                found = {word: df for word, df in rows}
            return TermStats(passages, {word: found.get(word, 0) for word in words})

        nothing = TermStats(0, dict.fromkeys(words, 0))
        checked = partial(mending, act=act)
        return await self._threads.over(space, checked, nothing, leaves=True)


def match_expression(terms: Terms) -> str:
    """Return what FTS5 is asked: phrases joined by AND, words by OR; no word is an operator."""
    words = [_quoted(word) for word in terms.words]
    phrases = ["(" + " + ".join(map(_quoted, phrase)) + ")" for phrase in terms.phrases]
    if not phrases:
        return " OR ".join(words)
    # Where a phrase is asked, other words only add to the score; the phrase itself counts twice.
    return f"({' AND '.join(phrases)}) AND ({' OR '.join(phrases + words)})"


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def _best_passages(rows: Sequence[Row], asked: Collection[str]) -> list[Candidate]:
    found: dict[int, Candidate] = {}
    # Tokens are set apart by blanks, so a word between two of them is a token.
    spaced = [(word, f" {word} ") for word in asked]
    for passage, rank, own, context, raw_id in rows:
        if passage >> 6 in found:
            continue
        matched = frozenset([word for word, shape in spaced if shape in own])
        found[passage >> 6] = Candidate(
            id=memory_id_of(raw_id),
            score=-rank,
            passage=passage & 63,
            matched=matched,
            context_matched=frozenset(
                [word for word, shape in spaced if word not in matched and shape in context]
            )
            if context
            else _NOTHING,
        )
    ranked = sorted(found.items(), key=lambda item: (-item[1].score, -item[0]))
    return [candidate for _, candidate in ranked]


def _refreshed(connection: apsw.Connection, file: SpaceFile, model: str) -> Matrix | None:
    """Return the matrix of the model that serves, as new as the reader's state of the space."""
    meta = read_meta(connection)
    if meta.serving is None:
        return None
    row = find_row(connection, query("find_model"), fingerprint=model)
    if row is None or row[0] != meta.serving:
        (serving,) = get_row(connection, query("fingerprint_of"), model=meta.serving)
        raise OtherModel(str(file.space), serving=serving, asked=model)
    number, dim = row
    matrix = file.matrices.get(model)
    if matrix is None or matrix.seq < meta.emptied_seq:
        matrix = Matrix(dim)
        # What another model made is of no use any more.
        file.matrices = {model: matrix}
    if matrix.seq == meta.seq:
        return matrix
    since = {"seq": matrix.seq, "model": number}
    columns = {row[0]: row[1:] for row in connection.execute(query("columns_changed"), since)}
    gone = get_rows(connection, query("gone_since"), **since)
    if gone and matrix.seq >= 0:
        held = {seq for (seq,) in connection.execute(query("all_seqs"))}
        matrix.drop(matrix.known_seqs() - held)
    matrix.drop(columns)
    is_whole = matrix.seq < 0
    matrix.put(get_rows(connection, query("dense_changed"), **since), columns)
    matrix.seq = meta.seq
    if is_whole:
        # What was read for it is not read again, and would stay as long as the space is open.
        connection.pragma("shrink_memory")
    return matrix


def _allowed(connection: apsw.Connection, where: Filter, known_at_us: int | None) -> Ints:
    compiled = Compiled(where, known=known_at_us is not None)
    name = "allowed" if known_at_us is None else "allowed_known"
    values = {**compiled.values, "known_at_us": known_at_us}
    rows = connection.execute(query(name, where=compiled.sql), values)
    return np.array([seq for (seq,) in rows], np.int64)
