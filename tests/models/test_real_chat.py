"""A real model behind a real server: small enough to be wrong about everything but the form.

It is asked as any endpoint that chats as OpenAI's does. What it says is not looked at; that it
comes in its form, or fails as promised, is, and that nothing of it is kept that nobody said.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

pytest.importorskip("openai", reason="openai is not installed: pip install 'pinyon[openai]'")

from models.local_chat import HOW, MODELS, is_installed
from pinyon.care.model_proposer import NOT_SHOWN, ModelProposer
from pinyon.domain.consolidation import FactProposal, Material
from pinyon.errors import BadModelOutput, ModelUnavailable
from pinyon.models.chat_judge import ChatJudge
from pinyon.models.openai_chat import OpenAIChat
from pinyon.ports.chat import Form, Message
from pinyon.ports.judge import ForJudging
from pinyon.settings import environment_of
from pinyon.testing.makers import memory_of

pytestmark = pytest.mark.anyio

PROGRAM = Path(__file__).with_name("local_chat.py")
EPISODES = (
    memory_of(1, "I moved to Bath last week. I no longer live in Bristol.", kind="episodic"),
    memory_of(2, "Thanks, saving the scene worked!", kind="episodic"),
)
MATERIAL = Material(
    episodes=EPISODES, facts=(memory_of(3, "Sarah lives in Bristol"),), now_us=10**15
)
SAID = (
    "I live in Leeds, and my hub is a Lumio v2.",
    "Call me Ann, please, and never Annie.",
    "Could you look up when the shops close?",
)
NAMED = re.compile(r"\b(?:[A-Z]\w+|\w*\d\w*)\b")


class Thing(Form):
    name: str
    is_big: bool


class Judged(Form):
    """A form that a grammar can hold a model to whole: no grammar knows of ranges."""

    verdict: Literal["yes", "no"]
    things: list[Thing] = Field(max_length=2)


def params():
    """Return a parameter for each model; one that is not there says what to do."""
    for name in MODELS:
        reason = f"{name} is not here: {HOW[name]}"
        yield pytest.param(name, marks=pytest.mark.skipif(not is_installed(name), reason=reason))


@pytest.fixture(scope="module", params=params())
def served(request):
    """Return the name of a model, and where it is served."""
    serving = subprocess.Popen(
        [sys.executable, str(PROGRAM), request.param],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with serving:
        yield request.param, serving.stdout.readline().strip() + "/v1"
        serving.stdin.close()


@pytest.fixture
def chat(served):
    name, url = served
    return OpenAIChat(name, url=url, retries=0)


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


async def test_it_judges_none_but_what_it_is_shown(chat):
    memories = [f"(2026-03-01, episodic) {text}" for text in SAID]
    found = ForJudging(
        space=EPISODES[0].space,
        question="where do I live?",
        said_before=(),
        now_us=10**15,
        memories=memories,
    )
    try:
        judged = await ChatJudge(chat, timeout_s=240).judge(found)
    except BadModelOutput:
        return

    assert set(judged) <= set(range(len(SAID)))
    assert all(0 <= one.score <= 1 for one in judged.values())


def test_what_it_has_consolidated_is_what_was_said(served, tmp_path):
    name, url = served
    environment = environment_of(
        {"home": str(tmp_path), "chat": f"openai:{name}", "chat_url": url, "models": "off"}
        | {"chat_timeout_s": "60"}
    )

    def pinyon(*given):
        command = [sys.executable, "-m", "pinyon", *given, "--user", "ann", "--json"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout or done.stderr)

    said = {pinyon("remember", text)[1]["id"]: text for text in SAID}
    code, answer = pinyon("consolidate")
    _, listed = pinyon("list", "--kind", "semantic")

    # Where it found no end it says so, in one way or the other.
    assert code == 0 or answer["error"]["code"] in ("bad_model_output", "model_unavailable")
    assert code == 0 or not listed["memories"]
    for fact in listed["memories"]:
        supports = fact["supporting"]
        assert supports
        assert set(supports) <= set(said)
        told = " ".join(said[one] for one in supports)
        assert set(NAMED.findall(fact["text"])) - {"The", "User"} <= set(NAMED.findall(told))
