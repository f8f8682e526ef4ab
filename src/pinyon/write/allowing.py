"""What may be kept at all: what its user consents to, and what the mode of a session leaves.

Read for each write anew; the gate asks before it looks at anything else.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields

from pinyon.domain.change import InSession
from pinyon.domain.consent import TOPIC_CHARS_MAX, TOPICS_MAX, Consent
from pinyon.domain.draft import Draft
from pinyon.domain.session import Session
from pinyon.domain.space import Space
from pinyon.domain.synonyms import Synonyms
from pinyon.errors import InvalidValue, NotWanted, TemporarySession, TooLarge
from pinyon.ports.registry import Registry
from pinyon.ports.sessions import Sessions
from pinyon.text.normal import keep
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.text.tokens import question_terms
from pinyon.text.topics import Phrase, phrases_of, speaks_of
from pinyon.write.form import listed, names

_TEXTS = ("text", "title", "category", "project", "module", "speaker", "trigger", "document")
_LISTS = ("keywords", "scenarios", "tags", "steps", "tools")
_WORDY = frozenset({*_TEXTS, *_LISTS, "metadata"})
"""Fields that hold words of somebody; the others are names of things, numbers and instants."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What may be kept in one write.

    Attributes:
        is_paused: Nothing may.
        never: What may not be spoken of.
        sessions: Those that have a record and go on, by name.
        closed: Sessions of which nothing is kept: they are off, or were temporary and are over.
        is_shared: It is for a space that others read, where nothing of a temporary session goes.
    """

    is_paused: bool = False
    never: tuple[Phrase, ...] = ()
    sessions: Mapping[str, Session] = field(default_factory=dict)
    closed: frozenset[str] = frozenset()
    is_shared: bool = False

    @property
    def temporary(self) -> frozenset[str]:
        """Return the sessions that what is said in them stays in."""
        return frozenset(name for name, one in self.sessions.items() if one.is_temporary)

    def check(self, draft: Draft) -> None:
        """See that a draft may be kept.

        Raises:
            NotWanted: It may not.
            TemporarySession: It may, but not where others read.
        """
        if self.is_paused:
            raise NotWanted("paused")
        self.check_session(draft.session)
        if self.never:
            self._check_words({one.name: getattr(draft, one.name) for one in fields(draft)})

    def check_session(self, session: object) -> None:
        """See that what is of a session may be kept; see `check`."""
        if not isinstance(session, str):
            return  # the gate refuses it for that
        if session in self.closed:
            raise NotWanted("session_off")
        if self.is_shared and session in self.temporary:
            raise TemporarySession("it cannot be kept where others read")

    def check_annotations(self, annotations: Mapping[str, object]) -> None:
        """See that annotations may be set. While memory is paused, no words may.

        Raises:
            NotWanted: They may not.
        """
        if self.is_paused and any(annotations[name] for name in annotations.keys() & _WORDY):
            raise NotWanted("paused")
        self._check_words(annotations)

    def going_on(self, space: Space, sessions: Iterable[str], at_us: int) -> Sequence[InSession]:
        """Return the changes that break a write off where a session of it ends meanwhile.

        Sessions are recorded in the user's own space; in that of an agent's notes nobody can tell.
        """
        if space.owner != space:
            return ()
        return [
            InSession(name=name, mode=self.sessions[name].mode, at_us=at_us)
            for name in dict.fromkeys(sessions)
            if name in self.sessions
        ]

    def _check_words(self, values: Mapping[str, object]) -> None:
        if any(speaks_of(text, self.never) for text in _words_of(values)):
            raise NotWanted("topic")


EVERYTHING_ALLOWED = Allowed()


class Allowing:
    """Reads what the user of a principal lets be kept."""

    def __init__(
        self, own: Space, *, registry: Registry, sessions: Sessions, synonyms: Synonyms
    ) -> None:
        self._own, self._registry, self._sessions = own, registry, sessions
        self._synonyms = synonyms

    async def of(self, space: Space, sessions: Collection[object] = ()) -> Allowed:
        """Return what may be kept in a space now, of the sessions that are named.

        What a user consents to holds for the user's own space and the agents' notes; what stays in
        a session stays out of every space.
        """
        consent = Consent()
        if space.owner == self._own:
            consent = await self._registry.consent(self._own)
        named = frozenset(keep(one) for one in sessions if isinstance(one, str) and one)
        kept = await self._sessions.list_sessions(self._own)
        over = await self._sessions.sessions_over(self._own, named)
        return Allowed(
            is_paused=consent.paused,
            never=phrases_of(consent.never, self._synonyms.of(space.tenant)),
            sessions={one.name: one for one in kept if one.ended_at_us is None},
            closed=over | {one.name for one in kept if _is_closed(one)},
            is_shared=space.owner is None,
        )


async def forget_topics(registry: Registry, own: Space) -> None:
    """Drop the topics of a user, which are words of the user's; that memory is paused stays."""
    if (await registry.consent(own)).never:
        await registry.put_consent(own, never=())


def topics_of(given: object) -> tuple[str, ...]:
    """Return topics that are never to be kept.

    Raises:
        InvalidValue: They are no list, or one says nothing.
        TooLarge: There are more than `TOPICS_MAX`, or one is too long.
    """
    if isinstance(given, Sequence) and len(given) > TOPICS_MAX:
        raise TooLarge("never", size=len(given), limit=TOPICS_MAX, unit="topics", hint="join some")
    topics: list[str] = []
    for one in listed("never", given, TOPICS_MAX):
        (topic,) = names("topic", (one,), TOPIC_CHARS_MAX) or ("",)
        if not question_terms(topic).words:
            raise InvalidValue("topic", topic, "a word or a short phrase that says something")
        topics.append(topic)
    return tuple(dict.fromkeys(topics))


def _is_closed(session: Session) -> bool:
    return session.mode == "off" or session.ended_at_us is not None


def _words_of(values: Mapping[str, object]) -> Iterator[str]:
    """Yield every text that a writer can put into a memory; what is no text is for others."""
    for name in values.keys() & {*_TEXTS}:
        yield from _texts((values[name],))
    for name in values.keys() & {*_LISTS}:
        given = values[name]
        yield from _texts(given if isinstance(given, list | tuple) else ())
    metadata = values.get("metadata")
    if isinstance(metadata, Mapping):
        yield from _texts([*metadata, *metadata.values()])


def _texts(values: Iterable[object]) -> Iterator[str]:
    return (one for one in values if isinstance(one, str) and len(one) <= TEXT_CHARS_MAX)
