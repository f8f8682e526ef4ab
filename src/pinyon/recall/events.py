"""What happened, beside what is remembered: events of the log that hold a question's words.

They are no memories: none of them takes a hit's place, and nothing is weighed against them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pinyon.domain.answers import EventHit
from pinyon.domain.event import Event, trust_of
from pinyon.domain.filter import EVERYTHING, Filter, all_of, matches
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory, Source, Times
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.domain.times import read_instant
from pinyon.ports.event_log import ALL_EVENTS, EventCandidate, EventLog, Within
from pinyon.ports.search import TermStats
from pinyon.ranking.relevance import affordable, matched_share, word_weights
from pinyon.recall.legs.dated import of_windows
from pinyon.recall.legs.keyword import ROWS_SCORED_MAX
from pinyon.recall.planning import CANDIDATES_PER_LEG, NOT_YET, keyword_floor
from pinyon.recall.recalling import EVENTS, Plan, Question, Recalling
from pinyon.recall.side_by_side import side_by_side
from pinyon.recall.temporary import STAYS_IN_ITS_SESSION
from pinyon.text.facets import facets_of
from pinyon.text.normal import keep
from pinyon.text.tokens import question_terms, spellings

_NARROWS = ("kind", "filter", "intent", NOT_YET, STAYS_IN_ITS_SESSION)
"""Conditions of a question that keep events out too; the others are about how a memory stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for in which logs.

    Attributes:
        text: The words as they were written.
        terms: What they look for; without any the newest come.
        where: What else an event must be, as if it were an episode.
        known_at_us: Only what was kept by then.
    """

    spaces: Sequence[Space]
    text: str
    terms: Terms
    within: Within = ALL_EVENTS
    where: Filter = EVERYTHING
    known_at_us: int | None = None
    limit: int

    def lets_pass(self, event: Event, space: Space) -> bool:
        """Return whether an event is none that is kept out."""
        if self.known_at_us is not None and event.created_at_us > self.known_at_us:
            return False
        return self.where == EVERYTHING or matches(self.where, episode_of(event, space))


class EventFinder:
    """Finds events in the logs of several spaces, and puts them in one order.

    Each counts by the share of the question's weight that it holds, over all logs that are asked;
    of equal ones the one comes first that its own log puts higher.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log

    async def find(self, search: Search) -> tuple[EventHit, ...]:
        """Return what is found, best first."""
        if not search.terms:
            return await self._newest(search)
        quoted = (word for phrase in search.terms.phrases for word in phrase)
        words = tuple(dict.fromkeys((*search.terms.words, *quoted)))
        stats = await side_by_side([self._log.word_stats(one, words) for one in search.spaces])
        asked = affordable(
            search.terms.words,
            {word: max(one.df[word] for one in stats) for word in words},
            rows=ROWS_SCORED_MAX,
        )
        if not asked and not search.terms.phrases:
            return ()
        terms = Terms(tuple(asked), search.terms.phrases)
        weights = _weights(words, stats, asked)
        brought = await side_by_side([self._passing(one, search, terms) for one in search.spaces])
        found = [
            (_hit(candidate, space, search.text, weights), candidate.score)
            for space, candidates in zip(search.spaces, brought, strict=True)
            for candidate in candidates
        ]
        found.sort(key=lambda one: (-one[0].score, -one[1]))
        return tuple(hit for hit, _ in found[: search.limit])

    async def _passing(self, space: Space, search: Search, terms: Terms) -> list[EventCandidate]:
        """Return candidates that pass; as many more are asked for as were kept out."""
        wanted = limit = max(search.limit, CANDIDATES_PER_LEG)
        while True:
            found = await self._log.find(space, terms, search.within, limit=limit)
            passing = [one for one in found if search.lets_pass(one.event, space)]
            if len(passing) >= wanted or len(found) < limit:
                return passing[:wanted]
            limit *= 2

    async def _newest(self, search: Search) -> tuple[EventHit, ...]:
        brought = await side_by_side([self._newest_of(one, search) for one in search.spaces])
        found = [
            EventHit(event=event, space=space, score=0.0, matched=())
            for space, events in zip(search.spaces, brought, strict=True)
            for event in events
        ]
        found.sort(key=lambda one: -one.event.occurred_at_us)
        return tuple(found[: search.limit])

    async def _newest_of(self, space: Space, search: Search) -> list[Event]:
        limit = search.limit
        while True:
            found = await self._log.newest(space, search.within, limit=limit)
            passing = [event for event in found if search.lets_pass(event, space)]
            if len(passing) >= search.limit or len(found) < limit:
                return passing[: search.limit]
            limit *= 2


class Events:
    """The last stage: brings events along, where the question wants them."""

    name = EVENTS

    def __init__(self, log: EventLog) -> None:
        self._finder = EventFinder(log)

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether they are asked for; no event tells what became of a memory."""
        return recalling.question.include_events and recalling.pinned is None

    async def run(self, recalling: Recalling) -> Recalling:
        """Ask the log of every space; where even the best says next to nothing, none come."""
        question, plan = recalling.question, recalling.planned
        terms = plan.terms
        events = await self._finder.find(
            Search(
                spaces=question.spaces,
                text=question.text,
                terms=Terms(_without_times(plan), terms.phrases),
                within=_within(question, plan),
                where=_where(question, plan),
                known_at_us=question.known_at_us,
                limit=question.k,
            )
        )
        if terms and events and events[0].score < keyword_floor(len(terms.words)):
            events = ()
        return replace(recalling, events=events, note=f"{len(events)} from the log")


def episode_of(event: Event, space: Space) -> Memory:
    """Return the memory that an event would be: what a filter is held against."""
    return Memory(
        id=MemoryId("mem_" + event.id[4:]),
        space=space,
        kind="episodic",
        text=event.text,
        metadata=event.metadata,
        trust=trust_of(event.role),
        times=Times(
            occurred_at_us=event.occurred_at_us,
            offset_min=event.offset_min,
            valid_from_us=event.occurred_at_us,
            created_at_us=event.created_at_us,
            updated_at_us=event.created_at_us,
        ),
        source=Source(
            session=event.session,
            event_type=event.event_type,
            role=event.role,
            speaker=event.speaker,
            parent_event=event.parent,
            message_id=event.message_id,
        ),
        content_hash=event.content_hash,
        facets=facets_of(event.text),
    )


def _within(question: Question, plan: Plan) -> Within:
    """Return where the log is looked at: the times that are named; of an intent, its own events."""
    types = plan.named_approach.events
    spans = [(read_instant(one.start)[0], read_instant(one.end)[0]) for one in plan.windows]
    return Within(
        types=types,
        speaker=keep(question.context.tool) if types else "",
        since_us=min((start_us for start_us, _ in spans), default=None),
        until_us=max((end_us for _, end_us in spans), default=None),
    )


def _where(question: Question, plan: Plan) -> Filter:
    """Return what else an event must be; what `_within` says already is left out."""
    names = [name for name in _NARROWS if name in question.where]
    if plan.named_approach.events and "intent" in names:
        names.remove("intent")
    windows = [of_windows(plan.windows)] if len(plan.windows) > 1 else []
    return all_of(*(question.where[name] for name in names), *windows)


def _without_times(plan: Plan) -> tuple[str, ...]:
    """Return the words that are looked for: "in April" is found by its date."""
    of_a_time = {word for one in plan.windows for word in question_terms(one.said).words}
    return tuple(word for word in plan.terms.words if word not in of_a_time)


def _weights(
    words: Sequence[str], stats: Sequence[TermStats], asked: Sequence[str]
) -> Mapping[str, float]:
    """Return what each word counts; one that is too common to be looked up counts nothing."""
    df = {word: sum(one.df[word] for one in stats) for word in words}
    counted = {word: n for word, n in df.items() if word in asked or not n}
    return word_weights(counted, sum(one.passages for one in stats))


def _hit(
    candidate: EventCandidate, space: Space, text: str, weights: Mapping[str, float]
) -> EventHit:
    written = spellings(text)
    rarest = sorted(candidate.matched, key=lambda word: -weights.get(word, 0.0))
    return EventHit(
        event=candidate.event,
        space=space,
        score=matched_share(weights, candidate.matched),
        matched=tuple(dict.fromkeys(written.get(word, word) for word in rarest)),
    )
