"""Cutting a document into chunks, each of which says one thing under its headings.

Only what says nothing is left out: front matter, comments and rules between sections. Whether a
chunk is worth keeping is for others to decide.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from pinyon.text.passages import spans_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

CHUNK_CHARS = 1_200
"""What a chunk aims at: three passages, about 300 tokens."""

CHUNK_CHARS_MAX = 4_000
"""How long a code block, a list item or a table row may be to stay whole."""

TINY_CHARS = 120
"""A section of one line, no longer than that, joins the next one beside it."""

_LOOSE: Final = "loose"
_PROSE = frozenset({_LOOSE, "paragraph_open", "blockquote_open"})
_PARTS = {"list_item_open": 1, "tr_open": 2}
"""Of lists and tables on the page itself: what is not torn apart, and how deep it stands."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NEWLINE = re.compile(r"\r\n?")
_FIRST_KEY = re.compile(r"[\w.\-]+:(\s|$)")
_FRONT_MATTER_LINE = re.compile(r"[\s#\-]|[^\s:][^:]*:(\s|$)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, and the headings that it stands under, outermost first."""

    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Unit:
    """What stays whole where it fits; prose may be cut between sentences, the rest less readily."""

    text: str
    is_prose: bool
    is_apart: bool
    """A blank line stands before it."""


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading as it is written, and what stands below it up to the next one, whatever its level.

    Attributes:
        parent: The section above it, by its place in the document; -1 where there is none.
        above: The headings that hold here, outermost first.
        title: Its own heading, without marks.
        heading: Its own heading, as it is written.
    """

    parent: int
    above: tuple[str, ...]
    title: str = ""
    heading: str = ""
    units: list[_Unit] = field(default_factory=list)

    @property
    def is_tiny(self) -> bool:
        if not self.heading or len(self.units) > 1:
            return False
        return all(len(u.text) <= TINY_CHARS and "\n" not in u.text for u in self.units)


def chunks_of(markdown: str) -> tuple[Chunk, ...]:
    """Return the chunks of a Markdown document, in its order.

    It is cut at headings, then by size: `CHUNK_CHARS` where its paragraphs, list items, table rows
    and code blocks allow, never more than `CHUNK_CHARS_MAX`. A tiny section joins the next one
    beside it; the two then stand under the heading above them, their own in the text.
    """
    sections = _sections(_without_front_matter(_lines(markdown)))
    parents = {section.parent for section in sections}
    groups: list[list[_Section]] = []
    for place, section in enumerate(sections):
        is_leaf = place not in parents
        if not section.units and not (is_leaf and section.title):
            continue
        if is_leaf and groups and _joins(groups[-1], section):
            groups[-1].append(section)
        else:
            groups.append([section])
    return tuple(chunk for group in groups for chunk in _chunks(group))


def chunks_of_text(text: str) -> tuple[Chunk, ...]:
    """Return the chunks of a plain text, cut at blank lines and by size only."""
    paragraphs = re.split(r"\n[^\S\n]*\n", "\n".join(_lines(text)))
    units = (_Unit(paragraph.strip("\n"), True, True) for paragraph in paragraphs)
    return tuple(Chunk((), part) for part in _packed(unit for unit in units if _says(unit.text)))


def _lines(text: str) -> list[str]:
    return _NEWLINE.sub("\n", text.removeprefix("\ufeff")).split("\n")


def _without_front_matter(lines: list[str]) -> list[str]:
    """Return the lines behind front matter: keys and values between two rules, at the very top.

    It begins with a key at once: a heading or a list between two rules is none.
    """
    if lines[0].rstrip() != "---" or not _FIRST_KEY.match("".join(lines[1:2])):
        return lines
    for place, line in enumerate(lines[1:], start=1):
        if line.rstrip() in ("---", "..."):
            return lines[place + 1 :]
        if line and not _FRONT_MATTER_LINE.match(line):
            return lines
    return lines


def _sections(lines: Sequence[str]) -> list[_Section]:
    kinds, headings = _marks(lines)
    sections = [_Section(-1, ())]
    holding: list[tuple[int, int, str]] = []  # level, place and title of the headings that hold
    starts = sorted(kinds)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        text = "\n".join(lines[start:end])
        if kinds[start] == "heading_open":
            level, title = headings[start]
            while holding and holding[-1][0] >= level:
                holding.pop()
            parent = holding[-1][1] if holding else -1
            above = tuple(title for _, _, title in holding if title)
            holding.append((level, len(sections), title))
            sections.append(_Section(parent, above, title, text.strip()))
            continue
        if kinds[start] == "html_block" and text.lstrip().startswith("<!--"):
            text = _COMMENT.sub("", text)
        if kinds[start] != "hr" and _says(text):
            is_apart = start == 0 or not lines[start - 1].strip() or kinds[start] not in _PARTS
            sections[-1].units.append(_Unit(_trimmed(text), kinds[start] in _PROSE, is_apart))
    return sections


@cache
def _parser(*, of_blocks: bool) -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 40 ms, and only where documents are read

    parser = MarkdownIt("commonmark")
    return parser.enable("table").disable("inline") if of_blocks else parser


def _marks(lines: Sequence[str]) -> tuple[dict[int, str], dict[int, tuple[int, str]]]:
    """Return in which lines something begins, and what; and level and title of each heading.

    What belongs to no block (the target of a link) is loose, and lost no more than the rest.
    """
    kinds: dict[int, str] = {0: _LOOSE}
    headings: dict[int, tuple[int, str]] = {}
    tokens = _parser(of_blocks=True).parse("\n".join(lines))
    for place, token in enumerate(tokens):
        if token.map is None or token.nesting < 0:
            continue
        start, end = token.map
        if token.level == 0:
            kinds[start] = token.type
            kinds.setdefault(end, _LOOSE)
        elif _PARTS.get(token.type) == token.level:
            kinds[start] = token.type
        if token.type == "heading_open" and token.level == 0:
            headings[start] = (int(token.tag[1:]), _plain(tokens[place + 1].content))
    return kinds, headings


def _plain(heading: str) -> str:
    """Return a heading without its marks: what is emphasised, linked or code is its words alone."""
    (inline,) = _parser(of_blocks=False).parseInline(heading)
    words = (child.content or " " * (child.type == "softbreak") for child in inline.children or ())
    return " ".join("".join(words).split())


def _joins(group: Sequence[_Section], section: _Section) -> bool:
    if group[-1].parent != section.parent or not group[-1].is_tiny:
        return False
    return len(list(_packed(_with_headings([*group, section])))) == 1


def _chunks(group: Sequence[_Section]) -> Iterator[Chunk]:
    first = group[0]
    headings, units = first.above, _with_headings(group)
    if len(group) == 1 and first.units:
        headings, units = (*first.above, *filter(None, [first.title])), first.units
    return (Chunk(headings, text) for text in _packed(units))


def _with_headings(group: Sequence[_Section]) -> list[_Unit]:
    return [unit for one in group for unit in (_Unit(one.heading, True, True), *one.units)]


def _packed(units: Iterable[_Unit]) -> Iterator[str]:
    """Put what stands together into texts of about `CHUNK_CHARS`."""
    text = ""
    for unit in units:
        for piece in _pieces(unit):
            longer = (
                text + ("\n\n" if piece.is_apart else "\n") + piece.text if text else piece.text
            )
            if text and len(longer) > CHUNK_CHARS:
                yield text
                longer = piece.text
            text = longer
    if text:
        yield text


def _pieces(unit: _Unit) -> Iterator[_Unit]:
    if len(unit.text) <= (CHUNK_CHARS if unit.is_prose else CHUNK_CHARS_MAX):
        yield unit
        return
    is_apart = unit.is_apart
    for whole in [unit.text] if unit.is_prose else unit.text.split("\n"):
        for start, end in spans_of(whole, CHUNK_CHARS):
            if _says(whole[start:end]):
                yield _Unit(whole[start:end].rstrip(), unit.is_prose, is_apart)
            is_apart = False


def _trimmed(text: str) -> str:
    """Return a text without blank lines around it; its first line keeps its indentation."""
    lines = text.rstrip().split("\n")
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    return "\n".join(lines[first:])


def _says(text: str) -> bool:
    return any(character.isprintable() and not character.isspace() for character in text)
