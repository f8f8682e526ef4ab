"""What a span says of a call, where its stages lie, and what is never in it."""

import itertools
import sys

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

import pinyon
from pinyon.errors import InvalidSetting, InvalidValue, NotFound
from pinyon.observing import spans as names
from pinyon.observing.spans import CALLED, Spans
from pinyon.ports.client import OPERATIONS
from pinyon.ports.watch import NO_WATCH, Call
from pinyon.settings import read_settings
from pinyon.wiring import watch_of

pytestmark = pytest.mark.anyio

CANARY = "xyzzycanary"


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter):
    made = TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(SimpleSpanProcessor(exporter))
    return made


@pytest.fixture
def client(client_of, provider):
    return client_of(watch=Spans(provider))


async def test_a_call_is_a_span_named_by_the_convention(client, exporter):
    written = await client.write("Sarah's hub is a v2")

    (span,) = exporter.get_finished_spans()
    assert (span.name, span.kind) == ("create_memory", trace.SpanKind.INTERNAL)
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "create_memory",
        "gen_ai.memory.record.count": 1,
        "gen_ai.memory.record.id": written.id,
        "pinyon.operation": "write",
        "pinyon.outcome": "ok",
    }
    assert span.status.status_code is StatusCode.UNSET


async def test_a_recall_says_how_many_came_and_why_none_did(client, exporter):
    await client.write("Sarah's hub is a v2")
    exporter.clear()
    await client.recall("which hub has Sarah?")
    await client.recall("submarine volcano?")

    found, nothing = (
        dict(span.attributes)
        for span in exporter.get_finished_spans()
        if span.name == "search_memory"
    )
    assert found["gen_ai.memory.record.count"] == 1
    assert found["pinyon.intent"] == "fact"
    assert nothing["gen_ai.memory.record.count"] == 0
    assert nothing["pinyon.empty_reason"] == "below_floor"


async def test_the_stages_of_a_recall_lie_within_it_one_after_the_other(client, exporter):
    await client.write("Sarah's hub is a v2")
    exporter.clear()
    answer = await client.recall("which hub has Sarah?")

    *stages, whole = exporter.get_finished_spans()
    assert [span.attributes["pinyon.stage"] for span in stages] == [
        stage.stage for stage in answer.trace.stages
    ]
    assert {span.parent.span_id for span in stages} == {whole.context.span_id}
    assert whole.start_time <= stages[0].start_time
    assert stages[-1].end_time <= whole.end_time
    for span, stage in zip(stages, answer.trace.stages, strict=True):
        assert span.end_time - span.start_time == int(stage.wall_ms * 1_000_000)
    for before, after in itertools.pairwise(stages):
        assert before.end_time <= after.start_time + 1_000  # rounded to nanoseconds each


async def test_an_answer_from_the_cache_has_its_stage_in_its_place_too(client, exporter):
    await client.write("Sarah's hub is a v2")
    await client.recall("which hub has Sarah?")
    exporter.clear()

    await client.recall("which hub has Sarah?")

    stage, whole = exporter.get_finished_spans()
    assert stage.attributes["pinyon.stage"] == "cache"
    assert whole.start_time <= stage.start_time <= whole.end_time


async def test_an_error_is_told_by_its_code_and_never_by_its_words(client, exporter):
    with pytest.raises(NotFound):
        await client.show("mem_" + "0" * 32)
    with pytest.raises(InvalidValue):
        await client.recall("what?", quality=CANARY)

    missing, invalid = exporter.get_finished_spans()
    assert missing.attributes["error.type"] == "not_found"
    assert invalid.attributes["error.type"] == "invalid_value"
    assert invalid.status.status_code is StatusCode.ERROR
    assert invalid.status.description is None
    assert invalid.events == ()
    assert CANARY not in invalid.to_json()


async def test_what_is_no_error_of_ours_is_told_by_its_class(provider, exporter):
    with pytest.raises(ZeroDivisionError), Spans(provider).around(Call("recall", {})):
        raise ZeroDivisionError(CANARY)

    (span,) = exporter.get_finished_spans()
    assert span.attributes["error.type"] == "ZeroDivisionError"
    assert span.attributes["pinyon.outcome"] == "internal"
    assert CANARY not in span.to_json()


@pytest.mark.promise(
    "isolation",
    "No metric, span or log line holds a text, a question, a tenant or a user.",
)
async def test_no_text_question_or_name_is_in_any_span(client_of, provider, exporter):
    watch = Spans(provider)
    client = client_of(f"user{CANARY}", tenant=f"tenant{CANARY}", watch=watch)
    written = await client.remember(f"the {CANARY} sings", session=CANARY, tags=(CANARY,))
    await client.recall(f"does the {CANARY} sing?", given=True)
    await client.why_not(written.id, CANARY)
    await client.edit(written.id, title=CANARY)
    await client.list()
    await client.history(written.id)
    await client.warm()
    assert [row async for row in client.export()]
    await client.forget(everything=True, confirmed=True)
    with pytest.raises(NotFound):
        await client.show(written.id)

    spans = exporter.get_finished_spans()
    assert len(spans) > 10
    assert not [span.name for span in spans if CANARY in span.to_json()]


async def test_a_span_is_the_child_of_whatever_span_is_open(client, provider, exporter):
    with provider.get_tracer("caller").start_as_current_span("the agent's turn") as outer:
        await client.core_facts()

    inner, _ = exporter.get_finished_spans()
    assert inner.parent.span_id == outer.get_span_context().span_id


async def test_what_runs_within_a_call_is_the_child_of_its_span(provider, exporter):
    with Spans(provider).around(Call("recall", {})):
        provider.get_tracer("endpoint").start_span("embeddings").end()

    inner, outer = exporter.get_finished_spans()
    assert inner.parent.span_id == outer.context.span_id
    assert not trace.get_current_span().is_recording()


async def test_what_a_reader_does_between_two_rows_is_no_part_of_an_export(
    client, provider, exporter
):
    await client.write("Sarah's hub is a v2")
    exporter.clear()
    async for _ in client.export():
        provider.get_tracer("reader").start_span("its own work").end()

    own, export = exporter.get_finished_spans()
    assert (own.parent, export.name) == (None, "export_memory")


async def test_calls_side_by_side_each_have_their_own_span(client, exporter):
    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(client.core_facts)

    spans = exporter.get_finished_spans()
    assert [span.parent for span in spans] == [None] * 5


@pytest.mark.parametrize("operation", [one.name for one in OPERATIONS])
def test_every_operation_has_a_name_among_spans(operation):
    assert CALLED[operation].isidentifier()


def test_all_names_of_the_convention_stand_in_one_module():
    taken = [value for value in vars(names).values() if str(value).startswith("gen_ai.")]

    assert sorted(taken) == [
        "gen_ai.memory.record.count",
        "gen_ai.memory.record.id",
        "gen_ai.operation.name",
    ]


# ── the setting ──────────────────────────────────────────────────────────────────────────────


def test_nothing_watches_unless_a_setting_asks_for_it():
    assert watch_of(read_settings({"HOME": "/home/ann"})) is NO_WATCH


def test_spans_go_where_the_program_itself_sends_its_own(monkeypatch, provider):
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)

    assert names.exported.__wrapped__() is provider


def test_a_setting_makes_spans_of_every_client(monkeypatch, provider, exporter, tmp_path):
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    monkeypatch.setenv("PINYON_OTEL", "on")
    monkeypatch.setenv("PINYON_MODELS", "off")
    names.exported.cache_clear()
    with pinyon.open(tmp_path / "home", user="sarah") as memory:
        memory.remember("my hub is a v2")
        assert len(list(memory.export())) == 1
    names.exported.cache_clear()

    assert [span.name for span in exporter.get_finished_spans()] == [
        "create_memory",
        "export_memory",
    ]


def test_where_the_program_sends_none_the_standard_variables_say_where_to(monkeypatch):
    monkeypatch.setenv("OTEL_SERVICE_NAME", "the agent")
    made = names.exported.__wrapped__()
    monkeypatch.delenv("OTEL_SERVICE_NAME")
    plain = names.exported.__wrapped__()

    assert made.resource.attributes["service.name"] == "the agent"
    assert plain.resource.attributes["service.name"] == "pinyon"
    for one in (made, plain):
        one.shutdown()


def test_a_missing_extra_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    names.exported.cache_clear()

    with pytest.raises(InvalidSetting, match=r"pip install 'pinyon\[otel\]'"):
        watch_of(read_settings({"HOME": "/home/ann"}, otel="on"))
