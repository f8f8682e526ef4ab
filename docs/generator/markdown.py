"""Pieces of a page."""

import inspect
from collections.abc import Iterable, Sequence
from textwrap import dedent

COMMAND = "python docs/generate.py"
NOTICE = f"<!-- Made by `{COMMAND}` from the code. Change the code, not this page. -->"
LINE_CHARS = 96


def page(title: str, about: str, *parts: str) -> str:
    """Return a whole page."""
    return "\n\n".join([NOTICE, f"# {title}", dedent(about).strip(), *parts]) + "\n"


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
