"""Ids: UUIDv7, read with or without their prefix."""

from uuid import RFC_4122, UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.ids import job_id, journalled_id, key_id, memory_id, turn_id, uuid7_hex
from pinyon.errors import InvalidId

HEX = "0190c2f4a1b27c3d8e4f5a6b7c8d9e0f"
INSTANTS = st.integers(0, (1 << 48) * 1000 - 1)
RANDOM = st.binary(min_size=8, max_size=16)


@given(INSTANTS, RANDOM)
def test_a_new_id_is_a_uuid_of_version_7(now_us, random):
    uuid = UUID(uuid7_hex(now_us, random))

    assert (uuid.version, uuid.variant) == (7, RFC_4122)


@given(INSTANTS, RANDOM)
def test_a_new_id_tells_its_millisecond(now_us, random):
    assert int(uuid7_hex(now_us, random)[:12], 16) == now_us // 1000


def test_a_new_id_is_made_of_the_time_and_of_what_is_random_and_of_nothing_else():
    made = uuid7_hex(1_999, bytes(8))

    assert made == f"{1:012x}7{999 * 4096 // 1000:03x}8000000000000000"


@given(st.lists(INSTANTS, min_size=2, max_size=2, unique=True), RANDOM, RANDOM)
def test_ids_sort_by_the_microsecond_in_which_they_were_made(instants, one, other):
    earlier, later = sorted(instants)

    assert uuid7_hex(earlier, one) < uuid7_hex(later, other)


@pytest.mark.parametrize(
    "written",
    [f"mem_{HEX}", HEX, HEX.upper(), f"mem_{HEX.upper()}", str(UUID(HEX)), f"mem_{UUID(HEX)}"],
)
def test_an_id_is_read_with_or_without_prefix_and_dashes(written):
    assert memory_id(written) == f"mem_{HEX}"


@pytest.mark.parametrize(
    "written",
    [None, 7, "", "mem_", "*", "%", HEX[:-1], HEX + "0", f"evt_{HEX}", f"mem_mem_{HEX}", "g" * 32,
     f"{HEX}\n", f" {HEX}", "0" * 100_000, [HEX]],
)  # fmt: skip
def test_what_is_no_id_is_refused(written):
    with pytest.raises(InvalidId):
        memory_id(written)


@pytest.mark.parametrize(
    ("written", "turn"),
    [(f"evt_{HEX}", f"evt_{HEX}"), (f"mem_{HEX}", f"mem_{HEX}"), (HEX, f"mem_{HEX}")],
)
def test_a_turn_is_a_memory_or_an_event(written, turn):
    assert turn_id(written) == turn


@pytest.mark.parametrize("written", ["evt_", f"evt_mem_{HEX}", None, "turn"])
def test_what_is_no_turn_is_refused(written):
    with pytest.raises(InvalidId):
        turn_id(written)


def test_the_id_of_a_key_is_no_memorys():
    assert key_id(f"key_{HEX}") == key_id(HEX) == f"key_{HEX}"
    for other in (f"mem_{HEX}", f"pyn_{HEX}", "key_"):
        with pytest.raises(InvalidId):
            key_id(other)


def test_what_a_journal_names_is_read_by_its_prefix():
    named = [f"{prefix}_{HEX}" for prefix in ("mem", "evt", "job", "rcp")]

    assert [journalled_id(one) for one in named] == named
    assert journalled_id(HEX) == f"mem_{HEX}"
    assert job_id(HEX) == f"job_{HEX}"
    for other in ("evt_1", "rcp_x", "", None, 5):
        with pytest.raises(InvalidId):
            journalled_id(other)
