"""Pieces of a page."""

import inspect
from collections.abc import Iterable, Sequence
from textwrap import dedent

COMMAND = "python docs/generate.py"
NOTICE = f"<!-- Made by `{COMMAND}` from the code. Change the code, not this page. -->"
NOTICE_OF_RUNS = f"<!-- Made by `{COMMAND}` from bench/results. Run those anew, not this page. -->"
LINE_CHARS = 96


def page(title: str, about: str, *parts: str, notice: str = NOTICE) -> str:
    """Return a whole page; empty parts are left out."""
    shown = [part for part in parts if part]
    return "\n\n".join([notice, f"# {title}", dedent(about).strip(), *shown]) + "\n"


def section(title: str, *parts: str) -> str:
    """Return a section; empty parts are left out."""
    return "\n\n".join([f"## {title}", *(part for part in parts if part)])


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def first_line(of: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(of) or "").split("\n", maxsplit=1)[0]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
