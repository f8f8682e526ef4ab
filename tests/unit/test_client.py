"""The front door: bound to one principal, mirrored by its shell, and declared once."""

import inspect
import json
import os
import subprocess
import sys
import threading
from dataclasses import fields, replace
from typing import get_type_hints

import pytest

import pinyon
from pinyon.blocking import BlockingMemoryClient
from pinyon.client import MemoryClient
from pinyon.domain.change import Link
from pinyon.domain.draft import Annotations, Details, Draft
from pinyon.domain.filter import Eq
from pinyon.domain.memory import Step
from pinyon.domain.principal import Principal
from pinyon.errors import (
    Forbidden,
    InvalidCursor,
    InvalidId,
    InvalidName,
    InvalidValue,
    NotFound,
    StoreClosed,
    UnknownField,
)
from pinyon.moving.jsonl import row_of
from pinyon.ports.client import OPERATIONS
from pinyon.recall.listing import LIST_LIMIT_MAX
from pinyon.remote.client import RemoteMemoryClient
from pinyon.testing.makers import ANN, counting_ids

HOOKS = {"before_plan", "before_tool", "on_observation", "finish_task"}
"""Other names of `turn` at a moment of an agent's loop."""
LIFE = {"acting_for", "bound_to", "close", "flush", "import_documents", "open"}
"""What a client can do besides its operations."""

CLIENTS = (MemoryClient, BlockingMemoryClient, RemoteMemoryClient)


def methods_of(client):
    found = inspect.getmembers(client, inspect.isfunction)
    return {name: method for name, method in found if not name.startswith("_")}


def parameters_of(method):
    signature = inspect.signature(method, eval_str=True)
    return [p for p in signature.parameters.values() if p.name != "self"]


# ── one table ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("client_class", CLIENTS)
def test_a_client_has_exactly_the_declared_operations(client_class):
    assert set(methods_of(client_class)) - LIFE - HOOKS == {
        operation.name for operation in OPERATIONS
    }


@pytest.mark.parametrize("client_class", CLIENTS)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_takes_what_is_declared(client_class, operation):
    declared = [p for p in operation.signature.parameters.values() if p.name != "self"]

    assert parameters_of(methods_of(client_class)[operation.name]) == declared


@pytest.mark.parametrize("name", sorted(methods_of(BlockingMemoryClient)))
def test_the_blocking_client_mirrors_the_async_one(name):
    async_method, blocking = methods_of(MemoryClient)[name], methods_of(BlockingMemoryClient)[name]

    assert parameters_of(blocking) == parameters_of(async_method)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_the_blocking_client_answers_what_is_declared(operation):
    declared = inspect.signature(methods_of(MemoryClient)[operation.name]).return_annotation
    blocking = inspect.signature(methods_of(BlockingMemoryClient)[operation.name]).return_annotation

    assert str(blocking) == str(declared).replace("AsyncIterator", "Iterator")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_no_operation_takes_a_user_or_a_tenant(operation):
    names = {*operation.signature.parameters, *Details.__annotations__}

    assert names.isdisjoint({"user", "user_id", "tenant", "principal", "space"})


def test_details_are_all_that_a_draft_has_but_text_and_kind():
    assert set(Details.__annotations__) == {f.name for f in fields(Draft)} - {"text", "kind"}


@pytest.mark.parametrize("some", [Details, Annotations])
def test_what_may_be_said_of_a_memory_has_the_type_that_a_draft_gives_it(some):
    of_draft = get_type_hints(Draft)
    if some is Annotations:
        of_draft["importance"] = (
            float  # what is set says how much; a draft may leave it to the rule
        )

    assert {name: of_draft.get(name) for name in some.__annotations__} == get_type_hints(some)


# ── one principal ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("user", [None, "", " ", "\n", [], ["ann"], {"user": "ann"}, 7, "a\x00"])
def test_a_home_is_not_opened_for_nobody_in_particular(tmp_path, user):
    with pytest.raises(InvalidName):
        pinyon.open(tmp_path / "home", user=user)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("names", [{"tenant": ""}, {"agent": ""}, {"project": " "}, {"agent": []}])
def test_a_home_is_not_opened_for_a_name_that_is_none(tmp_path, names):
    with pytest.raises(InvalidName):
        pinyon.open(tmp_path / "home", user="ann", **names)


def test_a_home_is_not_opened_without_a_user(tmp_path):
    with pytest.raises(TypeError):
        pinyon.open(tmp_path / "home")


@pytest.mark.parametrize("user", ["*", "%", "_", "ann%", "../ann"])
def test_a_wildcard_is_a_user_like_any_other(tmp_path, user):
    with pinyon.open(tmp_path / "home", user="ann") as memory:
        memory.write("Ann's PIN is 4471")

    with pinyon.open(tmp_path / "home", user=user) as memory:
        own = memory.write("my PIN is 1")

        assert [hit.memory.id for hit in memory.recall("PIN").hits] == [own.id]
        assert [found.id for found in memory.list().memories] == [own.id]


def test_nothing_is_made_before_the_first_write(tmp_path):
    with pinyon.open(tmp_path / "home", user="ann") as memory:
        assert memory.recall("hub").empty_because == "empty_store"

    assert not (tmp_path / "home").exists()


@pytest.mark.anyio
async def test_a_client_can_act_for_another_user_of_its_tenant(client):
    other = client.acting_for("bob", agent="a")
    await other.write("Bob has a cat")

    assert other.principal == Principal.of_home(tenant="acme", user="bob", agent="a")
    assert (await client.list()).memories == ()


@pytest.mark.anyio
async def test_closing_a_client_that_acts_for_another_closes_nothing(client):
    async with client.acting_for("bob"):
        pass

    assert (await client.recall("hub")).hits == ()


@pytest.mark.anyio
async def test_a_client_that_is_closed_answers_nothing(client):
    async with client:
        pass
    await client.close()

    with pytest.raises(StoreClosed):
        await client.recall("hub")


# ── one memory ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.anyio
async def test_a_memory_is_shown_by_its_id_with_or_without_prefix(client):
    written = await client.write("Sarah has a dog")

    assert await client.show(written.id[4:].upper()) == await client.show(written.id)


@pytest.mark.anyio
@pytest.mark.parametrize("verb", ["show", "history", "edit"])
async def test_a_foreign_id_and_one_that_never_was_are_told_in_the_same_words(
    client, client_of, verb
):
    foreign = (await client.write("Ann's PIN is 4471")).id
    nowhere = "mem_" + "f" * 32
    bob, details = client_of("bob"), {"title": "x"} if verb == "edit" else {}
    told = []

    for memory_id in (foreign, nowhere):
        with pytest.raises(NotFound) as refused:
            await getattr(bob, verb)(memory_id, **details)
        told.append(str(refused.value).replace(memory_id, ""))

    assert told[0] == told[1]


@pytest.mark.anyio
@pytest.mark.parametrize("verb", ["show", "history", "edit"])
@pytest.mark.parametrize("memory_id", ["*", "", None, "%", 7])
async def test_what_is_no_id_is_refused(client, verb, memory_id):
    with pytest.raises(InvalidId):
        await getattr(client, verb)(memory_id)


@pytest.mark.anyio
async def test_history_tells_the_chain_the_versions_and_the_acts(client, store, by):
    old, new = await client.write("Sarah has a v1"), await client.write("Sarah has a v2")
    links = [
        Link(id=old.id, status="superseded", superseded_by=new.id),
        Link(id=new.id, supersedes=(old.id,)),
    ]
    await store.records.apply(ANN, links, by=by)

    history = await client.history(old.id)

    assert [memory.id for memory in history.chain] == [old.id, new.id]
    assert [memory.status for memory in history.versions] == ["active", "superseded"]
    assert [(act.action, act.surface) for act in history.acts] == [
        ("put", "python"),
        ("link", "test"),
    ]


@pytest.mark.anyio
async def test_a_memory_that_may_only_be_read_cannot_be_edited(client, store, clock):
    shared = await client.write("The office has a hub", scope="shared")
    principal = replace(client.principal, writes=(ANN,))
    reader = MemoryClient(store, principal, clock=clock, new_uuid=counting_ids())

    with pytest.raises(Forbidden):
        await reader.edit(shared.id, title="Mine")
    assert (await reader.show(shared.id)).title == ""


# ── lists ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.anyio
async def test_walking_a_list_gives_every_memory_once_newest_first(client):
    written = [(await client.write(f"number {number}")).id for number in range(25)]
    seen, cursor = [], None

    while not seen or cursor is not None:
        listing = await client.list(cursor=cursor, limit=10)
        seen += [memory.id for memory in listing.memories]
        cursor = listing.next_cursor

    assert seen == written[::-1]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("narrowing", "texts"),
    [
        ({}, ["two", "one"]),
        ({"kinds": ["episodic"]}, ["two"]),
        ({"filters": {"tags": "x"}}, ["one"]),
        ({"filters": Eq("tags", "x"), "kinds": ["episodic"]}, []),
        ({"scope": "shared"}, ["three"]),
        ({"shelf": "hidden"}, ["four"]),
    ],
)
async def test_a_list_can_be_narrowed(client, store, by, narrowing, texts):
    await client.write("one", tags=["x"])
    await client.remember("two")
    await client.write("three", scope="shared")
    hidden = await client.write("four")
    await store.records.apply(ANN, [Link(id=hidden.id, shelf="hidden")], by=by)

    assert [memory.text for memory in (await client.list(**narrowing)).memories] == texts


@pytest.mark.anyio
async def test_a_list_holds_what_is_superseded(client, store, by):
    written = await client.write("one")
    await store.records.apply(ANN, [Link(id=written.id, status="superseded")], by=by)

    assert len((await client.list()).memories) == 1


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("narrowing", "error"),
    [
        ({"limit": 0}, InvalidValue),
        ({"limit": LIST_LIMIT_MAX + 1}, InvalidValue),
        ({"limit": True}, InvalidValue),
        ({"limit": 1.5}, InvalidValue),
        ({"limit": "5"}, InvalidValue),
        ({"kinds": ["fact"]}, InvalidValue),
        ({"shelf": "top"}, InvalidValue),
        ({"scope": "everybody"}, Forbidden),
        ({"scope": "agent"}, Forbidden),
        ({"cursor": "nonsense"}, InvalidCursor),
        ({"filters": {"user_id": "bob"}}, UnknownField),
    ],
)
async def test_a_list_that_cannot_be_is_refused(client, narrowing, error):
    await client.write("one")

    with pytest.raises(error):
        await client.list(**narrowing)


# ── moving ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.anyio
async def test_what_is_exported_is_everything_of_one_space_oldest_first(client):
    for text in ["one", "two"]:
        await client.write(text)
    await client.remember("zero", role="assistant")
    await client.write("four", scope="shared")

    rows = [row async for row in client.export()]

    assert [(row.memory or row.event).text for row in rows] == ["zero", "one", "two"]


@pytest.mark.anyio
async def test_importing_twice_is_importing_once(client):
    rows = [{"text": "one"}, {"text": "two", "tags": ["x"]}]

    first, second = await client.import_rows(rows), await client.import_rows(rows)

    assert (first.created, first.equal) == (2, 0)
    assert (second.created, second.equal) == (0, 2)


# ── without an event loop ────────────────────────────────────────────────────────────────────


def test_code_without_an_event_loop_can_do_it_all(client):
    with client as memory:
        written = memory.write("Sarah has a dog")
        said = memory.remember("My dog barks", session="s1")
        (other,) = memory.write_many([Draft(text="Sarah has a hub")])

        assert memory.principal == client.principal
        assert {hit.memory.id for hit in memory.recall("dog").hits} == {written.id, said.id}
        assert memory.why_not(other.id, "dog").stage == "legs"
        assert memory.edit(other.id, title="Hub") == memory.show(other.id)
        assert len(memory.list().memories) == len(list(memory.export())) == 3
        assert len(memory.history(other.id).versions) == 2
        assert memory.import_rows([{"text": "Sarah has a cat"}]).created == 1


def test_an_error_comes_through_as_itself(client):
    with client as memory, pytest.raises(InvalidId):
        memory.show("*")


def test_a_blocking_client_may_be_used_before_it_is_entered(client):
    memory = BlockingMemoryClient(client)
    written = memory.write("Sarah has a dog")
    memory.close()

    assert written.created


def test_a_blocking_client_that_was_closed_by_hand_says_so(client):
    memory = BlockingMemoryClient(client)
    memory.write("Sarah has a dog")
    memory.close()

    with pytest.raises(StoreClosed):
        memory.recall("dog")


def test_a_blocking_client_that_was_left_says_so_and_starts_nothing(client):
    with client as memory:
        memory.write("Sarah has a dog")
    threads = threading.active_count()

    with pytest.raises(StoreClosed):
        memory.recall("dog")
    started = threading.active_count() - threads
    memory.close()

    assert started == 0


def test_a_program_that_forgets_to_close_its_memory_still_ends(tmp_path):
    program = f"""
import pinyon
memory = pinyon.BlockingMemoryClient(pinyon.open({str(tmp_path / "home")!r}, user="ann"))
memory.write("Sarah has a dog")
"""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    ended = subprocess.run([sys.executable, "-c", program], env=environ, timeout=10, check=False)

    assert ended.returncode == 0


@pytest.mark.anyio
async def test_what_nobody_filed_comes_back_from_an_export_as_it_was(client, client_of):
    said = await client.remember("Always answer in metric units")
    await client.edit(said.id, category="")
    await client.write(
        "Clears a jam", kind="procedural", trigger="it jams", steps=["Brush"], tools=["brush"]
    )
    rows = [json.loads(json.dumps(row_of(row))) async for row in client.export()]

    other = client_of("bob")
    await other.import_rows(rows)

    kept = {one.text: one for one in (await other.list()).memories}
    assert kept["Always answer in metric units"].category == ""
    assert kept["Clears a jam"].procedure.steps == (Step("Brush", "brush"),)
    assert await other.core_facts() == ()
