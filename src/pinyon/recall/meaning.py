"""Scoring the union of the legs by meaning, token by token where the model has tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from pinyon.domain.filter import In
from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space
from pinyon.ports.embedder import Embedder
from pinyon.ports.search import Candidate, Search, TokenVectors
from pinyon.ranking.maxsim import best_matches, with_context
from pinyon.recall.recalling import Key, Recalling, Scored
from pinyon.recall.shares import Shares
from pinyon.recall.side_by_side import side_by_side

Floats = NDArray[np.float32]

BY_WORDS = ("dated", "keyword")
"""Legs whose candidates say which words they hold; of one that both bring the latter's counts."""


class Nearness(NamedTuple):
    """How near a memory is: its score, that of content words alone, and the passage that has it.

    Attributes:
        scores: By reading.
    """

    score: float
    content: float
    passage: int
    scores: tuple[float, ...] = ()


Near = Mapping[MemoryId, Nearness]


class MeaningScoring:
    """Orders the candidates of all spaces by relevance; those without vectors by matched share."""

    name = "score"

    def __init__(self, search: Search, embedder: Embedder | None) -> None:
        self._search, self._embedder = search, embedder

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether any leg brought anything, and vectors say how near it is."""
        return bool(recalling.found) and bool(recalling.served)

    async def run(self, recalling: Recalling) -> Recalling:
        """Score every candidate by its best passage, and sort."""
        assert self._embedder is not None  # noqa: S101 - spaces are served by it only
        spaces, asked = recalling.found_in, Shares(recalling)
        near = await side_by_side([self._near(recalling, space) for space in spaces])
        scored: list[Scored] = []
        passages: dict[Key, int] = {}
        parts: dict[Key, int] = {}
        for space, similar in zip(spaces, near, strict=True):
            passages.update({(space, found): near.passage for found, near in similar.items()})
            parts.update(_parts(recalling, asked, space, similar))
            scored += self._scored(recalling, asked, space, similar)
        # The spaces come in the order own first, and sorting keeps it where two are equal.
        scored.sort(key=lambda one: -one.score)
        far = {one.key: "it is far from what is asked" for one in scored if one.relevance <= 0}
        calibration = self._embedder.calibration_of(recalling.question.text)
        floor = calibration.floor_for(_unknown_share(recalling))
        ranked = recalling.rank(scored, floor=floor)
        return replace(ranked, passage_of=passages, part_of=parts).drop(self.name, far)

    def _scored(
        self, recalling: Recalling, asked: Shares, space: Space, near: Near
    ) -> list[Scored]:
        assert self._embedder is not None  # noqa: S101
        calibration = self._embedder.calibration_of(recalling.question.text)
        name = "late" if _has_tokens(recalling) else "cosine"
        shares = {
            one.id: (asked.of(one), asked.literal(one))
            for leg in BY_WORDS
            for one in recalling.found.get((leg, space), ())
        }
        scored = []
        for memory_id in recalling.candidate_ids(space):
            share, literal = shares.get(memory_id, (0.0, 0.0))
            scores = {"words": share, "literal": literal}
            relevance = certainty = share
            if memory_id in near:
                score, content = near[memory_id].score, near[memory_id].content
                scores[name] = score
                meant, sure = calibration.relevance(score), calibration.certainty(score, content)
                relevance = (1 - calibration.words) * meant + calibration.words * share
                certainty = (1 - calibration.words) * sure + calibration.words * share
            relevance, certainty = max(relevance, literal), max(certainty, literal)
            scored.append(
                Scored(
                    key=(space, memory_id),
                    relevance=relevance,
                    certainty=certainty,
                    score=relevance,
                    scores={name: score for name, score in scores.items() if score},
                )
            )
        return scored

    async def _near(self, recalling: Recalling, space: Space) -> Near:
        if space not in recalling.served:
            return {}
        if _has_tokens(recalling):
            return await self._by_tokens(recalling, space)
        return await self._by_cosine(recalling, space)

    async def _by_tokens(self, recalling: Recalling, space: Space) -> Near:
        embedder = self._embedder
        assert embedder is not None  # noqa: S101
        around = _passages_found(recalling, space)
        held = await self._search.token_vectors(space, embedder.fingerprint, around)
        questions = [
            np.frombuffer(vectors.tokens, np.float32).reshape(-1, embedder.token_dim)
            for vectors in recalling.vectors
        ]
        return await anyio.to_thread.run_sync(_nearest, questions, _contents(recalling), held)

    async def _by_cosine(self, recalling: Recalling, space: Space) -> Near:
        """Ask for the cosines of those that only words brought."""
        assert self._embedder is not None  # noqa: S101
        model = self._embedder.fingerprint
        found = recalling.found.get(("vector", space), ())
        near = {one.id: Nearness(one.score, one.score, one.passage) for one in found}
        readings = recalling.planned.asking or (0,)
        ids = recalling.candidate_ids(space)
        asked = ids if recalling.planned.asking else [one for one in ids if one not in near]
        for place in readings if asked else ():
            dense, where = recalling.vectors[place].dense, In("id", tuple(asked))
            for one in await self._search.dense(space, dense, model, where, limit=len(asked)):
                near[one.id] = _nearer(near.get(one.id), one, place, len(recalling.vectors))
        return near


def _nearer(held: Nearness | None, one: Candidate, place: int, readings: int) -> Nearness:
    """Return how near a memory is, with its cosine in one more reading."""
    scores = list(held.scores if held is not None and held.scores else [0.0] * readings)
    scores[place] = one.score
    if held is not None and held.score >= one.score:
        return held._replace(scores=tuple(scores))
    return Nearness(one.score, one.score, one.passage, tuple(scores))


def _parts(recalling: Recalling, asked: Shares, space: Space, near: Near) -> dict[Key, int]:
    """Return which of several things that are asked for each candidate answers best."""
    asking = recalling.planned.asking
    if not asking:
        return {}
    by_words = {
        (space, one.id): asked.part(one) for one in recalling.found.get(("keyword", space), ())
    }
    by_meaning = {
        (space, found): max(asking, key=lambda place, of=one.scores: of[place])  # type: ignore[misc]
        for found, one in near.items()
        if one.scores
    }
    return {**by_words, **by_meaning}


def _unknown_share(recalling: Recalling) -> float:
    """Return the share of a question's words that no memory holds, in its best known reading."""
    unknown = set(recalling.unknown)
    return min(
        len(unknown.intersection(one.words)) / max(1, len(one.words))
        for one in (recalling.planned.readings[0], *recalling.planned.readings[-1:])
    )


def _has_tokens(recalling: Recalling) -> bool:
    """Return whether the question is compared token by token."""
    return bool(recalling.vectors[0].tokens)


def _passages_found(recalling: Recalling, space: Space) -> dict[MemoryId, int]:
    """Return every candidate with the passage that a leg found; the vector leg's where it did."""
    around: dict[MemoryId, int] = {}
    for (_, of), brought in recalling.found.items():
        if of == space:
            around.update({candidate.id: candidate.passage for candidate in brought})
    return around


def _contents(recalling: Recalling) -> list[Floats]:
    """Return what each token of each reading counts for what it is about."""
    contents = []
    for vectors in recalling.vectors:
        told = np.frombuffer(vectors.content, np.uint8).astype(np.float32)
        contents.append(told if told.any() else np.ones(1, np.float32))
    return contents


def _nearest(
    questions: Sequence[Floats], contents: Sequence[Floats], held: Mapping[MemoryId, TokenVectors]
) -> Near:
    """Return for each memory the score of its best passage, half of it with the turn before.

    Of the readings of a question the one counts that a memory answers best.

    Args:
        questions: Each float32 (m, token_dim).
        contents: For each, what its tokens count for what it is about, float32 (m,), or (1,) for
            all alike.
        held: What is compared with them; done in a worker thread, as it may be much.
    """
    texts: list[bytes] = []
    place_of: dict[bytes, int] = {}

    def place(vectors: bytes) -> int:
        # A turn is often both a candidate and the one before another.
        if vectors not in place_of:
            place_of[vectors] = len(texts)
            texts.append(vectors)
        return place_of[vectors]

    passages = [(memory_id, at) for memory_id, one in held.items() for at in one.passages]
    own = [place(held[memory_id].passages[at]) for memory_id, at in passages]
    before = [
        place(held[memory_id].before) if held[memory_id].before else -1 for memory_id, _ in passages
    ]
    matches = best_matches(np.concatenate(questions), texts)
    nothing = np.full((1, matches.shape[1]), -1, np.float32)
    matches = np.concatenate([matches, nothing])
    own_matches, before_matches = matches[own], matches[before]
    ends = np.cumsum([len(question) for question in questions])
    parts = [
        (own_matches[:, start:end], before_matches[:, start:end])
        for start, end in zip([0, *ends[:-1]], ends, strict=True)
    ]
    by_reading = [with_context(*part) for part in parts]
    scores = np.max(by_reading, axis=0).tolist()
    sure = np.max(
        [
            with_context(own * content, turn * content) / content.mean()
            for (own, turn), content in zip(parts, contents, strict=True)
        ],
        axis=0,
    ).tolist()
    best: dict[MemoryId, Nearness] = {}
    each = zip(passages, scores, sure, np.stack(by_reading, axis=1).tolist(), strict=True)
    for (memory_id, at), score, content, of in each:
        if memory_id not in best or score > best[memory_id].score:
            best[memory_id] = Nearness(score, content, at, tuple(of))
    return best
