"""Building a context: everything that a prompt may want of memory, fetched and composed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pinyon.domain.event import Turn
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Principal
from pinyon.domain.question import RecallContext
from pinyon.domain.space import Space
from pinyon.domain.turn import Context, Message
from pinyon.ports.clock import Clock
from pinyon.ports.event_log import EventLog
from pinyon.ports.records import Records
from pinyon.recall.core_facts import CoreFacts
from pinyon.recall.planning import question_of
from pinyon.recall.recaller import Recaller
from pinyon.text.orders import gives_orders
from pinyon.turn.composing import Found, composed
from pinyon.turn.conversation import read_history
from pinyon.turn.packing import CountTokens, checked_budget
from pinyon.write.form import line

WORKING_TURNS_MAX = 12

BEGUN_TURNS_MAX = 2
"""Turns up to which a conversation has just begun, and may go on where the one before ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a context is for; see `pinyon.ports.client.Operations.build_context`."""

    task: str
    session: str = ""
    history: Sequence[Message] = ()
    context: RecallContext | None = None
    budget_tokens: int = 2_000
    k: int = 20


class ContextBuilder:
    """Fetches core facts, the last turns and what answers the task, and composes them."""

    def __init__(
        self,
        recaller: Recaller,
        core_facts: CoreFacts,
        log: EventLog,
        records: Records,
        *,
        clock: Clock,
        count: CountTokens,
    ) -> None:
        self._recaller, self._core_facts, self._log = recaller, core_facts, log
        self._records = records
        self._clock, self._count = clock, count

    async def build(self, principal: Principal, wanted: Wanted) -> Context:
        """Return a context.

        Raises:
            BadInput: A part of what is wanted is not what it must be.
        """
        budget = checked_budget(wanted.budget_tokens)
        session = line("session", wanted.session)
        now_us = self._clock.now_us()
        own = principal.space("own", to="read")
        context = wanted.context or RecallContext()
        question = question_of(
            wanted.task,
            spaces=principal.reads,
            now_us=now_us,
            k=wanted.k,
            context=replace(context, session=context.session or session),
        )
        shown = read_history(wanted.history).with_message(question.text)
        turns = await self._turns(own, session)
        has_begun = bool(session) and len(turns) <= BEGUN_TURNS_MAX
        found = Found(
            own=own,
            core=await self._core_facts.of(principal.reads, now_us),
            turns=turns,
            last=await self._last(own) if has_begun else None,
            recall=await self._recaller.recall(shown.left_out_of(question)),
            shown=shown,
            now_us=now_us,
        )
        return composed(found, budget=budget, count=self._count)

    async def _turns(self, own: Space, session: str) -> tuple[Turn, ...]:
        """Return the working memory of a session, without what gives orders to a model.

        A tool's result that does so was kept for a person to read, not to be handed over again.
        """
        if not session:
            return ()
        latest = await self._log.latest(own, session, limit=WORKING_TURNS_MAX)
        return tuple(one for one in latest if one.role == "user" or not gives_orders(one.text))

    async def _last(self, own: Space) -> Memory | None:
        """Return what the conversation before was about, unless some of it is to be seen no more.

        What was hidden or taken back after it was told is not shown in short either.
        """
        told = await self._log.last_summary(own)
        if told is None or told.status != "active" or told.shelf not in ("archived", "open"):
            return None
        ids = [MemoryId(one) for one in told.source.derived_from if one.startswith("mem_")]
        held = await self._records.get(own, ids)
        is_open = all(one.shelf == "open" and one.status == "active" for one in held)
        return told if is_open and len(held) == len(ids) else None
