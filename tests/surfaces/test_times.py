"""An instant written with one offset is found by any other, and shown with its own."""

import pytest

HUB = "the hub fell off the wall"
WRITTEN = "2025-07-25T02:00:00+08:00"


@pytest.fixture
def hub(pinyon):
    assert pinyon("remember", HUB, "--at", WRITTEN).exit == 0


def recalled(pinyon, where):
    said = pinyon("recall", "hub", "--filter", where, "--json")
    return [hit["occurred_at"] for hit in said.json["hits"]]


@pytest.mark.parametrize(
    "since",
    ["2025-07-24T18:00:00Z", "2025-07-25T02:00:00+08:00", "2025-07-24T11:00:00-07:00"],
)
def test_what_was_written_in_utc_8_is_found_by_any_offset(pinyon, hub, since):
    assert recalled(pinyon, f'{{"occurred_at": {{"gte": "{since}"}}}}') == [WRITTEN]
    assert recalled(pinyon, f'{{"occurred_at": {{"gt": "{since}"}}}}') == []


def test_an_instant_without_an_offset_is_refused_in_a_write_and_in_a_filter(pinyon, hub):
    naive = WRITTEN.removesuffix("+08:00")

    for said in (
        pinyon("remember", "again", "--at", naive),
        pinyon("recall", "hub", "--filter", f'{{"occurred_at": {{"gte": "{naive}"}}}}'),
    ):
        assert said.exit == 2
        assert "has no offset; write it as" in said.err
