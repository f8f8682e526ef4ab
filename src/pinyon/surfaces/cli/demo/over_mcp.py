"""The story over MCP: a client of the protocol, as an assistant has one, and `pinyon mcp` itself.

Every answer is what the process said over its pipes; what a model would decide is written here.
"""

import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from os import devnull
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from pinyon.settings import variables

WHITE = "My bulbs only show white, what should I do?"
DEVICES = "I never set up that range extender. Can you list all my devices?"
DENIAL = "No, I never had a Hub v3, that is wrong. Mine is a v2."
V3, V2 = "Sarah has a Lumio Hub v3", "Sarah has a Lumio Hub v2, and never had a v3"
MOVE = "I moved from Bristol to Edinburgh on Saturday."
LIVES = "Sarah lives in Edinburgh"

PASSED_ON = ("PATH", "HOME", "PYTHONPATH", "PINYON_MODELS", "PINYON_EMBEDDER")
"""What a process needs of this one's environment to find Python, Pinyon and the models."""

_ID = re.compile(r"mem_[0-9a-f]{32}")
_IN_BRISTOL = re.compile(r"^\[(mem_[0-9a-f]{32}).*\blives? in Bristol", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A call of a tool, and what it answered.

    Attributes:
        who: Whose assistant calls.
        heard: What its user said, word for word; "" where the assistant calls by itself.
        moral: What the answer shows.
    """

    who: str
    heard: str
    tool: str
    arguments: Mapping[str, Any]
    answer: str
    moral: str


@dataclass(slots=True)
class Assistant:
    """What an assistant does with its six tools; it keeps what was exchanged."""

    who: str
    client: Client
    exchanges: list[Exchange] = field(default_factory=list)

    async def call(self, name: str, moral: str, *, heard: str = "", **arguments: Any) -> str:
        """Call a tool and return what it answered."""
        result = await self.client.call_tool(name, arguments)
        answer = "\n".join(part.text for part in result.content if hasattr(part, "text"))
        self.exchanges.append(
            Exchange(
                who=self.who,
                heard=heard,
                tool=name,
                arguments=arguments,
                answer=answer,
                moral=moral,
            )
        )
        return answer


async def told_over_mcp(home: Path, tenant: str) -> list[Exchange]:
    """Play the story over the protocol, on a home in which it was told so far."""
    async with _assistant("sarah", home, tenant) as sarah:
        await _sarahs_day(sarah)
    async with _assistant("tom", home, tenant) as tom:
        await tom.call(
            "recall_memory",
            "Another process for another user: what is Sarah's is not there.",
            query="Where does Sarah live, and what does her dog chew?",
        )
    return [*sarah.exchanges, *tom.exchanges]


@asynccontextmanager
async def _assistant(user: str, home: Path, tenant: str) -> AsyncIterator[Assistant]:
    words = ["-m", "pinyon", "mcp", "--user", user, "--tenant", tenant, "--home", str(home)]
    started = StdioServerParameters(command=sys.executable, args=words, env=variables(*PASSED_ON))
    with Path(devnull).open("w", encoding="utf-8") as nowhere:  # noqa: ASYNC230 - it never waits
        async with Client(stdio_client(started, errlog=nowhere)) as client:
            yield Assistant(user.capitalize(), client)


async def _sarahs_day(sarah: Assistant) -> None:
    await sarah.call(
        "remember_turn",
        "Kept before it is answered, and in the same call: two resets did not help, saving the "
        "scene again did.",
        heard=WHITE,
        message=WHITE,
    )
    await sarah.call(
        "remember_turn",
        "Two things in one message: the extender is kept, the devices come.",
        heard=DEVICES,
        message=DEVICES,
    )
    wrong = await sarah.call("write_memory", "Somebody misheard her.", text=V3)
    await sarah.call(
        "write_memory",
        "Harsh: what never was is taken back at once, without asking.",
        heard=DENIAL,
        text=V2,
        supersedes=_ID.findall(wrong)[:1],
        contradiction="harsh",
    )
    known = await sarah.call(
        "recall_memory",
        "What it knows of that, before it writes.",
        heard=MOVE,
        query="Where does Sarah live?",
        k=4,
    )
    await sarah.call(
        "write_memory",
        "Natural: it was true, and is history now. Every memory that says Bristol, and no other.",
        text=LIVES,
        supersedes=_IN_BRISTOL.findall(known),
        contradiction="natural",
    )
    await sarah.call(
        "recall_memory",
        "Edinburgh.",
        query="Where do I live?",
        k=2,
    )
    await sarah.call(
        "recall_memory",
        "That the old flat's thick walls weaken Zigbee stays true, although she moved.",
        query="Why was Zigbee weak in my old flat?",
        k=2,
    )
    await sarah.call(
        "forget_memory",
        "Several may be meant: nothing is erased, and the candidates are shown.",
        heard="Forget what I said about the hub",
        query="the hub",
    )
