"""What of a memory is searched for."""

import pytest

from pinyon.domain.memory import Procedure, Source, Step
from pinyon.testing import memory_of
from pinyon.text.index_rows import CONTEXT_TOKENS_MAX, index_rows
from pinyon.text.tokens import TOKENIZER


def test_a_row_keeps_title_text_and_the_turn_before_apart():
    (row,) = index_rows(memory_of(1, "It failed", title="Reset", keywords=("hub",)), "Try it")

    assert (row.head, row.body, row.context) == ("reset ¦ hub", "it fail", "tri it")


def test_every_passage_has_a_row_that_names_its_tokenizer():
    rows = index_rows(memory_of(1, "A sentence of some words. " * 40), "")

    assert [row.position for row in rows] == list(range(len(rows)))
    assert {row.tokenizer for row in rows} == {TOKENIZER}
    assert len(rows) > 1


@pytest.mark.parametrize(
    "fields",
    [
        {"scenarios": ("unplugging",)},
        {"source": Source(speaker="Unplugging")},
        {"procedure": Procedure(trigger="unplug")},
        {"procedure": Procedure(steps=(Step("unplugs it"),))},
        {"procedure": Procedure(steps=(Step("wait", tool="unplug"),))},
        {"procedure": Procedure(refined_steps=(Step("unplugged"),))},
    ],
)
def test_what_a_person_would_search_for_is_in_the_body(fields):
    (row,) = index_rows(memory_of(1, "Reset", **fields), "")

    assert "unplug" in row.body.split()


def test_the_turn_before_counts_only_with_its_first_words():
    (row,) = index_rows(memory_of(1), "word " * 5_000)

    assert len(row.context.split()) == CONTEXT_TOKENS_MAX
