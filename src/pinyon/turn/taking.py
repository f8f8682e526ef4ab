"""A turn: the message is kept, then memory is asked with it, word for word."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pinyon.domain.answers import Recall, Written
from pinyon.domain.draft import Draft
from pinyon.domain.principal import Actor, Principal
from pinyon.domain.question import QUESTION_CHARS_MAX, RecallContext
from pinyon.domain.space import Space
from pinyon.domain.turn import (
    IMPORTANCE_OF_OUTCOME,
    MOMENTS,
    Message,
    Moment,
    TaskOutcome,
    TurnMemory,
)
from pinyon.errors import InvalidValue
from pinyon.ports.clock import Clock
from pinyon.ports.event_log import EventLog
from pinyon.recall.planning import question_of
from pinyon.recall.recaller import Recaller
from pinyon.recall.recalling import Question
from pinyon.text.asking.follow_ups import leans_on_the_turn_before
from pinyon.text.fencing import fenced, without_fenced
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.turn.candidates import candidate_of, candidate_of_turn
from pinyon.turn.conversation import Shown, read_history
from pinyon.turn.moments import APPROACHES
from pinyon.turn.packing import CountTokens, around_tokens, checked_budget, packed
from pinyon.write.form import flag
from pinyon.write.keeper import Keeper

_CUT = "\n… ({} more characters were not kept)"
RECENT_TURNS = 2
LATEST_READ = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What happens in a turn; see `pinyon.ports.client.Operations.turn`."""

    message: str
    at: Moment = "message"
    session: str = ""
    history: Sequence[Message] = ()
    context: RecallContext | None = None
    k: int = 8
    budget_tokens: int = 1_500
    if_needed: bool = True
    outcome: TaskOutcome = ""
    message_id: str = ""
    parent_event: str = ""
    key: str | None = None


class TurnTaker:
    """Keeps what is said, and recalls for it."""

    def __init__(
        self,
        keeper: Keeper,
        recaller: Recaller,
        log: EventLog,
        *,
        clock: Clock,
        count: CountTokens,
    ) -> None:
        self._keeper, self._recaller, self._log = keeper, recaller, log
        self._clock, self._count = clock, count

    async def take(self, principal: Principal, said: Said, *, by: Actor) -> TurnMemory:
        """Return what memory brings to a turn, of which the message is kept by then.

        Raises:
            BadInput: A part of it is not what it must be.
            Refused: What is said may not be kept, by the policy of the tenant.
        """
        budget = checked_budget(said.budget_tokens)
        shown = read_history(said.history)
        own = principal.space("own")
        draft = self._draft(said)
        asked = self._question(principal, said)
        written = await self._keeper.remember(
            own, draft, by=by, key=said.key, recallable=APPROACHES[said.at].is_recallable
        )
        asked = await self._leaning(asked, own, said, shown, written)
        shown = shown.with_message(asked.text, written.id)
        recall = await self._recaller.recall(shown.left_out_of(asked))
        events = tuple(one for one in recall.events if one.event.id not in shown.ids)
        return self._told(own, written, asked.text, replace(recall, events=events), budget)

    @staticmethod
    def _draft(said: Said) -> Draft:
        if said.at not in MOMENTS:
            raise InvalidValue("at", said.at, "one of " + ", ".join(MOMENTS))
        if said.outcome not in (IMPORTANCE_OF_OUTCOME if said.at == "finish" else ("",)):
            allowed = "worked or failed, of a task that is done (`at` finish)"
            raise InvalidValue("outcome", said.outcome, allowed)
        context = said.context or RecallContext()
        return Draft(
            text=_kept_of(said),
            kind="episodic",
            session=said.session,
            role=APPROACHES[said.at].role,
            speaker=context.tool if said.at in ("tool", "observation") else "",
            task=context.task_id,
            project=context.project,
            module=context.module,
            message_id=said.message_id,
            parent_event=said.parent_event,
            importance=IMPORTANCE_OF_OUTCOME[said.outcome],
            metadata={"outcome": said.outcome} if said.outcome else {},
        )

    def _question(self, principal: Principal, said: Said) -> Question:
        """Return what is asked: the message word for word, of an endless one its beginning."""
        approach = APPROACHES[said.at]
        context = said.context or RecallContext()
        is_text = isinstance(said.message, str)
        return question_of(
            without_fenced(said.message)[:QUESTION_CHARS_MAX] if is_text else said.message,
            spaces=principal.reads,
            now_us=self._clock.now_us(),
            k=said.k,
            context=replace(context, session=context.session or said.session),
            intent=approach.intent,
            if_needed=approach.asks_first and flag("if_needed", said.if_needed),
        )

    async def _leaning(
        self, asked: Question, own: Space, said: Said, shown: Shown, written: Written
    ) -> Question:
        """Return a question with what the user said before, where the message leans on that."""
        is_told = asked.context.recent_turns or said.at != "message"
        if is_told or not leans_on_the_turn_before(asked.text):
            return asked
        turns = [text for text in shown.said if text != said.message]
        if not turns and said.session:
            latest = await self._log.latest(own, said.session, limit=LATEST_READ)
            turns = [one.text for one in latest if one.role == "user" and one.id != written.id]
        recent = replace(asked.context, recent_turns=tuple(turns[-RECENT_TURNS:]))
        return replace(asked, context=recent)

    def _told(
        self, own: Space, written: Written, message: str, recall: Recall, budget: int
    ) -> TurnMemory:
        now_us = self._clock.now_us()
        candidates = [
            *(candidate_of(hit, own=own, now_us=now_us) for hit in recall.hits),
            *(candidate_of_turn(one.event) for one in recall.events),
        ]
        around = around_tokens(self._count)
        fits = packed(candidates, budget=budget - around, count=self._count)
        block = fenced([entry.text for entry in fits.entries])
        return TurnMemory(
            message=message,
            written=written,
            recall=recall,
            block=block,
            tokens=fits.tokens + around if block else 0,
            cut=fits.cut,
        )


def _kept_of(said: Said) -> str:
    """Return what is kept of what was said: of a tool's endless output the beginning.

    What a user says is kept whole, or refused with a hint.
    """
    is_long = isinstance(said.message, str) and len(said.message) > TEXT_CHARS_MAX
    if not is_long or said.at not in ("tool", "observation"):
        return said.message
    beginning = said.message[: TEXT_CHARS_MAX - len(_CUT.format(len(said.message)))]
    return beginning + _CUT.format(len(said.message) - len(beginning))
