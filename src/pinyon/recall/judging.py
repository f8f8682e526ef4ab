"""Quality `judged`: a chat model says of the best candidates which answer, which do not, and why.

What it says moves the best few among themselves, and takes none away: a judge that is wrong costs
places and no answers. What was asked for to the letter stays, whatever it says.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from pinyon.domain.memory import Memory
from pinyon.domain.times import show_instant
from pinyon.errors import Unavailable
from pinyon.ports.judge import JUDGED_MAX, ForJudging, Judge, Judgement
from pinyon.recall.meaning import BY_WORDS
from pinyon.recall.recalling import Key, Recalling, Scored
from pinyon.text.reading import as_read
from pinyon.text.tokens import is_literal

JUDGE_WEIGHT = 0.5
"""What the judge's score counts beside the relevance that was found without it.

Source: a judge that knows the answers, on five long chats and the bundled corpus, nDCG@10. Never
wrong: 85.3 and 97.1 at 0.5 and at 0.7, 84.7 and 97.1 at 1; wrong of one in ten: 78.0 and 91.2 at
0.5, 77.9 and 89.8 at 0.7, 73.1 and 86.5 at 1.
"""
BEHIND = 0.9
"""What is of no use counts so much of the least that is kept, at most.

Source: the same. Behind the best ten altogether it would lose answers wherever a judge is wrong:
recall@10 84.2 and 97.0 behind what is kept, 81.4 and 91.3 behind everything, with one in ten wrong.
"""
TURNS_SHOWN = 2
CACHED_MAX = 1_000

NO_JUDGE = "there is no chat model: set PINYON_CHAT"

Judgements = Mapping[int, Judgement]
Text = tuple[str, str]
"""What a memory says, as far as it takes to tell whether another one says the same."""


class JudgementCache:
    """Remembers what was judged within the process: no text, and so no reasons either."""

    def __init__(self) -> None:
        self._judged: OrderedDict[str, Judgements] = OrderedDict()

    def get(self, asked: str) -> Judgements | None:
        """Return what was said of just these memories, asked just this, if it is known."""
        if asked in self._judged:
            self._judged.move_to_end(asked)
        return self._judged.get(asked)

    def put(self, asked: str, judged: Judgements) -> None:
        """Keep it without its reasons; what was asked for longest ago makes room."""
        self._judged[asked] = {place: replace(one, reason="") for place, one in judged.items()}
        if len(self._judged) > CACHED_MAX:
            self._judged.popitem(last=False)


class Judging:
    """Has the best candidates judged, all at once."""

    name = "judge"

    def __init__(self, judge: Judge | None, cache: JudgementCache) -> None:
        self._judge, self._cache = judge, cache

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether it is asked for, and there is anything that may become an answer."""
        is_asked = recalling.question.quality == "judged" and bool(recalling.planned.terms)
        return is_asked and bool(recalling.ranked) and recalling.best >= recalling.floor

    async def run(self, recalling: Recalling) -> Recalling:
        """Order the best candidates by what is said of them; the others stay behind them."""
        if self._judge is None:
            return recalling.without(self.name, NO_JUDGE)
        first = _best_different(recalling)
        found = _for_judging(recalling, tuple(first.values()))
        asked = _digest(self._judge.label, recalling, tuple(first.values()), found)
        judged, before = self._cache.get(asked), ", as before"
        if judged is None:
            try:
                judged, before = await self._judge.judge(found), ""
            except Unavailable as error:
                return recalling.without(self.name, str(error))
            self._cache.put(asked, judged)
        said = {text: judged.get(place) for place, text in enumerate(first)}
        kept = sum(one.keeps for one in judged.values())
        note = f"{self._judge.label} keeps {kept} of {len(first)}{before}"
        # It orders what was found; whether anything was, the first stage tells better.
        return replace(recalling, ranked=_ordered(recalling, said), note=note)


def _text_of(memory: Memory) -> Text:
    return memory.kind, memory.content_hash


def _best_different(recalling: Recalling) -> dict[Text, Key]:
    """Return the best candidates, the first one of each text: equal ones are judged as one."""
    first: dict[Text, Key] = {}
    for one in recalling.ranked:
        first.setdefault(_text_of(recalling.memories[one.key]), one.key)
        if len(first) == JUDGED_MAX:
            break
    return first


def _for_judging(recalling: Recalling, keys: Sequence[Key]) -> ForJudging:
    question = recalling.question
    return ForJudging(
        space=question.spaces[0],
        question=question.text,
        said_before=question.context.recent_turns[-TURNS_SHOWN:],
        now_us=question.now_us,
        memories=[_told(recalling.memories[key], recalling.passage_of.get(key, 0)) for key in keys],
    )


def _told(memory: Memory, passage: int) -> str:
    times = memory.times
    since_us = (times.valid_from_us, times.occurred_at_us, times.created_at_us)
    at_us = next(at_us for at_us in since_us if at_us is not None)
    held = "" if memory.status == "active" else f", {memory.status}"
    day = show_instant(at_us, times.offset_min)[:10]
    return f"({day}, {memory.kind}{held}) {as_read(memory, passage)}"


def _digest(label: str, recalling: Recalling, keys: Sequence[Key], found: ForJudging) -> str:
    """Return what tells whether the same was asked of the same before."""
    versions = [(*key, recalling.memories[key].version) for key in keys]
    day = show_instant(found.now_us)[:10]
    asked = (label, day, found.question, *found.said_before, found.memories, *versions)
    return blake2b(repr(asked).encode(), digest_size=16).hexdigest()


def _ordered(recalling: Recalling, said: Mapping[Text, Judgement | None]) -> tuple[Scored, ...]:
    """Return the candidates in their new order: what is kept, what is of no use, the rest.

    What was left out keeps its relevance. Where nothing is kept, nothing goes behind: who likes
    nothing says nothing about the order.
    """
    some_are_kept = any(one is not None and one.keeps for one in said.values())
    literal = _meant_to_the_letter(recalling)
    kept: list[Scored] = []
    useless: list[Scored] = []
    rest: list[Scored] = []
    for one in recalling.ranked:
        text = _text_of(recalling.memories[one.key])
        judgement = said.get(text)
        if judgement is None:
            (kept if text in said else rest).append(one)
            continue
        goes = some_are_kept and not judgement.keeps and one.key not in literal
        least = one.relevance if one.key in literal else 0.0
        (useless if goes else kept).append(_scored(one, judgement, least))
    kept.sort(key=lambda one: -one.score)
    useless.sort(key=lambda one: -one.score)
    judged = [*kept, *_behind(kept[-1].score * BEHIND, useless)]
    return (*judged, *_behind(judged[-1].score, rest))


def _behind(highest: float, ranked: Sequence[Scored]) -> list[Scored]:
    """Return candidates in their order, none of them with a score above that."""
    return [replace(one, score=min(one.score, highest)) for one in ranked]


def _meant_to_the_letter(recalling: Recalling) -> set[Key]:
    """Return what holds a version, an error code or an identifier that is asked for."""
    return {
        (space, one.id)
        for (leg, space), brought in recalling.found.items()
        if leg in BY_WORDS
        for one in brought
        if any(is_literal(word) for word in one.matched)
    }


def _scored(one: Scored, judgement: Judgement, least: float) -> Scored:
    relevance = JUDGE_WEIGHT * judgement.score + (1 - JUDGE_WEIGHT) * one.relevance
    relevance = max(relevance, least)
    scores = {**one.scores, "judged": judgement.score}
    return replace(
        one, relevance=relevance, score=relevance, scores=scores, judged=judgement.reason
    )
