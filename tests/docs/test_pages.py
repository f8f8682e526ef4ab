"""Links lead somewhere, commands exist, and no page is off the map."""

import re
from urllib.parse import unquote

import typer

from pinyon.surfaces.cli.main import app

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
PROGRAM = typer.main.get_command(app)


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text):
    """Return the anchors that a page's headings get."""
    titles = re.findall(r"^#+ (.+)$", without_code(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_lead_somewhere(page):
    text = page.read_text("utf-8")
    for target in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        linked = (page.parent / path).resolve() if path else page

        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked.read_text("utf-8")), target


def test_every_page_is_on_the_map(root):
    docs = root / "docs"
    linked = {
        (docs / target.partition("#")[0]).resolve()
        for target in LINK.findall((docs / "README.md").read_text("utf-8"))
    }
    pages = {page.resolve() for page in docs.rglob("*.md")}

    assert pages - linked == {(docs / "README.md").resolve()}


def test_shown_commands_can_be_typed(shell_page, commands_of):
    for line, words in commands_of(shell_page):
        known = [*PROGRAM.commands, "--version", "--help"]
        assert words[0] in known, f"line {line}: pinyon {words[0]}"
        if words[0] in PROGRAM.commands:
            # Raises for an option or an argument that the command does not take.
            PROGRAM.commands[words[0]].make_context(f"line {line}", list(words[1:]))


def test_decisions_are_numbered_without_gaps_and_have_the_same_parts(root):
    decisions = sorted((root / "docs" / "adr").glob("[0-9]*.md"))

    assert [path.name[:4] for path in decisions] == [
        f"{number:04d}" for number in range(1, len(decisions) + 1)
    ]
    for path in decisions:
        text = path.read_text("utf-8")
        parts = [text.find(mark) for mark in ("\nStatus: ", "\n## Context", "\n## Decision")]
        assert -1 not in [*parts, text.find("\n## Consequences")], path.name
        assert text.startswith(f"# {path.name[:4]} "), path.name
