"""What somebody hands in: proposals of another's making, brought into the form that guards read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, get_args

from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    OutcomeProposal,
    PlaybookProposal,
    Proposal,
    Says,
)
from pinyon.domain.ids import MemoryId, memory_id
from pinyon.domain.memory import CONTRADICTIONS
from pinyon.errors import InvalidValue
from pinyon.text.normal import fold
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.write.form import line, listed

PROPOSALS_MAX = 100
"""Of one sort, in one call; and episodes that are done with."""
NAMED_MAX = 20
"""What one proposal may list: steps, episodes, facts."""
NAME_CHARS = 200

SORTS: Mapping[str, type[Proposal]] = {
    "facts": FactProposal,
    "ends": EndProposal,
    "playbooks": PlaybookProposal,
    "outcomes": OutcomeProposal,
}
"""By the name under which they are handed in, in the order in which they are looked at."""

_IDS = frozenset({"support", "fact", "playbook", "refines"})
_LISTS_OF_IDS = frozenset({"supports", "supersedes"})
_WORDS: Mapping[str, Sequence[str]] = {
    "contradiction": CONTRADICTIONS,
    "says": get_args(Says),
    "outcome": ("worked", "failed"),
}
_NAMES = frozenset({"subject", "attribute", "category"})


@dataclass(frozen=True, slots=True)
class HandedIn:
    """Proposals in the order in which they are looked at, and episodes that are done with."""

    proposals: tuple[Proposal, ...]
    settles: tuple[MemoryId, ...]

    def as_rows(self) -> dict[str, list[object]]:
        """Return them as they go over a wire, by sort."""
        rows: dict[str, list[object]] = {"episodes": list(self.settles)}
        for name, sort in SORTS.items():
            rows[name] = [asdict(one) for one in self.proposals if isinstance(one, sort)]
        return rows


def handed_in(
    *,
    episodes: Sequence[str],
    facts: Sequence[FactProposal],
    ends: Sequence[EndProposal],
    playbooks: Sequence[PlaybookProposal],
    outcomes: Sequence[OutcomeProposal],
) -> HandedIn:
    """Return what was handed in.

    Raises:
        BadInput: A part of it is not what it must be; nothing is looked at then.
    """
    given: Mapping[str, Sequence[Proposal]] = {
        "facts": facts,
        "ends": ends,
        "playbooks": playbooks,
        "outcomes": outcomes,
    }
    return HandedIn(
        proposals=tuple(
            one for name, sort in SORTS.items() for one in _each(name, sort, given[name])
        ),
        settles=_ids("episodes", episodes, PROPOSALS_MAX),
    )


def _each(name: str, sort: type[Proposal], given: Sequence[Proposal]) -> Iterator[Proposal]:
    is_list = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if not is_list or len(given) > PROPOSALS_MAX:
        raise InvalidValue(name, given, f"a list of at most {PROPOSALS_MAX} of {sort.__name__}")
    for one in given:
        if not isinstance(one, sort):
            raise InvalidValue(name, one, f"a {sort.__name__}")
        yield replace(
            one, **{each.name: _read(each.name, getattr(one, each.name)) for each in fields(one)}
        )


def _read(name: str, value: Any) -> Any:
    """Return the value of a field as it is kept."""
    if name in _IDS:
        return None if name == "refines" and value in (None, "") else memory_id(value)
    if name in _LISTS_OF_IDS:
        return _ids(name, value, NAMED_MAX)
    if name == "confidence":
        return _share(value)
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise InvalidValue(name, value, "one of " + ", ".join(_WORDS[name]))
        return value
    if name == "steps":
        return tuple(
            line("steps", step, TEXT_CHARS_MAX).strip() for step in listed(name, value, NAMED_MAX)
        )
    if name in _NAMES:
        folded = " ".join(fold(line(name, value, NAME_CHARS)).split())
        return folded.replace(" ", "_") if name == "attribute" else folded
    return line(name, value, TEXT_CHARS_MAX).strip()


def _ids(name: str, value: Sequence[str], most: int) -> tuple[MemoryId, ...]:
    return tuple(dict.fromkeys(memory_id(one) for one in listed(name, value, most)))


def _share(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InvalidValue("confidence", value, "a number from 0 to 1")
