"""The gate: what may be kept, and what is refused before anything is stored."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.draft import Draft
from pinyon.domain.memory import KINDS, TRUSTS, CatalogEntry, Procedure, Step
from pinyon.errors import BadInput, InvalidId, InvalidText, InvalidTime, InvalidValue, TooLarge
from pinyon.testing.makers import ANN, counting_ids
from pinyon.text.normal import content_hash
from pinyon.text.passages import TEXT_CHARS_MAX, passages_of
from pinyon.write import gate

NOW_US = 1_772_442_000_000_000
ID = "mem_" + "0" * 31 + "1"


def admitted(text="Sarah lives in Bristol", **fields):
    draft = Draft(text=text, **fields)
    return gate.admit(draft, ANN, now_us=NOW_US, new_uuid=counting_ids()).memory


def test_a_plain_draft_becomes_an_active_memory_on_the_open_shelf():
    memory = admitted()

    assert (memory.id, memory.space, memory.kind) == (ID, ANN, "semantic")
    assert (memory.status, memory.shelf, memory.version) == ("active", "open", 1)
    assert memory.content_hash == content_hash(memory.text)
    assert memory.passages == passages_of(memory.text)


@pytest.mark.parametrize(
    ("kind", "awaits"), [("semantic", ("vectors",)), ("episodic", ("vectors", "consolidation"))]
)
def test_only_an_episode_awaits_consolidation(kind, awaits):
    assert admitted(kind=kind).awaits == awaits


# ── text ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    ["", " ", "   \n\t", "\u00a0\u3000", "\u200b\ufeff", None, [], [{"role": "user"}], {}, 7, b"x"],
)
def test_a_text_that_says_nothing_is_refused(text):
    with pytest.raises(InvalidText):
        admitted(text)


def test_a_text_longer_than_one_memory_is_refused_with_its_size():
    with pytest.raises(TooLarge) as refused:
        admitted("x" * (TEXT_CHARS_MAX + 1))

    assert (refused.value.size, refused.value.limit) == (TEXT_CHARS_MAX + 1, TEXT_CHARS_MAX)


def test_the_longest_text_is_kept_whole():
    assert admitted("x" * TEXT_CHARS_MAX).text == "x" * TEXT_CHARS_MAX


def test_the_writers_own_words_are_kept_to_the_letter():
    text = "  It's “done” – 100 %!\r\n👩‍👩‍👧‍👦 \u202eabc\u202c  "

    assert admitted(text).text == text


@pytest.mark.parametrize(("text", "kept"), [("\ud800 hub", "\ufffd hub"), ("a\x00b", "a\ufffdb")])
def test_what_no_file_can_hold_is_replaced(text, kept):
    assert admitted(text, title=text).text == kept
    assert admitted(text, title=text).title == kept


# ── fields ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "fact"),
        ("kind", None),
        ("kind", ["semantic"]),
        ("trust", "me"),
        ("title", None),
        ("category", 7),
        ("session", ["s1"]),
        ("keywords", "hub"),
        ("keywords", None),
        ("keywords", [None]),
        ("tags", {"zigbee"}),
        ("importance", 1.1),
        ("importance", -0.1),
        ("importance", True),
        ("importance", "0.5"),
        ("importance", float("nan")),
        ("confidence", None),
        ("pinned", 1),
        ("pinned", "yes"),
        ("metadata", None),
        ("metadata", [("a", 1)]),
        ("metadata", "a=1"),
        ("supporting", ID),
        ("supporting", [ID] * 101),
        ("supporting", ["*"]),
        ("supporting", None),
        ("steps", "hold the button"),
        ("steps", None),
        ("steps", 5),
        ("trigger", None),
        ("document", None),
        ("occurred_at", "yesterday"),
        ("valid_from", "2026-03-02"),
        ("valid_until", 7),
        ("expires_at", datetime(2026, 3, 2)),  # noqa: DTZ001
    ],
)
def test_a_field_of_another_type_or_outside_its_range_is_refused_by_name(field, value):
    with pytest.raises(BadInput) as refused:
        admitted(**{"kind": "procedural", field: value})

    assert field in str(refused.value) or isinstance(refused.value, InvalidId)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "x" * 501),
        ("category", "x" * 201),
        ("session", "x" * 201),
        ("keywords", ["x"] * 65),
        ("keywords", ["x" * 201]),
        ("scenarios", ["x" * 501]),
        ("trigger", "x" * 501),
        ("steps", ["x" * 2_001]),
        ("metadata", {f"k{number}": 1 for number in range(65)}),
        ("metadata", {"a": "x" * 1_001}),
    ],
)
def test_a_field_longer_than_fits_is_refused_by_name(field, value):
    with pytest.raises(TooLarge, match=field):
        admitted(**{"kind": "procedural", field: value})


def test_a_procedure_has_at_most_a_hundred_steps():
    with pytest.raises(InvalidValue):
        admitted(kind="procedural", steps=["wait"] * 101)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "x" * 500),
        ("category", "x" * 200),
        ("keywords", [f"{number:0200}" for number in range(64)]),
        ("scenarios", ["x" * 500]),
        ("trigger", "x" * 500),
        ("steps", ["x" * 2_000] * 100),
        ("metadata", {f"k{number}": "x" * 1_000 for number in range(64)}),
        ("metadata", {"x" * 64: (1 << 63) - 1}),
    ],
)
def test_a_field_that_just_fits_is_kept(field, value):
    assert admitted(**{"kind": "procedural", field: value}).kind == "procedural"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("trust", TRUSTS)
def test_every_kind_may_come_from_every_source(kind, trust):
    memory = admitted(kind=kind, trust=trust)

    assert (memory.kind, memory.trust) == (kind, trust)


def test_names_are_kept_once_in_order_and_without_blanks():
    assert admitted(tags=["b", " a ", "", "b", "  "]).tags == ("b", "a")


@pytest.mark.parametrize("value", [0, 1, 0.5])
def test_a_share_reaches_from_0_to_1(value):
    assert admitted(importance=value).importance == value


def test_support_is_named_once_with_whole_ids():
    assert admitted(supporting=[ID, ID[4:]]).source.supporting == (ID,)


# ── metadata ─────────────────────────────────────────────────────────────────────────────────


def test_metadata_is_flat_and_sorted():
    given_metadata = {"b": "x", "a": 1, "e": 1.5, "d": True, "c": None}

    assert admitted(metadata=given_metadata).metadata == (
        ("a", 1),
        ("b", "x"),
        ("c", None),
        ("d", True),
        ("e", 1.5),
    )


@pytest.mark.parametrize(
    "value", [{}, [1], (1,), 1 << 63, float("inf"), float("nan"), b"x", object()]
)
def test_a_metadata_value_that_is_not_plain_is_refused(value):
    with pytest.raises(InvalidValue):
        admitted(metadata={"a": value})


@pytest.mark.parametrize("key", ["", " ", "a b", "a'", "ключ", "x" * 65, 7, None])
def test_a_metadata_key_that_cannot_be_asked_for_is_refused(key):
    with pytest.raises(InvalidValue):
        admitted(metadata={key: 1})


@pytest.mark.parametrize(
    "key", ["user_id", "User_ID", "user", "tenant", "agent_id", "space", "owner", "principal"]
)
def test_metadata_that_looks_like_an_owner_is_refused(key):
    with pytest.raises(InvalidValue, match="owner"):
        admitted(metadata={key: "bob"})


@pytest.mark.promise(
    "isolation",
    "A row of an import that names an owner is refused; no metadata moves a memory to another.",
)
@given(st.text("abcdefghijklmnopqrstuvwxyz_.-", min_size=1, max_size=20), st.text(max_size=20))
def test_no_metadata_moves_a_memory_to_another_owner(key, value):
    try:
        memory = admitted(metadata={key: value})
    except InvalidValue:
        return

    assert memory.space == ANN


# ── times ────────────────────────────────────────────────────────────────────────────────────


def test_an_episode_happened_now_unless_somebody_says_otherwise():
    assert admitted(kind="episodic").times.occurred_at_us == NOW_US
    assert admitted(kind="semantic").times.occurred_at_us is None


def test_a_fact_is_true_since_it_happened_else_since_now():
    happened = admitted(occurred_at="1970-01-01T01:00:00+01:00").times

    assert (happened.valid_from_us, happened.offset_min) == (0, 60)
    assert (admitted().times.valid_from_us, admitted().times.offset_min) == (NOW_US, 0)


def test_a_catalog_entry_is_true_always():
    assert admitted(kind="catalog").times.valid_from_us is None


def test_times_that_are_given_are_kept():
    times = admitted(
        valid_from="1970-01-01T00:00:01Z",
        valid_until="1970-01-01T00:00:02Z",
        expires_at="1970-01-01T00:00:03Z",
    ).times

    assert (times.valid_from_us, times.valid_until_us) == (1_000_000, 2_000_000)
    assert times.expires_at_us == 3_000_000
    assert times.created_at_us == times.updated_at_us == NOW_US


@pytest.mark.parametrize("until", ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z"])
def test_a_fact_that_ends_before_it_begins_is_refused(until):
    with pytest.raises(InvalidValue, match="valid_until"):
        admitted(valid_from="1970-01-01T00:00:01Z", valid_until=until)


def test_a_memory_was_last_used_when_it_happened_or_was_written():
    assert admitted().counts.last_used_at_us == NOW_US
    assert admitted(occurred_at="1970-01-01T00:00:07Z").counts.last_used_at_us == 7_000_000
    assert admitted(occurred_at="1970-01-01T00:00:00Z").counts.last_used_at_us == 0


@pytest.mark.parametrize("field", ["occurred_at", "valid_from", "valid_until", "expires_at"])
def test_an_instant_without_an_offset_is_refused(field):
    with pytest.raises(InvalidTime):
        admitted(**{field: "2026-03-02T09:00:00"})


# ── what only one kind has ───────────────────────────────────────────────────────────────────


def test_a_procedure_has_a_trigger_and_steps():
    memory = admitted(kind="procedural", trigger="only white", steps=["hold", "wait"])

    assert memory.procedure == Procedure(trigger="only white", steps=(Step("hold"), Step("wait")))


def test_the_steps_of_a_procedure_say_which_tools_they_take():
    memory = admitted(kind="procedural", steps=["hold", "wait", "ask"], tools=["button", ""])

    assert [step.tool for step in memory.procedure.steps] == ["button", "", ""]


def test_there_is_no_tool_without_a_step():
    with pytest.raises(InvalidValue, match="one for each step"):
        admitted(kind="procedural", steps=["hold"], tools=["button", "brush"])


def test_a_catalog_entry_has_a_document():
    assert admitted(kind="catalog", document="manual.md").catalog == CatalogEntry(
        document="manual.md"
    )


@pytest.mark.parametrize(
    "fields", [{"trigger": "only white"}, {"steps": ["hold"]}, {"document": "manual.md"}]
)
def test_a_fact_has_neither_steps_nor_a_document(fields):
    with pytest.raises(InvalidValue, match="kind"):
        admitted(**fields)


@pytest.mark.parametrize("field", ["occurred_at", "valid_from", "valid_until", "expires_at"])
def test_the_offset_of_the_first_instant_that_is_given_is_kept(field):
    assert admitted(**{field: "2030-06-10T19:05:00+01:00"}).times.offset_min == 60


@pytest.mark.parametrize(
    ("text", "importance"),
    [
        ("Always answer in metric units", 0.9),
        ("I did reset the hub, it did not help", 0.8),
        ("That worked, thanks", 0.7),
        ("hello", 0.1),
        ("My hub is in the hall", 0.5),
    ],
)
def test_how_much_a_users_message_matters_its_form_tells(text, importance):
    said = admitted(text, kind="episodic", role="user")
    given = admitted(text, kind="episodic", role="user", importance=0.3)
    replied = admitted(text, kind="episodic", role="assistant")
    written = admitted(text, kind="semantic")

    assert said.importance == importance
    assert (given.importance, replied.importance, written.importance) == (0.3, 0.5, 0.5)
