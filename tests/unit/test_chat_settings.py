"""Which chat model is asked comes from the settings, and without one nothing is asked."""

import sys

import pytest

from pinyon.models.anthropic_chat import AnthropicChat
from pinyon.models.openai_chat import OpenAIChat
from pinyon.settings import read_settings
from pinyon.stores.in_memory.store import InMemoryStore
from pinyon.wiring import SystemClock, chat_of, model_proposer_of


def store():
    return InMemoryStore(clock=SystemClock())


@pytest.mark.promise(
    "chat", "Without a setting no chat model is asked, whatever keys lie in the environment."
)
def test_without_one_there_is_none():
    settings = read_settings({"OPENAI_API_KEY": "sk-x", "ANTHROPIC_API_KEY": "sk-x"})

    assert chat_of(settings) is None
    assert model_proposer_of(settings, store(), clock=SystemClock()) is None


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
    proposer = model_proposer_of(settings, store(), clock=SystemClock())
    assert proposer.label == f"consolidate@1 {chat}"
