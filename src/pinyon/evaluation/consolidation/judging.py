"""What was made of a corpus, held against what was expected of it. Nothing here asks a store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pinyon.domain.memory import Contradiction
from pinyon.evaluation.consolidation.expected import OTHERS, Expected, ExpectedFact, Key
from pinyon.evaluation.consolidation.playing import MadeFact, Place, Played
from pinyon.text.normal import content_hash
from pinyon.text.scripts import is_mostly_latin
from pinyon.text.tokens import question_terms

Verdict = Literal["right", "beside", "wrong", "junk"]
"""Of a fact: expected; allowed but not asked for; of words that say no such thing; of junk."""

VALUE_SHARED_MIN = 0.5
"""Share of the words of an expected value that a fact must hold."""


@dataclass(frozen=True, slots=True)
class Change:
    """That a fact no longer holds: the fact that took its place ("" where none did), and how."""

    by: str
    contradiction: Contradiction


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedFact:
    """A fact that was made, and how it stands to what was expected.

    Attributes:
        message: Of what it was made.
        label: The expected fact that it is.
        is_placed: Whether it is filed under the label's subject and attribute; `None` where the
            label names none, or there is no label.
        stands: Whether its span is where it says, and holds its very words where they are said to
            be the user's.
        is_others: Whether it rests on something else than the user's own words.
        change: How it stopped to hold; what took its place is called by its label, or by its id.
    """

    made: MadeFact
    message: Key
    language: str
    verdict: Verdict
    label: ExpectedFact | None = None
    is_placed: bool | None = None
    stands: bool
    is_others: bool
    change: Change | None = None

    @property
    def is_changed_rightly(self) -> bool:
        """Return whether that took its place, or ended it, which was to."""
        wanted = None if self.label is None else expected_change(self.label)
        return wanted is not None and self.change is not None and wanted.by == self.change.by


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedLabel:
    """A fact that was expected, and the facts that are it."""

    label: ExpectedFact
    language: str
    made: tuple[JudgedFact, ...]

    @property
    def is_found(self) -> bool:
        """Return whether it was made."""
        return bool(self.made)

    @property
    def holds(self) -> bool:
        """Return whether it holds in the end."""
        return any(one.made.holds for one in self.made)

    @property
    def is_changed_rightly(self) -> bool:
        """Return whether that took its place, or ended it, which was to."""
        return any(one.is_changed_rightly for one in self.made)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedMessage:
    """A message of which nothing is to be made, and what was made of it."""

    key: Key
    language: str
    why: str
    made: tuple[JudgedFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """All that can be said of a run.

    Attributes:
        facts: What was made.
        labels: What was expected.
        junk: Of what nothing was to be made.
        outcomes: How often a playbook was counted rightly, how often it was counted, and how often
            it should have been.
        playbooks: How many playbooks were expected of those that were made, how many were made, and
            how many should have been.
    """

    facts: tuple[JudgedFact, ...]
    labels: tuple[JudgedLabel, ...]
    junk: tuple[JudgedMessage, ...]
    outcomes: tuple[int, int, int]
    playbooks: tuple[int, int, int]


def judge(expected: Expected, played: Played) -> Judged:
    """Hold what was made against what was expected."""
    facts = _judged_facts(expected, played)
    made_of: dict[Key, list[JudgedFact]] = {}
    made_in: dict[Key, list[JudgedFact]] = {}
    for one in facts:
        if one.label is not None:
            made_of.setdefault(one.label.key, []).append(one)
        for support in one.made.supports:
            made_in.setdefault((one.made.tenant, support), []).append(one)
    return Judged(
        facts=facts,
        labels=tuple(
            JudgedLabel(
                label=label,
                language=_language(played.texts[label.tenant, label.said[0].message]),
                made=tuple(made_of.get(label.key, ())),
            )
            for label in expected.facts.values()
        ),
        junk=tuple(
            JudgedMessage(
                key=key,
                language=_language(played.texts[key]),
                why=why,
                made=tuple(made_in.get(key, ())),
            )
            for key, why in expected.junk.items()
        ),
        outcomes=_outcomes(expected, played),
        playbooks=_playbooks(expected, played),
    )


def expected_change(label: ExpectedFact) -> Change | None:
    """Return how an expected fact is to stop to hold, or `None` where it is to hold."""
    if label.fate == "holds":
        return None
    return Change(label.by if label.fate == "superseded" else "", label.contradiction)


def _judged_facts(expected: Expected, played: Played) -> tuple[JudgedFact, ...]:
    labels_of: dict[Key, list[ExpectedFact]] = {}
    for label in expected.facts.values():
        for message in dict.fromkeys(said.message for said in label.said):
            labels_of.setdefault((label.tenant, message), []).append(label)
    facts = [_judged(made, expected, labels_of, played.texts) for made in played.facts]
    by_id = {one.made.id: one for one in facts}
    return tuple(replace(one, change=_change_of(one, by_id)) for one in facts)


def _change_of(one: JudgedFact, by_id: Mapping[str, JudgedFact]) -> Change | None:
    made = one.made
    if made.superseded_by is None:
        return None if made.ended is None else Change("", made.ended)
    new = by_id.get(made.superseded_by)
    if new is None:
        return Change(made.superseded_by, "natural")
    by = made.superseded_by if new.label is None else new.label.id
    return Change(by, new.made.contradiction or "natural")


def _outcomes(expected: Expected, played: Played) -> tuple[int, int, int]:
    right = counted = wanted = 0
    for key in {**played.outcomes, **expected.outcomes}:
        for how in ("worked", "failed"):
            found = played.outcomes.get(key, {}).get(how, 0)
            due = expected.outcomes.get(key, {}).get(how, 0)
            right, counted, wanted = right + min(found, due), counted + found, wanted + due
    return right, counted, wanted


def _playbooks(expected: Expected, played: Played) -> tuple[int, int, int]:
    due = expected.playbooks
    right = [one for one in played.playbooks if any((one.tenant, x) in due for x in one.supports)]
    return len(right), len(played.playbooks), len(due)


def _judged(
    made: MadeFact,
    expected: Expected,
    labels_of: Mapping[Key, Sequence[ExpectedFact]],
    texts: Mapping[Key, str],
) -> JudgedFact:
    messages = [(made.tenant, one) for one in made.supports]
    label = _label_of(made, labels_of, texts)
    verdict: Verdict = "wrong"
    if any(one in expected.junk for one in messages):
        verdict, label = "junk", None
    elif label is not None:
        verdict = "right"
    elif any(_may_be(place, made.tenant, expected, texts) for place in made.places):
        verdict = "beside"
    message = messages[0] if messages else (made.tenant, "")
    return JudgedFact(
        made=made,
        message=message,
        language=_language(texts.get(message, made.text)),
        verdict=verdict,
        label=label,
        is_placed=_is_placed(made, label) if label is not None and label.attribute else None,
        stands=_stands(made, texts),
        is_others=not messages
        or any(one not in texts or expected.junk.get(one) in OTHERS for one in messages),
    )


def _label_of(
    made: MadeFact, labels_of: Mapping[Key, Sequence[ExpectedFact]], texts: Mapping[Key, str]
) -> ExpectedFact | None:
    """Return the expected fact that a fact is: its span overlaps the label's words, and it holds
    at least half of the words of the value. Of several, that which it is filed as; else the one
    that it shares most with.
    """  # noqa: D205 - one thought
    fitting = []
    for place in made.places:
        text = texts.get((made.tenant, place.message), "")
        for label in labels_of.get((made.tenant, place.message), ()):
            overlap = max(
                _overlap(place, said.quote, text)
                for said in label.said
                if said.message == place.message
            )
            share = _share_of(label.value, made.text)
            if overlap and share >= VALUE_SHARED_MIN:
                fitting.append(((_is_placed(made, label), share, overlap), label))
    return max(fitting, key=lambda one: one[0])[1] if fitting else None


def _is_placed(made: MadeFact, label: ExpectedFact) -> bool:
    return (made.subject, made.attribute) == (label.subject, label.attribute)


def _may_be(place: Place, tenant: str, expected: Expected, texts: Mapping[Key, str]) -> bool:
    key = tenant, place.message
    return any(
        not quote or _overlap(place, quote, texts.get(key, ""))
        for quote in expected.may.get(key, ())
    )


def _overlap(place: Place, quote: str, text: str) -> int:
    """Return how many characters a place shares with words of a text."""
    start = text.find(quote)
    if start < 0:
        return 0
    return max(0, min(place.end, start + len(quote)) - max(place.start, start))


def _share_of(value: str, text: str) -> float:
    """Return the share of the words of a value that a text holds."""
    words = set(question_terms(value).words)
    if not words:
        return float(value.casefold() in text.casefold())
    return len(words & set(question_terms(text).words)) / len(words)


def _stands(made: MadeFact, texts: Mapping[Key, str]) -> bool:
    if not made.places:
        return False
    for place in made.places:
        text = texts.get((made.tenant, place.message), "")
        words = text[place.start : place.end]
        if place.message not in made.supports or not 0 <= place.start < place.end <= len(text):
            return False
        if made.trust == "user" and content_hash(words) != content_hash(made.text):
            return False
    return True


def _language(text: str) -> str:
    return "en" if is_mostly_latin(text) else "zh"
