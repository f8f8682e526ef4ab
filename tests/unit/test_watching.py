"""What a watch sees of a client: each call once, how it ended, and no more than it is told."""

from contextlib import contextmanager
from itertools import pairwise

import pytest

from pinyon.domain.answers import STAGES, Recall, Written
from pinyon.domain.draft import Draft
from pinyon.errors import InvalidId, NotFound
from pinyon.ports.client import OPERATIONS
from pinyon.ports.models import Models
from pinyon.ports.watch import CANCELLED, NO_WATCH, OK, Watches, joined, outcome_of
from pinyon.recall.recaller import Recaller

pytestmark = pytest.mark.anyio

CANARY = "the canary sings at noon"


class Notes:
    """A watch that keeps what it is told."""

    def __init__(self):
        self.calls, self.ends = [], []

    @contextmanager
    def around(self, call):
        self.calls.append(call)
        try:
            yield
        except BaseException as error:
            self.ends.append((call.operation, outcome_of(error)))
            raise
        self.ends.append((call.operation, OK))


@pytest.fixture
def notes():
    return Notes()


@pytest.fixture
def client(client_of, notes):
    return client_of(watch=notes)


async def test_a_call_is_seen_once_though_one_operation_does_what_another_does(client, notes):
    written = await client.write("Sarah's hub is a v2")
    await client.write_many([Draft(text="Sarah's dog chews cables", kind="semantic")])
    await client.show(written.id)
    await client.why_not(written.id, "which hub?")
    await client.history(written.id)
    await client.hide(written.id)

    assert [operation for operation, _ in notes.ends] == [
        "write",
        "write_many",
        "show",
        "why_not",
        "history",
        "hide",
    ]


async def test_a_watch_is_given_the_answer_that_the_caller_gets(client, notes):
    written = await client.remember("my hub is a v2")
    recalled = await client.recall("which hub?")

    assert [call.answer for call in notes.calls] == [written, recalled]
    assert isinstance(written, Written)
    assert isinstance(recalled, Recall)


async def test_an_error_passes_through_a_watch_and_leaves_no_answer(client, notes):
    with pytest.raises(InvalidId):
        await client.show("nonsense")
    with pytest.raises(NotFound):
        await client.show("mem_" + "0" * 32)

    assert notes.ends == [("show", "invalid_id"), ("show", "not_found")]
    assert [call.answer for call in notes.calls] == [None, None]


async def test_a_stream_is_watched_until_its_end(client, notes):
    await client.write("Sarah's hub is a v2")

    rows = [row async for row in client.export()]

    assert len(rows) == 1
    assert notes.ends[-1] == ("export", OK)
    assert notes.calls[-1].streams


async def test_a_stream_that_nobody_reads_to_its_end_counts_as_cancelled(client, notes):
    await client.write_many([Draft(text=f"fact number {n}", kind="semantic") for n in range(3)])

    rows = client.export()
    await anext(rows)
    await rows.aclose()

    assert notes.ends[-1] == ("export", CANCELLED)


async def test_a_client_for_another_user_is_watched_by_the_same(client, notes):
    await client.acting_for("bob").core_facts()

    assert notes.ends == [("core_facts", OK)]


async def test_nothing_that_anybody_says_is_told_apart_from_the_answer(client, notes):
    await client.remember(CANARY, session="s", key="k")
    await client.recall(CANARY, k=3, quality="best", given=True)

    told = [(call.operation, call.told, call.streams) for call in notes.calls]
    assert told == [
        ("remember", {}, False),
        ("recall", {"quality": "best", "given": True}, False),
    ]


@pytest.mark.parametrize("operation", [one.name for one in OPERATIONS])
def test_every_operation_is_watched(client, operation):
    assert hasattr(getattr(type(client), operation), "__wrapped__")


async def test_several_watches_all_see_a_call_the_first_of_them_outermost(client_of):
    first, second = Notes(), Notes()
    client = client_of(watch=joined(NO_WATCH, first, second))

    await client.core_facts()

    assert first.calls == second.calls
    assert first.ends == second.ends == [("core_facts", OK)]


def test_what_is_joined_is_no_more_than_it_must_be(notes):
    assert joined() is NO_WATCH
    assert joined(NO_WATCH, notes) is notes
    assert joined(notes, notes) == Watches((notes, notes))


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, "ok"),
        (NotFound("mem_1"), "not_found"),
        (RuntimeError(CANARY), "internal"),
        (GeneratorExit(), "cancelled"),
    ],
)
def test_an_end_is_told_in_one_of_few_words(error, outcome):
    assert outcome_of(error) == outcome


async def test_the_stages_of_a_recall_are_those_that_have_a_name(client, store):
    await client.write("Sarah's hub is a v2")
    answer = await client.recall("which hub has Sarah?")
    recaller = Recaller(store.records, store.search, Models())

    assert tuple(dict.fromkeys(stage.name for stage in recaller._stages)) == STAGES[:-1]
    assert {stage.stage for stage in answer.trace.stages} <= set(STAGES)


async def test_a_stage_says_when_it_began(client):
    await client.write("Sarah's hub is a v2")

    stages = (await client.recall("which hub has Sarah?")).trace.stages

    assert all(stage.began_ms >= 0 for stage in stages)
    for before, after in pairwise(stages):
        assert after.began_ms >= before.began_ms + before.wall_ms
