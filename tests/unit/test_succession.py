"""One memory in the place of others: all of it in one transaction, and nothing else touched."""

from dataclasses import replace
from itertools import count

import pytest

from pinyon.domain.change import Link
from pinyon.domain.draft import Draft
from pinyon.domain.question import AsOf
from pinyon.errors import (
    AlreadyThere,
    InvalidId,
    InvalidValue,
    NotFound,
    Superseded,
    VersionConflict,
)
from pinyon.testing.makers import ANN
from pinyon.write.keeper import Keeper

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

BRISTOL, EDINBURGH, LONDON = (
    f"Sarah lives in {city}" for city in ("Bristol", "Edinburgh", "London")
)
WALLS = "The Victorian flat's thick walls weaken Zigbee"
WHERE = "where does Sarah live?"
NOWHERE = "mem_" + "f" * 32


@pytest.fixture
async def moved(client, clock):
    """Sarah said that she lives in Bristol, and an hour later that she moved."""
    said = await client.remember("I live in Bristol", session="s1")
    old = await client.write(BRISTOL, session="s1")
    walls = await client.write(WALLS)
    clock.forward(3_600)
    new = await client.write(EDINBURGH, supersedes=[old.id])
    return {"said": said.id, "old": old.id, "walls": walls.id, "new": new.id}


# ── natural ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "standing",
    "Superseded: its successor answers in its place; it stays as history, names that one, "
    "and was true until that one is.",
)
async def test_what_is_superseded_stays_as_history_and_names_its_successor(client, clock, moved):
    old, new = await client.show(moved["old"]), await client.show(moved["new"])

    assert (old.status, old.links.superseded_by) == ("superseded", new.id)
    assert old.links.superseded_at_us == clock.now_us()
    assert old.times.valid_until_us == new.times.valid_from_us == clock.now_us()
    assert (new.links.supersedes, new.links.contradiction) == ((old.id,), "natural")
    assert new.confidence == 1.0


@pytest.mark.promise(
    "standing",
    "Superseded: its successor answers in its place; it stays as history, names that one, "
    "and was true until that one is.",
)
async def test_only_the_newest_answers_and_the_walls_stay(ask, moved):
    assert await ask(WHERE) == [EDINBURGH, "I live in Bristol"]
    assert await ask("which walls weaken Zigbee?") == [WALLS]


async def test_history_comes_back_marked_where_it_is_asked_for(client, moved):
    hits = (await client.recall("where has Sarah lived?", include_superseded=True)).hits
    by_text = {hit.memory.text: hit.memory for hit in hits}

    assert by_text[BRISTOL].status == "superseded"
    assert by_text[BRISTOL].links.superseded_by == moved["new"]


async def test_what_was_true_and_what_was_known_are_asked_apart(client, clock, ask, moved):
    then = "2026-03-02T09:30:00Z"
    clock.forward(3_600)

    assert BRISTOL in await ask(WHERE, as_of=AsOf(valid=then))
    assert EDINBURGH not in await ask(WHERE, as_of=AsOf(valid=then))
    assert await ask(WHERE, as_of=AsOf(known=then)) == [BRISTOL, "I live in Bristol"]


async def test_there_and_back_again_is_three_memories_in_one_chain(client, ask, clock, moved):
    clock.forward(3_600)
    back = await client.write(BRISTOL, supersedes=[moved["new"]])

    chain = (await client.history(back.id)).chain
    assert [(m.text, m.status) for m in chain] == [
        (BRISTOL, "superseded"),
        (EDINBURGH, "superseded"),
        (BRISTOL, "active"),
    ]
    assert back.created
    assert (await ask(WHERE))[0] == BRISTOL


async def test_three_links_are_one_chain_from_any_of_them(client, moved):
    last = await client.write(LONDON, supersedes=[moved["new"]])

    for member in (moved["old"], moved["new"], last.id):
        chain = (await client.history(member)).chain
        assert [m.text for m in chain] == [BRISTOL, EDINBURGH, LONDON]


async def test_several_are_replaced_at_once(client):
    old = [await client.write(f"Sarah has a {device}") for device in ("bulb", "plug", "sensor")]
    new = await client.write("Sarah sold all her devices", supersedes=[one.id for one in old])

    assert new.superseded == tuple(one.id for one in old)
    assert {(await client.show(one.id)).links.superseded_by for one in old} == {new.id}


async def test_it_ends_when_the_new_one_begins_and_never_before_it_began(client):
    old = await client.write(BRISTOL, valid_from="2020-01-01T00:00:00Z")
    late = await client.write(LONDON, valid_from="2025-06-01T00:00:00Z")
    await client.write(EDINBURGH, valid_from="2022-01-01T00:00:00Z", supersedes=[old.id, late.id])

    assert (await client.show(old.id)).times.valid_until_us == 1_640_995_200_000_000
    later = (await client.show(late.id)).times
    assert later.valid_until_us == later.valid_from_us


async def test_what_had_ended_before_keeps_its_end(client):
    old = await client.write(
        BRISTOL, valid_from="2020-01-01T00:00:00Z", valid_until="2021-01-01T00:00:00Z"
    )
    before = (await client.show(old.id)).times.valid_until_us
    await client.write(EDINBURGH, supersedes=[old.id])

    assert (await client.show(old.id)).times.valid_until_us == before


async def test_a_catalog_entry_without_dates_ends_now(client, clock):
    old = await client.write("The hub costs 49", kind="catalog")
    await client.write("The hub costs 59", kind="catalog", supersedes=[old.id])

    assert (await client.show(old.id)).times.valid_until_us == clock.now_us()


async def test_love_becomes_hate_and_nothing_is_lost(client, ask):
    """The old one must not go before the new one is there."""
    old = await client.write("I love Chinese food")
    await client.write("I hate Chinese food", supersedes=[old.id])

    assert await ask("Chinese food") == ["I hate Chinese food"]
    everything = await ask("Chinese food", include_superseded=True)
    assert sorted(everything) == ["I hate Chinese food", "I love Chinese food"]


# ── harsh ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "standing",
    "Superseded harshly: it was never true, and asking for an earlier time does not bring it.",
)
async def test_a_denial_says_that_the_old_one_never_was_true(client, ask):
    old = await client.write("Sarah has a Hub v3")
    new = await client.write("Sarah has a Hub v2", supersedes=[old.id], contradiction="harsh")

    denied = await client.show(old.id)
    assert (denied.status, denied.times.valid_until_us) == ("retracted", None)
    assert (await client.show(new.id)).confidence == 0.9
    assert "Sarah has a Hub v3" not in await ask("hub", as_of=AsOf(valid="2026-03-02T09:00:00Z"))


async def test_independent_support_earns_the_confidence_back_once(client):
    old = await client.write("Sarah has a Hub v3")
    new = await client.write("Sarah has a Hub v2", supersedes=[old.id], contradiction="harsh")
    for _ in range(3):
        await client.write("Sarah has a Hub v2")

    memory = await client.show(new.id)
    assert (memory.confidence, memory.counts.support) == (1.0, 3)


async def test_confidence_is_never_below_nothing(client):
    old = await client.write("a hub")
    new = await client.write("no hub", supersedes=[old.id], contradiction="harsh", confidence=0.05)

    assert (await client.show(new.id)).confidence == 0.0


async def test_what_was_retracted_stays_so_when_it_is_replaced(client):
    old = await client.write(BRISTOL)
    await client.retract(old.id)
    await client.write(EDINBURGH, supersedes=[old.id])

    assert (await client.show(old.id)).status == "retracted"


async def test_an_unknown_contradiction_is_refused(client):
    with pytest.raises(InvalidValue, match="contradiction"):
        await client.write(EDINBURGH, contradiction="mild")


# ── all or nothing ───────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "standing",
    "One wrong id among those to be superseded changes nothing.",
)
@pytest.mark.parametrize("wrong", [NOWHERE, "foreign"])
async def test_one_wrong_id_among_right_ones_changes_nothing(client, client_of, store, wrong):
    if wrong == "foreign":
        wrong = (await client_of("bob").write("Bob lives in Bristol")).id
    old = await client.write(BRISTOL)
    before = await store.changes.seq(ANN)

    with pytest.raises(NotFound):
        await client.write(EDINBURGH, supersedes=[old.id, wrong])

    assert await store.changes.seq(ANN) == before
    assert (await client.show(old.id)).status == "active"


@pytest.mark.parametrize("wrong", ["nonsense", 7, None])
async def test_what_is_no_id_is_refused(client, wrong):
    with pytest.raises(InvalidId):
        await client.write(EDINBURGH, supersedes=[wrong])


async def test_what_is_superseded_already_names_its_successor(client, store, moved):
    before = await store.changes.seq(ANN)

    with pytest.raises(Superseded, match=moved["new"]):
        await client.write(LONDON, supersedes=[moved["old"]])

    assert await store.changes.seq(ANN) == before


async def test_a_memory_does_not_supersede_one_that_says_the_same(client):
    old = await client.write(BRISTOL)

    with pytest.raises(InvalidValue, match="says the same"):
        await client.write(BRISTOL.upper(), supersedes=[old.id])


async def test_of_two_writers_one_wins_and_the_other_is_told(client, store, clock):
    old = await client.write(BRISTOL)
    slow = Keeper(Interrupted(store, client, old.id), clock=clock, new_uuid=other_ids())

    with pytest.raises(Superseded):
        await slow.keep(ANN, [Draft(text=LONDON, supersedes=[old.id])], by=client.principal.by("x"))

    assert (await client.show(old.id)).links.superseded_by is not None
    assert [m.text for m in (await client.list()).memories] == [EDINBURGH, BRISTOL]


def other_ids():
    """Return a maker of ids that are not the client's."""
    made = count(1_000)
    return lambda: f"{next(made):032x}"


class Interrupted:
    """Records in which somebody else writes between a plan and what becomes of it."""

    def __init__(self, store, client, old, times=1):
        self._records, self._client, self._old, self._left = store.records, client, old, times

    def __getattr__(self, name):
        return getattr(self._records, name)

    async def apply(self, *args, **options):
        if self._left:
            self._left -= 1
            await self.interrupt()
        return await self._records.apply(*args, **options)

    async def interrupt(self):
        await self._client.write(EDINBURGH, supersedes=[self._old])


class Edited(Interrupted):
    async def interrupt(self):
        await self._client.edit(self._old, importance=self._left / 100)


async def test_an_edit_meanwhile_only_makes_it_plan_anew(client, store, clock):
    old = await client.write(BRISTOL)
    keeper = Keeper(Edited(store, client, old.id), clock=clock, new_uuid=other_ids())
    await keeper.keep(
        ANN, [Draft(text=EDINBURGH, supersedes=[old.id])], by=client.principal.by("x")
    )

    assert (await client.show(old.id)).status == "superseded"


async def test_it_gives_up_where_it_is_never_let_through(client, store, clock):
    old = await client.write(BRISTOL)
    keeper = Keeper(Edited(store, client, old.id, 99), clock=clock, new_uuid=other_ids())

    with pytest.raises(VersionConflict):
        await keeper.keep(
            ANN, [Draft(text=EDINBURGH, supersedes=[old.id])], by=client.principal.by("x")
        )


async def test_two_that_say_the_same_in_one_batch_are_refused(client):
    old = await client.write(BRISTOL)
    drafts = [Draft(text=EDINBURGH, supersedes=[old.id])] * 2

    with pytest.raises(AlreadyThere):
        await client.write_many(drafts)


# ── said again ───────────────────────────────────────────────────────────────────────────────


async def test_the_same_supersession_said_again_is_one(client, moved):
    again = await client.write(EDINBURGH, supersedes=[moved["old"]])

    assert (again.id, again.created) == (moved["new"], False)
    assert (await client.show(moved["new"])).links.supersedes == (moved["old"],)


async def test_one_that_was_there_takes_the_place_of_more(client):
    old, new = await client.write(BRISTOL), await client.write(EDINBURGH)
    answer = await client.write(EDINBURGH, supersedes=[old.id])

    assert (answer.id, answer.created) == (new.id, False)
    assert (await client.show(old.id)).links.superseded_by == new.id
    assert (await client.show(new.id)).links.supersedes == (old.id,)


async def test_a_retry_under_a_key_is_answered_as_the_first_time(client):
    old = await client.write(BRISTOL)
    first = await client.write(EDINBURGH, supersedes=[old.id], key="k")
    await client.write(LONDON, supersedes=[first.id])
    again = await client.write(EDINBURGH, supersedes=[old.id], key="k")

    assert (again.id, again.created) == (first.id, True)


async def test_a_new_key_does_not_bring_back_what_is_over(client):
    old = await client.write(BRISTOL)
    first = await client.write(EDINBURGH, supersedes=[old.id], key="k")
    await client.write(LONDON, supersedes=[first.id])

    with pytest.raises(Superseded):
        await client.write(EDINBURGH, supersedes=[old.id], key="another")


# ── what a memory rests on ───────────────────────────────────────────────────────────────────


async def test_a_fact_rests_on_the_last_thing_said_in_its_session(client):
    await client.remember("Hello", session="s1")
    said = await client.remember("I live in Bristol", session="s1")
    await client.remember("Nice!", session="s1", role="assistant")
    fact = await client.write(BRISTOL, session="s1")

    assert (await client.show(fact.id)).source.supporting == (said.id,)


async def test_a_fact_of_a_silent_session_or_with_support_of_its_own_rests_on_that(client):
    said = await client.remember("I live in Bristol", session="s1")
    await client.remember("Something else", session="s1")
    lone = await client.write("It rains", session="elsewhere")
    own = await client.write(BRISTOL, session="s1", supporting=[said.id])

    assert (await client.show(lone.id)).source.supporting == ()
    assert (await client.show(own.id)).source.supporting == (said.id,)


async def test_where_the_words_stand_is_kept(client):
    said = await client.remember("Well, Sarah lives in Bristol, as I said", session="s1")
    fact = await client.write(BRISTOL, session="s1")
    (span,) = (await client.show(fact.id)).source.spans

    assert (span.memory_id, span.start, span.end) == (said.id, 6, 6 + len(BRISTOL))


# ── messages that say nothing any more ───────────────────────────────────────────────────────


async def test_the_message_that_said_it_is_marked_in_the_same_transaction(client, moved):
    assert (await client.show(moved["said"])).links.outdated_by == moved["new"]


async def test_a_message_that_supports_something_that_holds_is_not_marked(client):
    said = await client.remember("I live in Bristol in a flat with thick walls", session="s1")
    old = await client.write(BRISTOL, session="s1")
    await client.write(WALLS, session="s1")
    await client.write(EDINBURGH, supersedes=[old.id])

    assert (await client.show(said.id)).links.outdated_by is None


async def test_a_message_that_says_the_new_thing_too_is_not_marked(client):
    said = await client.remember("I moved from Bristol to Edinburgh", session="s1")
    old = await client.write(BRISTOL, supporting=[said.id])
    await client.write(EDINBURGH, supporting=[said.id], supersedes=[old.id])

    assert (await client.show(said.id)).links.outdated_by is None


async def test_a_marked_message_follows_the_chain(client, moved):
    last = await client.write(LONDON, supersedes=[moved["new"]])

    assert (await client.show(moved["said"])).links.outdated_by == last.id


@pytest.mark.parametrize("names_it", [True, False])
async def test_a_message_whose_words_hold_again_loses_its_mark(client, names_it):
    said = await client.remember("I have a Hub v2", session="s1")
    second = await client.write("Sarah has a Hub v2", session="s1")
    third = await client.write("Sarah has a Hub v3", supersedes=[second.id])
    assert (await client.show(said.id)).links.outdated_by == third.id
    support = {"supporting": [said.id]} if names_it else {}
    await client.write(
        "Sarah has a Hub v2", supersedes=[third.id], contradiction="harsh", **support
    )

    assert (await client.show(said.id)).links.outdated_by is None


async def test_a_message_may_be_superseded_itself(client, ask):
    said = await client.remember("I live in Bristol")
    await client.write(EDINBURGH, supersedes=[said.id])

    assert (await client.show(said.id)).status == "superseded"
    assert await ask(WHERE) == [EDINBURGH]


async def test_a_fact_that_supports_another_is_not_marked(client):
    base = await client.write("Sarah's letters go to Bristol")
    old = await client.write(BRISTOL, supporting=[base.id])
    await client.write(EDINBURGH, supersedes=[old.id])

    assert (await client.show(base.id)).links.outdated_by is None


@pytest.mark.promise(
    "standing",
    "Nothing is superseded that was not named; what may say otherwise is named in the "
    "answer of a write and left as it is.",
)
async def test_additive_facts_retire_nobody(client, ask):
    """By rule: nothing is superseded that was not named."""
    await client.write("Ann works at Acme as CTO")
    await client.write("Ann administers Acme's GitHub org")

    assert len(await ask("Ann Acme")) == 2


async def test_a_chain_with_a_hidden_member_can_go_on(client, store, by, moved):
    link = Link(id=moved["new"], shelf="hidden")
    await store.records.apply(ANN, [link], by=by)
    await client.write(LONDON, supersedes=[moved["new"]])

    assert (await client.show(moved["new"])).status == "superseded"


def test_a_draft_keeps_what_it_is_to_replace():
    draft = Draft(text="x", supersedes=["mem_1"])

    assert replace(draft, text="y").supersedes == ["mem_1"]
