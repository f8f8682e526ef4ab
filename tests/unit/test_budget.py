"""What background work may spend on models in a day."""

import pytest

from pinyon.care.budget import Budget
from pinyon.domain.budget import Limits, Spent
from pinyon.domain.space import Space
from pinyon.errors import BadModelOutput, BudgetSpent, ModelUnavailable
from pinyon.ports.chat import Form, Message
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.testing.scripted_chat import ScriptedChat

pytestmark = pytest.mark.anyio

ON_EVERY_STORE = True

BOB = Space.of_user("acme", "bob")
LIMITS = {"calls": 2, "tokens": 100, "home_calls": 3, "home_tokens": 150}


@pytest.fixture
async def budget_of(store, clock, by):
    for n, space in enumerate((ANN, BOB), start=1):
        await store.records.apply(space, [put(memory_of(n, space=space))], by=by)
    return lambda **limits: Budget(store.budgets, Limits(**limits), clock=clock)


@pytest.fixture
def budget(budget_of):
    return budget_of(**LIMITS)


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
    other = Budget(store.budgets, Limits(**LIMITS), clock=clock)

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


class Words(Form):
    """What the model is to say."""

    words: str


ASKED = [Message("user", "Where does Ann live?")]


async def paid(budget, *answers, max_tokens=100):
    chat = budget.paying(ScriptedChat(list(answers)), ANN)
    return await chat.complete(ASKED, form=Words, max_tokens=max_tokens, timeout_s=1)


async def test_a_call_is_paid_with_what_it_took(budget_of):
    budget = budget_of()
    done = await paid(budget, {"words": "in Leeds"})

    assert await budget.spent(ANN) == Spent(calls=1, tokens=done.tokens_in + done.tokens_out)
    assert await budget.spent(None) == await budget.spent(ANN)


async def test_an_answer_that_could_not_be_read_is_paid_too_with_both_calls(budget_of):
    budget = budget_of()
    with pytest.raises(BadModelOutput) as bad:
        await paid(budget, "in Leeds", "in Leeds!")
    mended = await paid(budget, "in Leeds", {"words": "in Leeds"})

    tokens = bad.value.tokens + mended.tokens_in + mended.tokens_out
    assert await budget.spent(ANN) == Spent(calls=4, tokens=tokens)


async def test_a_call_that_nobody_answered_costs_no_tokens(budget_of):
    budget = budget_of()
    with pytest.raises(ModelUnavailable):
        await paid(budget, ModelUnavailable("m", "no answer within 1 s"))

    assert await budget.spent(ANN) == Spent(calls=1, tokens=0)


async def test_a_call_that_may_cost_more_than_is_left_is_not_made(budget_of):
    budget = budget_of(tokens=100)
    with pytest.raises(BudgetSpent, match=r"begins anew in .* PINYON_BUDGET") as spent:
        await paid(budget)

    assert 0 < spent.value.retry_after_s <= 24 * 3600
    assert await budget.spent(ANN) == Spent()
