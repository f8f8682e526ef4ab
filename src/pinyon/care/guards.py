"""The guards of consolidation: each proposal is held against the material, in code.

Whatever proposes may be wrong, invent, or repeat what it was told. Nothing here asks a model: all
is decided by the words of the episodes, the ids that were shown, and what is known.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from pinyon.care.procedures import same_trigger
from pinyon.care.speakers import is_the_users
from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
    Proposal,
    Refusal,
    Statement,
)
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.text.normal import content_hash
from pinyon.text.quoting import naming_words, span_of
from pinyon.text.sentences import sentence_spans
from pinyon.text.statements.vocabulary import attribute_of, is_attribute
from pinyon.text.tokens import question_terms

FACT_CONFIDENCE_MIN = 0.6
PLAYBOOK_CONFIDENCE_MIN = 0.8
WORDS_SHARED_MIN = 0.5
"""Share of a fact's content words that must stand in what the user said, or in what was known."""

Reads = Callable[[str], Sequence[Statement]]
"""Reads off a text what it states."""

OPPOSITES = {"likes": "dislikes", "dislikes": "likes"}
"""Attributes of which the same thing has one only."""

SUBJECT, ATTRIBUTE, MADE_BY = "subject", "attribute", "made_by"
"""Keys of the metadata of what consolidation made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact that may be kept, or that is known already.

    Attributes:
        known: What says the same already, and gains support.
        supersedes: What it takes the place of.
        conflicts: What may say otherwise, where nobody can tell.
    """

    proposal: FactProposal
    known: Memory | None = None
    supersedes: tuple[Memory, ...] = ()
    conflicts: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A fact that ends, or never was."""

    proposal: EndProposal
    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Playbook:
    """A playbook that may be kept; `known` has the same trigger, or is what it refines."""

    proposal: PlaybookProposal
    known: Memory | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How it went with a playbook."""

    proposal: OutcomeProposal
    memory: Memory


Accepted = Fact | End | Playbook | Outcome


@dataclass(slots=True)
class Guarded:
    """What may be done, in the order in which it was proposed, and what was refused."""

    accepted: list[Accepted] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


class _No(Exception):
    """A proposal is not to be followed; says why, in a word."""


def guarded(
    material: Material,
    proposals: Sequence[Proposal],
    *,
    reads: Reads,
    forgotten: Collection[str] = (),
) -> Guarded:
    """Return what of the proposals may be done.

    Args:
        material: What they were made from.
        proposals: In the order in which they are to happen.
        reads: Reads off a text what it states; tells what a fact is about.
        forgotten: Hashes of texts that were forgotten since.
    """
    guards = _Guards(material, reads, frozenset(forgotten))
    found = Guarded()
    for proposal in proposals:
        try:
            found.accepted += guards.checked(proposal, found.accepted)
        except _No as no:
            found.refused.append(Refusal(kind=type(proposal).__name__, reason=str(no)))
    return found


class _Guards:
    """Checks one proposal after the other; what was accepted counts as known from then on."""

    def __init__(self, material: Material, reads: Reads, forgotten: frozenset[str]) -> None:
        self._material, self._reads, self._forgotten = material, reads, forgotten
        self._episodes = {one.id: one for one in material.episodes}
        self._facts = {one.id: one for one in material.facts}
        self._playbooks = {one.id: one for one in material.playbooks}

    def checked(self, proposal: Proposal, accepted: Sequence[Accepted]) -> Iterator[Accepted]:
        match proposal:
            case FactProposal():
                yield self._fact(proposal, accepted)
            case EndProposal():
                yield self._end(proposal)
            case PlaybookProposal():
                yield self._playbook(proposal, accepted)
            case OutcomeProposal():
                yield self._outcome(proposal)

    # ── each sort ────────────────────────────────────────────────────────────────────────────

    def _fact(self, proposal: FactProposal, accepted: Sequence[Accepted]) -> Fact:
        episode = self._quoted(proposal.support, proposal.quote)
        _sure(proposal.confidence, FACT_CONFIDENCE_MIN)
        self._not_forgotten(proposal.text, proposal.quote)
        # What was never shown is passed over: what the proposal says may still be so.
        named = [self._facts[one] for one in proposal.supersedes if one in self._facts]
        self._in_words(proposal.text, episode, named)
        about = self._about(proposal.text, proposal.subject, proposal.attribute)
        if any(
            content_hash(one.proposal.text) == content_hash(proposal.text)
            for one in accepted
            if isinstance(one, Fact)
        ):
            raise _No("repeated")
        known = self._same(proposal.text)
        if known is not None:
            return Fact(proposal=proposal, known=known)
        replaced, undecided = self._judged(about, named, episode, proposal.quote)
        _not_outdated(episode, replaced)
        return Fact(proposal=proposal, supersedes=tuple(replaced), conflicts=tuple(undecided))

    def _end(self, proposal: EndProposal) -> End:
        episode = self._quoted(proposal.support, proposal.quote)
        _sure(proposal.confidence, FACT_CONFIDENCE_MIN)
        memory = self._facts.get(proposal.fact)
        if memory is None:
            raise _No("unknown_fact")
        if not _shares_words(memory.text, proposal.quote):
            raise _No("other_subject")
        _not_outdated(episode, [memory])
        return End(proposal=proposal, memory=memory)

    def _playbook(self, proposal: PlaybookProposal, accepted: Sequence[Accepted]) -> Playbook:
        episodes = [self._supporting(one) for one in proposal.supports]
        if not any(span_of(proposal.quote, one.text) for one in episodes):
            raise _No("not_quoted")
        _sure(proposal.confidence, PLAYBOOK_CONFIDENCE_MIN)
        steps = [step for step in proposal.steps if step.strip()]
        if not steps or not proposal.trigger.strip():
            raise _No("no_steps")
        self._not_forgotten(proposal.text, proposal.quote)
        said = " ".join(
            [*(one.text for one in episodes), *(one.text for one in self._material.around)]
        )
        if not all(_shares_words(step, said) for step in steps):
            raise _No("not_in_words")
        trigger = content_hash(proposal.trigger)
        for one in accepted:
            if isinstance(one, Playbook) and content_hash(one.proposal.trigger) == trigger:
                raise _No("repeated")
        known = None if proposal.refines is None else self._playbooks.get(proposal.refines)
        if proposal.refines is not None and known is None:
            raise _No("unknown_playbook")
        found = known or same_trigger(self._playbooks.values(), proposal.trigger)
        return Playbook(proposal=proposal, known=found)

    def _outcome(self, proposal: OutcomeProposal) -> Outcome:
        episode = self._quoted(proposal.support, proposal.quote)
        _sure(proposal.confidence, FACT_CONFIDENCE_MIN)
        if "consolidation" not in episode.awaits:
            raise _No("counted_before")
        memory = self._playbooks.get(proposal.playbook)
        if memory is None:
            raise _No("unknown_playbook")
        return Outcome(proposal=proposal, memory=memory)

    # ── what each must stand ─────────────────────────────────────────────────────────────────

    def _supporting(self, support: MemoryId) -> Memory:
        """Return the episode that supports something: it was shown, and the user said it."""
        episode = self._episodes.get(support)
        if episode is None:
            raise _No("unknown_support")
        if not is_the_users(episode, self._material):
            raise _No("not_the_users")
        return episode

    def _quoted(self, support: MemoryId, quote: str) -> Memory:
        """Return the episode in which a quotation stands, as a statement."""
        episode = self._supporting(support)
        span = span_of(quote, episode.text)
        if span is None or not question_terms(quote).words:
            raise _No("not_quoted")
        for start, end in sentence_spans(episode.text):
            if start <= span[0] < end and episode.text[start:end].endswith(("?", "？")):
                raise _No("a_question")
        return episode

    def _not_forgotten(self, *texts: str) -> None:
        if any(content_hash(text) in self._forgotten for text in texts):
            raise _No("forgotten")

    def _in_words(self, text: str, episode: Memory, replaced: Sequence[Memory]) -> None:
        """See that what a fact says stands in what the user said.

        Names and numbers to the letter, if not in this episode then in what it corrects or what is
        known; of the other words at least a half.
        """
        known = " ".join([episode.text, *(one.text for one in (*replaced, *self._facts.values()))])
        held = set(question_terms(known).words)
        said = set(question_terms(episode.text).words)
        words = set(question_terms(text).words)
        if not words or not naming_words(text) <= held:
            raise _No("not_in_words")
        numbers = {word for word in words if any(character.isdigit() for character in word)}
        if not numbers <= said or len(words & said) < WORDS_SHARED_MIN * len(
            words - naming_words(text)
        ):
            raise _No("not_in_words")

    def _about(self, text: str, subject: str, attribute: str) -> frozenset[tuple[str, str]]:
        """Return what a text is about, as far as somebody says or its form tells."""
        told = {(one.subject, one.attribute) for one in self._reads(text)}
        if subject and attribute:
            told.add((subject, attribute))
        return frozenset(told)

    def _about_memory(self, memory: Memory) -> frozenset[tuple[str, str]]:
        marks = dict(memory.metadata)
        subject, attribute = marks.get(SUBJECT, ""), marks.get(ATTRIBUTE, "")
        return self._about(memory.text, str(subject), str(attribute))

    def _same(self, text: str) -> Memory | None:
        """Return the known fact that says the same, by equal text or by an equal statement."""
        hashed = content_hash(text)
        values = _values(self._reads(text))
        for fact in self._facts.values():
            if fact.content_hash == hashed:
                return fact
            if values and values == _values(self._reads(fact.text)):
                return fact
        return None

    def _judged(
        self,
        about: frozenset[tuple[str, str]],
        named: Sequence[Memory],
        episode: Memory,
        quote: str,
    ) -> tuple[list[Memory], list[Memory]]:
        """Return which facts are replaced, and of which nobody can tell.

        Only what is of the same subject and attribute is, or the same thing liked and disliked;
        what is known to be of another one stays as it is, whatever was proposed.
        """
        turned = {(subject, OPPOSITES.get(attribute, "")) for subject, attribute in about}
        replaced, undecided = [], []
        for fact in named:
            theirs = self._about_memory(fact)
            if not about or not theirs:
                undecided.append(fact)
            elif (turned & theirs and _shares_words(fact.text, quote)) or (
                about & theirs and self._is_meant(fact, about & theirs, episode)
            ):
                replaced.append(fact)
        return replaced, undecided

    def _is_meant(self, fact: Memory, about: frozenset[tuple[str, str]], episode: Memory) -> bool:
        """Return whether a fact is the one that an episode speaks of.

        Who gets a cat still has the dog: of what there may be several of, one takes another's place
        only where the user names that one too.
        """
        if any(not is_attribute(name) or attribute_of(name).is_single for _, name in about):
            return True
        read = self._reads(fact.text)
        values = [one.value for one in read if (one.subject, one.attribute) in about]
        return any(_shares_words(value, episode.text) for value in values or [fact.text])


def _not_outdated(episode: Memory, facts: Sequence[Memory]) -> None:
    """See that nothing is changed that was said later: what comes in late is no news."""
    if any(_said_at_us(fact) > _said_at_us(episode) for fact in facts):
        raise _No("outdated")


def _said_at_us(memory: Memory) -> int:
    times = memory.times
    for at_us in (times.occurred_at_us, times.valid_from_us):
        if at_us is not None:
            return at_us
    return times.created_at_us


def _sure(confidence: float, least: float) -> None:
    if not least <= confidence <= 1.0:
        raise _No("unsure")


def _shares_words(text: str, said: str) -> bool:
    words = set(question_terms(text).words)
    return bool(words & set(question_terms(said).words))


def _values(statements: Sequence[Statement]) -> frozenset[tuple[str, str, str, tuple[str, ...]]]:
    return frozenset(
        (one.subject, one.attribute, one.says, question_terms(one.value).words)
        for one in statements
    )
