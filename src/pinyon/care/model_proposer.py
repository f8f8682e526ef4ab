"""Asks a chat model what to make of episodes, and takes its answer for no more than a proposal."""

from collections.abc import Iterator, Mapping, Sequence

from pinyon.care.budget import Budget
from pinyon.care.proposed_form import (
    Proposed,
    ProposedEnd,
    ProposedFact,
    ProposedOutcome,
    ProposedPlaybook,
)
from pinyon.care.shown_material import CountTokens, Shown, shown_in_parts
from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
    Proposal,
)
from pinyon.domain.ids import MemoryId
from pinyon.ports.chat import Chat, Message
from pinyon.prompts.loading import load
from pinyon.text.counting import estimated_tokens
from pinyon.text.normal import fold

BUDGET_TOKENS = 6_000
"""Of material in one call. With the prompt and the answer it fits models that read 16,000."""
ANSWER_TOKENS_MAX = 4_000
"""Of one answer, what a model thinks before it answers included."""

NOT_SHOWN = MemoryId("not-shown")
"""Stands for a short id that the model was not shown: no memory's, so that it is refused."""


class ModelProposer:
    """See `pinyon.ports.proposer.Proposer`.

    What it returns is what the model said, with the ids that its short ids stand for. It is not
    looked into whether that is so; only what says nothing, or contradicts itself within an answer,
    is left out.
    """

    def __init__(
        self,
        chat: Chat,
        *,
        budget: Budget | None = None,
        timeout_s: float = 120.0,
        budget_tokens: int = BUDGET_TOKENS,
        answer_tokens_max: int = ANSWER_TOKENS_MAX,
        count_tokens: CountTokens = estimated_tokens,
    ) -> None:
        """Take whom to ask.

        Args:
            chat: The model.
            budget: What its calls are paid from; `None` where they cost nothing.
            timeout_s: How long each call may take.
            budget_tokens: How much material one call may hold; more is asked in several.
            answer_tokens_max: How long one answer may be.
            count_tokens: Counts what a text takes.
        """
        self._chat, self._budget, self._timeout_s = chat, budget, timeout_s
        self._answer_tokens_max = answer_tokens_max
        self._budget_tokens, self._count_tokens = budget_tokens, count_tokens
        self._prompt = load("consolidate")

    @property
    def label(self) -> str:
        """See the port: the version of the prompt, and the model."""
        return f"{self._prompt.label} {self._chat.label}"

    async def propose(self, material: Material) -> Sequence[Proposal]:
        """See the port."""
        chat = self._chat
        if self._budget is not None:
            chat = self._budget.paying(chat, material.episodes[0].space)
        proposals: list[Proposal] = []
        for shown in shown_in_parts(
            material, budget_tokens=self._budget_tokens, count_tokens=self._count_tokens
        ):
            proposals += await self._asked(chat, shown)
        # Calls overlap in what they are shown: a thing that two of them say is said once.
        return tuple(dict.fromkeys(proposals))

    async def _asked(self, chat: Chat, shown: Shown) -> list[Proposal]:
        completion = await chat.complete(
            [Message("user", self._prompt.render(**shown.inputs))],
            form=Proposed,
            max_tokens=self._answer_tokens_max,
            timeout_s=self._timeout_s,
        )
        return consistent(tuple(_proposals(completion.value, shown.ids)))


def consistent(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the proposals of one answer that do not contradict each other.

    A fact that another one takes the place of does not also end, and a playbook that is said to
    have worked and to have failed by the same episode did neither, as far as anybody can tell.
    """
    replaced = {
        one
        for proposal in proposals
        if isinstance(proposal, FactProposal)
        for one in proposal.supersedes
    }
    told: dict[tuple[MemoryId, MemoryId], set[str]] = {}
    for proposal in proposals:
        if isinstance(proposal, OutcomeProposal):
            told.setdefault((proposal.playbook, proposal.support), set()).add(proposal.outcome)

    def stands(proposal: Proposal) -> bool:
        match proposal:
            case EndProposal(fact=fact):
                return fact not in replaced or fact == NOT_SHOWN
            case OutcomeProposal(playbook=playbook, support=support):
                return len(told[playbook, support]) == 1
            case _:
                return True

    return [proposal for proposal in proposals if stands(proposal)]


def _proposals(proposed: Proposed, ids: Mapping[str, MemoryId]) -> Iterator[Proposal]:
    for fact in proposed.facts:
        if fact.quote.strip() and fact.text.strip():
            yield _fact(fact, ids)
    for end in proposed.ends:
        if end.quote.strip():
            yield _end(end, ids)
    for playbook in proposed.playbooks:
        is_told = any(step.strip() for step in playbook.steps)
        if is_told and playbook.quote.strip() and playbook.text.strip():
            yield _playbook(playbook, ids)
    for outcome in proposed.outcomes:
        if outcome.quote.strip():
            yield _outcome(outcome, ids)


def _fact(fact: ProposedFact, ids: Mapping[str, MemoryId]) -> FactProposal:
    return FactProposal(
        text=fact.text.strip(),
        support=_meant(fact.episode, "e", ids),
        quote=fact.quote.strip(),
        subject=_folded(fact.subject),
        attribute=_folded(fact.attribute).replace(" ", "_"),
        confidence=fact.confidence,
        category="" if fact.category == "other" else fact.category,
        supersedes=tuple(dict.fromkeys(_meant(one, "f", ids) for one in fact.supersedes)),
        contradiction=fact.contradiction,
        why=fact.why.strip(),
    )


def _end(end: ProposedEnd, ids: Mapping[str, MemoryId]) -> EndProposal:
    return EndProposal(
        fact=_meant(end.fact, "f", ids),
        support=_meant(end.episode, "e", ids),
        quote=end.quote.strip(),
        says=end.says,
        confidence=end.confidence,
        why=end.why.strip(),
    )


def _playbook(playbook: ProposedPlaybook, ids: Mapping[str, MemoryId]) -> PlaybookProposal:
    return PlaybookProposal(
        text=playbook.text.strip(),
        trigger=playbook.trigger.strip(),
        steps=tuple(step.strip() for step in playbook.steps if step.strip()),
        supports=tuple(dict.fromkeys(_meant(one, "e", ids) for one in playbook.episodes)),
        quote=playbook.quote.strip(),
        confidence=playbook.confidence,
        refines=_meant(playbook.refines, "p", ids) if playbook.refines.strip() else None,
        why=playbook.why.strip(),
    )


def _outcome(outcome: ProposedOutcome, ids: Mapping[str, MemoryId]) -> OutcomeProposal:
    return OutcomeProposal(
        playbook=_meant(outcome.playbook, "p", ids),
        outcome=outcome.outcome,
        support=_meant(outcome.episode, "e", ids),
        quote=outcome.quote.strip(),
        confidence=outcome.confidence,
    )


def _meant(short: str, letter: str, ids: Mapping[str, MemoryId]) -> MemoryId:
    """Return the memory that a short id stands for, if it is one of that sort that was shown."""
    short = short.strip().strip("[]").lower()
    return ids.get(short, NOT_SHOWN) if short.startswith(letter) else NOT_SHOWN


def _folded(text: str) -> str:
    return " ".join(fold(text).split())
