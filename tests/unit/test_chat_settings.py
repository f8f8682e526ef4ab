"""Which chat model is asked comes from the settings, and without one nothing is asked."""

import sys

import pytest

from pinyon.domain.principal import Principal
from pinyon.models.anthropic_chat import AnthropicChat
from pinyon.models.openai_chat import OpenAIChat
from pinyon.settings import read_settings
from pinyon.stores.in_memory.store import InMemoryStore
from pinyon.wiring import SystemClock, chat_of, judge_of, model_proposer_of, open_client


def store():
    return InMemoryStore(clock=SystemClock())


@pytest.mark.promise(
    "chat", "Without a setting no chat model is asked, whatever keys lie in the environment."
)
def test_without_one_there_is_none():
    settings = read_settings({"OPENAI_API_KEY": "sk-x", "ANTHROPIC_API_KEY": "sk-x"})

    assert chat_of(settings) is None
    assert model_proposer_of(settings, store(), clock=SystemClock()) is None
    assert judge_of(settings) is None


@pytest.mark.parametrize(
    ("chat", "kind"), [("openai:qwen3:8b", OpenAIChat), ("anthropic:claude", AnthropicChat)]
)
def test_one_that_is_set_is_made_without_loading_or_asking_anything(monkeypatch, chat, kind):
    for vendor in ("openai", "anthropic"):
        monkeypatch.setitem(sys.modules, vendor, None)
    settings = read_settings({"PINYON_CHAT": chat, "PINYON_CHAT_URL": "http://127.0.0.1:9"})

    made = chat_of(settings)

    assert isinstance(made, kind)
    assert made.label == chat
    assert (
        model_proposer_of(settings, store(), clock=SystemClock()).label == f"consolidate@1 {chat}"
    )
    assert judge_of(settings).label == f"judge@1 {chat}"


@pytest.mark.anyio
async def test_a_recall_that_has_no_budget_left_asks_no_model(tmp_path):
    environ = {
        "PINYON_CHAT": "openai:qwen3:8b",
        "PINYON_CHAT_URL": "http://127.0.0.1:9",
        "PINYON_MODELS": "off",
        "PINYON_BUDGET": '{"calls": 0}',
    }
    principal = Principal.of_home(tenant="acme", user="ann")
    async with open_client(read_settings(environ, home=tmp_path), principal) as client:
        await client.write("zigbee hub")
        answer = await client.recall("zigbee hub", quality="judged")

    assert len(answer.hits) == 1
    assert answer.degraded == ("judge",)
    assert "PINYON_BUDGET" in answer.degraded_because
