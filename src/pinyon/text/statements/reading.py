"""Reading a message: what states nothing is hidden, and rules read the clauses of the rest."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from pinyon.domain.consolidation import Statement
from pinyon.text.facets import facets_of
from pinyon.text.sentences import sentence_spans
from pinyon.text.standing import standing_of
from pinyon.text.statements.certainty import Span, doubtful, meant_before_a_question
from pinyon.text.statements.chinese import CHINESE
from pinyon.text.statements.english import ENGLISH
from pinyon.text.statements.rules import HIDDEN, Found, Language
from pinyon.text.statements.vocabulary import USER, attribute_of

CHARS_MAX = 2_000
"""What is longer is a document or a log, whoever sent it."""
SENTENCE_CHARS_MAX = 400

_HAN = re.compile("[\u4e00-\u9fff]")
_HIDDEN = (
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"`[^`\n]*`"),
    re.compile('"[^"\n]*"|“[^“”\n]*”|「[^「」\n]*」|『[^『』\n]*』|‘[^‘’\n]*’|«[^«»\n]*»'),
    # Lines that were quoted, listed, or taken from a conversation.
    re.compile(r"^[ \t]*(?:>|[-*•·][ \t]|\d{1,3}[.)][ \t]).*$", re.MULTILINE),
    re.compile(
        r"^[ \t]*(?!(?:note|ps|p\.s\.|fyi|update|correction|edit|btw|更正|补充|备注|对了)\b)"
        r"(?:[A-Za-z][\w.-]{0,20}(?: [A-Z][\w.-]{0,20})?|[\u4e00-\u9fff]{1,5})[ \t]?[:：].*$",
        re.MULTILINE | re.IGNORECASE,
    ),
)
_ASKED, _ASKED_WIDE = "?", "？"
_TRAILING = " \t.,;:!?。，；：！？…~～)）"
_LEANS = re.compile(r"\b(?:it|them|that|this|those)\b|[它这那]", re.IGNORECASE)
"""Words by which an order may mean what its sentence began with."""
_PASSING = frozenset({"preference", "constraint", "instruction"})
"""Categories of which nothing is meant to last where it is said for once."""


@dataclass(frozen=True, slots=True)
class _Clause:
    """A part of a sentence that may state something.

    Attributes:
        start: Where it begins, with the condition before it.
        end: Where it ends.
        said: What the rules read: without fillers, conditions, with what was left out.
        is_limited: Whether it holds under a condition only.
    """

    start: int
    end: int
    said: str
    is_limited: bool = False


def statements_in(text: str) -> tuple[Statement, ...]:
    """Return what a message states, in its order; each with the clause that says it.

    Args:
        text: What a user wrote. Of what others wrote nothing is the user's: do not ask.
    """
    if len(text) > CHARS_MAX or any(one.tasks.match(text) for one in (ENGLISH, CHINESE)):
        return ()
    plain = _without_what_is_not_said(text)
    if any(one.takes_back.search(plain) for one in (ENGLISH, CHINESE)) or facets_of(plain).has_code:
        return ()
    found: dict[tuple[str, str, str], Statement] = {}
    for start, end in sentence_spans(plain):
        for one in _in_sentence(plain, start, end):
            found.setdefault((one.subject, one.attribute, one.value.casefold()), one)
    return tuple(found.values())


def _without_what_is_not_said(text: str) -> str:
    """Return a text of the same length in which code, quotations and lists are hidden."""
    plain = text.replace("’", "'").replace("\u00a0", " ")
    for pattern in _HIDDEN:
        plain = pattern.sub(lambda match: HIDDEN * len(match[0]), plain)
    return plain


def _in_sentence(text: str, start: int, end: int) -> Iterator[Statement]:
    """Yield what a sentence states."""
    said = text[start:end].rstrip(_TRAILING)
    end_said = start + len(said)
    language = CHINESE if _HAN.search(said) else ENGLISH
    is_asked = _ASKED in text[end_said:end] or _ASKED_WIDE in text[end_said:end]
    if not 0 < len(said) <= SENTENCE_CHARS_MAX or HIDDEN in said:
        return
    parts = list(_parts(text, start, end_said, language))
    meant = meant_before_a_question(text, parts, language, is_asked=is_asked)
    if not meant:
        return
    others = language.others_speak.search(said)
    order = None if others or is_asked else _order_in(text, parts, end_said, language)
    if order is not None:
        if not language.for_once.search(said):
            found = Found(USER, "instruction", text[order:end_said], "holds", "")
            leans = _LEANS.search(found.value) is not None
            yield _statement(found, parts[0][0] if leans else order, end_said)
        meant = [part for part in meant if part[1] <= order]
    if not meant:
        return
    if others is not None and _ends_reporting(said, others):
        return
    own = end_said if others is None else start + others.start()
    doubted = doubtful(text, parts, language)
    clauses = [
        one
        for one in _clauses(text, meant, language)
        if one.end <= own
        and not any(one.start < ends and begins < one.end for begins, ends in doubted)
    ]
    for clause, after in zip_longest(clauses, clauses[1:]):
        yield from _in_clause(clause, after, language)


def _ends_reporting(said: str, others: re.Match[str]) -> bool:
    """Return whether a sentence tells at its end that all before it was somebody's: ", he said"."""
    return not said[others.end() :].strip() and others.start() > 0


def _order_in(text: str, parts: list[Span], end: int, language: Language) -> int | None:
    """Return where in a sentence a standing order to the assistant begins."""
    for begins, ends in parts:
        is_one = language.orders.match(text[begins:ends])
        if is_one and standing_of(text[begins:end]) == "instruction":
            return begins
    return None


def _clauses(text: str, parts: Sequence[Span], language: Language) -> Iterator[_Clause]:
    """Yield the clauses of a sentence; what limits a statement stays with it."""
    limited_from = None
    opening, before = parts[0][0], ""
    for begins, ends in parts:
        said = text[begins:ends]
        condition = language.condition.match(said)
        if condition is None and limited_from is None and language.limit.fullmatch(said):
            limited_from = begins
            continue
        is_limited = condition is not None or limited_from is not None
        if condition is not None:
            said = said[condition.end() :]
        whole = _with_what_was_left_out(said, before, language)
        if limited_from is not None:
            opening, limited_from = limited_from, None
        elif whole is None:
            opening = begins
        yield _Clause(opening, ends, whole or said, is_limited)
        if whole is not None or language.carries.match(said) is None:
            before = whole or said


def _with_what_was_left_out(said: str, before: str, language: Language) -> str | None:
    """Return a clause with what it leaves out after the one before; `None` for others."""
    filled = (one.fill(said, before) for one in language.omissions)
    return next((whole for whole in filled if whole is not None), None)


def _parts(text: str, start: int, end: int, language: Language) -> Iterator[Span]:
    """Yield where the parts between separators begin and end, without fillers and last marks."""
    marks = [match.span() for match in language.separator.finditer(text, start, end)]
    for (_, begins), (ends, _) in pairwise([(start, start), *marks, (end, end)]):
        part = text[begins:ends].rstrip(_TRAILING)
        bare = _without_filler(part.lstrip(), language)
        if bare:
            yield begins + len(part) - len(bare), begins + len(part)


def _without_filler(said: str, language: Language) -> str:
    filler = language.filler.match(said)
    return said[filler.end() :] if filler else said


def _in_clause(clause: _Clause, after: _Clause | None, language: Language) -> Iterator[Statement]:
    """Yield what a clause states, with the one after it where that says what does not hold."""
    is_for_once = language.for_once.search(clause.said) is not None
    instead = language.instead.fullmatch(after.said) if after is not None else None
    for rule in language.rules:
        found = rule.read(clause.said)
        if found is None or (rule.is_reply and instead is None):
            continue
        if is_for_once and attribute_of(found.attribute).category in _PASSING:
            continue
        end = clause.end
        if after is not None and instead is not None:
            found, end = replace(found, replaces=instead["old"]), after.end
        yield _statement(found, clause.start, end, is_limited=clause.is_limited)


def _statement(found: Found, start: int, end: int, *, is_limited: bool = False) -> Statement:
    attribute = attribute_of(found.attribute)
    return Statement(
        start=start,
        end=end,
        subject=found.subject,
        attribute=found.attribute,
        value=found.value,
        says=found.says,
        is_single=attribute.is_single and not is_limited,
        replaces=found.replaces,
        category=attribute.category,
    )
