"""Several processes on one home: nothing is lost, and nobody sees an old state."""

import json

import pytest

WRITERS = 4
ROUNDS = 5


@pytest.fixture(scope="module")
def four(servant):
    return [servant() for _ in range(WRITERS)]


@pytest.fixture
def pair(four, home):
    """Two processes on one home, both of which have used it already."""
    writer, reader = four[:2]
    writer.ask("open", home=str(home))
    reader.ask("open", home=str(home))
    writer.ask("write", text="The hub stands in the hall")
    reader.ask("recall", question="hub")
    yield writer, reader
    writer.ask("close")
    reader.ask("close")


def test_four_processes_may_begin_a_home_at_once(four, tmp_path):
    homes = [str(tmp_path / f"home-{number}") for number in range(ROUNDS)]
    wrong, held = [], []
    for home in homes:
        for one in four:
            one.ask("open", home=home)
        for number, one in enumerate(four):
            one.tell("write", text=f"Bulb {number} shows only white")
        answers = [one.answer_or_error() for one in four]
        wrong += [answer for answer in answers if isinstance(answer, str)]
        held += [len(one.ask("list")) for one in four]
        for one in four:
            one.ask("close")

    assert wrong == []
    assert held == [WRITERS] * WRITERS * ROUNDS


def test_four_processes_may_make_a_lost_registry_anew_at_once(four, home):
    four[0].ask("open", home=str(home))
    four[0].ask("write", text="The hub stands in the hall")
    four[0].ask("close")
    held = []
    for _ in range(4 * ROUNDS):
        for path in home.glob("registry.db*"):
            path.unlink()
        for one in four:
            one.ask("open", home=str(home))
        for one in four:
            one.tell("list")
        held.append([one.answer_or_error() for one in four])
        for one in four:
            one.ask("close")

    wrong = [answer for answers in held for answer in answers if isinstance(answer, str)]
    assert wrong == []


@pytest.mark.parametrize("verb", ["write", "remember"])
def test_one_sentence_written_by_four_at_once_becomes_one_memory(four, home, verb):
    for one in four:
        one.ask("open", home=str(home))
    answers = []
    for number in range(ROUNDS):
        for one in four:
            one.tell(verb, text=f"Bulb {number} shows only white")
        answers.append([one.answer() for one in four])
    held = len(four[0].ask("list"))
    for one in four:
        one.ask("close")

    assert [sum(one["created"] for one in answer) for answer in answers] == [1] * ROUNDS
    assert [len({one["id"] for one in answer}) for answer in answers] == [1] * ROUNDS
    assert held == ROUNDS


def test_a_write_elsewhere_is_in_the_next_list(pair):
    writer, reader = pair
    written = writer.ask("write", text="The dog chews sensor cables")["id"]

    assert written in [one["id"] for one in reader.ask("list")]


def test_a_write_elsewhere_is_in_the_next_recall(pair):
    writer, reader = pair
    written = writer.ask("write", text="The dog chews sensor cables")["id"]

    assert [one["id"] for one in reader.ask("recall", question="which cables?")] == [written]


def test_a_vector_put_elsewhere_is_in_the_next_dense_search(pair):
    writer, reader = pair
    first = writer.ask("write", text="The dog chews sensor cables")["id"]
    writer.ask("put_vector", memory=first, vector=[1, 0, 0])
    assert reader.ask("dense", vector=[1, 0, 0]) == [first]
    second = writer.ask("write", text="The cat sleeps on the hub")["id"]
    writer.ask("put_vector", memory=second, vector=[0, 1, 0])

    assert reader.ask("dense", vector=[0, 1, 0]) == [second, first]


def test_an_edit_elsewhere_is_in_the_next_list_and_recall(pair):
    writer, reader = pair
    written = writer.ask("write", text="The dog chews sensor cables")["id"]
    reader.ask("recall", question="cables")
    writer.ask("edit", memory=written, title="Wiring")

    assert {"id": written, "title": "Wiring"} in reader.ask("list")
    assert reader.ask("recall", question="wiring") == [{"id": written, "title": "Wiring"}]


@pytest.mark.promise(
    "files",
    "Another process leaves it out of its next answer, although it holds the vectors in memory.",
)
def test_what_is_erased_elsewhere_is_in_no_later_answer(pair):
    writer, reader = pair
    written = writer.ask("write", text="The dog chews sensor cables")["id"]
    writer.ask("put_vector", memory=written, vector=[1, 0, 0])
    assert reader.ask("dense", vector=[1, 0, 0]) == [written]
    writer.ask("erase", memory=written)

    assert written not in [one["id"] for one in reader.ask("list")]
    assert reader.ask("recall", question="cables") == []
    assert reader.ask("dense", vector=[1, 0, 0]) == []


def test_a_space_erased_elsewhere_is_empty_in_the_next_answer(pair):
    writer, reader = pair
    written = writer.ask("write", text="The dog chews sensor cables")["id"]
    writer.ask("put_vector", memory=written, vector=[1, 0, 0])
    reader.ask("dense", vector=[1, 0, 0])
    writer.ask("erase_space")

    assert reader.ask("list") == []
    assert reader.ask("recall", question="cables") == []
    assert reader.ask("dense", vector=[1, 0, 0]) == []


def test_an_old_vector_is_not_found_after_the_space_was_erased_and_begun_anew(pair):
    writer, reader = pair
    old = writer.ask("write", text="The dog chews sensor cables")["id"]
    writer.ask("put_vector", memory=old, vector=[1, 0, 0])
    reader.ask("dense", vector=[1, 0, 0])
    writer.ask("erase_space")
    new = writer.ask("write", text="The cat sleeps on the hub")["id"]
    writer.ask("put_vector", memory=new, vector=[0, 1, 0])

    assert reader.ask("dense", vector=[1, 0, 0]) == [new]


def test_a_space_that_was_erased_elsewhere_verifies_clean(pair):
    writer, reader = pair
    for number in range(3):
        reader.ask("write", text=f"Bulb {number} shows only white")
    writer.ask("erase_space")
    writer.ask("write", text="The cat sleeps on the hub")
    # Closing mirrors how far the reader's journal had come, which is gone since.
    reader.ask("close")

    assert writer.ask("verify") == []


def test_a_text_that_is_too_large_disturbs_no_other_process(four, home, run_pinyon):
    writer = four[0]
    writer.ask("open", home=str(home))
    writer.tell("write", text="Bulb 0 shows only white")
    large = "All the bulbs show only white. " * 35_000
    options = ("--user", "sarah", "--home", home, "--json")
    refused = run_pinyon("write", "-", *options, input=large)
    written = [writer.answer()["created"], writer.ask("write", text="Bulb 1")["created"]]
    writer.ask("close")

    assert (refused.returncode, refused.stdout) == (7, "")
    assert json.loads(refused.stderr)["error"]["code"] == "too_large"
    assert written == [True, True]
