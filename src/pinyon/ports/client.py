"""The table of operations: what a client can do, said once.

Every surface reads it: the client, its blocking shell and its remote twin are checked against it,
and commands, routes and tools are held to its permissions.
"""

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeVar, Unpack

from pinyon.domain.answers import (
    CatalogDocument,
    CatalogImported,
    EventListing,
    Exported,
    FedBack,
    Forgotten,
    History,
    Imported,
    Listing,
    Noted,
    Published,
    Recall,
    Warmed,
    WhyNot,
    Written,
)
from pinyon.domain.consent import Consent
from pinyon.domain.consolidation import (
    Consolidated,
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
)
from pinyon.domain.draft import Annotations, Details, Draft, When
from pinyon.domain.event import EventType
from pinyon.domain.feedback import Outcome
from pinyon.domain.memory import Kind, Memory, Shelf
from pinyon.domain.question import Filters, Meant, Narrowing, RecallContext
from pinyon.domain.receipt import Receipt
from pinyon.domain.reflection import Ended, Reflected
from pinyon.domain.session import Session, SessionMode
from pinyon.domain.space import Scope
from pinyon.domain.turn import Context, Message, Moment, TaskOutcome, TurnDetails, TurnMemory

Permission = Literal["read", "write"]
Progress = Callable[[int], None]
Rows = Iterable[Mapping[str, object] | None] | AsyncIterable[Mapping[str, object] | None]
"""Rows as read from lines of JSON; `None` for a blank line."""

Method = TypeVar("Method", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that a client can do.

    Attributes:
        permission: What the principal must be allowed in the space.
        idempotent: Doing it twice is doing it once, also without a key.
        signature: What goes in and comes out.
    """

    name: str
    permission: Permission
    idempotent: bool
    summary: str
    signature: inspect.Signature


def _operation(permission: Permission, *, idempotent: bool) -> Callable[[Method], Method]:
    def mark(method: Method) -> Method:
        method.__operation__ = (permission, idempotent)  # type: ignore[attr-defined]
        return method

    return mark


class Operations(Protocol):
    """What a client bound to one principal can do. `scope` names one of its spaces."""

    @_operation("write", idempotent=False)
    async def remember(
        self,
        text: str,
        *,
        recallable: bool | None = None,
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Keep what was said, before it is answered.

        A user's words become an episodic memory; what others say goes to the session's event log,
        unless it is set otherwise (`PINYON_REMEMBERED`). The same words in the same session within
        a minute, or with the same message id, are one. What its user does not want kept is not
        kept, and `not_kept` in the answer says why.

        Args:
            text: The exact words.
            recallable: Whether it becomes a memory, whoever spoke and whatever is set.
            key: Idempotency key: a retry under it, for a day, is answered as the first time.
            details: Above all `session`, which links it to the turn before, and `role`: `user`
                (the default), `assistant`, `tool`, `thought`, ...; of an agent's steps `event_type`
                (`tool_call`, ...), `speaker`, the tool's name, and `parent_event`, the call that a
                result belongs to. The rest as in `Draft`.
        """

    @_operation("write", idempotent=False)
    async def write(
        self,
        text: str,
        *,
        kind: Kind = "semantic",
        scope: Scope = "own",
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Write a fact, a procedure or a catalog entry, perhaps in the place of others.

        An equal one that holds is not repeated: it gains support, and its id is the answer. The
        answer also names what may say otherwise and was not touched.

        Args:
            text: What to keep; one thing, with the condition under which it holds.
            kind: What sort of memory it is.
            scope: Into which space.
            key: Idempotency key: a retry under it, for a day, is answered as the first time.
            details: Above all `supersedes`, ids of what it takes the place of, and
                `contradiction`: `natural` (they were true until now) or `harsh` (they never were);
                all of it happens, or nothing. `supporting` says what it rests on. The rest as in
                `Draft`.
        """

    @_operation("write", idempotent=False)
    async def write_many(
        self, drafts: Sequence[Draft], *, scope: Scope = "own", key: str | None = None
    ) -> tuple[Written, ...]:
        """Write up to 1,000 memories: all of them, or none."""

    @_operation("read", idempotent=True)
    async def recall(
        self, question: str, *, k: int = 10, given: bool = False, **narrowing: Unpack[Narrowing]
    ) -> Recall:
        """Return the memories that answer a question, best first; or none, and why.

        Args:
            question: What one wants to know, in one's own words.
            k: How many hits at most.
            given: The hits go to a model: each counts as used, in the session of the `context`.
            narrowing: Kinds, filters, another time; the intent; the situation; the quality, and how
                long it may take; whether events come along.
        """

    @_operation("write", idempotent=False)
    async def turn(
        self,
        message: str,
        *,
        at: Moment = "message",
        outcome: TaskOutcome = "",
        key: str | None = None,
        **details: Unpack[TurnDetails],
    ) -> TurnMemory:
        """Keep what was said, before it is answered, and bring what memory holds for it.

        One call before each turn: the message is kept as `remember` does, and recalled with as it
        stands. What comes is ready for a prompt, `as_openai()` or `as_anthropic()`, and counts as
        given to a model. The message itself, and what the `history` shows, is not brought again.

        Args:
            message: The exact words; in a loop the task, the call, the result, or what came of it.
            at: Where in a loop it is: `message` (a user's), `plan`, `tool`, `observation` or
                `finish`; what is looked for fits. `before_plan`, `before_tool`, `on_observation`
                and `finish_task` say it for you.
            outcome: Of a task that is done (`finish`): `worked` or `failed`.
            key: Idempotency key of what is kept: a retry under it, for a day, keeps nothing new.
            details: Above all the `session` and the `history`; see `TurnDetails`.
        """

    @_operation("read", idempotent=True)
    async def build_context(
        self,
        task: str,
        *,
        session: str = "",
        history: Sequence[Message] = (),
        context: RecallContext | None = None,
        budget_tokens: int = 2_000,
        k: int = 20,
    ) -> Context:
        """Return what a prompt gets from memory: core facts, the last turns, what answers the task.

        As text, fenced as data, each entry with its id, its date and whose word it is; history
        marked as such. It never takes more than the budget, and tells what it left out.

        Args:
            task: What is to be done or answered.
            session: The conversation whose last turns are working memory.
            history: Its messages so far, as they are sent to the model: what they show is left out.
            context: The situation.
            budget_tokens: What it may take, 100 to 200,000.
            k: How many memories are looked at, up to 100.
        """

    @_operation("read", idempotent=True)
    async def core_facts(self) -> tuple[Memory, ...]:
        """Return what an agent should know whatever is asked: at most 24, the weightiest first.

        What is pinned; standing orders ("always answer in metric"), what must never be (allergies,
        budgets) and who the user is, as far as their form tells or they are filed under
        `instruction`, `constraint` or `identity`. No question finds them by likeness. Of a space
        in which others write too only what is pinned.
        """

    @_operation("read", idempotent=True)
    async def warm(self) -> Warmed:
        """Load the model and the vectors, so that the first question need not wait for them."""

    @_operation("read", idempotent=True)
    async def why_not(
        self, memory_id: str, question: str, *, k: int = 10, **narrowing: Unpack[Narrowing]
    ) -> WhyNot:
        """Return what becomes of one memory when a question is asked."""

    @_operation("read", idempotent=True)
    async def show(self, memory_id: str) -> Memory:
        """Return one memory whole."""

    @_operation("read", idempotent=True)
    async def list(
        self,
        *,
        kinds: Sequence[Kind] = (),
        filters: Filters | None = None,
        scope: Scope = "own",
        shelf: Shelf = "open",
        cursor: str | None = None,
        limit: int = 50,
    ) -> Listing:
        """Return the memories of one space, newest first, whatever their status."""

    @_operation("read", idempotent=True)
    async def events(
        self,
        *,
        session: str | None = None,
        query: str = "",
        types: Sequence[EventType] = (),
        scope: Scope = "own",
        cursor: str | None = None,
        limit: int = 50,
    ) -> EventListing:
        """Return what was said and done: from the beginning, or what a query finds.

        Without a query a conversation is read again, oldest first: its messages, also those that
        became memories, thoughts, tool calls and their results. What is in quarantine is left out.
        With one, events of the log that hold its words, best first; memories are found by `recall`.

        Args:
            session: Only this conversation; all of them where none is named.
            query: What is looked for.
            types: Only these: `message`, `thought`, `tool_call`, `tool_result`.
            scope: Whose log.
            cursor: Where the last part ended; without a query.
            limit: At most so many, up to 1,000.
        """

    @_operation("read", idempotent=True)
    async def history(self, memory_id: str) -> History:
        """Return what a memory superseded, how it changed, and who changed it."""

    @_operation("write", idempotent=False)
    async def edit(
        self, memory_id: str, *, version: int | None = None, **annotations: Unpack[Annotations]
    ) -> Memory:
        """Set annotations of a memory; what it says never changes in place."""

    @_operation("write", idempotent=True)
    async def retract(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Say that a memory was never true; it stays as history.

        Here and in the acts below, `version` is the one that was read: another is a conflict.
        """

    @_operation("write", idempotent=False)
    async def end(self, memory_id: str, *, at: When = None, version: int | None = None) -> Memory:
        """Say that a memory was true until an instant, by default now, and has no successor."""

    @_operation("write", idempotent=True)
    async def hide(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take a memory out of recall; `release` or `undo` brings it back."""

    @_operation("write", idempotent=True)
    async def release(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Put a hidden, archived or quarantined memory back where recall looks."""

    @_operation("write", idempotent=False)
    async def undo(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take back the last act on a memory: superseding, retracting, ending or hiding it.

        Of a supersession either end may be named: what it replaced holds again, and what it wrote
        stays as history, retracted.
        """

    @_operation("write", idempotent=False)
    async def forget(
        self,
        ids: str | Sequence[str] = (),
        *,
        scope: Scope = "own",
        dry_run: bool = False,
        confirmed: bool = False,
        **meant: Unpack[Meant],
    ) -> Forgotten:
        """Erase what is named, with all that rests on it alone, and answer with a receipt.

        What was derived from it goes too, unless it has other support; the words of the messages
        that said it are covered; a chain closes over it.

        Args:
            ids: Memories or events.
            scope: In which space a query, a session or a document is meant.
            dry_run: Only show what would go, what would be covered, and what else says the same.
            confirmed: The query means the one memory that it matches.
            meant: In place of ids: `query`, what it says (the candidates are the answer; only where
                nothing else is found, that one holds every word, and `confirmed` is said, is it
                forgotten); `session`, a conversation; `document`, one of the catalog; `everything`
                about the user, the agents' notes too.
        """

    @_operation("read", idempotent=True)
    async def receipts(self, *, scope: Scope = "own") -> tuple[Receipt, ...]:
        """Return what is left of what was forgotten in a space, oldest first."""

    @_operation("write", idempotent=True)
    async def publish(self, memory_id: str, *, scope: Scope = "project") -> Published:
        """Copy a memory into a space that others read, with whose it is."""

    @_operation("write", idempotent=True)
    async def withdraw(self, memory_id: str, *, scope: Scope | None = None) -> Published:
        """Take back the copies of a memory: those in one space, or all."""

    @_operation("write", idempotent=True)
    async def consolidate(self, *, limit: int = 10_000) -> Consolidated:
        """Make facts and playbooks of what the user said and what nobody has looked at yet.

        What is proposed, by a model where one is set and else by rules, is held against the user's
        own words: without them nothing is kept. What a fact corrects becomes history, and can be
        had back by `undo`. Doing it again, with nothing new, changes nothing.

        Args:
            limit: At most so many messages, those that wait the longest first.
        """

    @_operation("read", idempotent=True)
    async def material(self, *, limit: int = 20) -> Material:
        """Return what waits to be consolidated, with what was said around it and is known near it.

        For somebody else to read: another model, or a person. What comes of it is handed in by
        `propose`. Nothing waits while a worker is faster: `PINYON_CONSOLIDATE_EVERY=0` holds it.

        Args:
            limit: At most so many messages, those that wait the longest first; up to 100.
        """

    @_operation("write", idempotent=True)
    async def propose(
        self,
        *,
        episodes: Sequence[str] = (),
        facts: Sequence[FactProposal] = (),
        ends: Sequence[EndProposal] = (),
        playbooks: Sequence[PlaybookProposal] = (),
        outcomes: Sequence[OutcomeProposal] = (),
    ) -> Consolidated:
        """Hand in facts and playbooks that somebody made of what the user said.

        The same guards hold as for the model that is set and for rules: each names an episode and
        quotes the user's words in it; what they do not bear is refused, and it is said why.

        Args:
            episodes: Those that are done with, and wait no more. One that tells an outcome is done
                with by that.
            facts: What the user states, and which facts it takes the place of.
            ends: Facts that hold no more, with nothing in their place.
            playbooks: What to do when, and which playbook that betters.
            outcomes: How it went with playbooks that are known.
        """

    @_operation("write", idempotent=False)
    async def reflect(
        self,
        task: str,
        *,
        outcome: Ended,
        summary: str = "",
        session: str = "",
        key: str | None = None,
    ) -> Reflected:
        """Learn from a task that is over: what led to success is a playbook, what failed a pitfall.

        What was kept under that task (`task` of `remember`, `task_id` of a turn's context) is read
        again: plans, calls, results. Steps are the agent's own words, a pitfall tells the error and
        what worked in its place. A playbook for the same trigger gets better steps and its counts.

        Args:
            task: What the task is called.
            outcome: `worked` or `failed`.
            summary: What was done and what came of it; kept as `finish_task` keeps it.
            session: In which conversation that is told.
            key: Idempotency key of the summary. Counted is once a task and outcome anyway.
        """

    @_operation("write", idempotent=True)
    async def start_session(self, session: str, *, mode: SessionMode = "normal") -> Session:
        """Say what becomes of what is said in a session: kept, kept in it only, or not kept.

        A session that nobody starts is normal. A temporary one ends by `end_session`, or 24 hours
        after its last turn, with the next use of the user's memory.

        Args:
            session: The conversation.
            mode: `normal`: what is said is kept. `temporary`: it is recalled in this session only,
                and forgotten when it ends. `off`: nothing that is said is kept.
        """

    @_operation("write", idempotent=True)
    async def end_session(self, session: str) -> Forgotten:
        """End a session; of a temporary one everything is forgotten.

        What says the same and was said elsewhere stays. A temporary session that is over keeps
        nothing that is said late; started again it begins anew.

        Args:
            session: The conversation. One that nobody started has nothing to end.
        """

    @_operation("read", idempotent=True)
    async def list_sessions(self) -> tuple[Session, ...]:
        """Return the sessions that were started and go on, oldest first."""

    @_operation("read", idempotent=True)
    async def consent(self) -> Consent:
        """Return what the user lets memory keep."""

    @_operation("write", idempotent=True)
    async def set_consent(
        self, *, paused: bool | None = None, never: Sequence[str] | None = None
    ) -> Consent:
        """Say what memory may keep of the user; what is not named stays as it was.

        It holds for the user's own space and for the agents' notes, for whatever comes in: what is
        there already stays there. It outlives the space; topics go when everything is forgotten.

        Args:
            paused: Nothing new is kept; recall goes on.
            never: Topics that are never kept, all of them: at most 100 words or short phrases, of
                100 characters each. Compared by their stems, a phrase in its order, with what the
                tenant calls the same.
        """

    @_operation("write", idempotent=False)
    async def feedback(
        self,
        ids: str | Sequence[str],
        outcome: Outcome,
        *,
        query: str = "",
        session: str = "",
        key: str | None = None,
    ) -> Noted:
        """Say how it went with memories that were recalled.

        It is counted, and weighs in later recalls; what was asked is kept beside it, up to 10,000
        times a space, and goes when the memory goes or what it tells of is forgotten. In a space of
        several users it is only counted.

        Args:
            ids: Memories, at most 100; of all of them, or of none.
            outcome: `used`: it stood in an answer. `worked`, `failed`: what it says was done.
            query: What they were recalled for.
            session: In which conversation.
            key: Idempotency key: a retry under it, for a day, is answered and not counted again.
        """

    @_operation("read", idempotent=True)
    def export_feedback(self, *, scope: Scope = "own") -> AsyncIterator[FedBack]:
        """Return what was asked and how it went with what was recalled, oldest first."""

    @_operation("read", idempotent=True)
    def export(self, *, scope: Scope = "own") -> AsyncIterator[Exported]:
        """Return everything that a space holds, oldest first, without loss."""

    @_operation("write", idempotent=True)
    async def import_rows(
        self,
        rows: Rows,
        *,
        scope: Scope = "own",
        name: str = "import",
        progress: Progress | None = None,
    ) -> Imported:
        """Keep the rows of an export, or plain ones; what is there already is not doubled.

        Args:
            rows: Each as read from a line of JSON, one by one.
            scope: Into which space.
            name: What the rows come from, for messages.
            progress: Told how many rows are done.
        """

    @_operation("write", idempotent=True)
    async def import_catalog(
        self,
        path: Path | str,
        *,
        scope: Scope = "shared",
        name: str | None = None,
        progress: Progress | None = None,
    ) -> CatalogImported:
        """Make the catalog equal to the documents of a folder, or to one document.

        Chunks that did not change keep their ids; those that are no longer there are erased, and so
        are documents that were imported under the same name before and are gone from the folder.

        Args:
            path: A folder, or a `.md`, `.markdown` or `.txt` file.
            scope: Into which space.
            name: What it is imported as; by default the name of the folder (of a file: of the
                folder that it lies in). Two folders of one name need different ones.
            progress: Told how many documents are done.
        """

    @_operation("read", idempotent=True)
    async def list_catalog(self, *, scope: Scope = "shared") -> tuple[CatalogDocument, ...]:
        """Return the documents of a catalog, by what they were imported as and by name."""


def _read() -> tuple[Operation, ...]:
    found = []
    for name, method in vars(Operations).items():
        if hasattr(method, "__operation__"):
            permission, idempotent = method.__operation__
            summary = (inspect.getdoc(method) or "").split("\n", maxsplit=1)[0]
            found.append(
                Operation(name, permission, idempotent, summary, inspect.signature(method))
            )
    return tuple(found)


OPERATIONS: tuple[Operation, ...] = _read()
