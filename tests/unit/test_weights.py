"""What counts beside relevance: each factor by itself, and what it does to the final order."""

from dataclasses import replace
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.change import Count
from pinyon.domain.memory import Counts, Facets, Procedure, Source, Step, Times
from pinyon.domain.question import AsOf, RecallContext
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S, show_instant
from pinyon.ranking.weights import (
    AGE_LEAST,
    FACTORS,
    Moment,
    Scale,
    Weights,
    age_factor,
    catalog_factor,
    fact_factor,
    outcome_factor,
    reply_factor,
    success_bound,
    use_factor,
    when_factor,
)
from pinyon.recall.recaller import Tuning
from pinyon.testing.makers import ANN, memory_of, put

DAY_US = 24 * 3600 * US_PER_S
NOW_US = 20_000 * DAY_US
NOW = Moment(now_us=NOW_US)
DEFAULTS = Weights()


def aged(days, kind="episodic", **fields):
    at_us = NOW_US - int(days * DAY_US)
    times = Times(occurred_at_us=at_us, created_at_us=at_us, updated_at_us=at_us)
    counts = fields.pop("counts", Counts(last_used_at_us=at_us))
    return memory_of(1, kind=kind, times=times, counts=counts, **fields)


# ── each by itself ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("days", "factor"), [(-5, 1), (0, 1), (180, 1), (180 + 1825, 0.5)])
@pytest.mark.parametrize("kind", ["episodic", "semantic"])
def test_age_costs_nothing_at_first_and_half_after_years(days, factor, kind):
    assert age_factor(aged(days, kind), NOW, DEFAULTS) == pytest.approx(factor)


@pytest.mark.parametrize("kind", ["procedural", "catalog"])
def test_what_works_and_what_is_looked_up_do_not_age(kind):
    assert age_factor(aged(10_000, kind), NOW, DEFAULTS) == 1


def test_what_is_pinned_does_not_age():
    assert age_factor(aged(10_000, pinned=True), NOW, DEFAULTS) == 1


def test_an_episode_without_a_time_ages_from_its_last_use():
    memory = aged(10_000, counts=Counts(last_used_at_us=NOW_US))
    timeless = replace(memory, times=replace(memory.times, occurred_at_us=None))

    assert age_factor(timeless, NOW, DEFAULTS) == 1


def test_a_fact_that_is_used_is_young_again():
    old = aged(10_000, "semantic")
    used = replace(old, counts=Counts(uses=9, last_used_at_us=NOW_US))

    assert age_factor(old, NOW, DEFAULTS) == AGE_LEAST
    assert age_factor(used, NOW, DEFAULTS) == 1
    assert use_factor(used, NOW, DEFAULTS) == pytest.approx(1.2)


def test_a_procedure_that_works_counts_more_than_one_that_fails():
    def procedure(successes, failures):
        counts = Counts(successes=successes, failures=failures, last_success_at_us=NOW_US)
        return outcome_factor(aged(0, "procedural", counts=counts), NOW, DEFAULTS)

    assert procedure(0, 5) < procedure(1, 4) < procedure(0, 0) == 1 < procedure(3, 0)
    assert procedure(3, 0) < procedure(30, 0)
    assert procedure(1, 0) == pytest.approx(1, abs=0.01)


def test_a_success_of_long_ago_counts_less():
    def since(days):
        counts = Counts(successes=9, last_success_at_us=NOW_US - days * DAY_US)
        return outcome_factor(aged(0, "procedural", counts=counts), NOW, DEFAULTS)

    assert since(4000) < since(0)


def test_a_procedure_that_never_worked_has_no_last_success():
    memory = aged(0, "procedural", counts=Counts(failures=1))

    assert outcome_factor(memory, NOW, DEFAULTS) == pytest.approx(0.7)


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_the_success_bound_lies_below_the_rate(successes, failures):
    counts = Counts(successes=successes, failures=failures)
    rate = successes / (successes + failures) if successes + failures else 0

    assert -1e-9 <= success_bound(counts) <= rate + 1e-9


def test_the_catalog_counts_less_than_ones_own():
    assert catalog_factor(aged(0, "catalog"), NOW, DEFAULTS) == 0.85
    assert catalog_factor(aged(0, "semantic"), NOW, DEFAULTS) == 1.0


@pytest.mark.parametrize(("kind", "factor"), [("semantic", 1.15), ("episodic", 1.0)])
def test_a_fact_counts_more_than_what_was_merely_said(kind, factor):
    assert fact_factor(aged(0, kind), NOW, DEFAULTS) == factor


@pytest.mark.parametrize(
    ("kind", "role", "factor"),
    [("episodic", "assistant", 0.7), ("episodic", "user", 1.0), ("semantic", "assistant", 1.0)],
)
def test_a_reply_that_was_kept_counts_less_than_what_the_user_said(kind, role, factor):
    memory = aged(0, kind, source=Source(role=role))

    assert reply_factor(memory, NOW, DEFAULTS) == factor


@pytest.mark.parametrize(
    ("days", "factor"),
    [(10, 1.3), (9, 1.3), (8, 1.0), (11, 1.0)],
    ids=["first", "in", "end", "before"],
)
def test_what_is_of_a_time_that_is_asked_for_counts_more(days, factor):
    start = NOW_US - 10 * DAY_US
    moment = Moment(now_us=NOW_US, windows=((start, start + 2 * DAY_US),))

    assert when_factor(aged(days, "episodic"), moment, DEFAULTS) == pytest.approx(factor)


@given(
    st.floats(0, 20_000),
    st.sampled_from(["episodic", "semantic", "procedural", "catalog"]),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from(["user", "agent", "tool", "document"]),
    st.integers(0, 10**6),
)
def test_all_factors_together_are_bounded(days, kind, importance, confidence, trust, count):
    counts = Counts(uses=count, successes=count, last_used_at_us=NOW_US)
    fields = {"importance": importance, "confidence": confidence, "trust": trust}
    weighed = Scale(NOW, DEFAULTS).factors_of(aged(days, kind, counts=counts, **fields))

    assert 0.15 <= prod(weighed.values()) <= 3
    assert 1.0 not in weighed.values()


def test_every_factor_can_be_switched_off():
    memory = aged(5000, "catalog", importance=1.0, confidence=0.1, trust="agent")
    off = Weights(off=tuple(FACTORS))

    assert Scale(NOW, DEFAULTS).factors_of(memory)
    assert Scale(NOW, off).factors_of(memory) == {}


SITUATION = RecallContext(
    session="s", task_id="t", task_type="debug", tool="tool", project="p", module="m"
)
MOMENTS = {
    "nothing said": NOW,
    "a situation": replace(NOW, context=SITUATION),
    "advice": replace(NOW, seeks_advice=True),
    "talk": replace(NOW, is_about_talk=True),
    "a time": replace(NOW, windows=((NOW_US - 2 * DAY_US, NOW_US),)),
    "a kind": replace(NOW, favours=lambda memory: memory.kind == "episodic"),
}
MEMORIES = {
    "talk": aged(1, source=Source(session="s", task="t"), project="p", module="m"),
    "a wish": aged(9000, "semantic", category="preference", confidence=0.2, trust="tool"),
    "a way": aged(9, "procedural", procedure=Procedure(steps=(Step("do", "tool"),))),
    "a page": aged(9, "catalog", importance=0.9, facets=Facets(task_type="debug")),
}


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES.keys())
@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS.keys())
def test_what_a_scale_leaves_out_would_change_nothing(moment, memory):
    all_of_them = {name: factor(memory, moment, DEFAULTS) for name, factor in FACTORS.items()}
    left = {name: value for name, value in all_of_them.items() if value != 1.0}

    assert list(Scale(moment, DEFAULTS).factors_of(memory).items()) == list(left.items())


# ── what each does to the final order ────────────────────────────────────────────────────────

anyio_test = pytest.mark.anyio

BETTER, FAVOURED = "zigbee hub", "the zigbee hub stands in the hall beside a lamp"
"""Both answer "zigbee hub"; by words the shorter one comes first."""


@pytest.fixture
def order_of(store, client_of, by):
    """Return in which order two memories come, with a factor and without it."""

    async def order(name, better, favoured, **narrowing):
        await store.records.apply(ANN, [put(better), put(favoured)], by=by)
        orders = []
        for weights in (Weights(), Weights(off=(name,))):
            answer = await client_of(tuning=Tuning(weights=weights)).recall(
                "zigbee hub", **narrowing
            )
            orders.append([hit.memory.id for hit in answer.hits])
            shown = {name for hit in answer.hits for name in hit.why.factors}
            assert (name in shown) == (not weights.off)
        return orders

    return order


def pair(better=None, favoured=None, **both):
    return (
        memory_of(1, BETTER, **both, **(better or {})),
        memory_of(2, FAVOURED, **both, **(favoured or {})),
    )


def times_of(clock, days_ago):
    at_us = clock.now_us() - days_ago * DAY_US
    return {
        "times": Times(occurred_at_us=at_us, created_at_us=at_us, updated_at_us=at_us),
        "counts": Counts(last_used_at_us=at_us),
    }


@anyio_test
@pytest.mark.parametrize("kind", ["episodic", "semantic"])
async def test_an_old_memory_goes_behind_a_young_one(order_of, clock, kind):
    old, young = pair(times_of(clock, 3000), times_of(clock, 1), kind=kind)

    assert await order_of("age", old, young) == [[young.id, old.id], [old.id, young.id]]


@anyio_test
async def test_what_is_used_goes_before_what_is_not(order_of, clock):
    now_us = clock.now_us()
    bare, used = pair(
        {"counts": Counts(last_used_at_us=now_us)},
        {"counts": Counts(uses=20, last_used_at_us=now_us)},
    )

    assert await order_of("use", bare, used) == [[used.id, bare.id], [bare.id, used.id]]


@anyio_test
async def test_a_procedure_that_works_goes_before_one_that_fails(order_of, clock):
    fails, works = pair(
        {"counts": Counts(failures=9)},
        {"counts": Counts(successes=9, last_success_at_us=clock.now_us())},
        kind="procedural",
    )

    assert await order_of("outcome", fails, works) == [[works.id, fails.id], [fails.id, works.id]]


@anyio_test
@pytest.mark.parametrize(
    ("name", "better", "favoured"),
    [
        ("confidence", {"confidence": 0.2}, {"confidence": 1.0}),
        ("importance", {"importance": 0.1}, {"importance": 0.9}),
        ("trust", {"trust": "document"}, {"trust": "user"}),
        ("session", {"source": Source(session="s1")}, {"source": Source(session="s2")}),
        ("task", {"source": Source(task="t1")}, {"source": Source(task="t2")}),
    ],
)
async def test_a_prior_turns_the_order_where_words_are_close(
    order_of, clock, name, better, favoured
):
    now = {"counts": Counts(last_used_at_us=clock.now_us())}
    first, second = pair(better, favoured, **now)
    context = RecallContext(session="s2", task_id="t2")

    assert await order_of(name, first, second, context=context) == [
        [second.id, first.id],
        [first.id, second.id],
    ]


@anyio_test
async def test_what_no_longer_holds_goes_behind_what_does(order_of, clock):
    now = {"counts": Counts(last_used_at_us=clock.now_us())}
    over, holds = pair({"status": "superseded"}, {}, **now)

    assert await order_of("standing", over, holds, include_superseded=True) == [
        [holds.id, over.id],
        [over.id, holds.id],
    ]


@anyio_test
async def test_asked_for_another_time_what_held_then_is_no_worse(store, client, by, clock):
    then_us = clock.now_us() - 40 * DAY_US
    times = Times(
        occurred_at_us=then_us,
        valid_from_us=then_us,
        valid_until_us=clock.now_us() - DAY_US,
        created_at_us=then_us,
        updated_at_us=then_us,
    )
    counts = Counts(last_used_at_us=then_us)
    await store.records.apply(ANN, [put(memory_of(1, BETTER, times=times, counts=counts))], by=by)
    clock.forward(3600)

    then = AsOf(valid=show_instant(then_us + DAY_US))
    (hit,) = (await client.recall("zigbee hub", as_of=then)).hits
    (now,) = (await client.recall("zigbee hub", include_superseded=True)).hits

    assert (hit.why.factors, now.why.factors) == (
        {"fact": 1.15},
        {"fact": 1.15, "standing": 0.85},
    )


@anyio_test
async def test_at_a_tie_ones_own_goes_before_the_catalog(client):
    await client.write("the hub speaks zigbee", kind="catalog", scope="shared")
    await client.write("the hub speaks zigbee")

    kinds = [hit.memory.kind for hit in (await client.recall("zigbee hub")).hits]

    assert kinds == ["semantic", "catalog"]


@anyio_test
async def test_a_clearly_better_catalog_hit_goes_before_a_weak_own_one(client):
    await client.write("the hub stands in the hall")
    await client.write("the hub speaks zigbee over channel 11", kind="catalog", scope="shared")

    kinds = [hit.memory.kind for hit in (await client.recall("zigbee channel of the hub")).hits]

    assert kinds == ["catalog", "semantic"]


@anyio_test
async def test_counting_a_use_moves_no_version(client, store, by):
    written = await client.write("zigbee hub")
    before = await client.show(written.id)

    await store.records.apply(ANN, [Count(id=before.id, uses=1)], by=by)

    assert (await client.show(written.id)).version == before.version
    assert Space.of_user("acme", "ann") == ANN
