"""The memory tool in the SDK's own tool runner, against a model that is scripted."""

import pytest

pytest.importorskip("anthropic")

import anthropic

from pinyon.client import MemoryClient
from pinyon.domain.principal import Principal
from pinyon.integrations.anthropic_memory import AsyncMemoryTool
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing import FrozenClock
from pinyon.testing.makers import counting_ids
from pinyon.testing.scripted_model import Call, Reply, ScriptedModel

pytestmark = pytest.mark.anyio

NOTE = {"command": "create", "path": "/memories/a.md", "file_text": "her hub is a v2\n"}
LOOK = {"command": "view", "path": "/memories/a.md"}
ODD = {"command": "explode"}


async def test_the_runner_tells_the_model_what_the_tool_says():
    principal = Principal.of_home(tenant="acme", user="ann")
    clock = FrozenClock()
    memory = MemoryClient(
        InMemoryStore(clock=clock), principal, clock=clock, new_uuid=counting_ids()
    )
    calls = [Reply(calls=[Call("memory", given)]) for given in (NOTE, NOTE, LOOK, ODD)]
    with ScriptedModel([*calls, "Done."]) as model:
        async with anthropic.AsyncAnthropic(base_url=model.url, api_key="none") as client:
            runner = client.beta.messages.tool_runner(
                model="m",
                max_tokens=99,
                messages=[{"role": "user", "content": "My hub is a v2"}],
                tools=[AsyncMemoryTool(memory)],
            )
            said = await runner.until_done()
    await memory.close()

    results = [asked.body["messages"][-1]["content"][0] for asked in model.asked[1:]]
    assert said.content[0].text == "Done."
    assert [result.get("is_error", False) for result in results] == [False, True, False, True]
    assert results[0]["content"] == "File created successfully at: /memories/a.md"
    assert results[1]["content"] == "File /memories/a.md already exists"
    assert results[2]["content"].endswith("\n     1\ther hub is a v2\n     2\t")
