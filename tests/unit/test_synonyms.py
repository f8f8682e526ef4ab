"""Synonyms: who asks for one name finds what goes by the others, in one's own tenant only."""

import json

import pytest

from pinyon.domain.synonyms import CHARS_MAX, GROUPS_MAX, PER_GROUP_MAX, Synonyms, synonyms_of
from pinyon.errors import InvalidSetting
from pinyon.recall.recaller import Tuning
from pinyon.recall.rewording import Thesaurus
from pinyon.settings import read_settings

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

HUB, PTO = ("hub", "bridge"), ("PTO", "annual leave")


# ── how they are written ─────────────────────────────────────────────────────────────────────


def test_groups_alone_hold_for_every_tenant():
    synonyms = synonyms_of([["hub", "bridge"]])

    assert synonyms == Synonyms((HUB,))
    assert synonyms.of("acme") == synonyms.of("globex") == (HUB,)


def test_a_tenant_may_have_groups_of_its_own_beside_the_usual_ones():
    synonyms = synonyms_of({"usual": [HUB], "tenants": {"acme": [["PTO", "annual leave"]]}})

    assert synonyms.of("acme") == (HUB, PTO)
    assert synonyms.of("globex") == (HUB,)


@pytest.mark.parametrize("written", [[], (), {}, {"usual": []}, {"tenants": {}}])
def test_there_need_be_none(written):
    assert synonyms_of(written) == Synonyms()


def test_as_many_and_as_long_as_may_be_are_taken():
    group = [f"{number:0{CHARS_MAX}}" for number in range(PER_GROUP_MAX)]

    assert len(synonyms_of([group] * GROUPS_MAX).usual) == GROUPS_MAX


@pytest.mark.parametrize(
    ("written", "because"),
    [
        (None, "None is not a list of groups"),
        ("hub", "'hub' is not a list of groups"),
        ([HUB] * (GROUPS_MAX + 1), "a list of groups takes at most"),
        (["hub"], "'hub' is not a list of words"),
        ([[str(number) for number in range(PER_GROUP_MAX + 1)]], "a list of words takes at most"),
        ([["hub", 1]], "1 is no word"),
        ([["hub", ["bridge"]]], "is no word"),
        ([["hub", " "]], "' ' is no word"),
        ([["hub", "b" * (CHARS_MAX + 1)]], "is no word"),
        ([["hub"]], "two words or more"),
        ([["hub", "hub"]], "two words or more"),
        ({"usually": [HUB]}, "'usually' is neither 'usual' nor 'tenants'"),
        ({"usual": "hub"}, "'hub' is not a list of groups"),
        ({"tenants": [HUB]}, "no mapping of tenants"),
        ({"tenants": {"acme": [["hub"]]}}, "two words or more"),
    ],
)
def test_what_is_no_synonyms_is_refused(written, because):
    with pytest.raises(ValueError, match=because):
        synonyms_of(written)


# ── the setting ──────────────────────────────────────────────────────────────────────────────


def settings_of(written):
    return read_settings({"HOME": "/home/ann", "PINYON_SYNONYMS": written})


@pytest.mark.parametrize("written", [[HUB, PTO], {"usual": [HUB], "tenants": {"acme": [PTO]}}])
def test_the_setting_is_read_as_json(written):
    assert settings_of(json.dumps(written)).synonyms == synonyms_of(written)


@pytest.mark.parametrize("given", [Synonyms((HUB,)), [HUB]])
def test_it_may_be_given_as_a_value(given):
    assert read_settings({"HOME": "/home/ann"}, synonyms=given).synonyms == Synonyms((HUB,))


@pytest.mark.parametrize("written", ["{", "null", '"hub"', '[["hub"]]', '{"usually": []}'])
def test_what_the_setting_cannot_be_is_refused_by_its_name(written):
    with pytest.raises(InvalidSetting) as raised:
        settings_of(written)

    assert raised.value.name == "PINYON_SYNONYMS"


# ── in a question ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("asked", "stand_for", "instead"),
    [
        (["bridg"], {"bridg"}, {"hub"}),
        (["hub", "reset"], {"hub"}, {"bridg"}),
        (["boiler"], {"boiler"}, {"heat", "pump"}),
        (["heat", "pump", "broken"], {"heat", "pump"}, {"boiler"}),
    ],
)
def test_all_words_of_a_name_stand_for_all_words_of_another(asked, stand_for, instead):
    thesaurus = Thesaurus(Synonyms((HUB, ("heat pump", "boiler"))))
    (found,) = thesaurus.others(asked, "acme")

    assert (found.stand_for, found.words, found.worth) == (stand_for, instead, 1.0)


@pytest.mark.parametrize(
    ("asked", "groups"),
    [
        (["pump"], [("heat pump", "boiler")]),
        (["hub", "bridg"], [HUB]),
        (["hub"], [("hub", "the")]),
        (["hub"], []),
        ([], [HUB]),
    ],
)
def test_half_a_name_and_what_is_asked_for_anyway_bring_nothing(asked, groups):
    assert Thesaurus(Synonyms(tuple(groups))).others(asked, "acme") == []


def test_groups_of_a_tenant_hold_for_it_alone_and_the_usual_ones_for_all():
    thesaurus = Thesaurus(Synonyms((HUB,), {"globex": (("pto", "leave"),)}))
    for tenant, brought in (("globex", [{"leav"}, {"bridg"}]), ("acme", [{"bridg"}])):
        found = thesaurus.others(["pto", "hub"], tenant)
        assert [set(one.words) for one in found] == brought


# ── in memory ────────────────────────────────────────────────────────────────────────────────

GROUPS = synonyms_of([["hub", "bridge"], ["heat pump", "boiler"], ["集线器", "网桥"]])
RESET = "Resetting the hub in March did not help"
SERVICED, SHELF = "The heat pump was serviced in May", "集线器在书房的柜子里"


@pytest.fixture
async def told(client_of):
    """Return Ann's client, which knows the groups, after she told three things."""
    client = client_of(tuning=Tuning(synonyms=GROUPS))
    for text in (RESET, SERVICED, SHELF):
        await client.write(text)
    return client


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("bridge", RESET),
        ("did resetting the Bridges help?", RESET),
        ("boiler", SERVICED),
        ("when was the boiler serviced?", SERVICED),
        ("网桥", SHELF),
        ("网桥在哪里？", SHELF),
    ],
)
async def test_one_name_finds_what_goes_by_another(told, client_of, question, text):
    answer = await told.recall(question)
    without = await client_of().recall(question)

    assert answer.hits[0].memory.text == text
    assert answer.hits[0].why.relevance == 1.0
    assert all(hit.why.relevance < 1.0 for hit in without.hits)


@pytest.mark.parametrize("question", ["pump", "heat", "网"])
async def test_part_of_a_name_is_not_the_name(told, client_of, question):
    await client_of().write("the boiler and the 集线器 hum")

    answer = await told.recall(question)

    assert answer.trace.read_as == {}
    assert all("boiler" not in hit.memory.text for hit in answer.hits)


@pytest.mark.parametrize(
    ("question", "read_as"),
    [
        ("where is the Bridge?", {"bridge": "hub"}),
        ("boiler", {"boiler": "heat pump"}),
        ("网桥在哪里？", {"网桥": "集线器"}),
        ("windows", {}),
    ],
)
async def test_the_trace_says_how_a_name_was_read(told, question, read_as):
    assert (await told.recall(question)).trace.read_as == read_as


async def test_of_three_names_the_trace_says_the_one_that_was_found(client_of):
    client = client_of(tuning=Tuning(synonyms=synonyms_of([["hub", "bridge", "gateway"]])))
    await client.write(RESET)

    answer = await client.recall("bridge")

    assert answer.hits[0].memory.text == RESET
    assert "hub" in answer.trace.read_as["bridge"]


async def test_the_stage_of_the_words_says_so_too(told):
    stages = {stage.stage: stage.note for stage in (await told.recall("bridge")).trace.stages}

    assert "“bridge” read as “hub” too" in stages["words"]


async def test_a_name_that_is_known_finds_the_others_beside_it(told):
    await told.write("the bridge is on")

    assert len((await told.recall("bridge")).hits) == 2


async def test_a_name_for_what_nobody_told_finds_nothing(client_of):
    client = client_of(tuning=Tuning(synonyms=GROUPS))
    await client.write("Sarah has a dog")

    answer = await client.recall("bridge")

    assert answer.hits == ()
    assert answer.trace.unknown_terms == ("bridg",)


async def test_what_one_tenant_calls_the_same_another_does_not(client_of):
    tuning = Tuning(synonyms=synonyms_of({"tenants": {"acme": [HUB]}}))
    acme, globex = (client_of(tenant=name, tuning=tuning) for name in ("acme", "globex"))
    for client in (acme, globex):
        await client.write(RESET)

    ours, theirs = await acme.recall("bridge"), await globex.recall("bridge")

    assert ours.hits[0].memory.text == RESET
    assert (theirs.hits, dict(theirs.trace.read_as)) == ((), {})


async def test_a_word_of_several_groups_is_read_as_all_of_them(client_of):
    told = client_of(tuning=Tuning(synonyms=synonyms_of([["hub", "bridge"], ["bridge", "span"]])))
    await told.write("the hub is blue")
    await told.write("the span is iron")

    answer = await told.recall("bridge")
    assert {hit.memory.text for hit in answer.hits} == {"the hub is blue", "the span is iron"}
    assert answer.trace.read_as == {"bridge": "hub, span"}
