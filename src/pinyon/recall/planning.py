"""From what was asked to what is going to be done."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pinyon.domain.filter import (
    EVERYTHING,
    Cmp,
    Eq,
    Filter,
    In,
    Not,
    parse_filter,
)
from pinyon.domain.memory import KINDS, Kind
from pinyon.domain.question import (
    DEADLINE_MS_MAX,
    INTENTS,
    K_MAX,
    QUALITIES,
    QUESTION_CHARS_MAX,
    RECENT_TURNS_MAX,
    SITUATION,
    AsOf,
    Filters,
    Intent,
    Quality,
    RecallContext,
)
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.domain.times import moment_of, read_instant
from pinyon.errors import InvalidText, InvalidValue, TooLarge
from pinyon.ports.embedder import Embedder
from pinyon.ports.sessions import Sessions
from pinyon.recall.approaches import APPROACHES
from pinyon.recall.recalling import Plan, Question, Reading, Recalling
from pinyon.recall.temporary import STAYS_IN_ITS_SESSION, kept_apart
from pinyon.text.asking.follow_ups import leans_on_the_turn_before
from pinyon.text.asking.intents import asks_for_whatever_was, intent_of
from pinyon.text.dates import Window, windows_of
from pinyon.text.normal import keep
from pinyon.text.scripts import is_mostly_latin
from pinyon.text.sentences import asks, parts_of
from pinyon.text.tokens import question_terms

NOT_YET = "not yet true then"
"""The condition that a question has which asks for what was true at another time."""

CANDIDATES_PER_LEG = 80
RECENT_MAX = 20

TURNS_JOINED = 2
TURN_CHARS = 300
"""What a question that leans on what came before is joined with: the last turns, cut."""

_OPENING = re.compile(r"(?:and|but|or|also|then)\s+", re.IGNORECASE)
_IN_WORDS: Mapping[Intent, str] = {
    "general": "whatever fits",
    "fact": "a fact",
    "preference": "a preference",
    "conversation": "what was said",
    "solution": "what worked",
    "history": "how it came to be so",
    "cause": "what led to it",
    "tool": "how a tool was called",
    "observation": "whether it was seen before",
    "catalog": "what the catalog says",
}

KEYWORD_FLOOR = 0.2
"""Share of a question's weight that the best hit must hold where only words are compared.

Source: questions of five long chats, asked of their own chat and of others: at 0.2 one answer in a
hundred is lost; `docs/adr/0006-keyword-floor.md` has the table.
"""

KEYWORD_FLOOR_WORDS = 10
"""Words up to which the whole floor holds. A Chinese character or two are a word here."""


def question_of(  # noqa: PLR0913 - one argument for each part of a question
    text: object,
    *,
    spaces: Sequence[Space],
    now_us: int,
    k: int = 10,
    kinds: Sequence[Kind] = (),
    filters: Filters | None = None,
    as_of: AsOf | None = None,
    include_superseded: bool = False,
    context: RecallContext | None = None,
    quality: Quality = "default",
    intent: Intent | None = None,
    deadline_ms: int | None = None,
    if_needed: bool = False,
    include_events: bool = False,
) -> Question:
    """Return a question, checked and complete.

    Raises:
        BadInput: A part of it is not what it must be.
        TooLarge: Its text is longer than `QUESTION_CHARS_MAX`.
    """
    asked = checked_question(text)
    said = {
        "include_superseded": include_superseded,
        "if_needed": if_needed,
        "include_events": include_events,
    }
    for name, value in said.items():
        if not isinstance(value, bool):
            raise InvalidValue(name, value, "true or false")
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= K_MAX:
        raise InvalidValue("k", k, f"a whole number from 1 to {K_MAX}")
    if quality not in QUALITIES:
        raise InvalidValue("quality", quality, "one of " + ", ".join(QUALITIES))
    unknown = [kind for kind in _listed("kinds", kinds) if kind not in KINDS]
    if unknown:
        raise InvalidValue("kind", unknown[0], "one of " + ", ".join(KINDS))
    where = standing(now_us, as_of, include_superseded=include_superseded)
    if intent is not None:
        where.update(_kept_to(intent, where))
    context = _checked_context(context or RecallContext())
    if kinds:
        where["kind"] = In("kind", tuple(kinds))
    if filters is not None:
        given = parse_filter(filters) if not isinstance(filters, Filter) else filters
        if given != EVERYTHING:
            where["filter"] = given
    return Question(
        text=asked,
        spaces=tuple(spaces),
        where=where,
        context=context,
        known_at_us=None if as_of is None or as_of.known is None else read_instant(as_of.known)[0],
        k=k,
        quality=quality,
        intent=intent,
        deadline_ms=_deadline(deadline_ms),
        if_needed=if_needed,
        include_events=bool(include_events or (intent and APPROACHES[intent].events)),
        now_us=now_us,
        key=repr(
            (
                asked,
                tuple(map(str, spaces)),
                k,
                tuple(kinds),
                where.get("filter"),
                as_of,
                include_superseded,
                context,
                quality,
                intent,
                deadline_ms,
                if_needed,
                include_events,
            )
        ),
    )


def _kept_to(intent: Intent, where: Mapping[str, Filter]) -> dict[str, Filter]:
    """Return what changes about what may answer, where an intent is named."""
    if intent not in INTENTS:
        raise InvalidValue("intent", intent, "one of " + ", ".join(INTENTS))
    approach = APPROACHES[intent]
    changed: dict[str, Filter] = {}
    if approach.keeps != EVERYTHING:
        changed["intent"] = approach.keeps
    if approach.lets_in_history and "status" in where:
        changed["status"] = Not(Eq("status", "retracted"))
        changed["over"] = EVERYTHING
    return changed


def _deadline(deadline_ms: int | None) -> int | None:
    if deadline_ms is None:
        return None
    whole = isinstance(deadline_ms, int) and not isinstance(deadline_ms, bool)
    if not whole or not 1 <= deadline_ms <= DEADLINE_MS_MAX:
        allowed = f"a whole number of milliseconds from 1 to {DEADLINE_MS_MAX:,}"
        raise InvalidValue("deadline_ms", deadline_ms, allowed)
    return deadline_ms


def standing(now_us: int, as_of: AsOf | None, *, include_superseded: bool) -> dict[str, Filter]:
    """Return what a memory must be to answer at all, by name of the condition.

    By default it is active, on the open shelf, neither over nor expired. Asked for another time, it
    goes by its dates and is only never one that was retracted.
    """
    where: dict[str, Filter] = {"shelf": Eq("shelf", "open")}
    if as_of is not None and as_of.valid is not None:
        at_us = read_instant(as_of.valid)[0]
        where["status"] = Not(Eq("status", "retracted"))
        where[NOT_YET] = Not(Cmp("valid_from", "gt", at_us))
        where["no longer true then"] = Not(Cmp("valid_until", "lte", at_us))
        return where
    at_us = now_us
    if as_of is not None and as_of.known is not None:
        at_us = read_instant(as_of.known)[0]
    where["expired"] = Not(Cmp("expires_at", "lte", at_us))
    if include_superseded:
        return where
    where["status"] = Eq("status", "active")
    where["over"] = Not(Cmp("valid_until", "lte", at_us))
    return where


class Planning:
    """The first stage: what is looked for, and by which legs."""

    name = "plan"

    def __init__(self, sessions: Sessions, embedder: Embedder | None = None) -> None:
        self._sessions, self._embedder = sessions, embedder

    def wanted(self, recalling: Recalling) -> bool:
        """Return true: nothing goes without a plan."""
        return True

    async def run(self, recalling: Recalling) -> Recalling:
        """Read off the question what it is after; one without a word is answered by the newest."""
        question = await self._apart(recalling.question)
        windows = windows_of(question.text, moment_of(question.now_us))
        intent = question.intent or intent_of(question.text)
        terms = question_terms(question.text)
        if asks_for_whatever_was(_without(windows, question.text)):
            terms = Terms(())
        legs: tuple[str, ...] = ("keyword",) if terms else ("recent",)
        if terms and self._embedder is not None and self._embedder.knows(question.text):
            legs = ("keyword", "vector")
        readings = readings_of(question) if terms else ()
        plan = Plan(
            terms=Terms(
                tuple(dict.fromkeys(w for one in readings for w in one.words)), terms.phrases
            ),
            intent=intent,
            is_named=question.intent is not None,
            readings=readings,
            legs=legs,
            per_leg=CANDIDATES_PER_LEG,
            reranks=question.quality == "best" and bool(terms),
            windows=windows,
        )
        return replace(recalling, question=question, plan=plan, note=self._note(plan))

    async def _apart(self, question: Question) -> Question:
        """Return a question that no temporary session answers but the one that it is asked in.

        Which there are is no part of the question: an answer that is kept is void when one begins
        or ends, as with any change of the space.
        """
        apart = await kept_apart(
            self._sessions,
            question.spaces,
            within=question.context.session,
            now_us=question.now_us,
        )
        if apart == EVERYTHING:
            return question
        return replace(question, where={**question.where, STAYS_IN_ITS_SESSION: apart})

    def _note(self, plan: Plan) -> str:
        named = "is told to look" if plan.is_named else "looks"
        note = f"{named} for {_IN_WORDS[plan.intent]}; asks {' and '.join(plan.legs)}"
        note += self._why(plan.legs)
        if len(plan.readings) > 1:
            note += f"; read in {len(plan.readings)} ways"
        if plan.windows:
            note += "; looks at " + ", ".join(f"“{window.said}”" for window in plan.windows)
        return note

    def _why(self, legs: Sequence[str]) -> str:
        if "keyword" not in legs or "vector" in legs:
            return ""
        if self._embedder is None:
            return " alone: there is no model"
        return " alone: the model does not know this script"


def readings_of(question: Question) -> tuple[Reading, ...]:
    """Return the ways to read a question: as it stands, in parts, joined with what came before.

    "And the other one?" means nothing by itself, and what it is joined with may be another matter:
    so both are looked for, and the better one counts.
    """
    readings = [_reading(question.text)]
    readings += [_reading(part, asks=_asks_by_itself(part)) for part in parts_of(question.text)]
    turns = [turn.strip() for turn in question.context.recent_turns if turn.strip()]
    turns = [turn for turn in turns if turn != question.text][-TURNS_JOINED:]
    if turns and leans_on_the_turn_before(question.text):
        joined = "\n".join([*(turn[:TURN_CHARS] for turn in turns), question.text])
        readings.append(_reading(joined))
    return tuple(readings)


def _asks_by_itself(part: str) -> bool:
    """Return whether a part wants an answer of its own; "and what happened to each?" does not.

    In Chinese "this park" mostly is one that somebody has before their eyes, and not a word back.
    """
    alone = _OPENING.sub("", part, count=1) if _OPENING.match(part) else part
    return asks(part) and not (is_mostly_latin(part) and leans_on_the_turn_before(alone))


def _reading(text: str, *, asks: bool = False) -> Reading:
    return Reading(text, question_terms(text).words, asks)


def _without(windows: Sequence[Window], text: str) -> str:
    for window in windows:
        text = text.replace(window.said, " ")
    return text


def keyword_floor(words: int) -> float:
    """Return the floor for a question of so many words.

    Somebody who rambles for ten sentences and asks for one thing still asks for it: above
    `KEYWORD_FLOOR_WORDS` the share that must be matched falls as the question grows.

    Returns:
        In `(0, KEYWORD_FLOOR]`.
    """
    return KEYWORD_FLOOR * min(1.0, KEYWORD_FLOOR_WORDS / max(words, 1))


def _checked_context(context: RecallContext) -> RecallContext:
    """Return a situation, each part of which is text.

    Raises:
        InvalidText: One is not.
        InvalidValue: The turns before are no list.
        TooLarge: There are too many of them.
    """
    turns = _listed("recent_turns", context.recent_turns)
    if len(turns) > RECENT_TURNS_MAX:
        raise TooLarge(
            "recent_turns",
            size=len(turns),
            limit=RECENT_TURNS_MAX,
            unit="turns",
            hint="the last few tell what a question leans on",
        )
    named = [(name, getattr(context, name)) for name in SITUATION]
    for field, value in (*named, *(("recent_turns", turn) for turn in turns)):
        if not isinstance(value, str):
            raise InvalidText(field, f"must be text, not {type(value).__name__}")
    return context


def _listed(field: str, value: object) -> Sequence[object]:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise InvalidValue(field, value, "a list of texts")
    return value


def checked_question(text: object) -> str:
    """Return the text of a question as it is asked.

    Raises:
        InvalidText: It is no text, or blank.
        TooLarge: It is longer than `QUESTION_CHARS_MAX`.
    """
    if not isinstance(text, str):
        raise InvalidText("question", f"must be text, not {type(text).__name__}")
    if len(text) > QUESTION_CHARS_MAX:
        raise TooLarge(
            "question",
            size=len(text),
            limit=QUESTION_CHARS_MAX,
            unit="characters",
            hint="ask for one thing",
        )
    if not text.strip():
        raise InvalidText("question", "is empty; say what you want to know")
    return keep(text)
