"""What a memory must be to answer a question, and in words what keeps one out."""

from collections.abc import Mapping

from pinyon.domain.filter import Filter, test_of
from pinyon.domain.memory import Memory


class Conditions:
    """Holds memories against each condition of a question, read once for all of them."""

    def __init__(self, where: Mapping[str, Filter]) -> None:
        self._tests = tuple((name, test_of(condition)) for name, condition in where.items())

    def keeping_out(self, memory: Memory) -> str:
        """Return the condition that keeps a memory out, in words; "" where none does."""
        for name, test in self._tests:
            if not test(memory):
                return _in_words(name, memory)
        return ""


def _in_words(name: str, memory: Memory) -> str:
    match name:
        case "status":
            by = memory.links.superseded_by
            return f"it is {memory.status}" + (f" by {by}" if by else "")
        case "shelf":
            return f"it is on the {memory.shelf} shelf"
        case "kind":
            return f"its kind is {memory.kind}"
        case "intent":
            return f"what is wanted keeps it out: its kind is {memory.kind}"
        case "over":
            return "it was true and no longer is"
        case "expired":
            return "it has expired"
        case "filter":
            return "the filter keeps it out"
        case "temporary":
            return "it was said in a temporary session, and stays in it"
        case _:
            return name
