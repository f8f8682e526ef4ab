"""Waiting for several answers at once."""

import anyio
import pytest

from pinyon.recall.side_by_side import side_by_side

pytestmark = pytest.mark.anyio


async def answer(value, after_s=0.0):
    await anyio.sleep(after_s)
    return value


async def fail():
    raise LookupError("gone")


@pytest.mark.parametrize("values", [[], [1], [1, 2, 3]])
async def test_answers_come_in_the_order_of_the_questions(values):
    waits = [answer(value, 0.003 * (3 - value)) for value in values]

    assert await side_by_side(waits) == values


@pytest.mark.parametrize("others", [0, 2])
async def test_the_first_error_is_raised_as_itself(others):
    with pytest.raises(LookupError, match="gone"):
        await side_by_side([fail(), *(answer(1, 60) for _ in range(others))])
