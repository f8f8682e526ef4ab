"""What background work may spend on models in a day."""

import pytest

from pinyon.care.budget import Budget
from pinyon.domain.budget import Limits, Spent
from pinyon.domain.space import Space
from pinyon.testing.makers import ANN, memory_of, put

pytestmark = pytest.mark.anyio

ON_EVERY_STORE = True

BOB = Space.of_user("acme", "bob")
LIMITS = Limits(calls=2, tokens=100, home_calls=3, home_tokens=150)


@pytest.fixture
async def budget(store, clock, by):
    for n, space in enumerate((ANN, BOB), start=1):
        await store.records.apply(space, [put(memory_of(n, space=space))], by=by)
    return Budget(store.budgets, LIMITS, clock=clock)


async def test_a_space_spends_no_more_than_its_calls_and_tokens(budget):
    assert await budget.take(ANN, tokens=60)
    assert not await budget.take(ANN, tokens=41)
    assert await budget.take(ANN, tokens=40)
    assert not await budget.take(ANN)

    assert await budget.spent(ANN) == Spent(calls=2, tokens=100)


async def test_all_spaces_together_spend_no_more_than_the_home(budget):
    assert await budget.take(ANN, tokens=100)
    assert not await budget.take(BOB, tokens=60)
    assert await budget.spent(BOB) == Spent()
    assert await budget.take(BOB, tokens=50)

    assert await budget.spent(None) == Spent(calls=2, tokens=150)


async def test_the_next_day_begins_anew(budget, clock):
    assert await budget.take(ANN, calls=2)
    assert not await budget.take(ANN)
    clock.forward(24 * 3600)

    assert await budget.take(ANN)
    assert await budget.spent(None) == Spent(calls=1)


async def test_two_processes_keep_to_one_limit(budget, store, clock):
    other = Budget(store.budgets, LIMITS, clock=clock)

    assert [await one.take(ANN) for one in (budget, other, budget, other)] == [
        True, True, False, False,
    ]  # fmt: skip


async def test_what_a_call_took_is_counted_even_beyond_the_limit(budget):
    await budget.take(ANN, tokens=90)
    await budget.correct(ANN, tokens=30)

    assert await budget.spent(ANN) == Spent(calls=1, tokens=120)
    assert not await budget.take(ANN)
    await budget.correct(ANN, tokens=-80)
    assert await budget.take(ANN)
    assert await budget.spent(None) == Spent(calls=2, tokens=40)


@pytest.mark.parametrize("name", ["calls", "tokens", "home_calls", "home_tokens"])
def test_a_limit_is_not_negative(name):
    with pytest.raises(ValueError, match=name):
        Limits(**{name: -1})
