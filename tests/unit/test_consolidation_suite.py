"""The consolidation suite: what was made of conversations, held against what was expected."""

import json
from dataclasses import replace
from functools import partial

import pytest

from pinyon.care.model_proposer import ModelProposer
from pinyon.client import MemoryClient
from pinyon.domain.principal import Principal
from pinyon.errors import InvalidFile, InvalidValue
from pinyon.evaluation.consolidation.bundled import BUNDLED, suite_of
from pinyon.evaluation.consolidation.expected import Expected, ExpectedFact, Quoted
from pinyon.evaluation.consolidation.figures import KNOWN, OF_EACH, Figure, measured
from pinyon.evaluation.consolidation.judging import Change, judge
from pinyon.evaluation.consolidation.misses import misses_of
from pinyon.evaluation.consolidation.playing import MadeFact, MadePlaybook, Place, Played, play
from pinyon.evaluation.consolidation.runs import made_of, metrics_by_item, run_json, write_run
from pinyon.evaluation.quality.runs import read_run
from pinyon.ports.models import NO_MODELS
from pinyon.settings import read_settings
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing.scripted_chat import ScriptedChat
from pinyon.wiring import open_to_evaluate

ANN = "ann"
TEXTS = {
    "m1": "well, I live in Leeds, near the mill",
    "m2": "we moved to York",
    "m3": "I'm allergic to nuts",
    "m4": "Run echo hello",
    "m5": "我喜欢吃辣",
    "m6": "the mill is loud",
    "m7": "I live in Bath",
}


def label(name, message, quote, about, value, **more):
    subject, attribute = about.split(".")
    said = (Quoted(message, quote),)
    fields = {"subject": subject, "attribute": attribute, "value": value, **more}
    return ExpectedFact(tenant=ANN, id=name, said=said, **fields)


LEEDS = label(
    "leeds", "m1", "I live in Leeds", "user.lives_in", "Leeds", fate="superseded", by="york"
)
YORK = label("york", "m2", "we moved to York", "user.lives_in", "York")
NUTS = label("nuts", "m3", TEXTS["m3"], "user.allergic_to", "nuts", despite=("m2",))
SPICY = label("spicy", "m5", TEXTS["m5"], "user.likes", "吃辣")


def expecting(*labels, **more):
    facts = {one.key: one for one in labels}
    fields = {"junk": {(ANN, "m4"): "chatter", (ANN, "m7"): "other_speaker"}, **more}
    return Expected(facts=facts, **fields)


def made(number, message, words, *, text=None, **more):
    start = TEXTS[message].index(words)
    place = Place(message, start, start + len(words))
    fields = {"supports": (message,), "places": (place,), **more}
    return MadeFact(tenant=ANN, id=f"f{number}", text=text or words, **fields)


def played(*facts, **more):
    texts = {(ANN, message): text for message, text in TEXTS.items()}
    return Played(texts=texts, facts=list(facts), **more)


def figures(expected, seen):
    return {name: one.value for name, one in measured(judge(expected, seen), seen).whole.items()}


HOME = {"subject": "user", "attribute": "lives_in"}
IN_LEEDS = made(1, "m1", "I live in Leeds", holds=False, superseded_by="f2", **HOME)
IN_YORK = made(2, "m2", "we moved to York", contradiction="natural", **HOME)
OF_NUTS = made(3, "m3", TEXTS["m3"], subject="user", attribute="allergic_to")


# ── the figures ──────────────────────────────────────────────────────────────────────────────


def test_what_is_all_right_is_all_right():
    found = figures(expecting(LEEDS, YORK, NUTS), played(IN_LEEDS, IN_YORK, OF_NUTS))

    assert {name for name, value in found.items() if value == 0} == {
        "beside",
        "junk",
        "junk/100",
        "attribution",
        "stability",
        "left",
        "unreadable",
    }
    assert {value for name, value in found.items() if name != "facts" and value} == {1.0}
    assert found["facts"] == 3
    assert tuple(found) == KNOWN


def test_what_is_not_made_is_missed_and_what_nobody_expects_is_wrong():
    wrong = made(4, "m6", "the mill is loud")
    found = figures(expecting(LEEDS, YORK, NUTS), played(OF_NUTS, wrong))

    assert (found["precision"], found["recall"]) == (1 / 2, pytest.approx(1 / 3))
    assert found["supersessions(recall)"] == 0


def test_what_may_be_made_is_neither_right_nor_wrong():
    allowed = expecting(NUTS, may={(ANN, "m6"): ["the mill"], (ANN, "m2"): [""]})
    loud, moved = made(4, "m6", "mill is loud"), made(5, "m2", "moved to York")
    found = figures(allowed, played(OF_NUTS, loud, moved))

    assert (found["facts"], found["beside"]) == (3, 2)
    assert (found["precision"], found["recall"]) == (1, 1)
    assert figures(allowed, played(made(4, "m6", "is loud")))["precision"] == 0


@pytest.mark.parametrize(
    ("fact", "is_right"),
    [
        (OF_NUTS, True),
        (replace(OF_NUTS, text="Ann cannot eat nuts", trust="agent"), True),
        (replace(OF_NUTS, text="Ann has an allergy", trust="agent"), False),
        (replace(OF_NUTS, places=()), False),
        (replace(OF_NUTS, places=(Place("m1", 0, 5),)), False),
        (made(4, "m3", "I'm", text="nuts"), True),
        (made(4, "m1", "well", text="well, Leeds"), False),
    ],
)
def test_a_fact_is_the_expected_one_by_its_words_and_where_they_stand(fact, is_right):
    found = figures(expecting(LEEDS, NUTS), played(fact))

    assert found["precision"] == is_right


def test_what_is_filed_elsewhere_is_right_but_not_placed():
    elsewhere = replace(OF_NUTS, attribute="dislikes")
    anywhere = replace(NUTS, subject="", attribute="")

    assert figures(expecting(NUTS), played(OF_NUTS))["placed"] == 1
    assert figures(expecting(NUTS), played(elsewhere))["placed"] == 0
    assert figures(expecting(NUTS), played(elsewhere))["precision"] == 1
    assert figures(expecting(anywhere), played(elsewhere))["placed"] == 1


def test_of_two_expected_facts_in_the_same_words_it_is_the_one_it_is_filed_as():
    both = label("job", "m1", "I live in Leeds", "user.job", "Leeds")
    seen = played(IN_LEEDS)

    (fact,) = judge(expecting(both, LEEDS), seen).facts
    assert fact.label == LEEDS
    assert fact.is_placed


def test_what_is_said_again_is_the_same_fact():
    again = replace(YORK, said=(*YORK.said, Quoted("m6", "the mill")))
    late = made(4, "m6", "the mill", text="York, the mill")
    found = figures(expecting(again), played(late))

    assert (found["precision"], found["recall"]) == (1, 1)


@pytest.mark.parametrize(
    "fact",
    [
        replace(OF_NUTS, places=()),
        replace(OF_NUTS, places=(Place("m3", 4, 4),)),
        replace(OF_NUTS, places=(Place("m3", 0, 99),)),
        replace(OF_NUTS, places=(Place("m1", 0, 4),)),
        replace(OF_NUTS, places=(Place("m3", 0, 8),)),
    ],
)
def test_a_span_stands_where_it_says_in_a_message_that_supports_it(fact):
    assert figures(expecting(NUTS), played(OF_NUTS))["spans"] == 1
    assert figures(expecting(NUTS), played(fact))["spans"] == 0


def test_the_words_of_whoever_concluded_need_not_stand_there_to_the_letter():
    concluded = replace(OF_NUTS, text="Ann cannot eat nuts", trust="agent")

    assert figures(expecting(NUTS), played(concluded))["spans"] == 1


def test_what_is_made_of_junk_is_counted_and_is_never_right():
    found = figures(expecting(NUTS), played(OF_NUTS, made(4, "m4", "Run echo hello")))

    assert (found["junk"], found["junk/100"], found["precision"]) == (1, 50, 0.5)


@pytest.mark.parametrize(
    ("fact", "errors"),
    [
        (OF_NUTS, 0),
        (made(4, "m4", "Run echo hello"), 0),
        (made(4, "m7", "I live in Bath"), 1),
        (replace(OF_NUTS, supports=("m3", "m7")), 1),
        (replace(OF_NUTS, supports=("",)), 1),
        (replace(OF_NUTS, supports=()), 1),
    ],
)
def test_a_fact_that_rests_on_anothers_words_is_an_error(fact, errors):
    assert figures(expecting(NUTS), played(fact))["attribution"] == errors


# ── what takes whose place ───────────────────────────────────────────────────────────────────


def test_a_change_is_right_where_exactly_that_took_the_place_which_was_to():
    other = replace(IN_LEEDS, superseded_by="f3")
    stray = replace(OF_NUTS, holds=False, superseded_by="f2")
    expected = expecting(LEEDS, YORK, NUTS)

    right = figures(expected, played(IN_LEEDS, IN_YORK, OF_NUTS))
    wrong = figures(expected, played(other, IN_YORK, OF_NUTS))
    too_many = figures(expected, played(IN_LEEDS, IN_YORK, stray))

    names = ("supersessions(precision)", "supersessions(recall)", "over", "kept", "kept(despite)")
    assert [right[name] for name in names] == [1, 1, 1, 1, 1]
    assert [wrong[name] for name in names] == [0, 0, 1, 1, 1]
    assert [too_many[name] for name in names] == [1 / 2, 1, 1, 1 / 2, 0]


def test_what_ended_without_a_successor_is_no_supersession():
    ended = replace(IN_LEEDS, superseded_by=None, ended="natural")
    over = replace(LEEDS, fate="ended", by="m2")

    as_succession = figures(expecting(LEEDS, YORK), played(ended, IN_YORK))
    as_end = figures(expecting(over, YORK), played(ended, IN_YORK))

    assert (as_succession["supersessions(recall)"], as_succession["over"]) == (0, 1)
    assert (as_end["supersessions(recall)"], as_end["over"]) == (1, 1)


def test_a_change_is_natural_or_harsh_as_expected():
    harsh = replace(IN_YORK, contradiction="harsh")
    found = figures(expecting(LEEDS, YORK), played(IN_LEEDS, harsh))

    assert (found["supersessions(precision)"], found["contradictions"]) == (1, 0)


def test_what_took_the_place_and_is_gone_is_called_by_its_id():
    (fact,) = judge(expecting(LEEDS), played(replace(IN_LEEDS, superseded_by="f9"))).facts

    assert fact.change == Change("f9", "natural")
    assert not fact.is_changed_rightly


# ── playbooks, slices, items ─────────────────────────────────────────────────────────────────


def test_outcomes_and_playbooks_are_counted_both_ways():
    key = ANN, "p1"
    expected = expecting(
        outcomes={key: {"worked": 2, "failed": 0}}, playbooks={(ANN, "m6"): "the mill"}
    )
    seen = played(
        outcomes={key: {"worked": 1, "failed": 1}, (ANN, "p2"): {"worked": 1, "failed": 0}},
        playbooks=[
            MadePlaybook(tenant=ANN, text="oil the mill", supports=("m6",)),
            MadePlaybook(tenant=ANN, text="echo", supports=("m4",)),
        ],
    )
    found = figures(expected, seen)

    assert found["outcomes(precision)"] == pytest.approx(1 / 3)
    assert found["outcomes(recall)"] == 1 / 2
    assert (found["playbooks(precision)"], found["playbooks(recall)"]) == (1 / 2, 1)


def test_figures_are_told_apart_by_language_and_person():
    seen = played(IN_YORK, made(5, "m5", "我喜欢吃辣"))
    found = measured(judge(expecting(YORK, NUTS, SPICY), seen), seen)

    assert list(found.by["language"]) == ["en", "zh"]
    assert list(found.by["person"]) == [ANN]
    assert found.by["language"]["zh"]["recall"] == Figure(1, 1)
    assert found.by["language"]["en"]["recall"] == Figure(1, 2)
    assert found.by_name["recall[language=en]"] == 1 / 2
    assert tuple(found.by["person"][ANN]) == OF_EACH


def test_a_share_of_nothing_is_all_of_it():
    assert (Figure(0, 0).value, Figure(1, 4).value, Figure(3).value) == (1, 0.25, 3)


def test_each_item_has_figures_of_its_own():
    stray = replace(OF_NUTS, holds=False, superseded_by="f2")
    judged = judge(expecting(LEEDS, YORK, NUTS), played(IN_LEEDS, IN_YORK, stray))
    items = metrics_by_item(judged)

    assert items["expected ann/leeds"] == {"recall": 1, "over": 1, "supersessions(recall)": 1}
    assert items["expected ann/nuts"] == {"recall": 1, "kept": 0}
    assert items["message ann/m3"] == {"junk": 0, "attribution": 0, "precision": 1}
    assert items["message ann/m4"] == {"junk": 0, "attribution": 0}


def test_misses_say_by_message_what_went_wrong():
    moved = replace(IN_YORK, contradiction="harsh", attribute="place", places=(Place("m2", 3, 9),))
    seen = played(
        IN_LEEDS,
        moved,
        replace(OF_NUTS, holds=False, ended="natural"),
        made(4, "m4", "Run echo hello"),
        made(5, "m7", "I live in Bath"),
        made(6, "m6", "the mill is loud"),
    )
    expected = expecting(LEEDS, YORK, NUTS, SPICY)

    found = {
        miss.key[1]: list(miss.wrongs) for miss in misses_of(judge(expected, seen), expected, seen)
    }
    york = "we moved to York (user: place)"
    assert found == {
        "m1": [("over, but not as natural", "I live in Leeds")],
        "m2": [("stands elsewhere", york), ("filed elsewhere than user: lives_in", york)],
        "m3": [("holds no more, by nothing", TEXTS["m3"])],
        "m4": [("made of junk, chatter", "Run echo hello")],
        "m5": [("missed", "我喜欢吃辣")],
        "m6": [("wrong", "the mill is loud")],
        "m7": [
            ("made of junk, other_speaker", "I live in Bath"),
            ("not the user's words", "I live in Bath"),
        ],
    }


def test_misses_say_what_should_be_over_and_is_not():
    expected = expecting(LEEDS, YORK)

    def said(fact):
        seen = played(fact, IN_YORK)
        (miss,) = misses_of(judge(expected, seen), expected, seen)
        return miss.wrongs[0][0]

    assert said(replace(IN_LEEDS, superseded_by=None, holds=True)) == (
        "holds still, though york changed it"
    )
    assert said(replace(IN_LEEDS, superseded_by=None, ended="natural")) == "over, but not by york"


# ── playing ──────────────────────────────────────────────────────────────────────────────────

TALK = [
    {"id": "p1", "kind": "procedural", "text": "Bring the lamp's colours back",
     "trigger": "The lamp shows only white light", "steps": ["Save the scene again"]},
    {"id": "a1", "text": "I live in Leeds"},
    {"id": "a2", "text": "I like opera", "role": "assistant"},
    {"id": "a3", "text": "I like JavaScript", "speaker": "Bob"},
    {"id": "a4", "text": "Do I live in Leeds?"},
    {"id": "a5", "text": "The lamp shows only white light again"},
    {"id": "a6", "text": "Saving the scene: that worked, thanks"},
    {"id": "a7", "text": "We moved to York", "days": 3},
    {"id": "a8", "text": "I have a brown dog", "days": 4},
    {"id": "a9", "text": "I no longer have the brown dog", "days": 5},
]  # fmt: skip
WANTED = [
    {"expects": "fact", "message": "a1", "id": "leeds", "quote": "I live in Leeds",
     "subject": "user", "attribute": "lives_in", "value": "Leeds",
     "fate": "superseded", "by": "york"},
    {"expects": "junk", "message": "a2", "why": "assistant"},
    {"expects": "junk", "message": "a3", "why": "other_speaker"},
    {"expects": "junk", "message": "a4", "why": "question"},
    {"expects": "may", "message": "a5"},
    {"expects": "outcome", "message": "a6", "playbook": "p1", "outcome": "worked"},
    {"expects": "fact", "message": "a7", "id": "york", "quote": "We moved to York",
     "subject": "user", "attribute": "lives_in", "value": "York"},
    {"expects": "fact", "message": "a8", "id": "dog", "quote": "I have a brown dog",
     "subject": "user", "attribute": "has", "value": "brown dog", "fate": "ended", "by": "a9"},
]  # fmt: skip


LASTING = {name: value for name, value in WANTED[0].items() if name not in {"fate", "by"}}


def write(folder, rows=TALK, wanted=WANTED):
    folder.mkdir(exist_ok=True)
    lines = []
    for place, row in enumerate(rows):
        days = row.get("days", 0)
        time = f"2026-03-{2 + days:02}T09:{place:02}:00+00:00"
        defaults = {"tenant": "ann", "speaker": "Ann", "session": f"s{days}", "time": time}
        lines.append({**defaults, **{name: row[name] for name in row if name != "days"}})
    for name, held in (("memories", lines), ("expected", wanted)):
        text = "\n".join(json.dumps({"tenant": "ann", **one}, ensure_ascii=False) for one in held)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return folder


@pytest.fixture
def by_rules(tmp_path):
    return partial(open_to_evaluate, read_settings({}, home=tmp_path, models="off"))


async def outcome(open_home, folder, suite, *, every=20):
    def silent(what, done, of):
        """Say nothing of how far it is."""

    seen = await play(open_home, folder, suite.corpus, NO_MODELS, every, silent)
    return judge(suite.expected, seen), seen


@pytest.mark.anyio
@pytest.mark.parametrize("every", [1, 20])
async def test_a_talk_is_played_and_what_comes_of_it_is_judged(tmp_path, by_rules, every):
    suite = suite_of(str(write(tmp_path / "talk")))
    judged, seen = await outcome(by_rules, tmp_path, suite, every=every)
    found = measured(judged, seen).whole

    assert list(seen.made_by) == ["rules@1"]
    assert (found["precision"], found["recall"]) == (Figure(3, 3), Figure(3, 3))
    assert found["supersessions(precision)"] == found["supersessions(recall)"] == Figure(2, 2)
    assert (found["spans"], found["over"]) == (Figure(3, 3), Figure(2, 2))
    assert found["outcomes(precision)"] == found["outcomes(recall)"] == Figure(1, 1)
    assert [found[name].part for name in ("junk", "attribution", "stability", "left")] == [0] * 4
    assert misses_of(judged, suite.expected, seen) == []


@pytest.mark.anyio
async def test_what_is_said_within_a_day_is_read_together_where_nothing_is_read_before(
    tmp_path, by_rules
):
    suite = suite_of(str(write(tmp_path / "talk")))
    judged, _ = await outcome(by_rules, tmp_path, suite, every=0)

    # Of what is read together the last word counts: what it corrects is not made at all.
    assert [one.label.id for one in judged.labels if not one.is_found] == ["leeds", "dog"]


def scripted(answers):
    """Return what opens a home whose consolidation asks a chat model that says this."""
    chat = ScriptedChat(answers)

    def open_home(home, *, clock, new_uuid, models):
        return MemoryClient(
            InMemoryStore(clock=clock),
            Principal.of_home(tenant="evaluation", user="nobody"),
            clock=clock,
            new_uuid=new_uuid,
            models=models,
            proposer=ModelProposer(chat),
        )

    return open_home


def proposes(**fields):
    fact = {
        "episode": "e1",
        "quote": "I live in Leeds",
        "text": "Ann lives in Leeds",
        "subject": "user",
        "attribute": "lives_in",
        "category": "identity",
        "confidence": 0.9,
        "supersedes": [],
        "contradiction": "natural",
        "why": "",
        **fields,
    }
    return {"facts": [fact], "ends": [], "playbooks": [], "outcomes": []}


BAD = {
    "invents": proposes(text="John Doe lives in Paris", quote="I live in Paris"),
    "invents in the user's words": proposes(text="Ann earns 90,000 in Leeds"),
    "repeats its prompt": proposes(
        quote="You look after the long-term memory of one user",
        text="You look after the long-term memory of one user",
    ),
    "takes the assistant's words": proposes(quote="I like opera", text="Ann likes opera"),
    "takes another's words": proposes(
        episode="e2", quote="I like JavaScript", text="Ann likes JavaScript"
    ),
    "takes a question": proposes(
        episode="e3", quote="Do I live in Leeds?", text="Do I live in Leeds?"
    ),
}


@pytest.mark.anyio
@pytest.mark.parametrize("said", BAD.values(), ids=BAD)
async def test_a_bad_model_makes_no_wrong_fact(tmp_path, said):
    suite = suite_of(str(write(tmp_path / "talk")))
    judged, seen = await outcome(scripted(lambda _messages: said), tmp_path, suite)
    found = measured(judged, seen).whole

    assert judged.facts == ()
    assert (found["attribution"], found["junk"], found["stability"]) == (Figure(0),) * 3
    assert sum(seen.refused.values()) > 0


@pytest.mark.anyio
async def test_a_model_that_cannot_be_understood_is_counted_and_rules_read_instead(tmp_path):
    suite = suite_of(str(write(tmp_path / "talk")))
    judged, seen = await outcome(scripted(lambda _messages: "Certainly!"), tmp_path, suite)
    found = measured(judged, seen).whole

    assert (found["precision"], found["left"]) == (Figure(3, 3), Figure(0))
    assert found["unreadable"].part == seen.refused["bad_model_output"] > 0
    assert list(seen.made_by) == ["rules@1"]


@pytest.mark.anyio
async def test_a_good_model_may_put_it_in_words_of_its_own(tmp_path):
    suite = suite_of(str(write(tmp_path / "talk", TALK[1:2], [LASTING])))
    judged, seen = await outcome(scripted([proposes()]), tmp_path, suite)

    (fact,) = judged.facts
    assert (fact.verdict, fact.is_placed, fact.stands) == ("right", True, True)
    assert list(seen.made_by) == ["consolidate@1 scripted:chat"]


# ── runs ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.anyio
async def test_two_runs_of_the_same_differ_in_nothing(tmp_path, by_rules):
    suite = suite_of(str(write(tmp_path / "talk")))
    files = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        judged, seen = await outcome(by_rules, tmp_path / name, suite)
        files.append(tmp_path / f"{name}.jsonl")
        write_run(files[-1], made_of(suite, seen, {}), judged, seen)

    assert files[0].read_text("utf-8") == files[1].read_text("utf-8")
    head, metrics = read_run(files[0], ("expected", "message"))
    assert (head["corpus"], head["messages"], head["expected"]) == ("talk", 9, 3)
    assert metrics == metrics_by_item(judged)


@pytest.mark.anyio
async def test_a_run_says_what_it_is_of(tmp_path, by_rules):
    folder = write(tmp_path / "talk")
    suite = suite_of(str(folder))
    judged, seen = await outcome(by_rules, tmp_path, suite)
    made_by = made_of(suite, seen, {"chat": "off"})
    told = run_json(made_by, measured(judged, seen), seen)
    other = suite_of(str(write(folder, TALK, WANTED[:-1])))

    assert told["counts"]["recall"] == [3, 3]
    assert told["by_person"]["ann"]["recall"] == told["metrics"]["recall"] == 1
    assert made_of(other, seen, {}).data != made_by.data


# ── what is expected ─────────────────────────────────────────────────────────────────────────


def test_what_is_brought_along_reads_and_says_something_of_every_message():
    for named in BUNDLED:
        suite = suite_of(named)
        told = {*suite.expected.may, *suite.expected.junk, *suite.expected.playbooks}
        told |= {(x.tenant, said.message) for x in suite.expected.facts.values() for said in x.said}
        said = {
            (tenant.name, row.id)
            for tenant in suite.corpus.tenants
            for row in tenant.rows
            if row.draft.kind == "episodic"
        }

        assert said <= told
        assert {one.fate for one in suite.expected.facts.values()} == {
            "holds",
            "superseded",
            "ended",
        }


def test_the_talks_have_each_sort_of_what_must_give_nothing():
    talks = suite_of("talks").expected

    assert set(talks.junk.values()) >= {
        "assistant",
        "chatter",
        "friend",
        "machine",
        "other_speaker",
        "question",
        "quoted",
        "task",
        "tool",
        "wish",
    }
    assert talks.outcomes
    assert {"natural", "harsh"} == {
        one.contradiction for one in talks.facts.values() if one.fate == "superseded"
    }


def test_only_some_people_are_meant_where_that_is_asked():
    suite = suite_of("talks", "nils")

    assert {tenant for tenant, _ in suite.expected.facts} == {"nils"}
    assert [tenant.name for tenant in suite.corpus.tenants] == ["nils"]
    with pytest.raises(InvalidValue, match="tenants"):
        suite_of("talks", "nobody")
    with pytest.raises(InvalidValue, match="tenants"):
        suite_of("talks", "0")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"expects": "miracle", "message": "a1"}, "expects must be one of"),
        ({"expects": "junk"}, "no 'message'"),
        ({"expects": "junk", "message": "a1"}, "no 'why'"),
        ({"expects": "junk", "message": "zz", "why": "x"}, "'zz' is no message"),
        ({"expects": "may", "message": "a1", "quote": "Hull"}, "does not stand"),
        ({**WANTED[0], "value": " "}, "is empty"),
        ({**WANTED[0], "quote": ""}, "is empty"),
        ({**WANTED[0], "fate": "gone"}, "fate must be one of"),
        ({**WANTED[0], "fate": "holds"}, "goes with a fate"),
        ({**WANTED[0], "by": "nothing"}, "superseded by what is no fact"),
        ({**WANTED[0], "fate": "ended", "by": "nothing"}, "ended by what is no message"),
        ({**WANTED[0], "despite": ["zz"]}, "'zz' is no message"),
        ({**WANTED[6]}, "stands there twice"),
        ({"expects": "again", "message": "a1", "fact": "zz", "quote": "Leeds"}, "is no fact"),
        (
            {"expects": "outcome", "message": "a6", "playbook": "zz", "outcome": "worked"},
            "'zz' is no message",
        ),
        (
            {"expects": "outcome", "message": "a6", "playbook": "p1", "outcome": "fine"},
            "outcome must be one of",
        ),
    ],
)
def test_what_cannot_be_expected_is_refused_with_its_line(tmp_path, line, why):
    folder = write(tmp_path / "talk", TALK, [line, *WANTED[1:]])

    with pytest.raises(InvalidFile, match=why):
        suite_of(str(folder))


def test_a_folder_of_which_nothing_is_expected_is_refused(tmp_path):
    folder = write(tmp_path / "talk", TALK, [WANTED[4]])

    with pytest.raises(InvalidFile, match="nothing is expected"):
        suite_of(str(folder))
    with pytest.raises(InvalidFile, match="no folder"):
        suite_of(str(tmp_path / "nowhere"))
    (folder / "expected.jsonl").unlink()
    with pytest.raises(InvalidFile, match="not there"):
        suite_of(str(folder))
