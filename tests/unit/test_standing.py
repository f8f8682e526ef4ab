"""Which memories answer: those that hold now, or held at the time that is asked for."""

import pytest

from pinyon.domain.change import Link
from pinyon.domain.question import AsOf
from pinyon.errors import InvalidTime
from pinyon.testing.makers import ANN

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True

BRISTOL, EDINBURGH = "Sarah lives in Bristol", "Sarah lives in Edinburgh"
WHERE = "where does Sarah live"


@pytest.fixture
async def moved(client, clock, store, by):
    """Bristol is written at 09:00; at 11:00 Edinburgh supersedes it, where she moved in 2026."""
    old = await client.write(BRISTOL, valid_from="2020-01-01T00:00:00Z")
    clock.forward(2 * 3_600)
    new = await client.write(EDINBURGH, valid_from="2026-01-01T00:00:00Z")
    link = Link(
        id=old.id,
        status="superseded",
        superseded_by=new.id,
        superseded_at_us=clock.now_us(),
        valid_until_us=1_767_225_600_000_000,
    )
    await store.records.apply(ANN, [link], by=by)
    clock.forward(3_600)
    return old, new


@pytest.fixture
def set_aside(client, store, by):
    """Return a function that writes a fact and then changes how it stands."""

    async def write(text, **link):
        written = await client.write(text)
        await store.records.apply(ANN, [Link(id=written.id, **link)], by=by)

    return write


async def test_only_what_holds_now_comes(ask, moved):
    assert await ask(WHERE) == [EDINBURGH]


async def test_history_comes_when_it_is_asked_for_and_says_by_what_it_was_replaced(client, moved):
    _, new = moved
    answer = await client.recall(WHERE, include_superseded=True)
    hits = {hit.memory.text: hit.memory for hit in answer.hits}

    assert set(hits) == {BRISTOL, EDINBURGH}
    assert hits[BRISTOL].status == "superseded"
    assert hits[BRISTOL].links.superseded_by == new.id


@pytest.mark.parametrize(
    ("valid", "texts"),
    [
        ("2019-05-01T00:00:00Z", []),
        ("2025-05-01T00:00:00Z", [BRISTOL]),
        ("2025-12-31T23:59:59.999999Z", [BRISTOL]),
        ("2026-01-01T00:00:00Z", [EDINBURGH]),
        ("2026-02-01T00:00:00+08:00", [EDINBURGH]),
    ],
)
async def test_where_she_lived_is_answered_by_dates(ask, moved, valid, texts):
    assert await ask(WHERE, as_of=AsOf(valid=valid)) == texts


@pytest.mark.parametrize(
    ("known", "texts"),
    [
        ("2026-03-02T08:59:59Z", []),
        ("2026-03-02T10:00:00Z", [BRISTOL]),
        ("2026-03-02T11:30:00Z", [EDINBURGH]),
    ],
)
async def test_what_was_believed_then_is_answered_by_versions(ask, moved, known, texts):
    assert await ask(WHERE, as_of=AsOf(known=known)) == texts


async def test_both_times_may_be_asked_for_at_once(ask, moved):
    then = AsOf(valid="2026-02-01T00:00:00Z", known="2026-03-02T10:00:00Z")

    assert await ask(WHERE, as_of=then) == [BRISTOL]


async def test_no_time_at_all_is_now(ask, moved):
    assert await ask(WHERE, as_of=AsOf()) == [EDINBURGH]


@pytest.mark.parametrize("as_of", [AsOf(valid="2026-03-02"), AsOf(known="last May")])
async def test_a_time_without_an_offset_is_refused(client, as_of):
    with pytest.raises(InvalidTime):
        await client.recall(WHERE, as_of=as_of)


@pytest.mark.parametrize("narrowing", [{}, {"as_of": AsOf(valid="2026-03-02T09:00:00Z")}])
async def test_what_was_never_true_does_not_come(ask, set_aside, narrowing):
    await set_aside(BRISTOL, status="retracted")

    assert await ask(WHERE, **narrowing) == []


async def test_what_was_never_true_comes_with_history(ask, set_aside):
    await set_aside(BRISTOL, status="retracted")

    assert await ask(WHERE, include_superseded=True) == [BRISTOL]


@pytest.mark.parametrize("shelf", ["hidden", "archived", "quarantined"])
@pytest.mark.parametrize(
    "narrowing",
    [{}, {"include_superseded": True}, {"as_of": AsOf(valid="2026-03-02T09:00:00Z")}],
)
async def test_what_is_off_the_open_shelf_does_not_come(ask, set_aside, shelf, narrowing):
    await set_aside(BRISTOL, shelf=shelf)

    assert await ask(WHERE, **narrowing) == []


async def test_what_is_over_comes_only_with_history(ask, client, clock):
    await client.write(BRISTOL, valid_until="2026-03-02T10:00:00Z")
    clock.forward(3_600)

    assert await ask(WHERE) == []
    assert await ask(WHERE, include_superseded=True) == [BRISTOL]


async def test_what_ended_before_it_was_written_may_be_kept(client):
    written = await client.write(BRISTOL, valid_until="2025-12-31T00:00:00Z")

    assert (await client.show(written.id)).times.valid_until_us is not None


async def test_what_is_not_over_yet_comes(ask, client, clock):
    await client.write(BRISTOL, valid_until="2026-03-02T10:00:00Z")
    clock.forward(3_599)

    assert await ask(WHERE) == [BRISTOL]


@pytest.mark.parametrize("narrowing", [{}, {"include_superseded": True}])
async def test_what_has_expired_does_not_come(ask, client, clock, narrowing):
    await client.write(BRISTOL, expires_at="2026-03-02T10:00:00Z")
    clock.forward(3_600)

    assert await ask(WHERE, **narrowing) == []


async def test_what_becomes_true_later_comes_and_says_so(client):
    await client.write(EDINBURGH, valid_from="2026-06-01T00:00:00Z")
    await client.write("Sarah lives with a dog")

    starts_later = {h.memory.text: h.why.starts_later for h in (await client.recall(WHERE)).hits}

    assert starts_later == {EDINBURGH: True, "Sarah lives with a dog": False}
