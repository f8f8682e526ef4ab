"""From ranked candidates to the answer: the floor, equal texts, siblings, the first k."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pinyon.domain.answers import Hit
from pinyon.domain.memory import Memory, Times
from pinyon.domain.space import Space
from pinyon.recall.explaining import Explaining
from pinyon.recall.recalling import Key, Recalling, Scored

SIBLINGS_MAX = 3
"""Chunks of one document that come before what else answers."""


class Selecting:
    """Decides what is handed over."""

    name = "select"

    def __init__(self, *, takes_turns: bool = True) -> None:
        self._takes_turns = takes_turns

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether anything was ranked."""
        return bool(recalling.ranked)

    async def run(self, recalling: Recalling) -> Recalling:
        """Look at the best hit's relevance, collapse what says the same, cut at k."""
        floor = recalling.floor
        if recalling.best < floor:
            low = {s.key: f"the best hit has {recalling.best:.2f}, the floor is {floor:.2f}"
                   for s in recalling.ranked}  # fmt: skip
            return replace(
                recalling.drop("floor", low), note=f"best {recalling.best:.2f} < {floor}"
            )
        recalling = _with_siblings_behind(self._collapsed(recalling))
        if self._takes_turns:
            recalling = _each_part_answered(recalling)
        kept, rest = (
            recalling.ranked[: recalling.question.k],
            recalling.ranked[recalling.question.k :],
        )
        beyond = {
            scored.key: f"place {place} of {len(recalling.ranked)}, and k is {recalling.question.k}"
            for place, scored in enumerate(rest, start=len(kept) + 1)
        }
        explaining = Explaining(recalling, kept)
        hits = tuple(
            Hit(recalling.memories[scored.key], scored.score, explaining.why(scored))
            for scored in _in_order(recalling, kept)
        )
        return replace(recalling.drop(self.name, beyond), hits=hits)

    @staticmethod
    def _collapsed(recalling: Recalling) -> Recalling:
        """Let the first of equal texts stand for the others; at best the asker's own."""
        standing: dict[tuple[str, str], Key] = {}
        same: dict[Key, tuple[Memory, ...]] = {}
        repeated: dict[Key, str] = {}
        for scored in recalling.ranked:
            memory = recalling.memories[scored.key]
            first = standing.setdefault((memory.kind, memory.content_hash), scored.key)
            if first != scored.key:
                same[first] = (*same.get(first, ()), memory)
                repeated[scored.key] = f"{first[1]} says the same and stands for it"
        return replace(recalling, same=same).drop("same text", repeated)


def _with_siblings_behind(recalling: Recalling) -> Recalling:
    """Move what is more of a document than `SIBLINGS_MAX` chunks behind everything else.

    Ten chunks of one manual answer no better than three, and hide what another one says.
    """
    before: list[Scored] = []
    behind: list[Scored] = []
    chunks: Counter[tuple[Space, str]] = Counter()
    for one in recalling.ranked:
        entry = recalling.memories[one.key].catalog
        document = (one.key[0], entry.document) if entry is not None and entry.document else None
        if document is not None:
            chunks[document] += 1
        is_one_more = document is not None and chunks[document] > SIBLINGS_MAX
        (behind if is_one_more else before).append(one)
    return replace(recalling, ranked=(*before, *behind)) if behind else recalling


def _each_part_answered(recalling: Recalling) -> Recalling:
    """Take turns between the things that are asked for, where there are several.

    Who asks "how old is my cousin, and where is the festival?" wants one answer to each; a name
    that is told often fills all places otherwise. What is below the floor takes no turn.
    """
    parts: list[int | None] = []
    following: int | None = None
    for one in reversed(recalling.ranked):
        # What no leg found was brought along to stand before the one behind it.
        following = recalling.part_of.get(one.key, following)
        parts.append(following if one.relevance >= recalling.floor else None)
    if len({part for part in parts if part is not None}) < 2:
        return recalling
    turns: list[int] = []
    taken: Counter[int] = Counter()
    for part in reversed(parts):
        if part is not None:
            taken[part] += 1
        turns.append(len(parts) if part is None else taken[part])
    order = sorted(range(len(turns)), key=lambda place: (turns[place], place))
    return replace(recalling, ranked=tuple(recalling.ranked[place] for place in order))


def _in_order(recalling: Recalling, kept: Sequence[Scored]) -> Sequence[Scored]:
    """Return the hits in the order that a named intent asks for; else the best one first."""
    order = recalling.planned.named_approach.order
    if order == "relevance":
        return kept
    memories = recalling.memories
    return sorted(
        kept, key=lambda one: _since_us(memories[one.key].times), reverse=order == "newest"
    )


def _since_us(times: Times) -> int:
    """Return since when it is true, or when it happened; else since when we know it."""
    for at_us in (times.valid_from_us, times.occurred_at_us):
        if at_us is not None:
            return at_us
    return times.created_at_us
