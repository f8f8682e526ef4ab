"""A topic is a word or a phrase, in whichever form it is said."""

import pytest

from pinyon.text.topics import phrases_of, speaks_of


def speaks(text, *topics, synonyms=()):
    return speaks_of(text, phrases_of(topics, synonyms))


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("I have diabetes.", "diabetes"),
        ("My ALLERGIES are back", "allergy"),
        ("the loss of my job", "loss"),
        ("After the loss of job he left", "loss of job"),
        ("我确诊了糖尿病", "糖尿病"),
        ("他病了", "病"),
        ("see my_divorce_papers.pdf", "divorce"),
        ("a co-worker said so", "worker"),
        ("Ｄｉａｂｅｔｅｓ in full width", "diabetes"),
    ],
)
def test_a_text_speaks_of_a_topic_in_any_form(text, topic):
    assert speaks(text, topic)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("I found a job", "loss of job"),
        ("the job of loss adjusters", "loss of job"),
        ("diabolical", "diabetes"),
        ("糖和尿病", "糖尿病"),
        ("", "diabetes"),
    ],
)
def test_a_text_without_the_words_in_their_order_does_not(text, topic):
    assert not speaks(text, topic)


def test_without_topics_nothing_is_one():
    assert not speaks("I have diabetes.")


@pytest.mark.parametrize(
    "text", ["the bridge is broken", "my new bridge password", "reset of the lumio centre"]
)
def test_what_a_tenant_calls_the_same_is_the_same_topic(text):
    groups = (("hub", "bridge", "lumio centre"),)

    assert speaks(text, "hub", synonyms=groups)


def test_a_part_of_a_phrase_may_be_called_otherwise():
    groups = (("hub", "bridge"),)

    assert speaks("where is the bridge password?", "hub password", synonyms=groups)
    assert not speaks("where is the bridge?", "hub password", synonyms=groups)
