"""What a model reads of a memory: the words of a passage, and what it takes to understand them."""

from pinyon.domain.memory import Memory


def as_read(memory: Memory, position: int) -> str:
    """Return a passage as a model reads it: who spoke, the title, when it applies, the words.

    Half of what a turn means is who said it.
    """
    passage = memory.passages[position]
    speaker = f"{memory.source.speaker}: " if memory.source.speaker else ""
    title = f"{memory.title}. " if memory.title else ""
    trigger = memory.procedure.trigger if memory.procedure else ""
    lead = f"{speaker}{title}{trigger + ': ' if trigger else ''}"
    return lead + memory.text[passage.start : passage.end]
