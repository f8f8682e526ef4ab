"""JSON as people write it: read with its places, and changed so that all else stays as it is.

Comments and trailing commas are read where the client reads them. What is put in or taken out is
put into the text or cut out of it; nothing is written anew.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any

from pinyon.surfaces.cli.mcp_clients.thing import Thing

INDENT = "  "
CLOSING = {"{": "}", "[": "]"}
TAKEN_APART = 2
"""How deep values are taken apart: a file, and the tables in it. What is below is ours as a whole,
or is not."""

_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_REST_OF_LINE = re.compile(r"(?:[ \t]|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A member of an object, or an item of a list, in a text.

    Attributes:
        key: Of a member; an item has none.
        start: Where it begins, with its key.
        node: What it says.
        comma: Where the comma behind it stands, if one does.
    """

    key: str | None
    start: int
    node: "Node"
    comma: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value in a text: what it says, from where to where it stands, and what it is made of."""

    value: Any
    start: int
    end: int
    children: tuple[Child, ...] = ()

    def child(self, name: str) -> Child | None:
        """Return the member of this key, or the item of this id; the last one counts."""
        for one in reversed(self.children):
            known = one.key
            if known is None and isinstance(one.node.value, dict):
                known = one.node.value.get("id")
            if known == name:
                return one
        return None


def read(text: str, *, comments: bool) -> dict[str, Any]:
    """Return what a text says; a text without anything says nothing.

    Raises:
        JSONDecodeError: It is no JSON object, and where.
    """
    value: dict[str, Any] = _root(text, comments=comments).value if text.strip() else {}
    return value


def put(text: str, thing: Thing, *, comments: bool) -> str:
    """Return a text with a thing in it, in the place of what stands there under its name.

    Raises:
        JSONDecodeError: It is no JSON object, or the table in it is none, and where.
    """
    if not text.strip():
        text = "{}\n"
    root = _root(text, comments=comments)
    form = _Form.of(text, root)
    table = root.child(thing.table)
    if table is None:
        whole = [thing.value] if thing.is_item else {thing.name: thing.value}
        return form.inserted(root, thing.table, whole)
    box = table.node
    if not isinstance(box.value, list if thing.is_item else dict):
        wanted = "list" if thing.is_item else "object"
        raise JSONDecodeError(f"{thing.table!r} is no {wanted}", text, box.start)
    known = box.child(thing.name)
    if known is None:
        return form.inserted(box, None if thing.is_item else thing.name, thing.value)
    shown = form.rendered(thing.value, form.indent_at(known.start))
    return text[: known.node.start] + shown + text[known.node.end :]


def take(text: str, thing: Thing, *, comments: bool) -> str:
    """Return a text without a thing; as it is where the thing does not stand in it.

    Raises:
        JSONDecodeError: It is no JSON object, and where.
    """
    if not text.strip():
        return text
    table = _root(text, comments=comments).child(thing.table)
    known = table.node.child(thing.name) if table else None
    if table is None or known is None:
        return text
    return _cut(text, table.node, known)


def rendered(thing: Thing) -> str:
    """Return a thing as a whole file of its own."""
    return put("", thing, comments=False)


def _root(text: str, *, comments: bool) -> Node:
    root = _Reader(text, comments=comments).document()
    if not isinstance(root.value, dict):
        raise JSONDecodeError("it is no object", text, root.start)
    return root


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


class _Reader:
    """Reads a text from its beginning to its end, once."""

    def __init__(self, text: str, *, comments: bool) -> None:
        self._text, self._comments, self._at = text, comments, 0
        self._plain = json.JSONDecoder(parse_constant=self._refuse)

    def document(self) -> Node:
        """Read the one value that the text is."""
        self._skip()
        node = self._value(0)
        self._skip()
        if self._at < len(self._text):
            raise self._error("something stands behind the end")
        return node

    def _value(self, depth: int) -> Node:
        start = self._at
        opening = self._peek()
        if opening not in CLOSING:
            return self._whole()
        if depth >= TAKEN_APART:
            # Python's own reader is a hundred times as fast, and fails at what it does not know.
            with suppress(JSONDecodeError):
                return self._whole()
        self._at = start + 1
        children = self._children(CLOSING[opening], depth + 1, has_keys=opening == "{")
        # The closing bracket.
        self._at += 1
        value = (
            {one.key: one.node.value for one in children}
            if opening == "{"
            else [one.node.value for one in children]
        )
        return Node(value=value, start=start, end=self._at, children=tuple(children))

    def _whole(self) -> Node:
        start = self._at
        value, self._at = self._plain.raw_decode(self._text, start)
        return Node(value=value, start=start, end=self._at)

    def _children(self, closing: str, depth: int, *, has_keys: bool) -> list[Child]:
        children: list[Child] = []
        self._skip()
        while self._peek() != closing:
            if children and children[-1].comma is None:
                raise self._error(f"a comma or {closing!r} is missing")
            start = self._at
            key = self._key() if has_keys else None
            node = self._value(depth)
            self._skip()
            comma = self._at if self._peek() == "," else None
            self._at += comma is not None
            children.append(Child(key=key, start=start, node=node, comma=comma))
            self._skip()
        last = children[-1].comma if children else None
        if last is not None and not self._comments:
            self._at = last
            raise self._error("a comma too many")
        return children

    def _key(self) -> str:
        if self._peek() != '"':
            raise self._error("a key in double quotes is missing")
        key, self._at = self._plain.raw_decode(self._text, self._at)
        self._skip()
        if self._peek() != ":":
            raise self._error("a colon is missing")
        self._at += 1
        self._skip()
        return str(key)

    def _skip(self) -> None:
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            comment = _COMMENT.match(self._text, self._at)
            if comment is None:
                return
            if not self._comments:
                raise self._error("a comment stands here, which its reader does not take")
            self._at = comment.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _refuse(self, name: str) -> object:
        raise self._error(f"{name} is no JSON")

    def _error(self, why: str) -> JSONDecodeError:
        return JSONDecodeError(why, self._text, self._at)


# ── changing ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Form:
    """How a text is laid out, and what is put into it in the same manner."""

    text: str
    newline: str
    indent: str

    @classmethod
    def of(cls, text: str, root: Node) -> "_Form":
        form = cls(text, "\r\n" if "\r\n" in text else "\n", INDENT)
        own = form._own_indent(root.children[0]) if root.children else None
        return cls(text, form.newline, own or INDENT)

    def indent_at(self, place: int) -> str:
        """Return what the line of a place begins with."""
        begin = self.text.rfind("\n", 0, place) + 1
        blank = re.compile(r"[ \t]*").match(self.text, begin)
        return blank[0] if blank else ""

    def _own_indent(self, child: Child) -> str | None:
        """Return what stands before a child that has a line of its own."""
        begin = self.text.rfind("\n", 0, child.start) + 1
        before = self.text[begin : child.start]
        return before if begin and not before.strip(" \t") else None

    def rendered(self, value: object, indent: str) -> str:
        """Return a value in the form of the text, from its second line on indented."""
        shown = json.dumps(value, indent=self.indent, ensure_ascii=False)
        return shown.replace("\n", self.newline + indent)

    def inserted(self, box: Node, key: str | None, value: Mapping[str, object] | list[Any]) -> str:
        """Return the text with a member or item more, as the last one of an object or list."""
        text, outer = self.text, self.indent_at(box.start)
        last = box.children[-1] if box.children else None
        inner = (self._own_indent(last) if last else None) or outer + self.indent
        before = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
        added = self.newline + inner + before + self.rendered(value, inner)
        if last is None:
            after = box.start + 1
        else:
            after = last.node.end if last.comma is None else last.comma + 1
        comma = "," if last and last.comma is None else ""
        # What is said behind the last one, on its line, stays there.
        said = _REST_OF_LINE.match(text, after)
        stop = said.end() if said else after
        stays = text[after:stop] if text[after:stop].strip() else ""
        ends_line = text[stop : stop + 1] in ("\r", "\n")
        tail = "" if ends_line else self.newline + outer
        return text[:after] + comma + stays + added + tail + text[stop:]


def _cut(text: str, box: Node, child: Child) -> str:
    """Return a text without a member or item, and without the line that it leaves empty."""
    begin = child.start
    end = child.node.end if child.comma is None else child.comma + 1
    line = text.rfind("\n", 0, begin) + 1
    rest = re.compile(r"[ \t]*(\r?\n)?").match(text, end)
    if not text[line:begin].strip(" \t"):
        begin = line
        end = rest.end() if rest and rest[1] else end
    place = box.children.index(child)
    if child.comma is None and place:
        # It was the last one; the one before it becomes that.
        comma = box.children[place - 1].comma
        if comma is not None:
            return text[:comma] + text[comma + 1 : begin] + text[end:]
    return text[:begin] + text[end:]
