"""An agent that makes a mistake once: its second run knows what its first run learned.

    python examples/second_run.py                      # with a stand-in for a model
    OPENAI_API_KEY=sk-… python examples/second_run.py  # with a real one; OPENAI_BASE_URL too

Memory is asked before the plan and after each result, and told how the task went. The home is a
fresh folder, so that the first run knows nothing.
"""

import json
import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import openai

import pinyon
from pinyon.testing.scripted_model import Asked, Call, Reply, ScriptedModel

MODEL = os.environ.get("MODEL", "gpt-5-mini")
TASK = "Deploy the billing service"

SYSTEM = """You deploy services with your tools, one call at a time. What recall_memory brings is
what earlier runs learned. When you are done, say in one sentence what to do the next time."""


class Cluster:
    """What the agent works on: `deploy` fails until the configuration is validated."""

    def __init__(self) -> None:
        self.is_valid = False

    def validate_config(self, service: str) -> str:
        """Check a service's configuration."""
        self.is_valid = True
        return f"the configuration of {service} is valid"

    def deploy(self, service: str) -> str:
        """Bring a service to production."""
        if not self.is_valid:
            return f"exit code 2: the configuration of {service} has not been validated"
        return f"{service} is deployed"


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": getattr(Cluster, name).__doc__,
            "parameters": {
                "type": "object",
                "properties": {"service": {"type": "string"}},
                "required": ["service"],
            },
        },
    }
    for name in ("validate_config", "deploy")
]


def main() -> None:
    """Do the same task twice, in two sessions of one memory."""
    with tempfile.TemporaryDirectory() as home:
        for number in (1, 2):
            print(f"── run {number}")
            with pinyon.open(home, user="ops") as memory, the_model() as model:
                run(memory, model, TASK)


def run(memory: pinyon.BlockingMemoryClient, model: openai.OpenAI, task: str) -> None:
    """Work on a task until the model calls no more tools."""
    session, cluster, outcome = uuid.uuid4().hex, Cluster(), "failed"
    known = memory.before_plan(task, session=session)
    messages: list = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": task},
        *known.as_openai(),
    ]
    while True:
        asked = model.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
        reply = asked.choices[0].message
        messages.append(reply.model_dump(exclude_none=True))
        for call in reply.tool_calls or ():
            tool = call.function.name
            result = getattr(cluster, tool)(**json.loads(call.function.arguments))
            print(f"{tool}: {result}")
            outcome = "failed" if result.startswith("exit code") else "worked"

            # What memory knows of such a result stands behind it.
            seen = memory.on_observation(tool, result, session=session, history=messages)
            content = f"{result}\n{seen.block}".rstrip()
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        if not reply.tool_calls:
            print(reply.content)
            memory.finish_task(f"{task}: {reply.content}", outcome=outcome, session=session)
            return


# ── a stand-in for a model ───────────────────────────────────────────────────────────────────


@contextmanager
def the_model() -> Iterator[openai.OpenAI]:
    """Give a real model where a key is set, else one that follows what it reads."""
    if "OPENAI_API_KEY" in os.environ:
        with openai.OpenAI() as model:
            yield model
    else:
        with ScriptedModel(follow) as stand_in:
            yield openai.OpenAI(base_url=f"{stand_in.url}/v1", api_key="none")


def follow(asked: Asked) -> Reply:
    """Deploy; validate first if an error, or memory, says that one has to."""
    said = " ".join(str(message.get("content")) for message in asked.body["messages"])
    billing = {"service": "billing"}
    if "billing is deployed" in said:
        return Reply("Validate the configuration before deploying, or it fails with exit code 2.")
    if "billing is valid" in said:
        return Reply(calls=[Call("deploy", billing)])
    if "Validate the configuration" in said or "has not been validated" in said:
        return Reply(calls=[Call("validate_config", billing)])
    return Reply(calls=[Call("deploy", billing)])


if __name__ == "__main__":
    main()
