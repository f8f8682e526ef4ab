"""The page of the client's operations."""

import ast
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent
from typing import get_args

from generator.markdown import LINE_CHARS, first_line, page, section, table
from pinyon.care.feedback import QUERY_CHARS_MAX
from pinyon.care.sessions import SESSIONS_MAX
from pinyon.domain import answers, draft, question
from pinyon.domain.consent import TOPIC_CHARS_MAX, TOPICS_MAX, Consent, NotKept
from pinyon.domain.event import EVENT_TYPES, Event, Turn
from pinyon.domain.feedback import FEEDBACK_KEPT, OUTCOMES
from pinyon.domain.memory import CONTRADICTIONS, KINDS, SHELVES, TRUSTS, Copy
from pinyon.domain.receipt import Receipt
from pinyon.domain.session import SESSION_MODES, Session
from pinyon.domain.space import SCOPES, SEGMENT_BYTES_MAX
from pinyon.ports.client import OPERATIONS, Operations
from pinyon.recall.listing import LIST_LIMIT_MAX
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.write import limits
from pinyon.write.keeper import BATCH_MAX, KEY_CHARS_MAX


@dataclass(frozen=True, slots=True)
class Described:
    """What a docstring says: its paragraphs, and its arguments or attributes by name."""

    paragraphs: tuple[str, ...]
    names: Mapping[str, str]


def operations_page() -> str:
    """Return the page of the client's operations."""
    signatures = _signatures(Operations)
    overview = [
        (f"[`{one.name}`](#{one.name})", one.permission, _yes(one.idempotent), one.summary)
        for one in OPERATIONS
    ]
    parts = [table(("operation", "permission", "idempotent", "what it does"), overview)]
    for operation in OPERATIONS:
        said = _described(getattr(Operations, operation.name))
        about = f"Permission: {operation.permission}. Idempotent: {_yes(operation.idempotent)}."
        arguments = "\n".join(f"- `{name}`: {words}" for name, words in said.names.items())
        parts.append(
            section(
                operation.name,
                f"```text\n{signatures[operation.name]}\n```",
                *said.paragraphs,
                arguments,
                about,
            )
        )
    named = {
        "Kind": KINDS,
        "Scope": SCOPES,
        "Shelf": SHELVES,
        "Trust": TRUSTS,
        "Contradiction": CONTRADICTIONS,
        "EventType": EVENT_TYPES,
        "EmptyBecause": get_args(answers.EmptyBecause),
        "SessionMode": SESSION_MODES,
        "NotKept": get_args(NotKept),
        "Outcome": OUTCOMES,
    }
    words = [(f"`{name}`", ", ".join(f"`{one}`" for one in of)) for name, of in named.items()]
    words.append(("`When`", "an aware `datetime`, RFC 3339 text with an offset, or `None`"))
    words.append(("`Filters`", "a mapping as in [filters](filters.md)"))
    parts.append(section("Words in the signatures", table(("name", "values"), words)))
    parts.append(section("What may be said of a memory", _DETAILS, _values(draft.Draft, DRAFT)))
    parts.append(section("Limits", _LIMITS, table(("of", "at most"), _limits())))
    parts.append(section("What may be changed of one", _fields_of(draft.Annotations)))
    parts.append(section("What a question may be narrowed by", _NARROWING))
    situations: tuple[type, ...] = (question.AsOf, question.RecallContext)
    for value in situations:
        parts.append(f"### {value.__name__}\n\n{first_line(value)}\n\n{_values(value)}")
    answered: tuple[type, ...] = (
        answers.Written, answers.Recall, answers.Hit, answers.Why, answers.LegPlace, answers.Trace,
        answers.StageTrace, answers.EventHit, Event, answers.EventListing, Turn,
        answers.Warmed, answers.WhyNot, answers.Listing, answers.History,
        answers.Act, answers.Forgotten, Receipt, answers.Published, Copy, answers.Exported,
        answers.Imported, answers.CatalogImported, answers.CatalogDocument, Session, Consent,
        answers.Noted, answers.FedBack,
    )  # fmt: skip
    parts.append(section("What may be meant to be forgotten", _MEANT))
    parts.append(section("What comes back"))
    for value in answered:
        parts.append(f"### {value.__name__}\n\n{first_line(value)}\n\n{_values(value)}")
    return page(
        "Operations",
        """
        What a client can do. A client is bound to one principal for its life (`pinyon.open(home,
        user=…)`), so no operation takes one. `MemoryClient` has these as coroutines, `export` and
        `export_feedback` as async iterators; `BlockingMemoryClient` has the same ones without
        `await`.

        *Permission* is what the principal must be allowed in the space. *Idempotent* says whether
        doing it twice is doing it once; what is not can be given a `key`.
        """,
        *parts,
    )


DRAFT: Mapping[str, str] = {
    "title": "Its words count twice.",
    "keywords": "Words that it is found by; they count twice.",
    "scenarios": "Situations that it is good for; searched like the text.",
    "category": "What it is filed under; for filters.",
    "project": "As `category`: a label, not the project's space.",
    "module": "As `category`.",
    "tags": "For filters; not searched.",
    "metadata": "Flat, for filters. A key that looks like an owner (`user`, `tenant`) is refused.",
    "importance": "0-1; for filters.",
    "confidence": "0-1; for filters.",
    "trust": "Who says it: weighed a little, and only the user's may give orders.",
    "pinned": "For filters.",
    "valid_until": "Until when it is true, exclusive.",
    "expires_at": "From when on recall passes it over.",
    "session": "The conversation; an episode is linked to the turn before it there.",
    "task": "For filters.",
    "agent": "For filters; says nothing about whose space it is.",
    "event_type": "For filters; of an event `message` unless given.",
    "role": "Who spoke.",
    "speaker": "The speaker's name; searched like the text.",
    "parent_event": "What it answers or belongs to.",
    "message_id": "The message's own id; the same text with it again is a retry.",
    "document": "For a catalog entry: the document it is from.",
}
_LIMITS = "What is longer or more is refused, with `too_large`, `invalid_value` or `invalid_name`."
_DETAILS = """`remember`, `write` and `write_many` take these. The first two take them by keyword;
`write_many` takes `pinyon.Draft` values. `remember` sets the kind itself, and its role is `user`
unless one is given."""
_NARROWING = """`recall` and `why_not` take these by keyword: `kinds` and `filters` keep memories
out, `as_of` asks for another time, `include_superseded` lets in what no longer holds. `context` is
the situation in which the question is asked: what is of it counts more. `quality` is `best` where
time is no matter, `intent` keeps to what is wanted, `deadline_ms` cuts what is late, `if_needed`
leaves alone what memory cannot help with. `include_events` brings what happened along, from the
event log, in `events`; so does the intent `tool` or `observation`, where it is named."""

_MEANT = """`forget` takes ids, or exactly one of these by keyword: `query` (what it says),
`session`, `document`, `everything=True`. `scope` says in which space that is looked
for; ids are found in any that may be written."""


def _signatures(protocol: type) -> dict[str, str]:
    """Return the signatures of a protocol's methods as its source spells them."""
    return {
        node.name: _signature(node)
        for node in _class_node(protocol).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return a signature on one line, or with one argument a line where it is long."""
    given = node.args
    parts = [ast.unparse(argument) for argument in given.args if argument.arg != "self"]
    if given.kwonlyargs:
        parts.append("*")
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parts.append(ast.unparse(argument) + ("" if default is None else f" = {_source(default)}"))
    if given.kwarg is not None:
        parts.append(f"**{ast.unparse(given.kwarg)}")
    answer = ast.unparse(node.returns or ast.Constant(None))
    line = f"{node.name}({', '.join(parts)}) -> {answer}"
    if len(line) <= LINE_CHARS:
        return line
    return f"{node.name}(\n    " + ",\n    ".join(parts) + f",\n) -> {answer}"


def _limits() -> list[tuple[str, str]]:
    most = {
        "a text, in characters": TEXT_CHARS_MAX,
        "a title, a trigger, a scenario or a document's name, in characters": (
            limits.TITLE_CHARS_MAX
        ),
        "any other short text, in characters": limits.NAME_CHARS_MAX,
        "tags, keywords or scenarios of a memory, each": limits.LIST_MAX,
        "steps of a procedure": limits.STEPS_MAX,
        "a step, in characters": limits.STEP_CHARS_MAX,
        "keys of metadata": limits.METADATA_KEYS_MAX,
        "a text in metadata, in characters": limits.METADATA_CHARS_MAX,
        "ids in `supporting`": limits.SUPPORT_MAX,
        "memories of one `write_many`": BATCH_MAX,
        "an idempotency key, in characters": KEY_CHARS_MAX,
        "topics that are never kept": TOPICS_MAX,
        "a topic, in characters": TOPIC_CHARS_MAX,
        "sessions that were started and go on": SESSIONS_MAX,
        "a query of feedback, in characters": QUERY_CHARS_MAX,
        "rows of feedback of a space; the oldest go": FEEDBACK_KEPT,
        "a question, in characters": question.QUESTION_CHARS_MAX,
        "`k`": question.K_MAX,
        "`limit` of `list` and `events`": LIST_LIMIT_MAX,
        "a tenant, user, agent or project, in bytes": SEGMENT_BYTES_MAX,
    }
    return [(name, f"{limit:,}") for name, limit in most.items()]


def _values(value: type, more: Mapping[str, str] | None = None) -> str:
    """Return the table of a value's fields: type and default as its source spells them."""
    said = {**(more or {}), **_described(value).names}
    rows = []
    for node in _class_node(value).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            default = "" if node.value is None else f"`{_source(node.value)}`"
            name = node.target.id
            rows.append(
                (f"`{name}`", f"`{ast.unparse(node.annotation)}`", default, said.get(name, ""))
            )
    heads = ("field", "type", "default", "meaning")
    filled = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    return table([heads[at] for at in filled], [[row[at] for at in filled] for row in rows])


def _source(node: ast.expr) -> str:
    shown = ast.unparse(node).replace("'", '"')
    return "{}" if shown == "field(default_factory=dict)" else shown


def _fields_of(typed_dict: type) -> str:
    names = ", ".join(f"`{name}`" for name in typed_dict.__annotations__)
    return f"`edit` takes these by keyword: {names}. Types are as above. The rest stays as it is."


def _class_node(of: type) -> ast.ClassDef:
    (node,) = ast.parse(dedent(inspect.getsource(of))).body
    assert isinstance(node, ast.ClassDef)  # noqa: S101 - it was a class
    return node


def _described(of: object) -> Described:
    """Read a docstring: paragraphs, then `Args:` or `Attributes:`."""
    head, _, rest = (
        (inspect.getdoc(of) or "")
        .replace("\nArgs:\n", "\nAttributes:\n")
        .partition("\nAttributes:\n")
    )
    names: dict[str, str] = {}
    for line in rest.splitlines():
        if line.startswith("     ") and names:
            names[next(reversed(names))] += " " + line.strip()
        elif ": " in line:
            name, words = line.strip().split(": ", 1)
            names[name] = words
    paragraphs = tuple(" ".join(part.split()) for part in head.split("\n\n") if part.strip())
    return Described(paragraphs, names)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
