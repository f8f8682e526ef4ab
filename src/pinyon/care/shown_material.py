"""Material as a model is shown it: in parts that it can read, each thing with a short id.

All of it is fenced and defused as what memory hands to any model. What has no short id cannot be
named: the turns around the episodes have none, so that nothing can rest on them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pinyon.domain.consolidation import Material
from pinyon.domain.event import Turn
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.times import show_instant
from pinyon.text.counting import estimated_tokens
from pinyon.text.fencing import defused, fenced
from pinyon.text.passages import spans_of

CountTokens = Callable[[str], int]
Naming = Callable[[str, int, Memory], str]
"""Gives a thing its id: by the letter of its sort and its place, or otherwise."""


def by_place(letter: str, place: int, _memory: Memory) -> str:
    """Return a short id, which holds for one question."""
    return f"{letter}{place}"


def by_id(_letter: str, _place: int, memory: Memory) -> str:
    """Return a memory's own id, which holds for ever."""
    return memory.id


PIECES_MAX = 4
"""Of an episode that is longer than a part; what stands behind them is not read."""
TURN_CHARS_MAX = 800
"""Of a turn around the episodes: a tool's result may be as long as a book."""
_NOTHING = "(nothing)"
_PLAIN = str.maketrans("[]\n\r", "()  ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a model is shown at once.

    Attributes:
        inputs: What the prompt is filled with.
        ids: Which memory each short id stands for.
    """

    inputs: Mapping[str, str]
    ids: Mapping[str, MemoryId]


def shown_in_parts(
    material: Material,
    *,
    budget_tokens: int,
    count_tokens: CountTokens = estimated_tokens,
    named: Naming = by_place,
) -> Iterator[Shown]:
    """Show all the episodes, in as many parts as it takes; what is known stands in each.

    Args:
        material: What is shown.
        budget_tokens: How long a part may be: half of it is for the episodes, a sixth for what
            was said around them, a sixth for facts and one for playbooks.
        count_tokens: Counts what a text takes.
        named: By what id each thing is called.
    """
    share = budget_tokens // 6
    room = _Room(share, count_tokens, named)
    facts, known_facts = _listed("f", material.facts, _fact_line, room)
    playbooks, known_playbooks = _listed("p", material.playbooks, _playbook_line, room)
    for part in _parts(material.episodes, replace(room, tokens=3 * share)):
        around = _around(part.episodes, material.around, share, count_tokens)
        inputs = {
            "today": show_instant(material.now_us)[:10],
            "facts": facts,
            "playbooks": playbooks,
            "around": around,
            "episodes": fenced(part.lines),
        }
        yield Shown(inputs=inputs, ids={**part.ids, **known_facts, **known_playbooks})


@dataclass(slots=True)
class _Part:
    lines: list[str] = field(default_factory=list)
    ids: dict[str, MemoryId] = field(default_factory=dict)
    episodes: list[Memory] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Room:
    """How much there is room for, and how things are called in it."""

    tokens: int
    count: CountTokens
    named: Naming


def _parts(episodes: Sequence[Memory], room: _Room) -> Iterator[_Part]:
    part, taken = _Part(), 0
    for place, episode in enumerate(episodes, start=1):
        short = room.named("e", place, episode)
        for line in _episode_lines(short, episode, room.tokens, room.count):
            tokens = room.count(line)
            if part.lines and taken + tokens > room.tokens:
                yield part
                part, taken = _Part(), 0
            part.lines.append(line)
            taken += tokens
            if short not in part.ids:
                part.ids[short] = episode.id
                part.episodes.append(episode)
    if part.lines:
        yield part


def _episode_lines(
    short: str, episode: Memory, limit_tokens: int, count_tokens: CountTokens
) -> list[str]:
    head = f"{short}, {_date_of(episode)}"
    tokens = count_tokens(episode.text)
    if tokens <= limit_tokens:
        return [f"[{head}] {defused(episode.text)}"]
    spans = spans_of(episode.text, max(1, len(episode.text) * limit_tokens // tokens))[:PIECES_MAX]
    return [
        f"[{head}, part {place} of {len(spans)}] {defused(episode.text[start:end])}"
        for place, (start, end) in enumerate(spans, start=1)
    ]


def _listed(
    letter: str,
    memories: Sequence[Memory],
    line_of: Callable[[str, Memory], str],
    room: _Room,
) -> tuple[str, dict[str, MemoryId]]:
    """Return the first of what is known that fit, and what their short ids stand for."""
    lines: list[str] = []
    ids: dict[str, MemoryId] = {}
    left = room.tokens
    for place, memory in enumerate(memories, start=1):
        short = room.named(letter, place, memory)
        line = line_of(short, memory)
        left -= room.count(line)
        if left < 0:
            break
        lines.append(line)
        ids[short] = memory.id
    return fenced(lines) or _NOTHING, ids


def _fact_line(short: str, fact: Memory) -> str:
    said = f", said {fact.counts.support + 1} times" if fact.counts.support else ""
    return f"[{short}, {_date_of(fact)}{said}] {defused(fact.text)}"


def _playbook_line(short: str, playbook: Memory) -> str:
    counts = playbook.counts
    lines = [playbook.text]
    if playbook.procedure is not None:
        lines.append(f"When: {playbook.procedure.trigger}")
        steps = playbook.procedure.current_steps
        lines += [f"{place}. {step.instruction}" for place, step in enumerate(steps, start=1)]
    head = f"{short}, worked {counts.successes} times, failed {counts.failures} times"
    return f"[{head}] " + defused("\n".join(lines))


def _around(
    episodes: Sequence[Memory],
    turns: Sequence[Turn],
    limit_tokens: int,
    count_tokens: CountTokens,
) -> str:
    """Return the turns nearest to some episodes that fit, in their order."""
    shown = {episode.id for episode in episodes}
    taken: list[Turn] = []
    left = limit_tokens
    for turn in sorted(turns, key=lambda turn: _distance(turn, episodes)):
        if turn.id in shown:
            continue
        left -= count_tokens(_turn_line(turn))
        if left < 0:
            break
        taken.append(turn)
    lines = [_turn_line(turn) for turn in sorted(taken, key=lambda turn: turn.place)]
    return fenced(lines) or _NOTHING


def _distance(turn: Turn, episodes: Sequence[Memory]) -> tuple[bool, int]:
    """Return how far a turn is from the nearest episode; another session is farther than any."""
    return min(
        (turn.session != episode.source.session, abs(turn.occurred_at_us - _at_us(episode)))
        for episode in episodes
    )


def _turn_line(turn: Turn) -> str:
    return turn_shown(show_instant(turn.occurred_at_us, turn.offset_min)[:10], turn)


def turn_shown(called: str, turn: Turn) -> str:
    """Return a turn as a line that begins with what it is called and who spoke."""
    who = " ".join((turn.role or "user", turn.speaker)).translate(_PLAIN).strip()
    cut = turn.text[:TURN_CHARS_MAX] + ("…" if len(turn.text) > TURN_CHARS_MAX else "")
    return f"[{called}, {who[:80]}] {defused(cut)}"


def playbooks_shown(playbooks: Sequence[Memory]) -> str:
    """Return playbooks with their counts, fenced; short ids stand for their places."""
    lines = [_playbook_line(f"p{place}", one) for place, one in enumerate(playbooks, start=1)]
    return fenced(lines) or _NOTHING


def _date_of(memory: Memory) -> str:
    return show_instant(_at_us(memory), memory.times.offset_min)[:10]


def _at_us(memory: Memory) -> int:
    times = memory.times
    for at_us in (times.occurred_at_us, times.valid_from_us):
        if at_us is not None:
            return at_us
    return times.created_at_us
