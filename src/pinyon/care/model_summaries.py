"""Better summaries of long texts, by a chat model: of the original only, and held against it.

What the model says is a proposal. It takes the place of what rules had made only where code finds
its names, its numbers and most of its words in the text; else that stays, and why is noted with it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic import Field

from pinyon.care.budget import Budget
from pinyon.care.summarising import LOOKED_BACK_US
from pinyon.domain.change import Patch
from pinyon.domain.draft import Draft
from pinyon.domain.event import is_summary
from pinyon.domain.filter import Eq, all_of
from pinyon.domain.memory import Memory, Summary
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import BadInput, BadModelOutput, BudgetSpent, NotFound, Refused, VersionConflict
from pinyon.ports.chat import Chat, Form, Message
from pinyon.ports.clock import Clock
from pinyon.ports.records import every_memory
from pinyon.ports.store import Store
from pinyon.prompts.loading import load
from pinyon.text.fencing import defused, fenced
from pinyon.text.summarising import RULES, SUMMARY_CHARS, refusal
from pinyon.write.gate import Gate
from pinyon.write.keeper import Keeper

ANSWER_TOKENS_MAX = 1_000
"""Of one answer, what a model thinks before it answers included."""

REFUSED: Final = f"{RULES}, not "
"""Begins `made_by` where rules made it and a model was asked: who, and why it was not taken."""


class Shortened(Form):
    """What a model is to answer."""

    summary: str = Field(max_length=2_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bettered:
    """What became of summaries.

    Attributes:
        better: How many a model made.
        refused: How many stay as rules made them, by the reason.
        is_spent: There may be more; the day's budget is spent.
    """

    better: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    is_spent: bool = False


class ModelSummaries:
    """Asks a chat model for better summaries of what was kept lately."""

    def __init__(
        self,
        store: Store,
        keeper: Keeper,
        chat: Chat,
        budget: Budget,
        *,
        clock: Clock,
        by: Actor,
        timeout_s: float = 120.0,
    ) -> None:
        """Take what it works with.

        Args:
            store: Where.
            keeper: Tells what its user lets memory keep.
            chat: Whom it asks.
            budget: What it may spend in a day.
            clock: Tells the time.
            by: Whom the journal names.
            timeout_s: How long each call may take.
        """
        self._store, self._keeper, self._chat, self._budget = store, keeper, chat, budget
        self._clock, self._by, self._timeout_s = clock, by, timeout_s
        self._prompt = load("summarise")

    @property
    def label(self) -> str:
        """What a summary is said to be made by: the version of the prompt, and the model."""
        return f"{self._prompt.label} {self._chat.label}"

    async def better(self, own: Space) -> Bettered:
        """Better the summaries that rules made of a user's memories, of those kept lately.

        Of each memory the model is asked once: what is refused is not asked for again.

        Raises:
            ModelUnavailable: Nobody answers; what is left waits.
        """
        gate = await self._keeper.gate_for(own)
        if gate.allowed.is_paused:
            return Bettered()
        made: Counter[str] = Counter()
        since_us = self._clock.now_us() - LOOKED_BACK_US
        async for memory in every_memory(self._store.records, own, _HOLDS):
            # The newest come first, in the order in which they were kept.
            if memory.times.created_at_us < since_us:
                break
            is_apart = memory.source.session in gate.allowed.temporary
            if is_apart or is_summary(memory) or not _is_by_rules(memory):
                continue
            try:
                summary, reason = await self._proposed(memory, gate)
            except BudgetSpent:
                return _bettered(made, is_spent=True)
            if await self._noted(own, memory, summary, reason):
                made[reason] += 1
        return _bettered(made)

    def _asking(self, memory: Memory) -> str:
        text = fenced([defused(memory.text)])
        return self._prompt.render(limit=str(SUMMARY_CHARS), text=text)

    async def _proposed(self, memory: Memory, gate: Gate) -> tuple[str, str]:
        """Return what the model says in short, and why that is not to be taken, if so."""
        try:
            completion = await self._budget.paying(self._chat, memory.space).complete(
                [Message("user", self._asking(memory))],
                form=Shortened,
                max_tokens=ANSWER_TOKENS_MAX,
                timeout_s=self._timeout_s,
            )
        except BadModelOutput:
            return "", "unreadable"
        summary = completion.value.summary.strip()
        reason = refusal(summary, memory.text)
        if reason:
            return "", reason
        try:
            screened = gate.screen(Draft(text=summary), memory.space.tenant)
        except (BadInput, Refused) as error:
            return "", error.code
        return summary, "sensitive" if screened.redacted else ""

    async def _noted(self, own: Space, memory: Memory, summary: str, reason: str) -> bool:
        """Keep the better summary, or note why there is none; false where the memory changed."""
        if memory.summary is None:
            return False
        kept = (
            replace(memory.summary, made_by=f"{REFUSED}{self.label}: {reason}")
            if reason
            else Summary(summary, self.label)
        )
        change = Patch(id=memory.id, summary=kept)
        expect = {memory.id: memory.version}
        try:
            await self._store.records.apply(own, [change], by=self._by, expect=expect)
        except (NotFound, VersionConflict):
            return False  # covered, edited or gone meanwhile: it is looked at the next time
        return True


_HOLDS = all_of(Eq("status", "active"), Eq("shelf", "open"))


def _is_by_rules(memory: Memory) -> bool:
    return memory.summary is not None and memory.summary.made_by == RULES


def _bettered(made: Counter[str], *, is_spent: bool = False) -> Bettered:
    refused = {reason: count for reason, count in made.items() if reason}
    return Bettered(better=made[""], refused=refused, is_spent=is_spent)
