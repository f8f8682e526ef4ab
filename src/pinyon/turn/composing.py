"""Composing a context from what was found: pure, so that what enters a prompt can be tested."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pinyon.domain.answers import Hit, Recall
from pinyon.domain.event import Turn
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.domain.turn import Context, Cut, Entry, Section, SectionName
from pinyon.text.fencing import fenced
from pinyon.text.normal import content_hash
from pinyon.turn.candidates import candidate_of, candidate_of_memory, candidate_of_turn
from pinyon.turn.conversation import Shown
from pinyon.turn.packing import Candidate, CountTokens, Packed, around_tokens, packed

CORE_SHARE = 0.4
WORKING_SHARE = 0.3
"""How much of a budget core facts, and the last turns, may take; what is left is for memories."""

CORE_TOKENS_MIN = 80
"""However small the budget, one or two core facts come first."""

_HEADINGS: dict[SectionName, str] = {
    "rules": "# Rules",
    "core facts": "# Core facts",
    "working memory": "# This conversation so far",
    "last conversation": "# The conversation before",
    "memories": "# Memories",
}
_LEFT_OUT = "({} more did not fit)"
_LEFT_OUT_MOST = _LEFT_OUT.format(9_999)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What may go into a context.

    Attributes:
        core: Core facts, the weightiest first.
        turns: The last turns of the session, oldest first.
        last: What tells the conversation before in short, where this one has just begun.
        recall: What answers the task.
        shown: What the conversation shows already.
    """

    own: Space
    core: Sequence[Memory]
    turns: Sequence[Turn]
    last: Memory | None = None
    recall: Recall
    shown: Shown
    now_us: int

    def new_facts(self) -> list[Memory]:
        """Return the core facts that the conversation does not show."""
        return [one for one in self.core if not self.shown.shows(one.id, one.content_hash)]

    def new_turns(self) -> list[Turn]:
        """Return the turns that the conversation does not show."""
        return [one for one in self.turns if not self.shown.shows(one.id, content_hash(one.text))]

    def new_last(self) -> list[Memory]:
        """Return what tells the conversation before, unless this one shows it."""
        told = [] if self.last is None else [self.last]
        return [one for one in told if not self.shown.shows(one.id, one.content_hash)]


def composed(found: Found, *, budget: int, count: CountTokens) -> Context:
    """Return a context that takes at most `budget` tokens, as `count` counts them.

    Core facts first, then working memory from the last turn back, then memories by importance
    times relevance; the first two keep to their shares. What the conversation before was about gets
    what is left. What does not fit whole is in in short, or left out; a smaller one may still fit
    behind it.
    """
    own, now_us = found.own, found.now_us
    room = budget - around_tokens(count) - _words(count)
    facts = packed(
        [candidate_of_memory(one, own=own, now_us=now_us) for one in found.new_facts()],
        budget=max(int(room * CORE_SHARE), min(room, CORE_TOKENS_MIN)),
        count=count,
    )
    turns = found.new_turns()
    working = packed(
        [candidate_of_turn(one) for one in reversed(turns)],
        budget=int(room * WORKING_SHARE),
        count=count,
    )
    told = {entry.id for entry in (*facts.entries, *working.entries)}
    said = {content_hash(one.text) for one in turns if one.id in told}
    said |= {one.content_hash for one in found.core if one.id in told}
    fresh = [
        candidate
        for memory, candidate in _in_order_of_weight(found)
        if memory.id not in told and memory.content_hash not in said
    ]
    memories = packed(
        fresh,
        budget=room - facts.tokens - working.tokens,
        count=count,
    )
    last = packed(
        [candidate_of_memory(one, own=own, now_us=now_us) for one in found.new_last()],
        budget=room - facts.tokens - working.tokens - memories.tokens,
        count=count,
    )
    sections = (
        Section(name="core facts", entries=facts.entries),
        Section(name="working memory", entries=working.entries[::-1]),
        Section(name="last conversation", entries=last.entries),
        Section(name="memories", entries=ends_first(memories.entries)),
    )
    return _context(found, sections, (facts, memories, working, last), budget, count)


def by_weight(hits: Sequence[Hit]) -> list[Hit]:
    """Return hits by importance times relevance, as it was weighed; ties as they came."""
    return sorted(hits, key=lambda hit: -hit.score * hit.memory.importance)


def ends_first(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return entries, given best first, with the best at both ends and the weakest in the middle.

    Source:
        Liu et al., "Lost in the Middle: How Language Models Use Long Contexts", TACL 2024.
    """
    return (*entries[::2], *reversed(entries[1::2]))


def _in_order_of_weight(found: Found) -> Iterator[tuple[Memory, Candidate]]:
    """Yield hits, then what stands before and after them, for where there is room."""
    own, now_us = found.own, found.now_us
    hits = by_weight(found.recall.hits)
    for hit in hits:
        yield hit.memory, candidate_of(hit, own=own, now_us=now_us)
    seen = {hit.memory.id for hit in hits}
    for one in (one for hit in hits for one in hit.neighbours):
        if one.id not in seen and not found.shown.shows(one.id, one.content_hash):
            seen.add(one.id)
            yield one, candidate_of_memory(one, own=own, now_us=now_us)


def _words(count: CountTokens) -> int:
    return sum(count(one) + 1 for one in (*_HEADINGS.values(), _LEFT_OUT_MOST))


def _context(
    found: Found,
    sections: Sequence[Section],
    parts: Sequence[Packed],
    budget: int,
    count: CountTokens,
) -> Context:
    filled = tuple(section for section in sections if section.entries)
    cut = [one for part in parts for one in part.cut]
    left_out = sum(one.because == "budget" for one in cut)
    lines = [
        line
        for section in filled
        for line in (_HEADINGS[section.name], *(entry.text for entry in section.entries))
    ]
    text = fenced([*lines, *([_LEFT_OUT.format(left_out)] if left_out else [])])
    shown = {one.id: one.content_hash for one in found.core}
    in_context = [key for key, hashed in shown.items() if found.shown.shows(key, hashed)]
    return Context(
        text=text,
        sections=filled,
        tokens=count(text) + text.count("\n"),
        budget_tokens=budget,
        cut=(*cut, *(Cut(id=key, because="in_context") for key in in_context)),
        recall=found.recall,
    )
