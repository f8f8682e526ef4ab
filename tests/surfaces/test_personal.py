"""Sessions, consent and feedback on the command line."""

import json

import pytest

GIFT = "I look for a red bicycle for Bob"


@pytest.fixture
def fact(pinyon):
    return pinyon("write", "Ann drinks green tea", "--json").json["id"]


def test_a_temporary_session_is_started_listed_and_ended(pinyon):
    started = pinyon("sessions", "start", "gift", "--mode", "temporary")
    pinyon("remember", GIFT, "--session", "gift")

    assert "gift temporary: what is said is recalled in it only" in started.out
    assert "gift temporary" in pinyon("sessions", "list").out
    assert GIFT not in pinyon("recall", "which bicycle?").out
    assert GIFT in pinyon("recall", "which bicycle?", "--context", "session=gift").out
    assert "forgotten: 1 memory" in pinyon("sessions", "end", "gift").out
    assert "No session was started" in pinyon("sessions", "list").out
    assert "there was nothing to forget" in pinyon("sessions", "end", "gift").out


def test_what_is_not_kept_is_said_and_is_no_error(pinyon):
    pinyon("sessions", "start", "bank", "--mode", "off")
    told = pinyon("remember", "My bank is in trouble", "--session", "bank")
    written = pinyon("write", "The bank is in trouble", "--session", "bank", "--json")

    assert (told.exit, "not kept: the session is off, or over" in told.out) == (0, True)
    assert (written.exit, written.error["code"]) == (7, "not_wanted")
    answer = pinyon("remember", "so", "--session", "bank", "--json").json
    assert (answer["id"], answer["created"], answer["not_kept"]) == (None, False, "session_off")


def test_memory_is_paused_and_goes_on(pinyon, fact):
    assert "Memory keeps what is said" in pinyon("consent").out
    assert "Memory is paused" in pinyon("consent", "--pause").out
    assert "memory is paused" in pinyon("remember", "hello").out
    assert "green tea" in pinyon("recall", "what does Ann drink?").out
    assert pinyon("consent", "--resume", "--json").json == {"paused": False, "never": []}
    assert pinyon("remember", "hello", "--json").json["created"]


def test_topics_are_added_and_taken_back_one_by_one(pinyon):
    pinyon("consent", "--never", "diabetes", "--never", "loss of job")
    pinyon("consent", "--pause")
    shown = pinyon("consent", "--allow", "loss of job", "--never", "debts", "--json").json

    assert shown == {"paused": True, "never": ["diabetes", "debts"]}
    pinyon("consent", "--resume")
    assert "a topic that is never kept" in pinyon("remember", "My Diabetes is back").out
    assert "never: debts" in pinyon("consent").out


def test_pause_and_resume_together_are_refused(pinyon):
    answer = pinyon("consent", "--pause", "--resume", "--json")

    assert (answer.exit, answer.error["code"]) == (2, "bad_input")


def test_a_tenants_synonyms_count(pinyon):
    synonyms = {"PINYON_SYNONYMS": '[["diabetes", "sugar illness"]]'}
    pinyon("consent", "--never", "diabetes")

    answer = pinyon("remember", "my sugar illness", "--json", **synonyms).json

    assert answer["not_kept"] == "topic"


def test_an_import_says_what_it_left_out(pinyon, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "Diabetes"}\n{"text": "Tea"}\n')
    pinyon("consent", "--never", "diabetes")

    assert "1 new, 0 kept already, 1 not wanted" in pinyon("import", str(rows)).out
    pinyon("consent", "--pause")
    assert pinyon("import", str(rows), "--json").error["code"] == "not_wanted"


def test_feedback_is_noted_and_exported(pinyon, fact, tmp_path):
    said = ("feedback", fact, "--outcome", "worked", "--query", "what does Ann drink?")
    key = "sk-proj-" + "abcDEF123456" * 4
    assert f"noted: worked {fact}" in pinyon(*said, "--key", "k1").out
    assert "noted before" in pinyon(*said, "--key", "k1").out
    assert "taken out: secret" in pinyon(*said[:-1], f"my key {key}").out

    pairs = [json.loads(line) for line in pinyon("export", "--feedback").out.splitlines()]
    assert [(one["query"], one["id"], one["outcome"]) for one in pairs] == [
        ("what does Ann drink?", fact, "worked"),
        ("my key [redacted:secret]", fact, "worked"),
    ]
    file = tmp_path / "pairs.jsonl"
    assert pinyon("export", "--feedback", str(file), "--json").json["rows"] == 2
    assert len(file.read_text().splitlines()) == 2
    assert pinyon("export", str(tmp_path / "all.jsonl"), "--json").json["rows"] == 1


def test_feedback_that_is_not_wanted_is_no_error(pinyon, fact):
    pinyon("consent", "--pause")

    answer = pinyon("feedback", fact, "--outcome", "used")
    assert (answer.exit, "not kept: memory is paused" in answer.out) == (0, True)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["feedback", "mem_" + "0" * 32, "--outcome", "used"], 5),
        (["feedback", "mem_" + "0" * 32, "--outcome", "liked"], 2),
        (["feedback", "mem_" + "0" * 32], 2),
        (["sessions", "start", "gift", "--mode", "secret"], 2),
        (["sessions", "start", ""], 2),
        (["consent", "--never", "the"], 2),
    ],
)
def test_what_cannot_be_asked_ends_with_its_code(pinyon, args, code):
    assert pinyon(*args, "--json").exit == code


def test_a_session_under_way_does_not_become_temporary(pinyon):
    pinyon("remember", GIFT, "--session", "gift")

    answer = pinyon("sessions", "start", "gift", "--mode", "temporary", "--json")
    assert (answer.exit, answer.error["code"]) == (6, "session_under_way")
