"""Every store that we ship keeps the same promises."""

import pytest

from pinyon.stores.in_memory import InMemoryStore
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.store_contract import StoreContract

# What the contract holds that a user should know. Its tests are shipped, and a mark of ours on them
# would have to be registered by whoever runs them.
pytestmark = [
    pytest.mark.promise(
        "by id",
        "Every store: versions, words, vectors and the answer to its key go with it.",
        test="test_an_erased_memory_is_gone_from_everywhere",
    ),
    pytest.mark.promise(
        "by id",
        "Every store: no word finds an erased event, and no replay of its conversation shows it.",
        test="test_an_erased_event_is_found_no_more",
    ),
    pytest.mark.promise(
        "isolation",
        "Every store: the event log of a space answers with its own events and turns alone.",
        test="test_no_log_shows_what_is_in_anothers",
    ),
    pytest.mark.promise(
        "everything",
        "Every store: an erased space has no memory, event or journal, and is on no list.",
        test="test_an_erased_space_is_empty_and_can_begin_anew",
    ),
    pytest.mark.promise(
        "covering",
        "Every store: of what a covered message said no version, word or vector is left.",
        test="test_a_masked_memory_keeps_nothing_of_what_it_said",
    ),
    pytest.mark.promise(
        "receipts",
        "Every store: a receipt is not complete while a copy has to follow.",
        test="test_a_receipt_is_open_while_a_copy_has_to_follow",
    ),
    pytest.mark.promise(
        "receipts",
        "Every store: the receipt of a whole space outlives it; its hashes do not.",
        test="test_the_receipt_of_a_whole_space_outlives_it",
    ),
    pytest.mark.promise(
        "isolation",
        "Every store: no read of one space sees into another.",
        test="test_no_space_sees_into_another",
    ),
]


class TestInMemoryStore(StoreContract):
    @pytest.fixture
    def store(self, clock):
        return InMemoryStore(clock=clock)


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, clock, tmp_path):
        return SqliteStore(tmp_path / "home", clock=clock, durable=False)


class TestSqliteStoreWithWordsInMemory(StoreContract):
    @pytest.fixture
    def store(self, clock, tmp_path):
        home = tmp_path / "home"
        return SqliteStore(home, clock=clock, durable=False, words_after=0)
