"""For every operation of the table, what an intruder would try.

To probe a new operation, write a generator under `@probes_of("its_name")`: it takes a `Case` and
yields `Call`s, as `show` below does. A test fails while an operation has none.
"""

import random
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isolation.canaries import HEX, QUESTIONS, TOKEN, Contents, World, draft_of
from isolation.principals import Names, own_of
from pinyon.domain.draft import Draft
from pinyon.domain.ids import MemoryId, uuid7_hex
from pinyon.domain.principal import Principal
from pinyon.domain.question import INTENTS, RecallContext
from pinyon.domain.space import SCOPES
from pinyon.write.copies import copy_id

PATTERNS = ("*", "%", "_", "", " ", "?", "zq%", "zq*", ".*", "' OR 1=1 --", "\u2066*")
OWNER_FIELDS = ("tenant", "user", "user_id", "agent_id", "space", "owner", "principal", "User_ID")
FORMS: tuple[Callable[[str], str], ...] = (
    lambda hexed: f"mem_{hexed}",
    lambda hexed: hexed,
    lambda hexed: str(uuid.UUID(hexed)),
    lambda hexed: hexed.upper(),
    lambda hexed: f"mem_{hexed.upper()}",
)


@dataclass(frozen=True)
class Call:
    """One call of an operation.

    Attributes:
        twin: The same call with something that never was in the place of what is another's; it
            must be answered alike.
        swapped: What stands in the one and in the other.
    """

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    twin: "Call | None" = None
    swapped: tuple[str, str] = ("", "")

    @property
    def given(self) -> set[str]:
        """Return the canaries and ids that the caller says itself."""
        said = repr((self.args, self.kwargs)).casefold()
        return {*TOKEN.findall(said), *HEX.findall(said), *HEX.findall(said.replace("-", ""))}


def call(*args: Any, **kwargs: Any) -> Call:
    """Return a call."""
    return Call(args, kwargs)


@dataclass
class Case:
    """One principal's view: what is its own, and what it knows of others."""

    world: World
    principal: Principal
    chosen: random.Random

    @property
    def own(self) -> Contents:
        """Return the contents of its own space."""
        return self.world.spaces[own_of(self.principal)]

    @property
    def decoy(self) -> Contents:
        """Return the one space, always the same, whose names and ids it takes for its own.

        It has them itself from then on, so nothing is asked about them.
        """
        users = [one for one in self.world.foreign_to(self.principal) if one.event]
        others = [one for one in users if one.space.tenant != self.principal.tenant]
        return others[sum(map(ord, self.principal.user)) % len(others)]

    def _foreign(self) -> list[Contents]:
        decoy = self.decoy
        return [one for one in self.world.foreign_to(self.principal) if one is not decoy]

    def foreign(self) -> Contents:
        """Return a space that it may not read, another one each time."""
        return self.chosen.choice(self._foreign())

    def foreign_id(self) -> str:
        """Return the id of another's memory as 32 hex digits."""
        ids = self.foreign().ids
        roles = [role for role in ids if role != "gone"]
        return ids[self.chosen.choice(roles)][4:]

    def foreign_event(self) -> str:
        """Return the id of another's event."""
        return self.chosen.choice([one.event for one in self._foreign() if one.event])

    def foreign_topic(self) -> str:
        """Return what another never wants kept."""
        return self.chosen.choice([one.topic for one in self._foreign() if one.topic])

    def own_id(self, *roles: str) -> str:
        """Return the id of a memory of its own."""
        return self.own.ids[self.chosen.choice(roles or list(self.own.ids))]

    def never(self) -> str:
        """Return an id that never was, as 32 hex digits."""
        return uuid7_hex(self.chosen.randrange(1 << 50), self.chosen.randbytes(8))

    def fresh(self, **more: Any) -> Draft:
        """Return a draft that nobody wrote yet, with the principal's own canaries."""
        return draft_of(f"{self.chosen.randrange(1 << 60):x}th", self.own.tokens, **more)

    def by_id(self, make: Callable[[str], Call]) -> Iterator[Call]:
        """Yield calls about another's memory in every spelling of its id, each with its twin."""
        for form in FORMS:
            foreign, never = form(self.foreign_id()), form(self.never())
            yield swap(make, foreign, never)
        yield swap(make, self.foreign_event(), f"evt_{self.never()}")
        for pattern in ("*", "%", "mem_*", "", "mem_" + "%" * 32, "mem_" + "_" * 32):
            yield make(pattern)

    def name(self) -> str:
        """Return a part of another's name."""
        users = [one for one in self._foreign() if one.event]
        names = Names.of(self.chosen.choice(users).space)
        return self.chosen.choice([names.tenant, names.user, names.space])


def swap(make: Callable[[str], Call], foreign: str, never: str) -> Call:
    """Return a call about something of another's, with its twin."""
    one = make(foreign)
    return Call(one.args, one.kwargs, make(never), (foreign, never))


Probing = Callable[[Case], Iterator[Call]]
GENERATORS: dict[str, Probing] = {}


def probes_of(operation: str) -> Callable[[Probing], Probing]:
    """Mark the generator of an operation."""

    def mark(probing: Probing) -> Probing:
        GENERATORS[operation] = probing
        return probing

    return mark


def _filters(case: Case) -> Iterator[tuple[dict[str, Any], Call | None]]:
    """Yield filters that reach for others, and the twin of each where there is one."""
    foreign, never = case.foreign(), Contents(case.own.space, _never_tokens(case))
    for named in ("user", "tenant", "space", "owner", "user_id"):
        yield {named: case.name()}, None
    yield {"metadata.user_id": case.name()}, None
    for name, of, not_of in (
        ("session", foreign.session, never.session),
        ("tags", foreign.tokens["tag"], never.tokens["tag"]),
        ("metadata.note", foreign.tokens["meta"], never.tokens["meta"]),
        ("id", f"mem_{case.foreign_id()}", f"mem_{case.never()}"),
    ):
        yield {name: of}, swap(lambda value, name=name: call({name: value}), of, not_of)
    for pattern in PATTERNS[:4]:
        yield {"session": pattern}, None
    yield {"not": {"session": case.own.session}}, None
    yield {"or": [{"session": foreign.session}, {"importance": {"gte": 0}}]}, None


def _never_tokens(case: Case) -> dict[str, str]:
    return {
        name: "zq" + "".join(case.chosen.choices("bcdfghjklmnpqrtvwxz", k=12))
        for name in case.own.tokens
    }


def _filtered(case: Case, *args: Any, **kwargs: Any) -> Iterator[Call]:
    for filters, pair in _filters(case):
        twin = None
        if pair is not None and pair.twin is not None:
            twin = Call(args, {**kwargs, "filters": pair.twin.args[0]})
        swapped = ("", "") if pair is None else pair.swapped
        yield Call(args, {**kwargs, "filters": filters}, twin, swapped)


def _questions(case: Case) -> Iterator[str]:
    """Yield questions that fit everybody's memories, and some that quote another's."""
    yield from QUESTIONS[:2]
    held = case.foreign()
    yield f"what is {held.tokens['text']}?"
    yield f"{held.tokens['title']} {held.tokens['tag']} {held.tokens['keyword']}"
    yield f"what does {case.name()} know about the lamp?"
    yield f"lamp {held.tokens['speaker']} {held.session} {case.foreign_id()}"
    yield case.chosen.choice(PATTERNS[5:]) + " lamp"


# ── reads ────────────────────────────────────────────────────────────────────────────────────


@probes_of("recall")
def recall(case: Case) -> Iterator[Call]:
    """Ask what others know."""
    for question in _questions(case):
        yield call(question, k=case.chosen.choice([1, 5, 50]))
    for blank in ("", " ", "*", "%"):
        yield call(blank)
    yield call(QUESTIONS[2], include_superseded=True, k=100)
    session = case.foreign().session
    yield call(QUESTIONS[0], context=RecallContext(session=session, project=case.name()))
    yield call(QUESTIONS[0], given=True, context=RecallContext(session=case.own.session))
    yield call(QUESTIONS[1], quality="best", kinds=[case.chosen.choice(["catalog", "episodic"])])
    turns = (f"what is {case.foreign().tokens['text']}?", case.name())
    yield call("and the other one?", context=RecallContext(session=session, recent_turns=turns))
    yield call("what did we say?", intent="conversation", context=RecallContext(session=session))
    yield call(QUESTIONS[0], intent=case.chosen.choice(INTENTS), k=100)
    yield call(QUESTIONS[0], deadline_ms=case.chosen.choice([1, 60_000]), if_needed=True)
    yield call(QUESTIONS[0], include_events=True, k=100)
    yield call(f"lamp {case.foreign().tokens['text']}", include_events=True)
    yield call("what was that?", include_events=True, context=RecallContext(session=session))
    tool = RecallContext(tool=case.foreign().tokens["speaker"])
    yield call("lamp hub", intent="tool", context=tool)
    for filters in ({"session": session}, {"not": {"session": case.own.session}}):
        yield call("lamp", include_events=True, filters=filters)
    yield from _filtered(case, QUESTIONS[0])


@probes_of("turn")
def turn(case: Case) -> Iterator[Call]:
    """Say something in another's conversation, and ask in the same breath.

    What is said is kept, so it names the decoy only.
    """
    held, decoy = case.foreign(), case.decoy
    yield call(f"what is the lamp {decoy.tokens['text']}?", session=case.own.session, k=100)
    yield call("and the other one?", session=decoy.session, if_needed=False)
    history = [{"role": "user", "content": f"lamp {held.tokens['text']}, mem_{case.foreign_id()}"}]
    yield call(QUESTIONS[0], history=history, budget_tokens=20_000, k=100)
    tool = RecallContext(tool=decoy.tokens["speaker"], session=held.session)
    for at in ("plan", "tool", "observation", "finish"):
        yield call("lamp hub", at=at, context=tool, parent_event=case.foreign_event())
        yield call("lamp hub", at=at, context=tool, session=decoy.session)
    yield call(QUESTIONS[1], key=held.key, message_id=decoy.tokens["message"])


@probes_of("build_context")
def build_context(case: Case) -> Iterator[Call]:
    """Build a prompt out of another's conversation."""
    held = case.foreign()
    yield call(QUESTIONS[0], session=held.session, budget_tokens=50_000, k=100)
    yield call(f"what is the lamp {held.tokens['text']}?", session=case.decoy.session)
    yield call(QUESTIONS[1], context=RecallContext(session=held.session, project=case.name()))
    history = [{"role": "assistant", "content": f"[mem_{case.foreign_id()}] is a lamp"}]
    yield call(QUESTIONS[0], session=case.own.session, history=history)


@probes_of("core_facts")
def core_facts(_case: Case) -> Iterator[Call]:
    """Ask for what is at hand whatever is asked."""
    yield call()


@probes_of("warm")
def warm(_case: Case) -> Iterator[Call]:
    """Load everything."""
    yield call()


@probes_of("why_not")
def why_not(case: Case) -> Iterator[Call]:
    """Ask what became of another's memory."""
    yield from case.by_id(lambda named: call(named, QUESTIONS[0]))
    token = case.foreign().tokens["text"]
    yield from case.by_id(lambda named: call(named, f"what is {token}?", include_superseded=True))
    yield call(case.own_id("active", "hidden"), f"what is {token}?")
    yield call(case.own_id("active"), QUESTIONS[0], filters={"session": case.foreign().session})


@probes_of("show")
def show(case: Case) -> Iterator[Call]:
    """Look at another's memory."""
    yield from case.by_id(call)
    yield call(case.own_id())


@probes_of("list")
def list_(case: Case) -> Iterator[Call]:
    """List what others have."""
    for scope in SCOPES:
        yield call(scope=scope, limit=5)
        yield call(scope=scope, cursor=case.foreign().cursor)
    for scope in ("*", "", "user", str(case.foreign().space), case.name(), None):
        yield call(scope=scope)
    for shelf in ("hidden", "quarantined"):
        yield call(shelf=shelf)
    for cursor in (*PATTERNS, case.foreign_id(), f"{case.foreign().cursor}0", "-1"):
        yield call(cursor=cursor)
    yield from _filtered(case, scope="own")


@probes_of("history")
def history(case: Case) -> Iterator[Call]:
    """Ask what another's memory was."""
    yield from case.by_id(call)
    yield call(case.own_id("active", "old", "new"))


@probes_of("events")
def events(case: Case) -> Iterator[Call]:
    """Read what others said and did."""
    held, never = case.foreign(), Contents(case.own.space, _never_tokens(case))
    for scope in SCOPES:
        yield call(scope=scope)
        yield call(scope=scope, query="lamp hub", limit=1000)
    for scope in ("*", "", "user", str(held.space), case.name(), None):
        yield call(scope=scope)
        yield call(scope=scope, query="lamp")
    yield swap(lambda one: call(session=one), held.session, never.session)
    yield swap(lambda one: call(session=one, query="lamp"), held.session, never.session)
    yield call(query=f"lamp {held.tokens['text']} {held.tokens['speaker']}")
    yield call(query=f'"{held.tokens["text"]}"', types=["message", "tool_result"])
    for pattern in PATTERNS:
        yield call(session=pattern)
        yield call(query=pattern)
        yield call(cursor=pattern)
    for kind, hexed in (("m", case.foreign_id()), ("e", case.foreign_event()[4:])):
        yield call(cursor=f"t0_0_{kind}{hexed}")
        yield call(cursor=f"t-1_0_{kind}{hexed}", session=held.session)
    yield call(cursor=held.cursor)


@probes_of("receipts")
def receipts(case: Case) -> Iterator[Call]:
    """Ask what was forgotten elsewhere."""
    for scope in (*SCOPES, "*", case.name(), None):
        yield call(scope=scope)


@probes_of("export")
def export(case: Case) -> Iterator[Call]:
    """Take everything along."""
    for scope in (*SCOPES, "*", str(case.foreign().space), None):
        yield call(scope=scope)


# ── writes ───────────────────────────────────────────────────────────────────────────────────


def _details(case: Case) -> Iterator[dict[str, Any]]:
    """Yield what a write may say of itself to reach into another's space."""
    held = case.decoy
    yield {"session": held.session, "message_id": held.tokens["message"]}
    yield {"session": case.own.session, "event_type": "thought", "parent_event": "m"}
    yield {"agent": case.name(), "project": case.name()}
    for owner in OWNER_FIELDS:
        yield {"metadata": {owner: case.name()}}


def _resting(case: Case, make: Callable[[dict[str, Any]], Call]) -> Iterator[Call]:
    for name in ("supporting", "supersedes"):
        for form in FORMS:
            foreign, never = form(case.foreign_id()), form(case.never())
            yield swap(lambda one, name=name: make({name: [one]}), foreign, never)
        yield make({name: [case.own_id("resting"), f"mem_{case.foreign_id()}"]})


@probes_of("remember")
def remember(case: Case) -> Iterator[Call]:
    """Say something in another's conversation."""
    text = case.own.tokens["text"]
    for details in _details(case):
        yield call(f"lamp {case.chosen.random()} {text}", **details)
    yield call(f"lamp {case.chosen.random()} {text}", role="tool", session=case.decoy.session)
    yield call(f"lamp {case.chosen.random()} {text}", key=case.foreign().key)
    foreign, never = case.foreign_id(), case.never()
    said = f"lamp {case.chosen.random()} {text}"
    yield swap(lambda one: call(said, supporting=[one]), foreign, never)
    yield from _belonging(case, said)


def _belonging(case: Case, said: str) -> Iterator[Call]:
    """Yield calls that say something and name a parent that is another's."""
    held, never = case.foreign(), case.never()
    for role in ("user", "tool"):
        parents = [(f"mem_{case.foreign_id()}", f"mem_{never}")]
        parents += [(case.foreign_event(), f"evt_{never}"), (held.tokens["message"], f"zq{never}")]
        for one, other in parents:
            yield swap(
                lambda parent, role=role: call(
                    said, role=role, parent_event=parent, session=case.own.session
                ),
                one,
                other,
            )


@probes_of("write")
def write(case: Case) -> Iterator[Call]:
    """Write on what is another's, or over it."""
    text = f"The lamp {case.own.tokens['text']} belongs to the hub"
    for details in _details(case):
        yield call(f"{text} {case.chosen.random()}", **details)
    yield from _resting(case, lambda more: call(f"{text} and to John", **more))
    yield call(f"{text} {case.chosen.random()}", key=case.foreign().key)
    for scope in ("*", str(case.foreign().space), case.name(), None):
        yield call(text, scope=scope)


@probes_of("write_many")
def write_many(case: Case) -> Iterator[Call]:
    """Write many, among them some on what is another's."""
    for scope in SCOPES:
        # Where others read it, it holds no canary of one's own.
        draft = Draft(text=f"The lamp hangs in the hall, {case.chosen.random()}")
        yield call([draft], scope=scope, key=case.foreign().key)
    draft = case.fresh()

    def make(more: dict[str, Any]) -> Call:
        return call([draft, Draft(text="The lamp hangs in the hall of John", **more)])

    yield from _resting(case, make)


ANNOTATIONS: tuple[dict[str, Any], ...] = (
    {"title": "Mine"},
    {"metadata": {"note": "mine"}, "version": 1},
    {"expires_at": "2020-01-01T00:00:00+00:00"},
)


@probes_of("edit")
def edit(case: Case) -> Iterator[Call]:
    """File another's memory elsewhere."""
    for annotations in ANNOTATIONS:
        yield from case.by_id(lambda named, given=annotations: call(named, **given))
    for owner in OWNER_FIELDS:
        yield call(case.own_id("active"), metadata={owner: case.name()})


def _acts(case: Case, *own: str, **more: Any) -> Iterator[Call]:
    yield from case.by_id(lambda named: call(named, **more))
    yield call(case.own_id(*own), **more)


@probes_of("retract")
def retract(case: Case) -> Iterator[Call]:
    """Say that another's memory was never true."""
    yield from _acts(case, "resting")


@probes_of("end")
def end(case: Case) -> Iterator[Call]:
    """End another's memory."""
    yield from _acts(case, "active")


@probes_of("hide")
def hide(case: Case) -> Iterator[Call]:
    """Hide another's memory."""
    yield from _acts(case, "active", "procedure")
    yield from _acts(case, "active", version=1)


@probes_of("release")
def release(case: Case) -> Iterator[Call]:
    """Release what another hid."""
    yield from _acts(case, "hidden", "active", "procedure")


@probes_of("undo")
def undo(case: Case) -> Iterator[Call]:
    """Take back what another did."""
    yield from _acts(case, "active", "retracted", "procedure")


@probes_of("forget")
def forget(case: Case) -> Iterator[Call]:
    """Have another's memories erased."""
    yield from case.by_id(call)
    yield from case.by_id(lambda named: call([named], dry_run=True))
    yield call([case.own_id("active"), f"mem_{case.foreign_id()}"])
    held, never = case.foreign(), Contents(case.own.space, _never_tokens(case))
    for dry_run in (True, False):
        for name, foreign, other in (
            ("session", held.session, never.session),
            ("document", held.document, never.document),
        ):
            yield swap(
                lambda one, name=name, dry=dry_run: call(**{name: one}, dry_run=dry),
                foreign,
                other,
            )
        for pattern in PATTERNS:
            yield call(session=pattern, dry_run=dry_run)
            yield call(document=pattern, dry_run=dry_run)
    yield call(query=held.tokens["text"], confirmed=True)
    yield call(query=f"The first lamp in the hall {held.tokens['text']}", dry_run=True)
    yield call(query="lamp", dry_run=True)
    for pattern in PATTERNS:
        yield call(query=pattern, confirmed=True)
    yield call(everything=True, dry_run=True)
    for scope in ("*", str(held.space), None):
        yield call(session=held.session, scope=scope)


@probes_of("publish")
def publish(case: Case) -> Iterator[Call]:
    """Have another's memory published where one can read it."""
    for scope in SCOPES:
        yield from case.by_id(lambda named, scope=scope: call(named, scope=scope))
    yield call(case.own_id("active"), scope=str(case.foreign().space))


@probes_of("withdraw")
def withdraw(case: Case) -> Iterator[Call]:
    """Have another's copies withdrawn."""
    yield from case.by_id(call)
    for scope in (*SCOPES, "*", str(case.foreign().space)):
        yield call(case.own_id("active", "new"), scope=scope)
    for scope in ("shared", "project"):
        named = f"mem_{case.foreign_id()}"
        yield swap(lambda one, scope=scope: call(one, scope=scope), named, f"mem_{case.never()}")


@probes_of("import_rows")
def import_rows(case: Case) -> Iterator[Call]:
    """Bring in rows that say whose they are, or what they belong to."""
    held = case.foreign()
    text = f"The lamp {case.own.tokens['text']} hangs in the hall {case.chosen.random()}"
    space = {"tenant": held.space.tenant, "segments": list(held.space.segments)}
    for named in (*OWNER_FIELDS, "scope"):
        yield call([{"text": text, named: case.name()}])
    yield call([{"text": text, "metadata": {"user_id": case.name()}}])
    yield call([{"format": "pinyon/1", "space": str(held.space)}, {"text": text}])
    yield call([_row(case, text, space=space)])
    yield call([_row(case, text, id=case.decoy.ids["active"])])
    for name in ("copies", "copy_of"):
        copy: Any = {"space": space, "id": held.ids["active"]}
        yield call([_row(case, text, links={name: [copy] if name == "copies" else copy})])
    forged = case.never()
    aimed = {"space": space, "id": copy_id(MemoryId(f"mem_{forged}"), held.space)}
    yield call([_row(case, text, id=f"mem_{forged}", links={"copies": [aimed]})])
    for name in ("supporting", "derived_from"):
        yield call([_row(case, text, source={name: [f"mem_{case.foreign_id()}"]})])
    for link in ("superseded_by", "outdated_by", "previous"):
        yield call([_row(case, text, links={link: f"mem_{case.foreign_id()}"})])
    decoy = case.decoy
    event = {"id": decoy.event, "text": text, "role": "tool", "session": decoy.session}
    yield call([{"event": {**event, "occurred_at_us": 1, "created_at_us": 1}}])
    yield call([{"text": text, "supersedes": [f"mem_{case.foreign_id()}"]}])
    for scope in ("*", str(held.space), None):
        yield call([{"text": text}], scope=scope)


def _row(case: Case, text: str, **more: Any) -> dict[str, Any]:
    at = {"created_at_us": 1, "updated_at_us": 1}
    row = {"id": f"mem_{case.never()}", "kind": "semantic", "text": text, "times": at}
    return {"memory": {**row, **more}}


def calls_of(case: Case) -> Iterator[tuple[str, Call]]:
    """Yield every probe of every operation once, with other spaces and ids each time."""
    for operation, probing in GENERATORS.items():
        for one in probing(case):
            yield operation, one


# ── the catalog ──────────────────────────────────────────────────────────────────────────────

_FOLDER = tempfile.TemporaryDirectory(prefix="pinyon-probes-")


@probes_of("import_catalog")
def import_catalog(case: Case) -> Iterator[Call]:
    """Bring in documents under the name of another's."""
    held = case.foreign()
    written = Path(_FOLDER.name) / "manual.md"
    written.write_text("# The lamp\n\nIt hangs in the hall.\n", "utf-8")
    for scope in ("own", str(held.space), "*"):
        yield call(str(written), scope=scope, name=held.document)
    yield call(f"{_FOLDER.name}/../{held.space}")
    yield call(str(written), scope="own", name=case.name())


@probes_of("list_catalog")
def list_catalog(case: Case) -> Iterator[Call]:
    """Ask which documents there are."""
    for scope in (*SCOPES, "*", str(case.foreign().space), None):
        yield call(scope=scope)
