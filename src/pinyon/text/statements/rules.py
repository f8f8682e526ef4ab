"""How rules about statements are written, so that one can read them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pinyon.domain.consolidation import Says
from pinyon.text.statements.vocabulary import USER, kind_of, subject_of

HIDDEN = "\ufffc"
"""Stands, character for character, where a text holds what its writer does not state."""

_PIECE = re.compile(r"\{([A-Z]+)\}")

Check = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule reads in a clause."""

    subject: str
    attribute: str
    value: str
    says: Says
    replaces: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A form of clause that states something, tried at the clause's beginning.

    Its pattern names a group `value`, and may name `of` (a word for the subject), `kind` (of what
    something is the favourite) and `old` (a value that holds no more). One that is a reply ("it's a
    Hub v3") counts only where what does not hold stands beside it ("not a v2").
    """

    attribute: str
    pattern: re.Pattern[str]
    says: Says
    means: Check
    subject: str
    is_reply: bool

    def read(self, clause: str) -> Found | None:
        """Return what a clause states by this rule, if anything."""
        match = self.pattern.match(clause)
        if match is None:
            return None
        groups = match.groupdict(default="")
        value = groups["value"].strip()
        if not self.means(value):
            return None
        of, kind = groups.get("of", ""), groups.get("kind", "")
        return Found(
            subject_of(of) if of else self.subject,
            self.attribute + (kind_of(kind) if kind else ""),
            value,
            self.says,
            groups.get("old", "").strip(),
        )


@dataclass(frozen=True, slots=True)
class Omission:
    """What a clause leaves out, or a pronoun stands for, because the clause before tells.

    Attributes:
        before: How the clause before begins; `FIRST` for none.
        begins: How the clause itself begins.
        lead: What to think instead of that: may name groups of `before`, as in `re.Match.expand`.
    """

    before: re.Pattern[str]
    begins: re.Pattern[str]
    lead: str

    def fill(self, said: str, before: str) -> str | None:
        """Return a clause with what it leaves out after the one before; `None` for others."""
        known = self.before.match(before)
        begins = self.begins.match(said) if known is not None else None
        if known is None or begins is None:
            return None
        return known.expand(self.lead) + said[begins.end() :]


NEVER = re.compile(r"(?!)")
"""Stands for a form that a language does not have."""
FIRST = re.compile(r"\Z")
"""Stands for the clause before the first of a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The rules of a language, and the forms of what says nothing in it.

    Attributes:
        separator: What stands between two clauses.
        own: How a clause of the user's own begins.
        omissions: What is left out after which clauses.
        carries: How a clause begins that names nobody: it is about whom the one before was about.
        filler: What a clause may begin with and says nothing.
        condition: What stands before a statement in its clause and limits it.
        limit: A clause that limits the next one.
        instead: A clause that says what does not hold beside what does (group `old`).
        orders: How a standing order to the assistant begins.
        asks: How a question begins, with or without its mark.
        relative: How a clause begins that asks only where there is a mark: "my son, who is four".
        confirms: What shows that a question is about what was said just before it.
        doubts: What makes a clause a guess.
        hedge: A clause that is a guess and nothing else, about those beside it.
        leans: How a guess begins that is about the clause before it.
        joins: What stands between two clauses that are guessed together.
        supposes: What supposes something, with all that comes of it.
        turn: What stands before a clause that is meant again, whatever was supposed.
        jokes: What makes a game of all that was said before it.
        takes_back: What makes a game of a whole message.
        others_speak: Where a sentence goes over to what somebody said.
        for_once: What says that something is meant for now only.
        tasks: How a message begins that brings the matter of a task, and says nothing of the user.
    """

    rules: tuple[Rule, ...]
    separator: re.Pattern[str]
    own: re.Pattern[str]
    omissions: tuple[Omission, ...]
    carries: re.Pattern[str]
    filler: re.Pattern[str]
    condition: re.Pattern[str]
    limit: re.Pattern[str]
    instead: re.Pattern[str]
    orders: re.Pattern[str]
    asks: re.Pattern[str]
    relative: re.Pattern[str]
    confirms: re.Pattern[str]
    doubts: re.Pattern[str]
    hedge: re.Pattern[str]
    leans: re.Pattern[str]
    joins: re.Pattern[str]
    supposes: re.Pattern[str]
    turn: re.Pattern[str]
    jokes: re.Pattern[str]
    takes_back: re.Pattern[str]
    others_speak: re.Pattern[str]
    for_once: re.Pattern[str]
    tasks: re.Pattern[str]


def anything(value: str) -> bool:
    """Return whether a value is one at all."""
    return bool(value)


@dataclass(frozen=True, slots=True)
class Notation:
    """How patterns are written: white space says nothing, `_` is `blank`, `{NAME}` a piece."""

    pieces: Mapping[str, str]
    blank: str

    def rules(
        self,
        attribute: str,
        *patterns: str,
        says: Says = "holds",
        means: Check = anything,
        subject: str = USER,
        is_reply: bool = False,
    ) -> tuple[Rule, ...]:
        """Return the rules that say the same of an attribute, one for each pattern."""
        return tuple(
            Rule(attribute, self._compiled(pattern), says, means, subject, is_reply)
            for pattern in patterns
        )

    def _compiled(self, pattern: str) -> re.Pattern[str]:
        while _PIECE.search(pattern):
            pattern = _PIECE.sub(lambda piece: self.pieces[piece[1]], pattern)
        text = "".join(pattern.split()).replace("_", self.blank)
        return re.compile(text, re.IGNORECASE)
