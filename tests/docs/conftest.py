"""Reading the docs: pages, their fenced blocks, and the commands that they show."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
FENCED = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELLS = ("console", "sh", "bash", "shell")


@dataclass(frozen=True)
class Block:
    """A fenced block: what stands behind its fence, what is in it, and in which line it begins."""

    info: str
    body: str
    line: int
    follows_at_once: bool


def read_blocks(page):
    text = page.read_text("utf-8")
    found, end = [], -1
    for match in FENCED.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        at_once = end >= 0 and not text[end : match.start()].strip()
        found.append(Block(match[1].strip(), match[2], line, at_once))
        end = match.end()
    return found


def read_commands(page):
    """Return what is typed after `pinyon` in a page's shell blocks, with the block's line."""
    for block in read_blocks(page):
        if block.info not in SHELLS:
            continue
        for line in block.body.replace("\\\n", " ").splitlines():
            # In a console what is typed stands behind a prompt; the rest is answers.
            if block.info == "console" and not line.startswith("$ "):
                continue
            for part in _split_at_pipes(shlex.split(line.removeprefix("$ "), comments=True)):
                if part[0] == "pinyon":
                    yield block.line, part[1:]


def _split_at_pipes(words):
    part = []
    for word in [*words, "|"]:
        if word in ("|", "&&", ";", ">", ">>", "<"):
            if part:
                yield part
            part = []
        else:
            part.append(word)


def pages():
    names = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
    at_the_top = (README, *(ROOT / name for name in names))
    return sorted([*DOCS.rglob("*.md"), *(page for page in at_the_top if page.is_file())])


def pytest_generate_tests(metafunc):
    chosen = {
        "page": pages(),
        "python_page": [p for p in pages() if any(b.info == "python" for b in read_blocks(p))],
        "shell_page": [p for p in pages() if any(read_commands(p))],
    }
    for name, found in chosen.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, found, ids=[str(page.relative_to(ROOT)) for page in found])


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture
def blocks_of():
    return read_blocks


@pytest.fixture
def commands_of():
    return read_commands


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Stand in an empty folder, with a home in it and nothing set."""
    for name in ("PINYON_TENANT", "PINYON_USER", "PINYON_DURABLE", "PINYON_SPACES_OPEN_MAX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PINYON_HOME", str(tmp_path / "default-home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path
