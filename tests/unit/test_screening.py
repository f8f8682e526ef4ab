"""Screening: every field that a writer can fill, under every action of a policy."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.draft import Annotations, Draft
from pinyon.domain.policy import ACTIONS, CATEGORIES, Finding, Policy
from pinyon.errors import Refused, Sensitive
from pinyon.testing.makers import ANN, counting_ids
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.write import gate
from pinyon.write.limits import LIST_MAX
from pinyon.write.screening import (
    CHARS_MAX,
    LIST_CHARS_MAX,
    ROUNDS_MAX,
    screen,
    screen_annotations,
    screen_text,
)

KEY = "sk-" + "ant-api03-FAKEFAKE0000FAKE"
MARK = "[redacted:secret]"
CARD = 4111111111111111
KEEP = Policy(dict.fromkeys(CATEGORIES, "keep"))
REFUSE = Policy(dict.fromkeys(CATEGORIES, "refuse"))
NOT_TEXT = {
    "kind",
    "importance",
    "confidence",
    "trust",
    "pinned",
    "occurred_at",
    "valid_from",
    "valid_until",
    "expires_at",
    "supporting",
    "derived_from",
    "supersedes",
    "contradiction",
}


class Shouting:
    """A detector that takes capitals for addresses, and what is under ours for nothing else."""

    def find(self, text):
        return [Finding("address", place, place + 1) for place, c in enumerate(text) if c == "Q"]


def screened(text="a hub", policy=None, **given_fields):
    return screen(Draft(text=text, **given_fields), policy or Policy())


@pytest.mark.promise(
    "gate",
    "Every field of a draft is looked through, or can hold no text; of metadata keys, "
    "values and numbers.",
)
def test_every_field_is_looked_through_or_cannot_hold_a_text():
    looked = {*CHARS_MAX, *LIST_CHARS_MAX, "metadata"}

    assert looked | NOT_TEXT == {field.name for field in fields(Draft)}
    assert not looked & NOT_TEXT
    assert set(Annotations.__annotations__) <= looked | NOT_TEXT


@pytest.mark.parametrize("name", CHARS_MAX)
def test_a_secret_is_taken_out_of_every_text(name):
    result = screened(**{name: f"密钥{KEY}，好"})

    assert getattr(result.draft, name) == f"密钥{MARK}，好"
    assert (result.redacted, result.tags) == (("secret",), ())


@pytest.mark.parametrize("name", LIST_CHARS_MAX)
def test_a_secret_is_taken_out_of_every_list(name):
    result = screened(**{name: ["hub", f"it is {KEY}", 7]})

    assert getattr(result.draft, name) == ("hub", f"it is {MARK}", 7)


@pytest.mark.promise(
    "gate",
    "`refuse`: the error names field and category, never the value.",
)
@pytest.mark.parametrize("name", [*CHARS_MAX, *LIST_CHARS_MAX])
def test_a_refusal_names_the_field_and_never_the_value(name):
    value = [KEY] if name in LIST_CHARS_MAX else KEY
    with pytest.raises(Sensitive) as refused:
        screened(policy=REFUSE, **{name: value})

    assert (refused.value.field, refused.value.category) == (name, "secret")
    assert KEY not in str(refused.value)
    assert isinstance(refused.value, Refused)


# ── metadata ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "gate",
    "Every field of a draft is looked through, or can hold no text; of metadata keys, "
    "values and numbers.",
)
@pytest.mark.parametrize(
    ("given_metadata", "kept"),
    [
        ({"note": f"use {KEY}"}, {"note": f"use {MARK}"}),
        ({"password": "hunter2!"}, {"password": MARK}),
        ({"card": CARD}, {"card": "[redacted:credit_card]"}),
        ({"card": float(CARD)}, {"card": "[redacted:credit_card]"}),
        ({"ssn": 457555462}, {"ssn": "[redacted:us_ssn]"}),
        ({KEY: 1}, {"redacted-secret": 1}),
        ({KEY: 1, KEY + "1": 2}, {"redacted-secret": 1, "redacted-secret-": 2}),
        ({"redacted-secret": 0, KEY: 1}, {"redacted-secret": 0, "redacted-secret-": 1}),
        ({"a": KEY, 7: KEY}, {"a": MARK, 7: KEY}),
    ],
)
def test_keys_and_values_of_metadata_are_screened_and_read_together(given_metadata, kept):
    assert screened(metadata=given_metadata).draft.metadata == kept


def test_what_is_left_of_metadata_can_be_kept():
    draft = screened(metadata={KEY: CARD, "ok": True, "half": 0.5}).draft
    memory = gate.admit(draft, ANN, now_us=1, new_uuid=counting_ids()).memory

    assert memory.metadata == (
        ("half", 0.5),
        ("ok", True),
        ("redacted-secret", "[redacted:credit_card]"),
    )


def test_a_refusal_in_metadata_names_its_key():
    with pytest.raises(Sensitive, match="metadata card"):
        screened(policy=REFUSE, metadata={"card": CARD})
    with pytest.raises(Sensitive, match="metadata key"):
        screened(policy=REFUSE, metadata={KEY: 1})


# ── what passes through ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", None),
        ("text", [KEY]),
        ("text", KEY + "x" * TEXT_CHARS_MAX),
        ("title", 7),
        ("tags", KEY),
        ("tags", None),
        ("tags", [KEY] * 101),
        ("keywords", {KEY}),
        ("steps", b"x"),
        ("metadata", None),
        ("metadata", [KEY]),
        ("metadata", {f"k{n}": KEY for n in range(65)}),
        ("metadata", {"a": [KEY], "b": None, "c": True, "d": float("nan"), "e": 1 << 70}),
        ("metadata", {"a": KEY + "x" * TEXT_CHARS_MAX}),
        ("metadata", {"x" * (TEXT_CHARS_MAX + 1): 1}),
    ],
)
def test_what_the_gate_refuses_passes_through_for_it_to_refuse(name, value):
    draft = replace(Draft(text="a hub"), **{name: value})
    result = screen(draft, Policy())

    assert result.draft is draft
    with pytest.raises(Exception, match=r"."):
        gate.admit(replace(draft, kind="procedural"), ANN, now_us=1, new_uuid=counting_ids())


def test_what_one_finding_covered_is_found_behind_it():
    text = f"{KEY}+44 20 7946 0958"
    policy = Policy().but({"phone_number": "redact"})

    assert screen_text(text, policy).text == f"{MARK}[redacted:phone_number]"
    assert screen(Draft(text="x", metadata={"a": text}), policy).draft.metadata == {
        "a": f"{MARK}[redacted:phone_number]"
    }


def test_a_detector_that_never_has_enough_comes_to_an_end():
    class Greedy:
        def find(self, text):
            place = len(text.partition("[")[0])
            return [Finding("address", place - 1, place)]

    policy = Policy().but({"address": "redact"})
    draft = screen(Draft(text="hub hub", metadata={"a": "hub hub"}), policy, [Greedy()]).draft

    assert draft.text == "hub" + ROUNDS_MAX * "[redacted:address]"
    assert draft.metadata == {"redacted-address": draft.text}


def test_a_draft_with_nothing_sensitive_is_the_same_draft():
    draft = Draft(text="Sarah lives in Bristol", tags=["home"], metadata={"floor": 2})

    assert screen(draft, Policy()).draft is draft


@pytest.mark.promise(
    "gate",
    "`tag` and `keep` leave the text as it is; `tag` adds the tag `pii:CATEGORY`.",
)
def test_keeping_keeps_and_says_nothing():
    result = screened(f"{KEY} bob@example.com", policy=KEEP)

    assert result.draft.text == f"{KEY} bob@example.com"
    assert (result.redacted, result.tags, result.draft.tags) == ((), (), ())


# ── tags ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "gate",
    "`tag` and `keep` leave the text as it is; `tag` adds the tag `pii:CATEGORY`.",
)
def test_what_is_kept_on_purpose_is_tagged_once():
    result = screened("bob@example.com or (415) 555-2671", title="bob@example.com", tags=["x"])

    assert result.tags == ("pii:email_address", "pii:phone_number")
    assert result.draft.tags == ("x", "pii:email_address", "pii:phone_number")
    assert result.draft.text == "bob@example.com or (415) 555-2671"


@pytest.mark.parametrize("count", [LIST_MAX - 1, LIST_MAX, LIST_MAX + 1])
def test_tags_stay_within_their_limit(count):
    tags = [f"t{number}" for number in range(count)]
    result = screened("bob@example.com, (415) 555-2671", tags=tags)

    assert len(result.draft.tags) == max(count, min(count + 2, LIST_MAX))


def test_tags_of_a_wrong_type_are_left_for_the_gate():
    assert screened("bob@example.com", tags="x").draft.tags == "x"


# ── texts and annotations ────────────────────────────────────────────────────────────────────


def test_a_text_of_its_own_is_screened_alike():
    result = screen_text(f"{KEY}, bob@example.com", Policy())

    assert result.text == f"{MARK}, bob@example.com"
    assert (result.redacted, result.tags) == (("secret",), ("pii:email_address",))
    with pytest.raises(Sensitive, match="query"):
        screen_text(KEY, REFUSE, name="query")


def test_annotations_are_screened_alike_and_what_is_not_text_stays():
    result = screen_annotations(
        {"title": KEY, "tags": ["a"], "importance": 0.5, "category": "bob@example.com"}, Policy()
    )

    assert result.annotations == {
        "title": MARK,
        "tags": ("a", "pii:email_address"),
        "importance": 0.5,
        "category": "bob@example.com",
    }
    assert screen_annotations({"title": "bob@example.com"}, Policy()).annotations == {
        "title": "bob@example.com"
    }


# ── detectors, lengths, properties ───────────────────────────────────────────────────────────


def test_a_detector_adds_to_what_is_found_and_hides_nothing():
    policy = Policy().but({"address": "redact"})

    assert screen_text("a Q b", policy, [Shouting()]).text == "a [redacted:address] b"
    assert screen_text(KEY, policy, [Shouting()]).text == MARK


@pytest.mark.parametrize("name", [*CHARS_MAX])
def test_a_mark_makes_no_field_too_long(name):
    most = CHARS_MAX[name]
    value = "PASS=a1b2 " * (most // 10)
    draft = screened(**{name: value}).draft

    assert len(getattr(draft, name)) <= most
    assert "a1b2" not in getattr(draft, name)


SECRETS = st.sampled_from([KEY, "hunter2!", "bob@example.com", str(CARD), "密码是hunter2!", "hub"])
DRAFTS = st.builds(
    Draft,
    text=st.lists(SECRETS, min_size=1, max_size=4).map(" 和 ".join),
    title=SECRETS,
    tags=st.lists(SECRETS, max_size=3),
    metadata=st.dictionaries(st.sampled_from(["a", "password", KEY]), SECRETS | st.just(CARD)),
)
POLICIES = st.fixed_dictionaries(
    {category: st.sampled_from([a for a in ACTIONS if a != "refuse"]) for category in CATEGORIES}
).map(Policy)


@given(DRAFTS, POLICIES)
def test_screening_twice_changes_nothing_more(draft, policy):
    once = screen(draft, policy).draft

    assert screen(once, policy).draft == once


@given(DRAFTS)
def test_nothing_that_opens_a_door_is_left(draft):
    left = str(screen(draft, Policy()).draft)

    assert KEY not in left
    assert str(CARD) not in left
