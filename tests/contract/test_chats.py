import json

import pytest

from pinyon.models.anthropic_chat import AnthropicChat
from pinyon.models.openai_chat import OpenAIChat
from pinyon.testing.chat_contract import ChatContract
from pinyon.testing.scripted_chat import ScriptedChat
from pinyon.testing.scripted_model import Call, Reply, ScriptedModel, Unfit


@pytest.fixture
def running():
    """Return what starts a scripted model; all of them end with the test."""
    models = []

    def start(script):
        models.append(ScriptedModel(script).__enter__())
        return models[-1]

    yield start
    for model in models:
        model.__exit__()


def refusing(answers, *ways):
    """Return a script that takes no request with one of these fields, and answers the others."""
    left = iter(answers)

    def say(asked):
        found = [way for way in ways if way in json.dumps(asked.body)]
        if found:
            raise Unfit(f"{found[0]} is not supported")
        return Reply(next(left))

    return say


class TestScriptedChat(ChatContract):
    @pytest.fixture
    def chat_of(self):
        return ScriptedChat


class TestOpenAIChat(ChatContract):
    @pytest.fixture
    def chat_of(self, running):
        pytest.importorskip("openai")
        return lambda answers: OpenAIChat("words", url=running(answers).url + "/v1")


class TestOpenAIChatWhereNoSchemaIsKnown(ChatContract):
    @pytest.fixture
    def chat_of(self, running):
        pytest.importorskip("openai")

        def make(answers):
            model = running(refusing(answers, "json_schema"))
            return OpenAIChat("words", url=model.url + "/v1", key="k")

        return make


class TestOpenAIChatWhereNoFormIsKnown(ChatContract):
    @pytest.fixture
    def chat_of(self, running):
        pytest.importorskip("openai")

        def make(answers):
            return OpenAIChat(
                "words", url=running(refusing(answers, "response_format")).url + "/v1"
            )

        return make


class TestAnthropicChat(ChatContract):
    @pytest.fixture
    def chat_of(self, running):
        pytest.importorskip("anthropic")
        return lambda answers: AnthropicChat("words", url=running(answers).url)


class TestAnthropicChatWhereNoFormatIsKnown(ChatContract):
    @pytest.fixture
    def chat_of(self, running):
        pytest.importorskip("anthropic")

        def calling(answers):
            for answer in answers:
                try:
                    arguments = json.loads(answer)
                except (ValueError, RecursionError):
                    yield Reply(answer)
                else:
                    is_call = isinstance(arguments, dict)
                    yield Reply(calls=[Call("Verdict", arguments)]) if is_call else Reply(answer)

        def make(answers):
            left = calling(answers)

            def say(asked):
                if "output_config" in asked.body:
                    raise Unfit("output_config is not supported")
                return next(left)

            return AnthropicChat("words", url=running(say).url)

        return make
