"""What a turn brings, and what a prompt gets, as JSON; see `encode`."""

from collections.abc import Sequence

from pinyon.domain.turn import Context, Cut, TurnMemory
from pinyon.surfaces.encode import Json, recall_in_brief, written


def turn_memory(answer: TurnMemory) -> Json:
    """Return what `turn` answers, with its messages in the form of both vendors."""
    return {
        "written": written(answer.written),
        "recall": recall_in_brief(answer.recall),
        "block": answer.block,
        "tokens": answer.tokens,
        "cut": _cut(answer.cut),
        "messages": {"openai": answer.as_openai(), "anthropic": answer.as_anthropic()},
    }


def context(answer: Context) -> Json:
    """Return what `build_context` answers."""
    return {
        "text": answer.text,
        "tokens": answer.tokens,
        "budget_tokens": answer.budget_tokens,
        "sections": [
            {
                "name": section.name,
                "entries": [
                    {
                        "id": entry.id,
                        "text": entry.text,
                        "tokens": entry.tokens,
                        "is_history": entry.is_history,
                        "is_whole": entry.is_whole,
                    }
                    for entry in section.entries
                ],
            }
            for section in answer.sections
        ],
        "cut": _cut(answer.cut),
        "empty_because": answer.recall.empty_because,
        "degraded": list(answer.recall.degraded),
        "degraded_because": answer.recall.degraded_because,
    }


def _cut(cut: Sequence[Cut]) -> list[Json]:
    return [{"id": one.id, "because": one.because} for one in cut]
