"""How long a job waits after an attempt that failed."""

from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.job import RETRY_FIRST_S, RETRY_MAX_S, retry_after_us
from pinyon.domain.times import US_PER_S

TRIES = st.integers(1, 10_000)
CHANCES = st.floats(0, 1)


def test_the_wait_doubles_from_five_seconds():
    assert [retry_after_us(tries, 1.0) / US_PER_S for tries in (1, 2, 3, 4)] == [5, 10, 20, 40]


def test_chance_takes_up_to_half_of_the_wait():
    assert retry_after_us(1, 0.0) == 2.5 * US_PER_S


@given(TRIES, CHANCES)
def test_the_wait_keeps_to_its_bounds(tries, chance):
    waited_s = retry_after_us(tries, chance) / US_PER_S

    assert RETRY_FIRST_S / 2 <= waited_s <= RETRY_MAX_S


@given(TRIES, CHANCES)
def test_the_wait_never_shrinks_with_more_attempts(tries, chance):
    assert retry_after_us(tries, chance) <= retry_after_us(tries + 1, chance)
