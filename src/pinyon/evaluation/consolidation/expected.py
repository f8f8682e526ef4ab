"""What is expected of consolidation: `expected.jsonl`, one expectation a line.

`docs/reference/evaluation.md` shows the fields.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from pinyon.domain.consolidation import Says
from pinyon.domain.memory import CONTRADICTIONS, Contradiction
from pinyon.errors import InvalidFile
from pinyon.evaluation.quality.lines import json_lines

EXPECTED = "expected.jsonl"
Fate = Literal["holds", "superseded", "ended"]
"""What becomes of a fact by the end: it holds, another took its place, or it is over."""

Expects = Literal["fact", "again", "may", "junk", "outcome", "playbook"]
Key = tuple[str, str]
"""A tenant, and the id of a message, a fact or a playbook of its."""

OTHERS = frozenset({"assistant", "tool", "other_speaker", "quoted"})
"""Why a message is junk, where the words in it are not the user's."""

_NEEDED: Mapping[str, tuple[str, ...]] = {
    "fact": ("quote", "value"),
    "again": ("fact", "quote"),
    "may": (),
    "junk": ("why",),
    "outcome": ("playbook", "outcome"),
    "playbook": ("quote",),
}
_Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of a message."""

    message: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedFact:
    """A fact that is to be made.

    Attributes:
        said: The words that state it: where it is said first, and where again.
        subject: Of whom or what it is, as in `Statement`; "" where any will do.
        attribute: What of it; likewise.
        value: Words that the fact must hold, at least half of them.
        says: How the message states it.
        fate: What becomes of it.
        by: The fact that takes its place, or the message that ends it.
        contradiction: How that stands to it.
        despite: Messages that change something near it and must leave it alone.
    """

    tenant: str
    id: str
    said: tuple[Quoted, ...]
    subject: str = ""
    attribute: str = ""
    value: str
    says: Says = "holds"
    fate: Fate = "holds"
    by: str = ""
    contradiction: Contradiction = "natural"
    despite: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """Return what it is known by."""
        return self.tenant, self.id


@dataclass(slots=True, kw_only=True)
class Expected:
    """All that is expected of a corpus.

    Attributes:
        facts: What is to be made.
        may: By message, words of which something may be made that nobody asks for.
        junk: By message of which nothing is to be made, why.
        outcomes: By playbook, how often it is to be counted as worked, and as failed.
        playbooks: By message of which a playbook is to be made, the words that tell it.
        digest: SHA-256 of all of it.
    """

    facts: dict[Key, ExpectedFact] = field(default_factory=dict)
    may: dict[Key, list[str]] = field(default_factory=dict)
    junk: dict[Key, str] = field(default_factory=dict)
    outcomes: dict[Key, dict[str, int]] = field(default_factory=dict)
    playbooks: dict[Key, str] = field(default_factory=dict)
    digest: str = ""


def read_expected(folder: Path, texts: Mapping[Key, str]) -> Expected:
    """Return what is expected of the messages of a folder.

    Args:
        folder: Where `expected.jsonl` lies.
        texts: By tenant and id, the messages and playbooks of its corpus; of what is of other
            tenants, nothing is expected.

    Raises:
        InvalidFile: It is missing, or a line of it is not what it must be.
    """
    tenants = {tenant for tenant, _ in texts}
    found = Expected()
    hashed = hashlib.sha256()
    again: list[tuple[int, Key, Quoted]] = []
    for place, fields in _lines(folder / EXPECTED):
        if fields["tenant"] not in tenants:
            continue
        _check(fields, texts, place)
        hashed.update(json.dumps(fields, ensure_ascii=False, sort_keys=True).encode() + b"\n")
        key = fields["tenant"], fields["message"]
        match fields["expects"]:
            case "fact":
                fact = _fact(fields, place)
                if fact.key in found.facts:
                    raise InvalidFile(EXPECTED, f"id {fact.id!r} stands there twice", line=place)
                found.facts[fact.key] = fact
            case "again":
                said = Quoted(fields["message"], fields["quote"])
                again.append((place, (fields["tenant"], fields["fact"]), said))
            case "may":
                found.may.setdefault(key, []).append(fields.get("quote", ""))
            case "junk":
                found.junk[key] = fields["why"]
            case "outcome":
                playbook = fields["tenant"], fields["playbook"]
                counts = found.outcomes.setdefault(playbook, {"worked": 0, "failed": 0})
                counts[fields["outcome"]] += 1
            case _:
                found.playbooks[key] = fields["quote"]
    _say_again(found.facts, again)
    _check_fates(found.facts, texts)
    found.digest = hashed.hexdigest()
    return found


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for place, fields in json_lines(path):
        for name in ("tenant", "expects", "message"):
            if not isinstance(fields.get(name), str):
                raise InvalidFile(path.name, f"it has no {name!r}", line=place)
        if fields["expects"] not in get_args(Expects):
            known = ", ".join(get_args(Expects))
            raise InvalidFile(path.name, f"expects must be one of {known}", line=place)
        for name in _NEEDED[fields["expects"]]:
            if not isinstance(fields.get(name), str):
                raise InvalidFile(path.name, f"it has no {name!r}", line=place)
        yield place, fields


def _check(fields: _Fields, texts: Mapping[Key, str], place: int) -> None:
    """Refuse what names a message that is not there, or words that do not stand in it."""
    tenant = fields["tenant"]
    named = [fields["message"], *fields.get("despite", ())]
    named += [fields["playbook"]] if fields["expects"] == "outcome" else []
    for one in named:
        if (tenant, one) not in texts:
            raise InvalidFile(EXPECTED, f"{one!r} is no message of {tenant!r}", line=place)
    if fields.get("quote", "") not in texts[tenant, fields["message"]]:
        raise InvalidFile(EXPECTED, "its quote does not stand in the message", line=place)
    allowed = {
        "says": get_args(Says),
        "fate": get_args(Fate),
        "contradiction": CONTRADICTIONS,
        "outcome": ("worked", "failed"),
    }
    for name, values in allowed.items():
        if name in fields and fields[name] not in values:
            raise InvalidFile(EXPECTED, f"{name} must be one of {', '.join(values)}", line=place)
    if ("by" in fields) is not (fields.get("fate", "holds") != "holds"):
        raise InvalidFile(EXPECTED, "`by` goes with a fate, and each fate with `by`", line=place)


def _fact(fields: _Fields, place: int) -> ExpectedFact:
    if not fields["quote"].strip() or not fields["value"].strip():
        raise InvalidFile(EXPECTED, "its quote or its value is empty", line=place)
    more = ("subject", "attribute", "says", "fate", "by", "contradiction")
    return ExpectedFact(
        tenant=fields["tenant"],
        id=fields.get("id", fields["message"]),
        said=(Quoted(fields["message"], fields["quote"]),),
        value=fields["value"],
        despite=tuple(fields.get("despite", ())),
        **{name: fields[name] for name in more if name in fields},
    )


def _say_again(facts: dict[Key, ExpectedFact], again: list[tuple[int, Key, Quoted]]) -> None:
    for place, key, said in again:
        if key not in facts:
            raise InvalidFile(EXPECTED, f"{key[1]!r} is no fact", line=place)
        facts[key] = replace(facts[key], said=(*facts[key].said, said))


def _check_fates(facts: Mapping[Key, ExpectedFact], texts: Mapping[Key, str]) -> None:
    for fact in facts.values():
        by = fact.tenant, fact.by
        if fact.fate == "superseded" and by not in facts:
            raise InvalidFile(EXPECTED, f"{fact.id!r} is superseded by what is no fact")
        if fact.fate == "ended" and by not in texts:
            raise InvalidFile(EXPECTED, f"{fact.id!r} is ended by what is no message")
