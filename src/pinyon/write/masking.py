"""Covering what is forgotten where it was said; every other place in the text stays true."""

from collections.abc import Iterable
from dataclasses import replace

from pinyon.domain.memory import Memory
from pinyon.text.facets import facets_of
from pinyon.text.normal import content_hash
from pinyon.text.sentences import sentence_spans
from pinyon.text.standing import filed_under
from pinyon.text.summarising import summarised
from pinyon.text.tokens import question_terms

COVER = "█"

LITTLE = 12
"""Letters and digits: a message of which fewer are left is erased whole."""

Range = tuple[int, int]


def said_in(fact: Memory, episode: Memory) -> list[Range]:
    """Return where in an episode a fact was said.

    Where nobody noted the place, every sentence counts that shares a word with the fact: rather
    too much is covered than too little.
    """
    noted = [(s.start, s.end) for s in fact.source.spans if s.memory_id == episode.id]
    if noted:
        return noted
    words = set(question_terms(fact.text).words)
    return [
        (start, end)
        for start, end in sentence_spans(episode.text)
        if words & set(question_terms(episode.text[start:end]).words)
    ]


def covered(text: str, ranges: Iterable[Range]) -> str:
    """Return a text with ranges of it covered, as long as it was."""
    characters = list(text)
    for start, end in ranges:
        for place in range(max(0, start), min(end, len(characters))):
            characters[place] = COVER
    return "".join(characters)


def covered_parts(before: str, now: str) -> list[str]:
    """Return what a text said where it is covered now, run by run."""
    parts: list[str] = []
    open_run = False
    for old, new in zip(before, now, strict=True):
        is_covered = new == COVER != old
        if is_covered and open_run:
            parts[-1] += old
        elif is_covered:
            parts.append(old)
        open_run = is_covered
    return parts


def is_little(text: str) -> bool:
    """Return whether of a covered text too little is left to mean anything."""
    return sum(character.isalnum() for character in text) < LITTLE


def masked(memory: Memory, ranges: Iterable[Range], *, now_us: int) -> Memory:
    """Return an episode with what was forgotten covered, one version on.

    What was made from its text is made anew. What a writer put beside it and shares a word with
    what is covered is dropped.
    """
    ranges = list(ranges)
    text = covered(memory.text, ranges)
    words = set(question_terms(" \n".join(memory.text[start:end] for start, end in ranges)).words)

    def stays(value: object) -> bool:
        return not isinstance(value, str) or words.isdisjoint(question_terms(value).words)

    is_filed_by_rule = memory.category == filed_under(memory.text)
    return replace(
        memory,
        text=text,
        # "A constraint" would still tell that there was one.
        category=filed_under(text) if is_filed_by_rule else memory.category,
        title=memory.title if stays(memory.title) else "",
        keywords=tuple(filter(stays, memory.keywords)),
        scenarios=tuple(filter(stays, memory.scenarios)),
        tags=tuple(filter(stays, memory.tags)),
        metadata=tuple(pair for pair in memory.metadata if stays(pair[1])),
        summary=None if memory.summary is None else summarised(text),
        version=memory.version + 1,
        times=replace(memory.times, updated_at_us=now_us),
        content_hash=content_hash(text),
        facets=facets_of(text),
    )
