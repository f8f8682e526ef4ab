"""What the pages show of the examples is what the examples are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("write-a-memory-aware-loop.md", "use-the-anthropic-memory-tool.md")
CODE = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name):
    return (ROOT / "docs" / "howto" / name).read_text("utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_code_that_is_shown_stands_in_an_example(name):
    examples = [path.read_text("utf-8") for path in (ROOT / "examples").glob("*.py")]
    shown = CODE.findall(page(name))

    assert shown
    assert [code for code in shown if not any(code in example for example in examples)] == []


def test_every_example_is_named_by_the_docs():
    text = "".join(page(name) for name in PAGES)
    names = [path.name for path in (ROOT / "examples").glob("*.py")]

    assert [name for name in names if f"../../examples/{name}" not in text] == []


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda e: e.name)
def test_an_example_is_short_and_says_how_to_run_it(example):
    text = example.read_text("utf-8")

    assert len(text.splitlines()) <= 140
    assert f"python examples/{example.name}" in text.split('"""')[1]
