"""In whichever order sessions begin and end: nothing of a temporary one leaves it."""

import asyncio

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pinyon.client import MemoryClient
from pinyon.domain.principal import Principal
from pinyon.domain.question import RecallContext
from pinyon.domain.space import Space
from pinyon.errors import Conflict, NotWanted
from pinyon.ports.models import Models
from pinyon.recall.recaller import Recaller
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing import FrozenClock
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import counting_ids

NAMES = ("one", "two", "three")
SESSIONS = st.sampled_from(NAMES)
TOPICS = st.sampled_from(["lamp", "hub", "dog"])
QUESTIONS = ("what about the lamp?", "hub dog lamp", "what did we say?", '"the dog"')
KINDS = st.sampled_from(["semantic", "procedural", "episodic"])
OWN = Space.of_user("acme", "ann")


class Conversations(RuleBasedStateMachine):
    """Talks in several sessions, and remembers which texts may be seen where."""

    @initialize()
    def begin(self):
        self.loop = asyncio.new_event_loop()
        self.clock = FrozenClock()
        store = self.store = InMemoryStore(clock=self.clock)
        models = Models(embedder=HashEmbedder())
        recaller = Recaller(
            store.records, store.search, store.sessions, models, changes=store.changes
        )
        self.client = MemoryClient(
            store,
            Principal.of_home(tenant="acme", user="ann", agent="helper"),
            clock=self.clock,
            new_uuid=counting_ids(),
            models=models,
            recaller=recaller,
        )
        self.inside, self.over = {}, set()
        self.said = 0

    def teardown(self):
        self.loop.close()

    def run(self, awaitable):
        return self.loop.run_until_complete(awaitable)

    def modes(self):
        now_us = self.clock.now_us()
        kept = self.run(self.store.sessions.list_sessions(OWN))
        return {one.name: one.mode for one in kept if not one.is_over_at(now_us)}

    def text(self, topic):
        self.said += 1
        return f"The {topic} is number {self.said}"

    def note(self, text, session, written):
        if self.modes().get(session) == "temporary" and written.created:
            self.inside.setdefault(session, set()).add(text)

    @rule(session=SESSIONS, mode=st.sampled_from(["normal", "temporary", "off"]))
    def start(self, session, mode):
        try:
            self.run(self.client.start_session(session, mode=mode))
        except Conflict:
            return

    @rule(session=SESSIONS)
    def end(self, session):
        was_temporary = self.modes().get(session) == "temporary"
        self.run(self.client.end_session(session))
        if was_temporary:
            self.gone(session)

    @rule(session=SESSIONS, topic=TOPICS, role=st.sampled_from(["user", "assistant"]))
    def remember(self, session, topic, role):
        text = self.text(topic)
        self.note(text, session, self.run(self.client.remember(text, session=session, role=role)))

    @rule(
        session=SESSIONS,
        topic=TOPICS,
        kind=KINDS,
        pinned=st.booleans(),
        scope=st.sampled_from(["own", "agent"]),
    )
    def write(self, session, topic, kind, pinned, scope):
        text = self.text(topic)
        try:
            written = self.run(
                self.client.write(text, session=session, kind=kind, pinned=pinned, scope=scope)
            )
        except NotWanted:
            return
        self.note(text, session, written)

    @rule(topic=TOPICS)
    def write_without_a_session(self, topic):
        self.run(self.client.write(self.text(topic)))

    @rule(hours=st.sampled_from([1, 23, 25]))
    def wait(self, hours):
        self.clock.forward(hours * 3600)
        for session in set(self.inside) - set(self.modes()):
            self.gone(session)

    def gone(self, session):
        for text in self.inside.pop(session, ()):
            self.over.add(text)

    @invariant()
    def nothing_leaves_its_session(self):
        hidden = {text: name for name, texts in self.inside.items() for text in texts}
        over = self.over
        for within in ("", *NAMES):
            context = RecallContext(session=within)
            for question in QUESTIONS:
                answer = self.run(self.client.recall(question, k=100, context=context))
                seen = {
                    memory.text for hit in answer.hits for memory in (hit.memory, *hit.neighbours)
                }
                assert {text for text in seen if hidden.get(text, within) != within} == set()
                assert seen & over == set()
        core = {memory.text for memory in self.run(self.client.core_facts())}
        assert core & (hidden.keys() | over) == set()

    @invariant()
    def nothing_is_left_of_what_is_over(self):
        self.run(self.client.recall("anything"))
        spaces = self.run(self.store.registry.spaces())
        held = set()
        for space in spaces:
            held |= {
                one.text for one in self.run(self.store.records.scan(space, limit=999)).memories
            }
            held |= {
                one.text for one in self.run(self.store.records.events(space, limit=999)).events
            }
        assert held & self.over == set()


TestConversations = Conversations.TestCase
TestConversations.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
