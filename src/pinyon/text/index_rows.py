"""What of a memory is searched for: the rows that its passages are found by."""

from collections.abc import Sequence

from pinyon.domain.change import IndexRow
from pinyon.domain.memory import Memory
from pinyon.text.orders import gives_orders
from pinyon.text.tokens import BREAK, TOKENIZER, tokenize

CONTEXT_TOKENS_MAX = 64
"""Words of the turn before that count for the one that follows. A reply may be pages long; what a
short answer refers to stands in its first lines."""


def index_rows(memory: Memory, context: str) -> tuple[IndexRow, ...]:
    """Return one row a passage; none of what is in quarantine, which no index may hold.

    Args:
        memory: What is searched for: text, title, keywords, trigger, steps, scenarios, speaker.
        context: Text of the turn before, "" where there is none.
    """
    if memory.shelf == "quarantined":
        return ()
    head = _joined((memory.title, *memory.keywords))
    beside = _joined(_beside(memory))
    context = context[: CONTEXT_TOKENS_MAX * 16]
    if gives_orders(context):
        context = ""  # whoever said it: what gives orders is nobody's context
    before = " ".join(tokenize(context).main[:CONTEXT_TOKENS_MAX])
    return tuple(
        IndexRow(
            position=passage.position,
            head=head,
            body=_body(memory.text[passage.start : passage.end], beside),
            context=before,
            tokenizer=TOKENIZER,
        )
        for passage in memory.passages
    )


def _joined(parts: Sequence[str]) -> str:
    return f" {BREAK} ".join(str(tokenize(part)) for part in parts if part)


def _body(passage: str, beside: str) -> str:
    tokens = str(tokenize(passage))
    return f"{tokens} {BREAK} {beside}" if beside else tokens


def _beside(memory: Memory) -> list[str]:
    parts = [*memory.scenarios, memory.source.speaker]
    if memory.procedure is not None:
        parts.append(memory.procedure.trigger)
        for step in (*memory.procedure.steps, *memory.procedure.refined_steps):
            parts.extend((step.instruction, step.tool))
    return parts
