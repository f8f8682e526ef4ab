"""What is said in a temporary session stays in it, and goes with it; of one that is off, none."""

import pytest

from pinyon.care.sessions import SESSIONS_MAX, end_overdue
from pinyon.domain.draft import Draft
from pinyon.domain.question import RecallContext
from pinyon.domain.session import Session
from pinyon.domain.space import Space
from pinyon.errors import (
    InvalidValue,
    NotWanted,
    SessionChanged,
    SessionUnderWay,
    StoreBusy,
    TemporarySession,
    TooLarge,
)
from pinyon.testing.makers import ANN, counting_ids

pytestmark = pytest.mark.anyio
ON_EVERY_STORE = True

GIFT = "Ann looks for a red bicycle for Bob"
DAY_S = 24 * 3600


def within(session):
    return {"context": RecallContext(session=session)}


@pytest.fixture
async def said(client):
    """Say something in a temporary session, and return its id."""
    await client.start_session("gift", mode="temporary")
    return (await client.remember(GIFT, session="gift")).id


@pytest.fixture
def held(store):
    """Return the texts that are kept in a space, whoever may recall them."""

    async def texts(space=ANN):
        memories = (await store.records.scan(space, limit=1000)).memories
        events = (await store.records.events(space, limit=1000)).events
        return sorted(one.text for one in (*memories, *events))

    return texts


# ── recall ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "temporary",
    "What is said in a temporary session is recalled in it, and by nothing else: not by a "
    "question, not among core facts, not beside a hit.",
)
async def test_what_is_said_in_a_temporary_session_is_recalled_in_it_only(client, ask, said):
    for question in ("which bicycle for Bob?", '"red bicycle"', "what did I say?", GIFT):
        assert await ask(question) == []
        assert await ask(question, **within("another")) == []
        assert await ask(question, **within("gift")) == [GIFT]


@pytest.mark.parametrize("mode", ["normal", "off"])
async def test_a_session_of_another_mode_hides_nothing_that_is_kept(client, ask, mode):
    await client.remember(GIFT, session="gift")
    await client.start_session("gift", mode=mode)

    assert await ask("which bicycle?") == [GIFT]


async def test_a_session_that_nobody_starts_is_normal(client, ask):
    await client.remember(GIFT, session="gift")

    assert await ask("which bicycle?") == [GIFT]
    assert await client.list_sessions() == ()


@pytest.mark.promise(
    "temporary",
    "What is said in a temporary session is recalled in it, and by nothing else: not by a "
    "question, not among core facts, not beside a hit.",
)
async def test_it_is_no_core_fact_either(client):
    await client.start_session("gift", mode="temporary")
    await client.remember("Always answer in French", session="gift")
    await client.write("Ann's budget is 10", pinned=True, session="gift")
    pinned = (await client.write("Ann is in a wheelchair", pinned=True)).id

    assert [memory.id for memory in await client.core_facts()] == [pinned]


async def test_why_not_says_that_it_stays_in_its_session(client, said):
    outside = await client.why_not(said, "which bicycle?")
    inside = await client.why_not(said, "which bicycle?", **within("gift"))

    assert (outside.came, outside.reason) == (
        False,
        "it was said in a temporary session, and stays in it",
    )
    assert inside.came


async def test_an_answer_from_before_is_void_when_a_session_begins_or_ends(client, ask, store):
    await client.start_session("gift", mode="temporary")
    assert await ask("which bicycle?", **within("gift")) == []
    await client.remember(GIFT, session="gift")
    assert await ask("which bicycle?", **within("gift")) == [GIFT]
    await client.end_session("gift")

    assert await ask("which bicycle?", **within("gift")) == []


async def test_other_users_sessions_of_the_same_name_are_others(client, client_of, ask, said):
    bob = client_of("bob")
    await bob.remember("Bob repairs his bicycle", session="gift")

    answer = await bob.recall("which bicycle?")

    assert [hit.memory.text for hit in answer.hits] == ["Bob repairs his bicycle"]
    assert await bob.list_sessions() == ()


async def test_an_agents_notes_of_a_temporary_session_stay_in_it(client_of, held):
    agent = client_of(agent="shopper")
    await agent.start_session("gift", mode="temporary")
    await agent.write("The shop closes at six", scope="agent", session="gift")
    notes = Space.of_agent("acme", "ann", "shopper")

    assert (await agent.recall("when does the shop close?")).hits == ()
    assert len((await agent.recall("when does the shop close?", **within("gift"))).hits) == 1
    assert (await agent.end_session("gift")).receipt.counts["memories"] == 1
    assert await held(notes) == []


# ── it stays there ───────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "temporary",
    "It stays there: it is not published, not kept where others read, and takes the place of "
    "nothing that was said elsewhere.",
)
async def test_it_cannot_be_taken_out_of_its_session(client_of, client, said, held):
    lumio = client_of(project="lumio")
    kept = (await client.write("Ann rides a blue bicycle")).id
    for act in (
        lumio.publish(said, scope="project"),
        lumio.publish(said, scope="shared"),
        lumio.write("Bob gets a bicycle", scope="shared", session="gift"),
        lumio.import_rows([{"text": "Bob gets one", "session": "gift"}], scope="project"),
        lumio.write("Ann rides a red bicycle", session="gift", supersedes=[kept]),
    ):
        with pytest.raises(TemporarySession):
            await act

    assert await held(Space.shared("acme")) == []
    assert (await client.show(kept)).status == "active"


async def test_within_it_something_takes_the_place_of_something(client, said):
    old = (await client.write("Bob gets a red bicycle", session="gift")).id
    new = await client.write("Bob gets a blue bicycle", session="gift", supersedes=[old])

    assert new.superseded == (old,)


async def test_a_fact_said_elsewhere_too_is_kept_when_the_session_ends(client, held):
    """Equal texts are one memory, but not across the border of a temporary session."""
    await client.start_session("gift", mode="temporary")
    inside = await client.write("Bob is tall", session="gift")
    outside = await client.write("Bob is tall")
    again = await client.write("Bob is tall", session="gift")
    before = await client.write("Bob is old")
    replacing = await client.write("Bob is young", session="gift")
    await client.write("Bob is young", supersedes=[before.id])

    assert len({inside.id, outside.id}) == 2
    assert (again.id, replacing.created) == (inside.id, True)
    await client.end_session("gift")
    assert await held() == ["Bob is old", "Bob is tall", "Bob is young"]


async def test_nothing_outside_is_named_as_its_conflict_nor_it_as_one(client):
    await client.start_session("gift", mode="temporary")
    inside = await client.write("Ann's bicycle is red", session="gift")
    outside = await client.write("Ann's bicycle is blue")
    later = await client.write("Ann's bicycle is green", session="gift")

    assert outside.possible_conflicts == ()
    assert set(later.possible_conflicts) == {inside.id, outside.id}


async def test_nothing_is_made_of_it_in_the_background(client, said, store):
    await client.remember("Ann has a dog")

    pending = await store.records.pending(ANN, "consolidation")

    assert [memory.text for memory in pending] == ["Ann has a dog"]


async def test_where_it_was_given_is_not_kept_by_its_name(client, store, said):
    kept = (await client.write("Bob is tall")).id
    await client.recall("how tall is Bob?", given=True, **within("gift"))
    await client.recall("how tall is Bob?", given=True, **within("normal"))
    await client._uses.flush()

    assert [one.session for one in await store.exposures.given(ANN, kept)] == ["", "normal"]


# ── its end ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "temporary",
    "When it ends everything said in it is forgotten, replies and feedback too, with a receipt.",
)
async def test_when_it_ends_all_of_it_is_forgotten(client, said, held, store):
    kept = (await client.write("Bob is tall")).id
    await client.remember("What about a helmet?", role="assistant", session="gift")
    await client.write("Bob gets a bicycle", session="gift")
    await client.feedback(kept, "used", query="how tall?", session="gift")

    receipt = (await client.end_session("gift")).receipt

    assert receipt.complete
    assert (receipt.counts["memories"], receipt.counts["events"]) == (2, 1)
    assert receipt.sessions == ()
    assert await held() == ["Bob is tall"]
    assert [one async for one in client.export_feedback()] == []
    assert await client.list_sessions() == ()
    assert [one.id for one in await client.receipts()] == [receipt.id]


async def test_what_it_rests_on_is_not_touched(client, said):
    told = (await client.remember("My bicycle is red. It stands in the hall.", session="may")).id
    await client.write("My bicycle is red.", session="gift", supporting=[told])
    await client.end_session("gift")

    assert (await client.show(told)).text == "My bicycle is red. It stands in the hall."


async def test_its_words_may_be_said_again(client, said):
    await client.end_session("gift")

    reply = await client.remember(GIFT, role="assistant", recallable=True, session="later")
    rows = [{"text": GIFT, "occurred_at": "2020-01-01T00:00:00+00:00", "kind": "episodic"}]

    assert reply.created
    assert (await client.import_rows(rows)).created == 1


@pytest.mark.promise(
    "temporary",
    "Nothing is kept of what is said late in one that is over, until it is started anew.",
)
async def test_a_late_turn_is_not_kept(client, said, held):
    await client.end_session("gift")
    late = [
        await client.remember("And a helmet", session="gift"),
        await client.remember("A helmet it is", session="gift", role="assistant"),
    ]

    assert [one.not_kept for one in late] == ["session_off", "session_off"]
    with pytest.raises(NotWanted):
        await client.write("Bob gets a helmet", session="gift")
    assert await held() == []
    await client.start_session("gift", mode="temporary")
    assert (await client.remember("And a helmet", session="gift")).created


async def test_it_ends_by_itself_a_day_after_its_last_turn(client, said, held, clock):
    clock.forward(DAY_S - 60)
    await client.remember("And a helmet", session="gift")
    clock.forward(DAY_S - 60)
    await client.recall("anything")
    assert len(await held()) == 2
    clock.forward(61)

    await client.recall("anything")

    assert await held() == []
    assert (await client.remember("hello?", session="gift")).not_kept == "session_off"


@pytest.mark.parametrize("use", ["remember", "write", "recall"])
async def test_the_next_use_ends_what_is_due(client, client_of, said, held, clock, use):
    clock.forward(DAY_S)
    another = client_of(agent="helper")

    await getattr(another, use)("Bob is tall")

    assert GIFT not in await held()


async def test_what_is_due_is_not_recalled_even_before_it_is_forgotten(client, ask, said, clock):
    client._looked_at_us = clock.forward(DAY_S)

    assert await ask("which bicycle?", **within("gift")) == []
    assert await client.list_sessions() == ()


async def test_a_server_may_end_what_is_due(client, store, said, held, clock):
    def end():
        return end_overdue(store, ANN, clock=clock, new_uuid=counting_ids(after=10_000))

    assert await end() == 0
    clock.forward(DAY_S)

    assert await end() == 1
    assert await held() == []
    (entry,) = await store.journal.entries(ANN, target=(await client.receipts())[0].id)
    assert (entry.actor, entry.surface) == ("pinyon", "sessions")


async def test_that_it_cannot_be_ended_now_keeps_nobody_from_recalling(client, said, ask, clock):
    class Busy:
        async def end_overdue(self, own):
            raise StoreBusy(1)

    client._sessions = Busy()
    clock.forward(DAY_S)

    assert await ask("which bicycle?") == []


async def test_an_end_that_was_broken_off_is_gone_on_with(client, client_of, said, held, store):
    """A process dies after it has closed the session and before all of it is forgotten."""
    forgetter = client._sessions._forgetter

    class Dying:
        async def forget_session(self, space, name):
            raise StoreBusy(1)

    client._sessions._forgetter = Dying()
    with pytest.raises(StoreBusy):
        await client.end_session("gift")
    client._sessions._forgetter = forgetter
    other = client_of()

    assert (await other.remember("late", session="gift")).not_kept == "session_off"
    assert (await other.recall("which bicycle?", **within("gift"))).hits == ()
    assert await held() == []


async def test_two_processes_may_end_a_session_at_once(client, client_of, said, held):
    other, plan = client_of(), client._forgetter._eraser.plan
    ended = []

    async def late(*args, **options):
        if not ended:
            ended.append(await other.end_session("gift"))
        return await plan(*args, **options)

    client._forgetter._eraser.plan = late
    await client.end_session("gift")

    assert ended[0].receipt.counts["memories"] == 1
    assert await held() == []
    assert await client.list_sessions() == ()


async def test_a_turn_that_meets_the_end_is_not_kept(client, client_of, store, said, held):
    """Somebody ends the session between the look at its mode and the write."""
    other = client_of()
    allowing = client._keeper._allowing
    looked = []

    class Late:
        async def of(self, space, sessions=()):
            allowed = await allowing.of(space, sessions)
            if not looked:
                looked.append(allowed)
                await other.end_session("gift")
            return allowed

    client._keeper._allowing = Late()
    answer = await client.remember("And a helmet", session="gift")

    assert answer.not_kept == "session_off"
    assert await held() == []


async def test_a_fact_that_meets_the_end_is_refused(client, client_of, said, held):
    other = client_of()
    allowing = client._keeper._allowing

    class Late:
        async def of(self, space, sessions=()):
            allowed = await allowing.of(space, sessions)
            await other.end_session("gift")
            return allowed

    client._keeper._allowing = Late()

    with pytest.raises(SessionChanged):
        await client.write("Bob gets a helmet", session="gift")
    assert await held() == []


async def test_a_session_that_nobody_started_has_nothing_to_end(client, held):
    await client.remember(GIFT, session="gift")
    await client.start_session("may")

    assert [(await client.end_session(one)).receipt for one in ("gift", "may", "none")] == [
        None
    ] * 3
    assert await held() == [GIFT]


async def test_an_empty_temporary_session_ends_without_a_receipt(client):
    await client.start_session("gift", mode="temporary")

    assert (await client.end_session("gift")).receipt is None


async def test_notes_of_several_spaces_are_one_answer(client_of):
    agent = client_of(agent="shopper")
    await agent.start_session("gift", mode="temporary")
    await agent.remember(GIFT, session="gift")
    await agent.write("The shop closes at six", scope="agent", session="gift")

    receipt = (await agent.end_session("gift")).receipt

    assert receipt.counts["memories"] == 2
    assert receipt.complete


# ── starting ─────────────────────────────────────────────────────────────────────────────────


async def test_a_session_is_listed_until_it_ends(client, clock):
    first = await client.start_session("may")
    clock.forward(60)
    second = await client.start_session("gift", mode="temporary")
    clock.forward(60)
    await client.remember("hello", session="gift")

    may, gift = await client.list_sessions()
    assert (may, first.mode) == (first, "normal")
    assert gift == Session(
        name="gift",
        mode="temporary",
        started_at_us=second.started_at_us,
        last_turn_at_us=clock.now_us(),
    )
    assert await client.start_session("gift", mode="temporary") == gift


async def test_a_session_of_which_something_is_kept_does_not_become_temporary(client, client_of):
    await client.remember(GIFT, session="told")
    await client.remember("Hm", role="assistant", session="logged")
    agent = client_of(agent="shopper")
    await agent.write("Closes at six", scope="agent", session="noted")
    for name in ("told", "logged", "noted"):
        with pytest.raises(SessionUnderWay):
            await client.start_session(name, mode="temporary")

    assert (await client.start_session("told", mode="off")).mode == "off"
    assert (await client.start_session("told", mode="normal")).mode == "normal"


@pytest.mark.parametrize("mode", ["normal", "off"])
async def test_a_temporary_session_becomes_nothing_else(client, said, mode):
    with pytest.raises(SessionUnderWay):
        await client.start_session("gift", mode=mode)


@pytest.mark.parametrize(
    ("name", "mode"), [("", "normal"), ("gift", "secret"), ("gift", ""), ("gift", None)]
)
async def test_a_session_has_a_name_and_one_of_three_modes(client, name, mode):
    with pytest.raises(InvalidValue):
        await client.start_session(name, mode=mode)


async def test_a_session_to_end_has_a_name(client):
    with pytest.raises(InvalidValue):
        await client.end_session("")


async def test_there_may_not_be_too_many(client, store, by, monkeypatch):
    monkeypatch.setattr("pinyon.care.sessions.SESSIONS_MAX", 2)
    for name in ("one", "two", "one"):
        await client.start_session(name)

    with pytest.raises(TooLarge):
        await client.start_session("three")
    assert SESSIONS_MAX == 1_000


# ── off ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "consent", "Of a session that is off nothing is kept: `remember` says so, a write is refused."
)
async def test_nothing_is_kept_of_a_session_that_is_off(client, client_of, held):
    await client.start_session("bank", mode="off")
    answers = [
        await client.remember("My bank is in trouble", session="bank"),
        await client.remember("Is it?", session="bank", role="assistant"),
        await client.remember("It is", session="bank", key="k1"),
    ]

    assert {(one.id, one.created, one.not_kept) for one in answers} == {("", False, "session_off")}
    for scope in ("own", "shared"):
        with pytest.raises(NotWanted) as refused:
            await client.write("The bank is in trouble", session="bank", scope=scope)
        assert refused.value.reason == "session_off"
    with pytest.raises(NotWanted):
        drafts = [Draft(text="Ann has a dog"), Draft(text="So", session="bank")]
        await client.write_many(drafts)
    assert await held() == []
    await client.end_session("bank")
    assert (await client.remember("My bank is well", session="bank")).created


async def test_rows_of_a_session_that_is_off_are_left_out_and_counted(client):
    await client.start_session("bank", mode="off")
    rows = [{"text": "one", "session": "bank"}, {"text": "two"}]

    answer = await client.import_rows(rows)

    assert (answer.created, answer.not_wanted) == (1, 1)


async def test_an_export_holds_a_temporary_session_as_it_is(client, said):
    rows = [row async for row in client.export()]

    assert [(row.memory.text, row.memory.source.session) for row in rows] == [(GIFT, "gift")]
