"""Which memory can be the copy of which."""

import pytest

from pinyon.domain.memory import Copy
from pinyon.domain.space import Space
from pinyon.testing.makers import ANN, memory_of
from pinyon.write.copies import copy_id, may_follow

NOTES = Space.of_agent("acme", "ann", "a")
ORIGIN = Copy(ANN, memory_of(1).id)


@pytest.mark.parametrize(
    ("origin", "target", "follows"),
    [
        (ANN, Space.shared("acme"), True),
        (ANN, Space.of_project("acme", "p"), True),
        (ANN, NOTES, True),
        (NOTES, ANN, True),
        (ANN, Space.of_user("acme", "bob"), False),
        (ANN, Space.of_agent("acme", "bob", "a"), False),
        (NOTES, Space.of_user("acme", "bob"), False),
        (Space.shared("acme"), ANN, False),
        (ANN, Space.shared("globex"), False),
        (ANN, Space.of_user("globex", "ann"), False),
    ],
    ids=str,
)
def test_a_copy_lies_with_the_same_user_or_where_the_tenants_users_share(origin, target, follows):
    memory = memory_of(1).id

    assert may_follow(Copy(origin, memory), target, copy_id(memory, target)) is follows


def test_a_copy_has_the_id_that_publishing_gave_it():
    assert not may_follow(ORIGIN, Space.shared("acme"), memory_of(2).id)
