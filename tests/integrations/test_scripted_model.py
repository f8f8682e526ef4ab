"""The scripted model is taken for the vendor by the vendor's own SDK."""

import pytest

pytest.importorskip("openai")
pytest.importorskip("anthropic")

import anthropic
import openai

from pinyon.testing.scripted_model import Call, Reply, ScriptedModel

SAID = "A reply that is longer than one piece of a stream"
REPLY = Reply(SAID, [Call("recall_memory", {"query": "é"}), Call("other")])
ASK = [{"role": "user", "content": "hello"}]
OPENAI_TOOL = {"type": "function", "function": {"name": "recall_memory", "parameters": {}}}
TOOL = {"name": "recall_memory", "input_schema": {"type": "object"}}


@pytest.fixture
def model():
    with ScriptedModel([REPLY, REPLY]) as running:
        yield running


@pytest.fixture
def as_openai(model):
    with openai.OpenAI(base_url=model.url + "/v1", api_key="none", max_retries=0) as client:
        yield client.chat.completions


@pytest.fixture
def as_anthropic(model):
    with anthropic.Anthropic(base_url=model.url, api_key="none", max_retries=0) as client:
        yield client.messages


def test_openais_sdk_reads_its_words_and_calls(as_openai, model):
    answer = as_openai.create(model="m", messages=ASK)

    choice = answer.choices[0]
    assert (choice.message.content, choice.finish_reason) == (SAID, "tool_calls")
    calls = [(call.function.name, call.function.arguments) for call in choice.message.tool_calls]
    assert calls == [("recall_memory", '{"query": "\\u00e9"}'), ("other", "{}")]
    assert model.asked[0].body["messages"] == ASK


def test_openais_sdk_reads_its_stream(as_openai):
    text, calls = "", {}
    for chunk in as_openai.create(model="m", messages=ASK, stream=True):
        delta = chunk.choices[0].delta
        text += delta.content or ""
        for call in delta.tool_calls or ():
            calls[call.index] = call.function.name
    assert (text, calls) == (SAID, {0: "recall_memory", 1: "other"})


def test_anthropics_sdk_reads_its_words_and_calls(as_anthropic):
    answer = as_anthropic.create(model="m", max_tokens=9, messages=ASK)

    text, call, other = answer.content
    assert (text.text, answer.stop_reason) == (SAID, "tool_use")
    assert (call.name, call.input, other.input) == ("recall_memory", {"query": "é"}, {})


def test_anthropics_sdk_reads_its_stream(as_anthropic):
    whole = as_anthropic.create(model="m", max_tokens=9, messages=ASK)
    with as_anthropic.stream(model="m", max_tokens=9, messages=ASK) as stream:
        streamed = stream.get_final_message()

    assert [b.type for b in streamed.content] == ["text", "tool_use", "tool_use"]
    assert streamed.content[0].text == SAID
    assert streamed.content[1].input == whole.content[1].input


CALL = {"id": "c1", "type": "function", "function": {"name": "x", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "y"}


@pytest.mark.parametrize(
    "messages",
    [[*ASK, CALLING], [*ASK, CALLING, *ASK], [*ASK, RESULT], [*ASK, CALLING, RESULT, RESULT]],
)
def test_a_conversation_that_openai_refuses_is_refused(as_openai, model, messages):
    with pytest.raises(openai.BadRequestError):
        as_openai.create(model="m", messages=messages)

    assert model.asked == []
    assert as_openai.create(model="m", messages=[*ASK, CALLING, RESULT]).choices


USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "x", "input": {}}]}
USED = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "y"}]}


@pytest.mark.parametrize(
    "messages", [[*ASK, USE], [*ASK, USE, *ASK], [*ASK, USED], [USE, USED], [*ASK, USE, USED, USED]]
)
def test_a_conversation_that_anthropic_refuses_is_refused(as_anthropic, model, messages):
    with pytest.raises(anthropic.BadRequestError):
        as_anthropic.create(model="m", max_tokens=9, messages=messages, tools=[TOOL])
    with pytest.raises(anthropic.BadRequestError, match="define tools"):
        as_anthropic.create(model="m", max_tokens=9, messages=[*ASK, USE, USED])

    assert model.asked == []
    assert as_anthropic.create(
        model="m", max_tokens=9, messages=[*ASK, USE, USED], tools=[TOOL]
    ).content


def test_a_script_that_is_over_says_so(as_openai):
    for _ in range(2):
        as_openai.create(model="m", messages=ASK)
    with pytest.raises(openai.BadRequestError, match="no more replies"):
        as_openai.create(model="m", messages=ASK)


def test_a_script_may_be_a_function_of_what_was_sent():
    with (
        ScriptedModel(lambda asked: Reply(f"{len(asked.seen)} characters")) as model,
        openai.OpenAI(base_url=model.url + "/v1", api_key="none") as client,
    ):
        answer = client.chat.completions.create(model="m", messages=ASK, tools=[OPENAI_TOOL])

    assert "recall_memory" in model.asked[0].seen
    assert answer.choices[0].message.content == f"{len(model.asked[0].seen)} characters"


def test_a_script_that_fails_tells_how():
    with (
        ScriptedModel(lambda asked: asked.body["no such field"]) as model,
        openai.OpenAI(base_url=model.url + "/v1", api_key="none") as client,
        pytest.raises(openai.BadRequestError, match="no such field"),
    ):
        client.chat.completions.create(model="m", messages=ASK)
