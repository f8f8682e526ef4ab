"""What a person does not want kept is not kept, whichever way it comes."""

import pytest

from pinyon.domain.change import PutEvent
from pinyon.domain.consent import Consent
from pinyon.domain.draft import Draft
from pinyon.domain.policy import Policies
from pinyon.domain.space import Space
from pinyon.domain.synonyms import Synonyms
from pinyon.errors import InvalidFile, InvalidText, InvalidValue, NotWanted, TooLarge
from pinyon.moving.forgetting_again import forget_again
from pinyon.moving.jsonl import row_of
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing.makers import ANN
from pinyon.testing.store_contract import event_of
from pinyon.write.gate import Gate

pytestmark = pytest.mark.anyio
ON_EVERY_STORE = True

TOPIC = "diabetes"
SPOKEN = "Ann's Diabetes is worse"


@pytest.fixture
async def kept(client):
    """Keep something, and return its id; then never want the topic kept."""
    kept = (await client.write("Ann drinks green tea")).id
    await client.set_consent(never=[TOPIC, "loss of job"])
    return kept


@pytest.fixture
def held(store):
    async def texts(space=ANN):
        memories = (await store.records.scan(space, limit=1000)).memories
        events = (await store.records.events(space, limit=1000)).events
        return sorted(one.text for one in (*memories, *events))

    return texts


# ── saying it ────────────────────────────────────────────────────────────────────────────────


async def test_what_is_not_named_stays_as_it_was(client):
    assert await client.consent() == Consent()
    await client.set_consent(paused=True, never=["tea"])
    await client.set_consent(paused=False)
    assert await client.set_consent(never=[" tea ", "coffee", "tea"]) == Consent(
        never=("tea", "coffee")
    )

    assert await client.consent() == Consent(never=("tea", "coffee"))
    assert await client.set_consent(never=[]) == Consent()


async def test_it_is_a_users_own_for_all_agents_and_nobody_elses(client, client_of):
    await client.set_consent(paused=True)

    assert (await client_of(agent="helper").consent()).paused
    assert not (await client_of("bob").consent()).paused
    assert not (await client_of(tenant="globex").consent()).paused


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"paused": "yes"}, InvalidValue),
        ({"paused": 1}, InvalidValue),
        ({"never": "diabetes"}, InvalidValue),
        ({"never": 7}, InvalidValue),
        ({"never": [""]}, InvalidValue),
        ({"never": ["the of"]}, InvalidValue),
        ({"never": ["..."]}, InvalidValue),
        ({"never": [7]}, InvalidText),
        ({"never": ["a" * 101]}, TooLarge),
        ({"never": [f"topic{n}" for n in range(101)]}, TooLarge),
    ],
)
async def test_what_says_nothing_or_too_much_is_refused(client, given, error):
    with pytest.raises(error):
        await client.set_consent(**given)

    assert await client.consent() == Consent()


# ── paused ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "consent",
    "While memory is paused nothing new is kept in the user's space or the agents' notes, "
    "whichever way it comes; recall goes on.",
)
async def test_while_paused_nothing_new_is_kept(client, client_of, ask, held, kept, tmp_path):
    (tmp_path / "tea.md").write_text("# Tea\n\nIt is hot.\n")
    agent = client_of(agent="helper")
    await client.set_consent(paused=True)
    answers = [
        await client.remember("I moved to Leeds"),
        await client.remember("Did you?", role="assistant", session="s1"),
        await agent.remember("I moved to Leeds"),
    ]

    assert {(one.id, one.created, one.not_kept) for one in answers} == {("", False, "paused")}
    for act in (
        client.write("Ann lives in Leeds"),
        agent.write("Ann lives in Leeds", scope="agent"),
        client.write_many([Draft(text="Ann lives in Leeds")]),
        client.edit(kept, title="Leeds"),
        client.import_rows([{"text": "Ann lives in Leeds"}]),
        client.import_rows([]),
        client.import_catalog(tmp_path / "tea.md", scope="own"),
    ):
        with pytest.raises(NotWanted) as refused:
            await act
        assert refused.value.reason == "paused"
    assert await held() == ["Ann drinks green tea"]
    assert await held(Space.of_agent("acme", "ann", "helper")) == []
    assert await ask("what does Ann drink?") == ["Ann drinks green tea"]


async def test_while_paused_what_is_there_can_be_corrected(client, kept):
    await client.set_consent(paused=True)
    await client.edit(kept, importance=0.9, pinned=True, tags=[], title="")
    await client.hide(kept)
    await client.release(kept)

    assert (await client.forget(kept)).receipt is not None


async def test_a_pause_says_nothing_of_what_others_read(client, held):
    await client.set_consent(paused=True, never=[TOPIC])
    await client.write("The office opens at nine; diabetes nurse on Mondays", scope="shared")

    assert len(await held(Space.shared("acme"))) == 1


# ── topics ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "consent",
    "What speaks of a topic that is never kept is not kept, in whichever field, form or way.",
)
@pytest.mark.parametrize(
    "details",
    [
        {"text": SPOKEN},
        {"text": "After the loss of job"},
        {"title": "diabetes"},
        {"keywords": ["tea", "diabetes"]},
        {"tags": ["diabetes"]},
        {"scenarios": ["when diabetes is worse"]},
        {"category": "diabetes"},
        {"speaker": "Diabetes nurse"},
        {"metadata": {"about": "diabetes"}},
        {"metadata": {"diabetes": True}},
        {"kind": "procedural", "steps": ["measure", "note the diabetes"]},
        {"kind": "procedural", "trigger": "diabetes is worse"},
        {"kind": "procedural", "steps": ["measure"], "tools": ["diabetes-app"]},
        {"kind": "catalog", "document": "diabetes.md"},
    ],
    ids="-".join,
)
async def test_a_topic_is_looked_for_in_every_word(client, kept, held, details):
    with pytest.raises(NotWanted) as refused:
        await client.write(**{"text": "Something else", **details})

    assert refused.value.reason == "topic"
    assert TOPIC not in str(refused.value)
    assert await held() == ["Ann drinks green tea"]


async def test_remember_answers_that_a_topic_is_not_kept(client, kept, held):
    answers = [
        await client.remember(SPOKEN),
        await client.remember("Your diabetes?", role="assistant"),
        await client.remember("hello", metadata={"about": "diabetes"}, key="k1"),
    ]

    assert [one.not_kept for one in answers] == ["topic"] * 3
    assert await held() == ["Ann drinks green tea"]
    assert (await client.remember("I found another job")).created


async def test_a_batch_that_speaks_of_a_topic_is_refused_whole(client, kept, held):
    with pytest.raises(NotWanted):
        await client.write_many([Draft(text="Ann has a dog"), Draft(text=SPOKEN)])

    assert await held() == ["Ann drinks green tea"]


@pytest.mark.parametrize(
    "annotations",
    [{"title": "diabetes"}, {"tags": ["diabetes"]}, {"metadata": {"a": "diabetes"}}],
)
async def test_an_edit_that_speaks_of_a_topic_is_refused(client, kept, annotations):
    with pytest.raises(NotWanted):
        await client.edit(kept, **annotations)

    assert (await client.show(kept)).version == 1


async def test_what_a_tenant_calls_the_same_is_never_kept_either(client_of, held):
    synonyms = Synonyms(tenants={"acme": (("diabetes", "sugar illness"),)})
    ann = client_of(gate=Gate(Policies(), synonyms=synonyms))
    await ann.set_consent(never=[TOPIC])

    assert (await ann.remember("My sugar illness is worse")).not_kept == "topic"
    assert (await ann.remember("I take sugar")).created


async def test_what_was_kept_before_stays(client, ask):
    await client.write(SPOKEN)
    await client.set_consent(never=[TOPIC])

    assert await ask("how is her diabetes?") == [SPOKEN]


async def test_a_text_of_a_wrong_type_is_refused_for_that(client, kept):
    with pytest.raises(InvalidText):
        await client.write(7)
    with pytest.raises(InvalidValue):
        await client.write("tea", tags="diabetes", metadata=7)


# ── imports ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "consent",
    "An import leaves out what speaks of a topic that is never kept, its earlier versions and "
    "the log too, and counts it.",
)
async def test_an_import_leaves_out_and_counts_what_is_not_wanted(client, client_of, held, store):
    bob = client_of("bob")
    edited = (await bob.write("Bob is ill", title="diabetes")).id
    await bob.edit(edited, title="illness")
    await bob.write("Bob has a dog")
    await bob.write("Bob is well", metadata={"because": "no diabetes"})
    await bob.remember("And your diabetes?", role="assistant", session="s1")
    await bob.remember("Good day", role="assistant", session="s1")
    rows = [row_of(row) async for row in bob.export()]
    plain = [{"text": SPOKEN}, {"text": "Ann drinks tea"}]
    await client.set_consent(never=[TOPIC])

    answer = await client.import_rows([*rows, *plain])

    assert (answer.created, answer.not_wanted) == (3, 4)
    assert await held() == ["Ann drinks tea", "Bob has a dog", "Good day"]


async def test_documents_that_speak_of_a_topic_are_refused_by_name(client, kept, tmp_path):
    (tmp_path / "tea.md").write_text("# Tea\n\nGood with diabetes.\n")

    with pytest.raises(InvalidFile) as refused:
        await client.import_catalog(tmp_path / "tea.md", scope="own")
    assert "tea.md" in str(refused.value)


# ── what becomes of it ───────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "consent",
    "When everything is forgotten the topics go, for they are words of the user's; that memory "
    "is paused stays.",
)
@pytest.mark.parametrize("has_memories", [True, False])
async def test_topics_go_with_everything_and_a_pause_stays(client, has_memories):
    if has_memories:
        await client.write("Ann drinks green tea")
    await client.set_consent(paused=True, never=[TOPIC])
    await client.forget(everything=True, dry_run=True)
    assert (await client.consent()).never == (TOPIC,)

    await client.forget(everything=True)

    assert await client.consent() == Consent(paused=True)


async def test_forgetting_something_else_changes_no_consent(client, kept):
    await client.forget(kept)

    assert (await client.consent()).never == (TOPIC, "loss of job")


async def test_a_restored_home_knows_what_is_wanted_now(client, store, clock, by):
    """What a backup says of consent is older than what the home until now says."""
    restored = InMemoryStore(clock=clock)
    await restored.records.apply(ANN, [PutEvent(event_of(1))], by=by)
    await restored.registry.put_consent(ANN, never=("tea",))
    await client.set_consent(paused=True)

    await forget_again(restored, store, None, since_us=0)

    assert await restored.registry.consent(ANN) == Consent(paused=True)
