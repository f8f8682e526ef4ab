"""Forgetting: what goes, what loses it, what is covered; and what is left of it."""

import pytest

from pinyon.domain.change import Link, Put
from pinyon.domain.draft import Draft
from pinyon.domain.ids import EventId
from pinyon.domain.memory import Counts, Links, Source, Span
from pinyon.domain.question import RecallContext
from pinyon.errors import InvalidId, InvalidValue, NotFound, VersionConflict, WasForgotten
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import ANN, counting_ids, memory_of, put
from pinyon.text.reading import as_read
from pinyon.text.sentences import sentence_spans
from pinyon.write.eraser import Eraser
from pinyon.write.keeper import Keeper
from pinyon.write.masking import covered, covered_parts, is_little, masked, said_in

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

BRISTOL, EDINBURGH, LONDON = (
    f"Sarah lives in {city}" for city in ("Bristol", "Edinburgh", "London")
)
NOWHERE = "mem_" + "f" * 32


async def texts_of(client, **options):
    return sorted(memory.text for memory in (await client.list(**options)).memories)


# ── what goes ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "receipts",
    "A receipt has ids and counts, and none of the words.",
)
async def test_a_memory_is_gone_and_a_receipt_is_left(client, clock, ask):
    fact = await client.write(BRISTOL)
    answer = await client.forget(fact.id)

    assert await ask("where does Sarah live?") == []
    with pytest.raises(NotFound):
        await client.show(fact.id)
    receipt = answer.receipt
    assert (receipt.ids, receipt.complete, receipt.at_us) == ((fact.id,), True, clock.now_us())
    (kept,) = await client.receipts()
    assert (kept.id, kept.ids, kept.counts["memories"]) == (receipt.id, (fact.id,), 1)
    assert kept.hashes
    assert "ristol" not in repr(kept)


@pytest.mark.promise(
    "by id",
    "What rests on it alone goes with it, and so does what rests on that.",
)
async def test_what_rests_on_it_alone_goes_with_it(client):
    said = await client.remember("I live in Bristol", session="s1")
    await client.write(BRISTOL, supporting=[said.id])
    summary = await client.write("She is from the West Country", supporting=[said.id])
    await client.write("Her accent is local", supporting=[summary.id])
    await client.forget(said.id)

    assert await texts_of(client) == []


@pytest.mark.promise(
    "by id",
    "What has other support stays, and loses this one.",
)
async def test_what_has_other_support_loses_that_support(client):
    first = await client.remember("I live in Bristol", session="s1")
    second = await client.remember("Bristol is my home", session="s2")
    fact = await client.write(BRISTOL, supporting=[first.id, second.id])
    await client.forget(first.id)

    assert (await client.show(fact.id)).source.supporting == (second.id,)


async def test_what_somebody_said_again_without_naming_a_source_stays(client):
    said = await client.remember("I live in Bristol", session="s1")
    fact = await client.write(BRISTOL, supporting=[said.id])
    await client.write(BRISTOL)
    await client.forget(said.id)

    assert (await client.show(fact.id)).source.supporting == ()


async def test_two_supports_that_go_one_after_the_other_leave_nothing(client):
    said = [await client.remember(f"I live in Bristol {n}", session=f"s{n}") for n in range(2)]
    await client.write(BRISTOL, supporting=[said[0].id])
    await client.write(BRISTOL, supporting=[said[1].id])
    await client.forget([one.id for one in said])

    assert await texts_of(client) == []


async def test_what_was_derived_from_several_stays_while_one_is_left(client, store, by):
    a, b = memory_of(1, "tea at nine"), memory_of(2, "tea at ten")
    both = memory_of(3, "tea in the morning", source=Source(derived_from=(a.id, b.id)))
    await store.records.apply(ANN, [put(a), put(b), put(both)], by=by)
    await client.forget(a.id)
    assert (await client.show(both.id)).source.derived_from == (b.id,)

    await client.forget(b.id)
    assert await texts_of(client) == []


async def test_conflicts_and_marks_that_name_it_go(client, store, by):
    gone, other = (
        memory_of(1, BRISTOL),
        memory_of(2, EDINBURGH, links=Links(conflicts_with=(memory_of(1).id,))),
    )
    marked = memory_of(3, "I live here", kind="episodic", links=Links(outdated_by=gone.id))
    await store.records.apply(ANN, [put(gone), put(other), put(marked)], by=by)
    await client.forget(gone.id)

    assert (await client.show(other.id)).links.conflicts_with == ()
    assert (await client.show(marked.id)).links.outdated_by is None


# ── chains ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
async def chain(client):
    ids = []
    for city in (BRISTOL, EDINBURGH, LONDON):
        ids.append((await client.write(city, supersedes=ids[-1:])).id)
    return ids


async def test_a_chain_closes_over_what_is_gone(client, chain):
    await client.forget(chain[1])
    first, last = await client.show(chain[0]), await client.show(chain[2])

    assert (first.links.superseded_by, last.links.supersedes) == (last.id, (first.id,))
    assert [m.text for m in (await client.history(first.id)).chain] == [BRISTOL, LONDON]


@pytest.mark.promise(
    "by id",
    "What it had superseded stays history: nothing becomes true because something was forgotten.",
)
async def test_nothing_becomes_true_because_something_was_forgotten(client, ask, chain):
    await client.forget(chain[2])
    second = await client.show(chain[1])

    assert (second.status, second.links.superseded_by) == ("superseded", None)
    assert await ask("where does Sarah live?") == []


async def test_the_end_of_a_shortened_chain_can_be_superseded(client, ask, chain):
    await client.forget(chain[2])
    await client.write("Sarah lives in Leeds", supersedes=[chain[1]])

    assert await ask("where does Sarah live?") == ["Sarah lives in Leeds"]


async def test_two_neighbours_of_a_chain_go_at_once(client, chain):
    await client.forget(chain[1:])

    assert (await client.show(chain[0])).links.superseded_by is None


async def test_a_mark_moves_to_what_is_left_of_the_chain(client):
    said = await client.remember("I live in Bristol", session="s1")
    old = await client.write(BRISTOL, session="s1")
    new = await client.write(EDINBURGH, supersedes=[old.id])
    await client.forget(new.id)

    assert (await client.show(said.id)).links.outdated_by == old.id


# ── covered where it was said ────────────────────────────────────────────────────────────────

LONG = "The bulbs are white again since this morning. Sarah lives in Bristol. The dog chews cables."


@pytest.mark.promise(
    "covering",
    "The words that said it are covered, one █ a character, in every version; the rest of "
    "the message is found as before.",
)
async def test_the_words_are_covered_and_the_rest_stays(client, ask):
    said = await client.remember(LONG, session="s1")
    fact = await client.write(BRISTOL, session="s1")
    receipt = (await client.forget(fact.id)).receipt
    message = await client.show(said.id)

    assert message.text == LONG.replace(BRISTOL, "█" * len(BRISTOL))
    assert (receipt.masked, receipt.counts["masked"]) == ((said.id,), 1)
    assert await ask("Bristol") == []
    assert await ask("dog cables") == [message.text]
    assert [m.text for m in (await client.history(said.id)).versions] == [message.text]


@pytest.mark.promise(
    "covering",
    "Where nobody noted the place, every sentence that shares a word with it is covered.",
)
async def test_without_a_known_place_every_sentence_that_shares_a_word_is_covered(client):
    said = await client.remember(
        "I moved to Edinburgh. The bulbs are white since then, all of them."
    )
    fact = await client.write(EDINBURGH, supporting=[said.id])
    await client.forget(fact.id)

    covered_one = "█" * len("I moved to Edinburgh.")
    text = (await client.show(said.id)).text
    assert text == covered_one + " The bulbs are white since then, all of them."


@pytest.mark.promise(
    "covering",
    "A message of which little is left goes whole, and so does one that supported it "
    "without a word of it.",
)
async def test_a_message_of_which_little_is_left_goes_whole(client):
    said = await client.remember("Sarah lives in Bristol, ok?", session="s1")
    walls = await client.write("The walls are thick", supporting=[said.id])
    fact = await client.write(BRISTOL, session="s1")
    await client.forget(fact.id)

    assert await texts_of(client) == ["The walls are thick"]
    assert (await client.show(walls.id)).source.supporting == ()


@pytest.mark.promise(
    "covering",
    "A message of which little is left goes whole, and so does one that supported it "
    "without a word of it.",
)
async def test_a_message_that_never_said_it_in_words_goes_whole(client):
    said = await client.remember("Yes, that is the one, thank you very much", session="s1")
    fact = await client.write("The car is red", session="s1")
    await client.forget(fact.id)

    with pytest.raises(NotFound):
        await client.show(said.id)


async def test_the_places_of_other_facts_stay_true(client):
    said = await client.remember(LONG, session="s1")
    fact = await client.write(BRISTOL, session="s1")
    dog = await client.write("The dog chews cables.", session="s1")
    await client.forget(fact.id)
    (span,) = (await client.show(dog.id)).source.spans

    assert (await client.show(said.id)).text[span.start : span.end] == "The dog chews cables."


@pytest.mark.promise(
    "covering",
    "The turn after a covered one is no longer found by the covered words.",
)
async def test_the_turn_after_a_covered_one_is_no_longer_found_by_it(client, ask, store):
    await client.remember(LONG, session="s1")
    fact = await client.write(BRISTOL, session="s1")
    await client.remember("Thank you so much", session="s1")
    assert (await store.search.term_stats(ANN, ["bristol"])).df["bristol"] == 3
    await client.forget(fact.id)

    assert (await store.search.term_stats(ANN, ["bristol"])).df["bristol"] == 0
    assert (await store.search.term_stats(ANN, ["dog"])).df["dog"] == 2


async def test_two_covered_turns_in_a_row_keep_nothing_of_each_other(client, store):
    first = await client.remember(LONG, session="s1")
    second = await client.remember(
        "As I said: Sarah lives in Bristol. And more than that.", session="s1"
    )
    fact = await client.write(BRISTOL, supporting=[first.id, second.id])
    await client.forget(fact.id)

    assert (await store.search.term_stats(ANN, ["bristol"])).df["bristol"] == 0


async def test_the_turn_after_an_erased_one_is_covered_without_it(client, store):
    first = await client.remember("Sarah lives in Bristol", session="s1")
    second = await client.remember(LONG, session="s1")
    fact = await client.write(BRISTOL, supporting=[first.id, second.id])
    await client.forget(fact.id)

    assert await texts_of(client) == [LONG.replace(BRISTOL, "█" * len(BRISTOL))]
    assert (await store.search.term_stats(ANN, ["bristol"])).df["bristol"] == 0


class KnowsAll(HashEmbedder):
    def knows(self, text):
        return True


async def test_a_covered_message_gets_other_vectors(store, clock, by, client):
    embedder = KnowsAll()
    said = await client.remember(LONG, session="s1")
    fact = await client.write(BRISTOL, session="s1")
    eraser = Eraser(
        store.records, store.exposures, clock=clock, new_uuid=counting_ids(), embedder=embedder
    )
    await eraser.forget(ANN, [fact.id], by=by)

    assert (await client.show(said.id)).awaits == ("consolidation",)
    held = await store.search.token_vectors(ANN, embedder.fingerprint, {said.id: 0})
    (fresh,) = await embedder.embed([as_read(await client.show(said.id), 0)])
    assert held[said.id].passages[0] == fresh.tokens


async def test_a_message_is_covered_by_whoever_supports_a_procedure_too(client, store, by):
    """Only messages are covered; a fact that supports another one stays as it is."""
    base = await client.write("Sarah's letters go to Bristol")
    fact = await client.write(BRISTOL, supporting=[base.id])
    await client.forget(fact.id)

    assert await texts_of(client) == ["Sarah's letters go to Bristol"]


def test_a_text_is_covered_character_by_character():
    assert covered("密钥 is 1234", [(-3, 2), (6, 99)]) == "██ is ████"[:6] + "█" * 4


def test_what_is_covered_now_is_told_run_by_run():
    before, now = "ab cd █f", "██ cd ██"

    assert covered_parts(before, now) == ["ab", "f"]


def test_little_is_less_than_a_dozen_letters():
    assert is_little("██ and so on ██")
    assert not is_little("██ and so it goes on ██")


@pytest.mark.promise(
    "covering",
    "A title, keyword, scenario, tag or value of metadata that repeats a covered word is dropped.",
)
def test_what_stands_beside_a_covered_text_and_repeats_it_is_dropped():
    memory = memory_of(
        1,
        LONG,
        title="On Bristol",
        keywords=("bristol", "dog"),
        scenarios=("moving to Bristol",),
        tags=("home", "bristol"),
        metadata=(("city", "Bristol"), ("n", 3), ("pet", "dog")),
    )
    now = masked(memory, [(46, 46 + len(BRISTOL))], now_us=7)

    assert (now.title, now.keywords, now.scenarios, now.tags) == ("", ("dog",), (), ("home",))
    assert now.metadata == (("n", 3), ("pet", "dog"))
    assert (now.version, now.times.updated_at_us, len(now.text)) == (2, 7, len(LONG))


def test_a_noted_place_counts_before_any_guess():
    episode = memory_of(1, LONG)
    fact = memory_of(2, BRISTOL, source=Source(spans=(Span(episode.id, 3, 9),)))

    assert said_in(fact, episode) == [(3, 9)]


# ── how it is asked for ──────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "by query",
    "What several memories say, or none says wholly, brings candidates and forgets nothing, "
    "although it is confirmed.",
)
async def test_an_ambiguous_text_brings_candidates_and_forgets_nothing(client):
    for city in ("Bristol", "Edinburgh", "London"):
        await client.write(f"Sarah lives in {city}")
    answer = await client.forget(query="where Sarah lives", confirmed=True)

    assert answer.receipt is None
    assert len(answer.candidates) == 3
    assert len(await texts_of(client)) == 3


@pytest.mark.promise(
    "by query",
    "What one memory alone says is forgotten only where that is confirmed.",
)
async def test_a_clear_text_is_forgotten_only_when_it_is_confirmed(client):
    await client.write(BRISTOL)
    await client.write("The dog chews cables")
    asked = await client.forget(query="dog cables")
    assert (asked.receipt, [h.memory.text for h in asked.candidates]) == (
        None,
        ["The dog chews cables"],
    )

    done = await client.forget(query="dog cables", confirmed=True)
    assert done.receipt is not None
    assert await texts_of(client) == [BRISTOL]


@pytest.mark.promise(
    "by query",
    "The exact words of a memory mean that one, although another holds them too.",
)
async def test_the_exact_words_mean_the_memory_that_has_them(client):
    await client.write("The dog chews cables")
    await client.write("The dog chews cables and shoes")
    await client.forget(query="the dog chews cables", confirmed=True)

    assert await texts_of(client) == ["The dog chews cables and shoes"]


@pytest.mark.promise(
    "by query",
    "What several memories say, or none says wholly, brings candidates and forgets nothing, "
    "although it is confirmed.",
)
async def test_a_question_that_is_only_near_forgets_nothing(client):
    await client.write("The dog chews cables")
    answer = await client.forget(query="which dog chews my new sofa?", confirmed=True)

    assert answer.receipt is None
    assert await texts_of(client) == ["The dog chews cables"]


@pytest.mark.promise(
    "session",
    "A conversation goes with its messages, its log and the facts that were written in it; "
    "another one stays.",
)
async def test_a_session_is_forgotten_with_its_log(client, store):
    await client.remember("I live in Bristol", session="s1")
    await client.remember("Nice!", session="s1", role="assistant")
    await client.write(BRISTOL, session="s1")
    await client.remember("Another day", session="s2")
    receipt = (await client.forget(session="s1")).receipt

    assert await texts_of(client) == ["Another day"]
    assert (await store.records.events(ANN)).events == ()
    assert receipt.counts == {"memories": 2, "events": 1, "masked": 0, "copies": 0}


async def test_an_event_is_forgotten_with_what_rests_on_it(client, store, by):
    event = await client.remember("Exit code 2", session="s1", role="tool")
    rests = memory_of(7, "It failed with 2", source=Source(derived_from=(event.id,)))
    await store.records.apply(ANN, [put(rests)], by=by)
    receipt = (await client.forget(event.id)).receipt

    assert set(receipt.ids) == {event.id, rests.id}
    assert (await store.records.events(ANN)).events == ()


async def test_the_turn_after_a_forgotten_event_keeps_no_word_of_it(client, store):
    event = await client.remember("Exit code 2 of billing", session="s1", role="tool")
    said = await client.remember(LONG, session="s1")
    fact = await client.write(BRISTOL, supporting=[said.id])
    await client.forget([event.id, fact.id])

    assert (await store.search.term_stats(ANN, ["billing"])).df["billing"] == 0


@pytest.mark.promise(
    "document",
    "Every entry of a document goes, in the space that is named; other documents stay.",
)
async def test_a_document_is_forgotten(client):
    for text in ("Hold the button", "Wait for the light"):
        await client.write(text, kind="catalog", document="manual.md", scope="shared")
    await client.write("Other", kind="catalog", document="other.md", scope="shared")
    await client.forget(document="manual.md", scope="shared")

    assert await texts_of(client, scope="shared") == ["Other"]


@pytest.mark.promise(
    "everything",
    "The user's space and the agents' notes on that user go; another user's space stays.",
)
async def test_all_of_a_user_goes_with_the_agents_notes_and_nobody_elses(client_of, store):
    ann, bob = client_of(agent="a"), client_of("bob")
    await ann.remember(BRISTOL)
    await ann.write("She is in a hurry", scope="agent")
    await bob.remember("I live in Leeds")
    receipt = (await ann.forget(everything=True)).receipt

    assert (receipt.counts, receipt.complete) == ({"memories": 2, "events": 0, "spaces": 2}, True)
    assert [str(space) for space in await store.registry.spaces()] == ["acme/user/bob"]
    assert (await ann.receipts())[-1].whole


async def test_where_nothing_is_there_is_nothing_to_forget(client):
    assert (await client.forget(everything=True)).receipt is None
    assert (await client.forget(session="s1")).receipt is None


async def test_a_great_many_are_forgotten_in_parts_under_one_receipt(client, store):
    await client.write_many([Draft(text=f"Bulb {n} is white", tags=["x"]) for n in range(300)])
    for start in range(0, 300, 100):
        await client.write_many(
            [
                Draft(text=f"said {n}", kind="episodic", session="s1")
                for n in range(start, start + 100)
            ]
        )
    receipt = (await client.forget(session="s1")).receipt

    assert receipt.counts["memories"] == 300
    (kept,) = await client.receipts()
    assert (len(kept.ids), len(kept.hashes)) == (300, 300)
    assert len((await client.list(limit=1000)).memories) == 300


@pytest.mark.parametrize(
    "meant", [{}, {"query": "x", "session": "y"}, {"everything": True, "document": "d"}]
)
async def test_exactly_one_thing_is_meant(client, meant):
    with pytest.raises(InvalidValue, match="what to forget"):
        await client.forget(**meant)


@pytest.mark.parametrize(
    ("meant", "error"),
    [({"session": ""}, InvalidValue), ({"ids": "nonsense"}, InvalidId), ({"ids": [7]}, InvalidId)],
)
async def test_what_is_no_name_is_refused(client, meant, error):
    with pytest.raises(error):
        await client.forget(**meant)


@pytest.mark.promise(
    "by id",
    "One wrong id among right ones forgets nothing; another's and one that never was are "
    "refused in the same words.",
)
async def test_one_wrong_id_among_right_ones_forgets_nothing(client, client_of):
    fact = await client.write(BRISTOL)
    foreign = (await client_of("bob").write("Bob lives here")).id
    messages = []
    for wrong in (foreign, NOWHERE):
        for ids in ([fact.id, wrong], [wrong]):
            with pytest.raises(NotFound) as raised:
                await client.forget(ids)
            messages.append(str(raised.value).replace(wrong, "ID"))

    assert len(set(messages)) == 1
    assert await texts_of(client) == [BRISTOL]


async def test_ids_of_two_spaces_are_forgotten_apart(client_of):
    client = client_of(agent="a")
    own, note = await client.write(BRISTOL), await client.write(EDINBURGH, scope="agent")
    with pytest.raises(InvalidValue, match=note.id):
        await client.forget([own.id, note.id])

    assert await texts_of(client) == [BRISTOL]
    assert (await client.forget(note.id)).receipt.complete


# ── before and after ─────────────────────────────────────────────────────────────────────────


async def test_a_preview_shows_what_would_go_and_what_says_the_same(client, store):
    said = await client.remember(LONG, session="s1")
    fact = await client.write(BRISTOL, session="s1")
    other = await client.remember("You know that Sarah lives in Bristol", session="s9")
    before = await store.changes.seq(ANN)
    preview = await client.forget(fact.id, dry_run=True)

    assert [m.id for m in preview.gone] == [fact.id]
    assert [m.id for m in preview.masked] == [said.id]
    assert [m.id for m in preview.same] == [said.id, other.id] or other.id in [
        m.id for m in preview.same
    ]
    assert (preview.receipt, await store.changes.seq(ANN)) == (None, before)


async def test_what_names_something_else_does_not_say_the_same(client):
    fact = await client.write(BRISTOL)
    await client.write(EDINBURGH)
    same = await client.remember("Yes, Sarah lives in Bristol, near the harbour")
    preview = await client.forget(fact.id, dry_run=True)

    assert [memory.id for memory in preview.same] == [same.id]


async def test_a_preview_of_everything_counts(client):
    await client.remember(BRISTOL)
    preview = await client.forget(everything=True, dry_run=True)

    assert preview.counts == {"memories": 1, "events": 0, "spaces": 1}
    assert preview.would_change
    assert not (await client.forget(session="nobody's", dry_run=True)).would_change
    assert await texts_of(client) == [BRISTOL]


@pytest.mark.promise(
    "receipts",
    "It names the conversations in which a model was given it, but for the one that it is from.",
)
async def test_the_receipt_says_in_which_sessions_a_model_was_given_it(client):
    fact = await client.write(BRISTOL, session="own")
    for session in ("tuesday", "own", ""):
        await client.recall("Sarah Bristol", given=True, context=RecallContext(session=session))
    receipt = (await client.forget(fact.id)).receipt

    assert receipt.sessions == ("tuesday",)


@pytest.mark.promise(
    "coming back",
    "After forgetting by id the same message from before, and anybody's but the user's, is "
    "refused with `was_forgotten`.",
)
async def test_what_was_forgotten_is_not_captured_again(client):
    said = await client.remember("I live in Bristol", session="s1")
    await client.forget(said.id)

    for role, at in (("user", "2026-03-01T00:00:00Z"), ("assistant", None), ("tool", None)):
        with pytest.raises(WasForgotten, match="2026-03-02"):
            await client.remember("i live in bristol!", session="s2", role=role, occurred_at=at)


@pytest.mark.promise(
    "coming back",
    "What the user says anew, or somebody writes on purpose, is kept.",
)
async def test_what_is_said_anew_or_written_on_purpose_is_kept(client, clock):
    said = await client.remember("I live in Bristol", session="s1")
    await client.forget(said.id)
    clock.forward(60)
    again = await client.remember("I live in Bristol", session="s2")
    later = await client.remember(
        "I live in Bristol", session="s3", occurred_at="2026-03-03T00:00:00Z"
    )
    written = await client.write("I live in Bristol")

    assert again.created
    assert later.created
    assert written.created


async def test_it_is_planned_anew_where_somebody_writes_meanwhile(client, store, clock, by):
    fact = await client.write(BRISTOL)

    class Busy:
        left = 1

        def __getattr__(self, name):
            return getattr(store.records, name)

        async def apply(self, *args, **options):
            if self.left:
                self.left -= 1
                await client.edit(fact.id, importance=self.left / 100)
            return await store.records.apply(*args, **options)

    busy = Busy()
    eraser = Eraser(busy, store.exposures, clock=clock, new_uuid=counting_ids())
    await eraser.forget(ANN, [fact.id], by=by)
    assert await texts_of(client) == []

    other, busy.left = await client.write(EDINBURGH), 99
    fact = other
    with pytest.raises(VersionConflict):
        await eraser.forget(ANN, [other.id], by=by)


async def test_a_chain_that_bites_its_tail_ends(client, store, by):
    a = memory_of(
        1, BRISTOL, links=Links(superseded_by=memory_of(2).id, supersedes=(memory_of(2).id,))
    )
    b = memory_of(2, EDINBURGH, links=Links(superseded_by=a.id, supersedes=(a.id,)))
    c = memory_of(3, LONDON, links=Links(superseded_by=a.id, supersedes=(a.id, b.id)))
    await store.records.apply(ANN, [put(a), put(b), put(c)], by=by)
    await client.forget([a.id, b.id])

    assert (await client.show(c.id)).links.supersedes == ()


async def test_support_that_is_counted_stays_a_number(client, store, by):
    base = memory_of(1, "base")
    fact = memory_of(2, BRISTOL, source=Source(supporting=(base.id,)), counts=Counts(support=2))
    await store.records.apply(ANN, [put(base), Put(fact, put(fact).rows)], by=by)
    await client.forget(base.id)

    assert (await client.show(fact.id)).counts.support == 2


async def test_a_link_to_an_event_that_is_not_there_is_no_trouble(client, store, by):
    lost = memory_of(1, LONG, kind="episodic", links=Links(previous=EventId("evt_" + "1" * 32)))
    fact = memory_of(2, BRISTOL, source=Source(supporting=(lost.id,)))
    await store.records.apply(ANN, [put(lost), put(fact), Link(id=fact.id)], by=by)
    await client.forget(fact.id)

    assert BRISTOL not in (await client.show(lost.id)).text


async def test_a_one_sided_link_is_left_as_it_is(client, store, by):
    """Nobody names what is gone here, although it names somebody."""
    other = memory_of(1, BRISTOL)
    gone = memory_of(2, EDINBURGH, links=Links(supersedes=(other.id,)))
    await store.records.apply(ANN, [put(other), put(gone)], by=by)
    await client.forget(gone.id)

    assert await client.show(other.id) == other


async def test_what_is_not_there_is_planned_by_nobody(store, clock):
    eraser = Eraser(store.records, store.exposures, clock=clock, new_uuid=counting_ids())

    with pytest.raises(NotFound):
        await eraser.plan(ANN, [memory_of(1).id])


async def test_without_receipts_nothing_is_looked_up(store, clock, by):
    keeper = Keeper(store.records, clock=clock, new_uuid=counting_ids())
    draft = Draft(text="hello", kind="episodic", role="user")
    written = await keeper.remember(ANN, draft, by=by, key=None, recallable=None)

    assert written.created


def test_sentences_are_found_without_the_blanks_around_them():
    text = "  One.  Two!\n\n 三。四  "

    assert sentence_spans("One. \n\n \n") == [(0, 4)]
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "One.",
        "Two!",
        "三。",
        "四",
    ]
