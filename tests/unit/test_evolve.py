"""What a change makes of a memory, the same on every store."""

from dataclasses import replace

import pytest

from pinyon.domain.change import UNSET, Count, Link, Patch, Settle
from pinyon.domain.event import Event
from pinyon.domain.evolve import counted, is_retry, linked, patched, settled
from pinyon.domain.ids import EventId
from pinyon.domain.memory import Counts
from pinyon.testing import memory_of

FACT = memory_of(1, awaits=("vectors", "consolidation"))
REPLY = Event(
    id=EventId("evt_" + "0" * 32),
    text="Try a reset",
    role="assistant",
    session="s1",
    occurred_at_us=0,
    created_at_us=0,
    content_hash="ab",
)
MINUTE_US = 60_000_000


def test_a_field_that_a_change_leaves_alone_reads_as_unset():
    assert repr(UNSET) == "UNSET"
    assert repr(Patch(id=FACT.id, title="x").expires_at_us) == "UNSET"


def test_a_patch_changes_what_it_names_and_counts_a_version():
    now = patched(FACT, Patch(id=FACT.id, title="Home", importance=0.9), 7)

    assert now == replace(
        FACT, title="Home", importance=0.9, version=2, times=replace(FACT.times, updated_at_us=7)
    )


def test_an_expiry_can_be_set_and_taken_away():
    expiring = patched(FACT, Patch(id=FACT.id, expires_at_us=9), 7)

    assert expiring.times.expires_at_us == 9
    assert patched(expiring, Patch(id=FACT.id, expires_at_us=None), 8).times.expires_at_us is None


def test_a_link_changes_how_a_memory_stands_and_counts_a_version():
    now = linked(FACT, Link(id=FACT.id, status="superseded", valid_until_us=5), 7)

    assert (now.status, now.times.valid_until_us, now.version) == ("superseded", 5, 2)


def test_counters_add_up_and_instants_only_move_forward():
    before = Counts(uses=1, last_used_at_us=10, last_success_at_us=10)

    after = counted(before, Count(id=FACT.id, uses=2, used_at_us=5, succeeded_at_us=20))

    assert after == Counts(uses=3, last_used_at_us=10, last_success_at_us=20)


def test_a_memory_that_never_worked_has_no_last_success():
    assert counted(Counts(), Count(id=FACT.id, failures=1)).last_success_at_us is None


def test_what_is_settled_is_no_longer_awaited():
    now = settled(FACT, Settle(FACT.id, "vectors"))

    assert now == replace(FACT, awaits=("consolidation",))


@pytest.mark.parametrize(
    ("again", "is_one"),
    [
        ({}, True),
        ({"occurred_at_us": MINUTE_US}, True),
        ({"occurred_at_us": -MINUTE_US}, True),
        ({"occurred_at_us": MINUTE_US + 1}, False),
        ({"session": "s2"}, False),
        ({"role": "tool"}, False),
        ({"content_hash": "cd"}, False),
        ({"event_type": "tool_call"}, False),
        ({"message_id": "m1"}, False),
    ],
)
def test_an_event_is_a_retry_only_if_all_that_tells_events_apart_is_equal(again, is_one):
    assert is_retry(replace(REPLY, **again), REPLY, MINUTE_US) is is_one


def test_events_with_one_message_id_are_one_whenever_they_come():
    sent = replace(REPLY, message_id="m1")

    assert is_retry(replace(sent, occurred_at_us=MINUTE_US * 60), sent, MINUTE_US)
