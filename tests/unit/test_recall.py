"""Recall: what is asked for comes, what is not does not, and nothing is said without a reason."""

import pytest

from pinyon.client import MemoryClient
from pinyon.domain.filter import Eq
from pinyon.domain.principal import Principal
from pinyon.domain.question import K_MAX, QUESTION_CHARS_MAX, AsOf, RecallContext
from pinyon.domain.space import Space
from pinyon.errors import (
    BadInput,
    ForeignHit,
    InvalidFilter,
    InvalidText,
    InvalidValue,
    StoreClosed,
    TooLarge,
    UnknownField,
)
from pinyon.recall.empty import empty_because
from pinyon.recall.planning import KEYWORD_FLOOR, RECENT_MAX, question_of
from pinyon.recall.recalling import Recalling
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing.makers import ANN, counting_ids, memory_of, put

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True


# ── what is found ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("verb", ["write", "remember"])
async def test_what_was_just_kept_comes_first(client, story, verb):
    written = await getattr(client, verb)("SMOKE-14806012 status: done")

    answer = await client.recall("SMOKE-14806012")

    assert answer.hits[0].memory.id == written.id


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("v2.3.1", "Firmware v2.3.1 fixed the pairing bug"),
        ("exit code 2", "The deploy of the billing service failed with exit code 2"),
        ("Zod", "Config is validated with Zod before it is read"),
        ("createdByAgent", "The field createdByAgent marks notes of an agent"),
        ("db-config.json", "Connection limits live in db-config.json"),
        ("what does 0x80070057 mean?", "Windows update stops with 0x80070057"),
    ],
)
async def test_an_identifier_is_found_as_it_is_written(ask, story, question, text):
    assert (await ask(question))[0] == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("where does the dog chew?", "Sarah's dog chews sensor cables"),
        ("BULB", "Sarah's bulbs show only white since last week"),
        ("did the reset help", "Resetting the hub in March did not help"),
        ("agents", "The field createdByAgent marks notes of an agent"),
    ],
)
async def test_forms_of_a_word_find_each_other(ask, story, question, text):
    assert (await ask(question))[0] == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("适者生存", "即适者生存，生存等于正确的道理"),
        ("しりとり", "今日は成語しりとりをした"),
        ("끝말잇기", "오늘 끝말잇기 게임을 했다"),
        ("止损", "记得设置止损"),
        ("道理", "即适者生存，生存等于正确的道理"),
        ("怎么设置止损？", "记得设置止损"),
        ("成語", "今日は成語しりとりをした"),
        ("게임", "오늘 끝말잇기 게임을 했다"),
    ],
)
async def test_words_of_scripts_without_spaces_are_found(client, ask, story, question, text):
    for each in ["即适者生存，生存等于正确的道理", "今日は成語しりとりをした",
                 "오늘 끝말잇기 게임을 했다", "记得设置止损"]:  # fmt: skip
        await client.write(each)

    assert (await ask(question))[0] == text


async def test_a_text_is_found_by_either_normal_form(client, ask):
    await client.write("Sarah likes the cafe\u0301")

    assert await ask("caf\u00e9") == ["Sarah likes the caf\u00e9"]


@pytest.mark.parametrize(
    "text", ["\ud800 hub", "hub \x00", "hub 👩‍👩‍👧‍👦", "\u202ehub\u202c", "hub" + "\u0301" * 10_000]
)
async def test_a_strange_text_is_found_and_may_be_asked(client, text):
    written = await client.write(f"the reset {text}")

    answer = await client.recall(f"reset {text}")

    assert answer.hits[0].memory.id == written.id


@pytest.mark.parametrize(
    "fields", [{"title": "Zigbee"}, {"keywords": ["zigbee"]}, {"speaker": "Zigbee"}]
)
async def test_a_memory_is_found_by_what_stands_beside_its_text(client, ask, fields):
    await client.write("Sarah has thick walls", **fields)

    assert await ask("zigbee") == ["Sarah has thick walls"]


async def test_a_procedure_is_found_by_its_steps_and_its_trigger(client, ask):
    steps, trigger = ["hold the button"], "bulbs show only white"
    await client.write("Reset the hub", kind="procedural", steps=steps, trigger=trigger)

    assert await ask("button") == ["Reset the hub"]
    assert await ask("white") == ["Reset the hub"]


async def test_the_best_of_several_comes_first(client, ask):
    for text in ["the hub is blue", "the hub needs a reset", "a dog"]:
        await client.write(text)

    assert await ask("reset the hub") == ["the hub needs a reset", "the hub is blue"]


@pytest.mark.parametrize("k", [1, 3])
async def test_at_most_k_come(client, story, k):
    assert len((await client.recall("sarah hub bulbs dog", k=k)).hits) == k


async def test_a_filter_holds_before_any_cut(client, ask):
    for number in range(120):
        await client.write(f"hub number {number}", tags=["rare"] if number == 0 else [])

    assert await ask("hub number", filters={"tags": "rare"}) == ["hub number 0"]


async def test_more_candidates_than_are_looked_at_still_bring_k_hits(client):
    for number in range(60):
        await client.write(f"hub number {number}")

    assert len((await client.recall("hub number")).hits) == 10


# ── phrases ──────────────────────────────────────────────────────────────────────────────────


async def test_a_phrase_must_stand_in_a_text_as_it_is_quoted(client, ask):
    for text in ["it ended with exit code 2", "code 2 is what exit means", "exit, then code 2"]:
        await client.write(text)

    assert await ask('"exit code 2"') == ["it ended with exit code 2"]


async def test_a_phrase_that_stands_nowhere_finds_nothing(ask, story):
    assert await ask('"exit code 3" billing deploy') == []


async def test_every_phrase_must_match(client, ask):
    for text in ["red hub and blue bulb", "red hub and green bulb"]:
        await client.write(text)

    assert await ask('"red hub" "blue bulb"') == ["red hub and blue bulb"]


async def test_a_phrase_of_nothing_but_stop_words_is_found(client, ask, story):
    await client.write("To be or not to be")

    assert await ask('"to be or not to be"') == ["To be or not to be"]


@pytest.mark.parametrize(
    ("text", "fields", "question"),
    [
        ("createdByAgent hub", {}, '"hub created"'),
        ("it is set", {"title": "Lumio hub", "keywords": ["reset"]}, '"hub reset"'),
        ("it runs on the hub", {"scenarios": ["reset at night"]}, '"hub reset"'),
    ],
)
async def test_a_phrase_does_not_reach_from_one_field_into_the_next(
    client, ask, text, fields, question
):
    await client.write(text, **fields)

    assert await ask(question) == []


# ── the turn before ──────────────────────────────────────────────────────────────────────────


async def test_an_answer_is_found_by_what_it_answers_to(client, clock, story):
    await client.remember("Have you tried a reset?", session="s1", role="assistant")
    clock.forward(5)
    answer = await client.remember("Yes, twice, neither helped", session="s1")

    hits = {hit.memory.id: hit for hit in (await client.recall("did the reset help")).hits}

    assert hits[answer.id].why.matched == ("help",)
    assert hits[answer.id].why.context_matched == ("reset",)
    assert "“help” and follows one with “reset”" in hits[answer.id].why.summary


async def test_a_word_of_the_turn_before_counts_for_less_than_an_own_one(client, clock, ask):
    await client.remember("The zigbee network?", session="s1", role="assistant")
    clock.forward(5)
    await client.remember("Broken again", session="s1")
    await client.remember("The zigbee network is fine")

    assert await ask("zigbee network") == ["The zigbee network is fine", "Broken again"]


# ── nothing ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("question", ["zzqq flurble 9999", "chocolate cake", "Alex Panagis"])
async def test_a_question_about_nothing_that_is_known_finds_nothing(client, story, question):
    answer = await client.recall(question)

    assert (answer.hits, answer.empty_because) == ((), "below_floor")


async def test_a_question_of_which_too_little_is_known_finds_nothing(client, story):
    answer = await client.recall("zzqq flurble 9999 xyzzy quux plugh bulbs")

    assert (answer.hits, answer.empty_because) == ((), "below_floor")
    assert 0 < answer.trace.best < answer.trace.floor == KEYWORD_FLOOR


@pytest.mark.parametrize("question", ["bulbs", "what is it?"])
async def test_an_empty_store_says_that_it_is_empty(client, question):
    answer = await client.recall(question)

    assert (answer.hits, answer.empty_because) == ((), "empty_store")


async def test_a_user_without_memories_has_an_empty_store_whatever_is_shared(client):
    await client.write("The office has a hub", scope="shared")

    assert (await client.recall("dog")).empty_because == "empty_store"


@pytest.mark.parametrize("narrowing", [{"filters": {"tags": "none"}}, {"kinds": ["catalog"]}])
@pytest.mark.parametrize("question", ["bulbs", '"only white"', "what is it?"])
async def test_what_a_filter_keeps_out_is_told_from_what_is_not_there(
    client, story, question, narrowing
):
    answer = await client.recall(question, **narrowing)

    assert (answer.hits, answer.empty_because) == ((), "filtered")


@pytest.mark.parametrize("question", ["bulbs", "what is it?"])
async def test_a_filter_is_not_blamed_for_what_was_not_known_then(client, story, question):
    long_ago = AsOf(known="2020-01-01T00:00:00Z")

    answer = await client.recall(question, kinds=["catalog"], as_of=long_ago)

    assert answer.hits == ()
    assert answer.empty_because in ("below_floor", "empty_store")


async def test_a_filter_is_not_blamed_for_what_is_not_there(client, story):
    answer = await client.recall("zzqq flurble 9999", filters={"kind": "semantic"})

    assert answer.empty_because == "below_floor"


def test_what_could_not_be_asked_is_named_before_anything_else():
    question = question_of("hub", spaces=[ANN], now_us=0)

    assert empty_because(Recalling(question=question, degraded=("vector",))) == "degraded"


async def test_an_answer_gives_no_reason_for_being_empty(client, story):
    assert (await client.recall("bulbs")).empty_because is None


# ── a question without words ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("question", ["what is it?", "?!", "怎么 是 的"])
async def test_a_question_without_words_is_answered_by_what_is_newest(client, ask, question):
    for text in ["one", "two", "three"]:
        await client.write(text)

    assert await ask(question) == ["three", "two", "one"]


async def test_only_so_many_of_the_newest_come(client):
    for number in range(RECENT_MAX + 5):
        await client.write(f"number {number}")

    assert len((await client.recall("what is it?", k=K_MAX)).hits) == RECENT_MAX


async def test_the_catalog_is_not_what_is_newest(client, ask):
    await client.write("one")
    await client.write("a page of the manual", kind="catalog")

    assert await ask("what is it?") == ["one"]


async def test_a_filter_holds_for_what_is_newest(client, ask):
    await client.write("one", tags=["old"])
    await client.write("two")

    assert await ask("what is it?", filters={"tags": "old"}) == ["one"]


async def test_the_newest_of_every_space_come(client, ask):
    await client.write("one", scope="shared")
    await client.write("two")

    assert set(await ask("what is it?")) == {"one", "two"}


# ── which spaces answer ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("asker", ["bob", "*", "%", "_nn", "Ann", "ann*", "ann "])
@pytest.mark.parametrize("question", ["PIN", "what is it?", '"pin is"'])
async def test_no_other_user_is_answered(client, client_of, asker, question):
    await client.write("Ann's PIN is 4471")

    assert (await client_of(asker).recall(question)).hits == ()


@pytest.mark.parametrize("scope", ["own", "agent", "project", "shared"])
async def test_every_space_of_the_asker_is_asked(client_of, scope):
    client = client_of(agent="a", project="p")
    await client.write("The hub is blue", scope=scope)

    (hit,) = (await client.recall("what colour is the hub")).hits

    assert hit.why.space == hit.memory.space == client.principal.space(scope)


async def test_a_better_memory_of_another_space_comes_before_a_weak_own_one(client, ask):
    await client.write("The hub is blue")
    await client.write("Resetting a Lumio hub takes ten seconds", scope="shared")

    assert (await ask("reset the lumio hub"))[0] == "Resetting a Lumio hub takes ten seconds"


async def test_at_a_tie_the_own_memory_stands_for_the_shared_one(client):
    await client.write("The hub is blue", scope="shared")
    own = await client.write("The hub is blue")

    (hit,) = (await client.recall("hub")).hits

    assert hit.memory.id == own.id


class LyingStore(InMemoryStore):
    """Answers with another space's memory whatever it is asked for."""

    async def get(self, space, ids, *, known_at_us=None):
        return [memory_of(number, space=Space.of_user("acme", "bob")) for number in range(len(ids))]


async def test_a_store_that_answers_with_a_foreign_memory_is_stopped(clock, by):
    store, principal = LyingStore(clock=clock), Principal.of_home(tenant="acme", user="ann")
    await store.apply(ANN, [put(memory_of(1))], by=by)
    client = MemoryClient(store, principal, clock=clock, new_uuid=counting_ids())

    with pytest.raises(ForeignHit):
        await client.recall("where does Sarah live")


async def test_a_store_that_fails_is_not_an_empty_memory(client, store, story):
    await store.close()

    with pytest.raises(StoreClosed):
        await client.recall("bulbs")


# ── what cannot be asked ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("question", ["", "  \n", None, [], 7, {"q": "hub"}])
async def test_a_question_that_says_nothing_is_refused(client, question):
    with pytest.raises(InvalidText):
        await client.recall(question)


async def test_a_question_that_is_too_long_is_refused(client):
    with pytest.raises(TooLarge):
        await client.recall("x" * (QUESTION_CHARS_MAX + 1))


async def test_the_longest_question_may_be_asked(client, story):
    assert (await client.recall("dog".ljust(QUESTION_CHARS_MAX))).hits != ()


@pytest.mark.parametrize("k", [0, -1, K_MAX + 1, True, 1.5, "5", None])
async def test_k_is_a_whole_number_within_its_range(client, k):
    with pytest.raises(InvalidValue):
        await client.recall("hub", k=k)


@pytest.mark.parametrize(
    ("narrowing", "error"),
    [
        ({"kinds": ["fact"]}, InvalidValue),
        ({"kinds": "semantic"}, InvalidValue),
        ({"filters": {"user_id": "bob"}}, UnknownField),
        ({"filters": {"space": "acme/user/bob"}}, UnknownField),
        ({"filters": "semantic"}, InvalidFilter),
        ({"filters": []}, InvalidFilter),
    ],
)
async def test_a_narrowing_that_means_nothing_is_refused(client, story, narrowing, error):
    with pytest.raises(error):
        await client.recall("hub", **narrowing)


async def test_an_unknown_argument_is_refused(client):
    with pytest.raises((TypeError, BadInput)):
        await client.recall("hub", user="bob")


@pytest.mark.parametrize("filters", [None, {}, {"kind": "semantic"}, Eq("kind", "semantic")])
async def test_a_filter_may_be_a_value_or_its_json_form(ask, story, filters):
    assert await ask("dog", filters=filters) == ["Sarah's dog chews sensor cables"]


async def test_a_situation_may_be_told(ask, story):
    context = RecallContext(session="s1", recent_turns=("Hello",))

    assert await ask("dog", context=context) == ["Sarah's dog chews sensor cables"]


async def test_kinds_keep_out_all_others(client, ask, story):
    await client.remember("My dog is here")

    assert await ask("dog", kinds=["episodic"]) == ["My dog is here"]
