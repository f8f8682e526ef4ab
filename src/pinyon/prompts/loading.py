"""Reads prompts: `name.md`, whose front matter says its version and what it is filled with."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_FRONT = re.compile(r"---\n(?P<front>.*?)\n---\n(?P<body>.*)", re.DOTALL)
_GAP = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text for a model.

    Attributes:
        version: Goes up with each change of a byte.
        about: What it is for, in one line.
        inputs: What it is filled with, as `{{name}}` in its body.
    """

    name: str
    version: int
    about: str
    inputs: tuple[str, ...]
    body: str

    @property
    def label(self) -> str:
        """Its name and version, as provenance names it."""
        return f"{self.name}@{self.version}"

    def render(self, **given: str) -> str:
        """Return the text, filled in. What is filled in is not looked at for gaps again.

        Raises:
            ValueError: An input is missing, or is none of this prompt's.
        """
        if set(given) != set(self.inputs):
            raise ValueError(f"{self.label} takes {self.inputs}, got {tuple(given)}")
        return _GAP.sub(lambda gap: given[gap[1]], self.body)


@cache
def load(name: str) -> Prompt:
    """Return a prompt by its name."""
    text = (files(__package__) / f"{name}.md").read_text("utf-8")
    read = _FRONT.fullmatch(text)
    if read is None:
        raise ValueError(f"{name}.md has no front matter")
    front = dict(line.split(": ", maxsplit=1) for line in read["front"].splitlines())
    return _checked(name, front, read["body"].strip())


def _checked(name: str, front: Mapping[str, str], body: str) -> Prompt:
    inputs = tuple(one for one in front["inputs"].strip("[]").split(", ") if one)
    if set(_GAP.findall(body)) != set(inputs):
        raise ValueError(f"{name}.md does not take what its front matter says")
    return Prompt(
        name=name,
        version=int(front["version"]),
        about=front["about"],
        inputs=inputs,
        body=body,
    )
