"""Prompts: each has a version that goes up with any change, and takes what it says it takes."""

from hashlib import sha256
from pathlib import Path

import pytest

from pinyon.prompts import loading
from pinyon.prompts.loading import load

NAMES = sorted(path.stem for path in Path(loading.__file__).parent.glob("*.md"))
KNOWN = {
    "consolidate@1": "0d01d5ac156a2e97",
    "consolidate_memory@1": "56587e1eb01c486b",
    "judge@1": "24a172a36dd7db81",
    "make_questions@1": "6e3bbd3cf093259c",
    "mcp_instructions@1": "1dc9b41a94ea0040",
    "memory_rules@1": "cd3986045337f5cb",
    "recall_first@1": "54ea3358c858e5cf",
    "reflect@1": "d7f829f9b7cdebf8",
    "save_conversation@1": "7bed98eadbf9b51e",
    "summarise@1": "f09acd892a6d0771",
}
"""What each version says. A change of a prompt is a new version, and a new line in place of the
old one."""


def hashed(prompt):
    return sha256(prompt.body.encode()).hexdigest()[:16]


def test_whoever_changes_a_prompt_raises_its_version():
    assert {load(name).label: hashed(load(name)) for name in NAMES} == KNOWN


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_says_what_it_is_for_and_can_be_filled_in(name):
    prompt = load(name)
    filled = prompt.render(**dict.fromkeys(prompt.inputs, "the hub"))

    assert prompt.about
    assert "{{" not in filled
    assert filled.count("the hub") >= len(prompt.inputs)


def test_what_is_filled_in_is_not_filled_in_again():
    assert load("recall_first").render(topic="{{topic}} {{x}}").endswith("{{topic}} {{x}}")


@pytest.mark.parametrize("given", [{}, {"topic": "x", "user": "y"}, {"user": "y"}])
def test_an_input_that_is_missing_or_unknown_is_a_mistake(given):
    with pytest.raises(ValueError, match="recall_first@"):
        load("recall_first").render(**given)


@pytest.mark.parametrize(
    "text",
    [
        "no front matter",
        "---\nversion: 1\nabout: x\ninputs: [a]\n---\ntakes nothing",
        "---\nversion: 1\nabout: x\ninputs: []\n---\ntakes {{a}}",
    ],
)
def test_a_file_that_does_not_say_what_it_takes_is_a_mistake(tmp_path, monkeypatch, text):
    (tmp_path / "odd.md").write_text(text)
    monkeypatch.setattr(loading, "files", lambda _package: tmp_path)

    with pytest.raises(ValueError, match=r"odd\.md"):
        load.__wrapped__("odd")
