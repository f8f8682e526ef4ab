"""Conversations are played into a home, and what comes of them is judged: by rules, by models."""

import json
from functools import partial

import pytest

from pinyon.care.model_proposer import ModelProposer
from pinyon.client import MemoryClient
from pinyon.domain.principal import Principal
from pinyon.errors import InvalidFile, InvalidValue
from pinyon.evaluation.consolidation.bundled import BUNDLED, suite_of
from pinyon.evaluation.consolidation.figures import Figure, measured
from pinyon.evaluation.consolidation.judging import judge
from pinyon.evaluation.consolidation.misses import misses_of
from pinyon.evaluation.consolidation.playing import play
from pinyon.evaluation.consolidation.runs import made_of, metrics_by_item, run_json, write_run
from pinyon.evaluation.quality.runs import read_run
from pinyon.ports.models import NO_MODELS
from pinyon.settings import read_settings
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing.scripted_chat import ScriptedChat
from pinyon.wiring import open_to_evaluate

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


@pytest.mark.anyio
async def test_facts_that_a_corpus_brings_along_are_left_out(tmp_path, by_rules):
    known = {"id": "x1", "kind": "semantic", "text": "Ann lives in Hull"}
    rows = [known, {**TALK[0], "supersedes": ["x1"]}, *TALK[1:]]
    suite = suite_of(str(write(tmp_path / "talk", rows)))
    judged, seen = await outcome(by_rules, tmp_path, suite)

    assert "Ann lives in Hull" not in [one.made.text for one in judged.facts]
    assert seen.outcomes == {("ann", "p1"): {"worked": 1, "failed": 0}}
