"""What the pages show in Python is run, in order, and prints what stands below it."""

import re

import pytest

SCORE = re.compile(r"\b[01]\.\d\d\b")
CLOSE = 0.06
"""By how much a score may differ: not every processor rounds a model's numbers alike."""


def test_examples_in_python_do_what_is_shown(python_page, blocks_of, place, capsys):
    namespace = {"__name__": "example"}
    blocks = blocks_of(python_page)
    is_readme = python_page.name == "README.md"
    for block, below in zip(blocks, [*blocks[1:], None], strict=True):
        if block.info != "python":
            continue
        # The empty lines before it make a traceback name the line of the page.
        source = "\n" * (block.line - 1) + block.body
        exec(compile(source, str(python_page), "exec"), namespace)  # noqa: S102 - our own pages
        printed = capsys.readouterr().out

        is_shown = below is not None and below.info == "text" and below.follows_at_once
        expected = below.body if is_shown else ""
        if is_shown or not is_readme:
            where = f"{python_page.name}, line {block.line}"
            assert SCORE.sub("SCORE", printed) == SCORE.sub("SCORE", expected), where
            assert scores_of(printed) == pytest.approx(scores_of(expected), abs=CLOSE), where


def scores_of(text):
    return [float(score) for score in SCORE.findall(text)]
