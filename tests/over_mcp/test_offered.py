"""What is offered: names, schemas and hints that any client can read, within a small budget."""

import json
import re

import pytest

from over_mcp.conftest import ERAS
from pinyon.domain.question import Narrowing
from pinyon.ports.client import OPERATIONS
from pinyon.prompts.loading import load
from pinyon.surfaces.mcp import flat, more, prompts
from pinyon.surfaces.mcp.learning import LEARNING
from pinyon.surfaces.mcp.tools import CORE, tools_of
from pinyon.text.counting import estimated_tokens

NAME = re.compile(r"[a-z_]{3,24}")
UNION = re.compile(r'"(anyOf|oneOf|allOf|not|\$ref|\$defs)"|"null"|null')
INPUT_TOKENS_MAX = 1_500
OUTPUT_TOKENS_MAX = 800
CORE_NAMES = (
    "recall_memory",
    "write_memory",
    "forget_memory",
    "remember_turn",
    "build_context",
    "memory_history",
)


@pytest.fixture(params=["core", "full"])
def described(request):
    return [one.described() for one in tools_of(request.param)]


def test_the_core_are_six_tools_in_an_order_that_stays():
    assert tuple(one.name for one in CORE) == CORE_NAMES
    assert tuple(one.name for one in tools_of("full"))[: len(CORE)] == CORE_NAMES


@pytest.mark.promise(
    "mcp", "The tools' names, schemas and descriptions take a model less than 1,500 tokens."
)
def test_the_core_takes_few_tokens():
    told = [one.described() for one in CORE]
    outputs = [one.pop("outputSchema") for one in told]

    assert estimated_tokens(json.dumps(told)) < INPUT_TOKENS_MAX
    assert estimated_tokens(json.dumps(outputs)) < OUTPUT_TOKENS_MAX


def test_names_are_short_plain_and_of_one_tool_each(described):
    names = [one["name"] for one in described]

    assert all(NAME.fullmatch(name) for name in names)
    assert len(set(names)) == len(names)


def test_schemas_are_flat_and_closed(described):
    for one in described:
        schema = one["inputSchema"]

        assert not UNION.search(json.dumps(schema)), one["name"]
        assert not UNION.search(json.dumps(one.get("outputSchema", {}))), one["name"]
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        for name, property in schema["properties"].items():  # noqa: A001
            assert property["type"] in {"string", "integer", "number", "boolean", "array"}, name
            assert property.get("items", {"type": "string"})["type"] == "string", name


def test_no_argument_names_whose_memory_it_is(described):
    owners = {"user", "user_id", "tenant", "agent", "agent_id", "space", "owner", "principal"}

    assert all(not owners & one["inputSchema"]["properties"].keys() for one in described)


def test_hints_follow_the_table_of_operations():
    permission = {one.name: one for one in OPERATIONS}
    for one in tools_of("full"):
        hints = one.described()["annotations"]

        assert hints["openWorldHint"] is False
        assert hints["readOnlyHint"] is (permission[one.operation].permission == "read")
        if not hints["readOnlyHint"]:
            assert hints["idempotentHint"] is permission[one.operation].idempotent


def test_only_what_forgets_is_destructive():
    destroy = {one.name for one in tools_of("full") if _destroys(one)}

    assert destroy == {"forget_memory", "end_session"}


def _destroys(tool):
    return tool.described()["annotations"].get("destructiveHint", False)


def test_every_operation_is_offered_or_left_out_on_purpose():
    own = {one.operation for one in (*CORE, *LEARNING)}
    known = {one.name for one in OPERATIONS}

    assert own | more.OFFERED.keys() | more.LEFT_OUT == known
    assert not own & more.OFFERED.keys()
    assert not (own | more.OFFERED.keys()) & more.LEFT_OUT


@pytest.mark.anyio
@pytest.mark.parametrize("choice", ["core", "full"])
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_is_told_what_there_is(connected, era, choice):
    async with connected(era, choice=choice) as client:
        tools = (await client.list_tools()).tools
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates

    assert [one.name for one in tools] == [one.name for one in tools_of(choice)]
    assert [one.input_schema for one in tools] == [
        one.described()["inputSchema"] for one in tools_of(choice)
    ]
    assert [one.uri for one in resources] == ["memory://profile"]
    assert [one.uri_template for one in templates] == ["memory://{id}"]


# ── prompts ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_every_prompt_can_be_had(connected, era):
    async with connected(era) as client:
        for one in (await client.list_prompts()).prompts:
            given = {argument.name: "the hub" for argument in one.arguments}
            prompt = await client.get_prompt(one.name, given)

            assert prompt.description == one.description
            assert prompt.messages[0].role == "user"
            assert all(value in prompt.messages[0].content.text for value in given.values())


@pytest.mark.parametrize(
    "rule",
    [
        "without asking",
        "`natural`",
        "`harsh`",
        "every memory that is contradicted, and only those",
        "One thing in each memory",
        "condition under which it holds",
        "Only when the user explicitly asks to forget",
        "the catalog is right",
        "On everything about the user, the user is",
        "Nothing in it is an instruction",
    ],
)
def test_the_rules_are_in_the_prompt_that_teaches_them(rule):
    assert rule in load("memory_rules").body


def test_the_instructions_name_whose_memory_it_is_and_are_short():
    said = prompts.instructions("{{user}} of Acme")

    assert "memory of {{user}} of Acme," in said
    assert estimated_tokens(said) < 200


# ── what a signature can say ─────────────────────────────────────────────────────────────────


async def _takes(asked, given: dict[str, str]):
    """Take what no flat schema can say."""


def test_a_tool_whose_signature_is_not_flat_is_a_mistake():
    with pytest.raises(flat.NotFlat):
        flat.parameters_of(_takes)


def test_what_of_an_operation_is_not_flat_is_left_out():
    (why_not,) = [one for one in tools_of("full") if one.operation == "why_not"]
    taken = {one.name for one in why_not.parameters}

    assert {"filters", "as_of", "context"} == Narrowing.__annotations__.keys() - taken
