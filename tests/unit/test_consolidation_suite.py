"""The consolidation suite: what was made of conversations, held against what was expected."""

from dataclasses import replace

import pytest

from pinyon.evaluation.consolidation.expected import Expected, ExpectedFact, Quoted
from pinyon.evaluation.consolidation.figures import KNOWN, OF_EACH, Figure, measured
from pinyon.evaluation.consolidation.judging import Change, judge
from pinyon.evaluation.consolidation.misses import misses_of
from pinyon.evaluation.consolidation.playing import MadeFact, MadePlaybook, Place, Played
from pinyon.evaluation.consolidation.runs import metrics_by_item

ANN = "ann"
TEXTS = {
    "m1": "well, I live in Leeds, near the mill",
    "m2": "we moved to York",
    "m3": "I'm allergic to nuts",
    "m4": "Run echo hello",
    "m5": "我喜欢吃辣",
    "m6": "the mill is loud",
    "m7": "I live in Bath",
}


def label(name, message, quote, about, value, **more):
    subject, attribute = about.split(".")
    said = (Quoted(message, quote),)
    fields = {"subject": subject, "attribute": attribute, "value": value, **more}
    return ExpectedFact(tenant=ANN, id=name, said=said, **fields)


LEEDS = label(
    "leeds", "m1", "I live in Leeds", "user.lives_in", "Leeds", fate="superseded", by="york"
)
YORK = label("york", "m2", "we moved to York", "user.lives_in", "York")
NUTS = label("nuts", "m3", TEXTS["m3"], "user.allergic_to", "nuts", despite=("m2",))
SPICY = label("spicy", "m5", TEXTS["m5"], "user.likes", "吃辣")


def expecting(*labels, **more):
    facts = {one.key: one for one in labels}
    fields = {"junk": {(ANN, "m4"): "chatter", (ANN, "m7"): "other_speaker"}, **more}
    return Expected(facts=facts, **fields)


def made(number, message, words, *, text=None, **more):
    start = TEXTS[message].index(words)
    place = Place(message, start, start + len(words))
    fields = {"supports": (message,), "places": (place,), **more}
    return MadeFact(tenant=ANN, id=f"f{number}", text=text or words, **fields)


def played(*facts, **more):
    texts = {(ANN, message): text for message, text in TEXTS.items()}
    return Played(texts=texts, facts=list(facts), **more)


def figures(expected, seen):
    return {name: one.value for name, one in measured(judge(expected, seen), seen).whole.items()}


HOME = {"subject": "user", "attribute": "lives_in"}
IN_LEEDS = made(1, "m1", "I live in Leeds", holds=False, superseded_by="f2", **HOME)
IN_YORK = made(2, "m2", "we moved to York", contradiction="natural", **HOME)
OF_NUTS = made(3, "m3", TEXTS["m3"], subject="user", attribute="allergic_to")


# ── the figures ──────────────────────────────────────────────────────────────────────────────


def test_what_is_all_right_is_all_right():
    found = figures(expecting(LEEDS, YORK, NUTS), played(IN_LEEDS, IN_YORK, OF_NUTS))

    assert {name for name, value in found.items() if value == 0} == {
        "beside",
        "junk",
        "junk/100",
        "attribution",
        "stability",
        "left",
        "unreadable",
    }
    assert {value for name, value in found.items() if name != "facts" and value} == {1.0}
    assert found["facts"] == 3
    assert tuple(found) == KNOWN


def test_what_is_not_made_is_missed_and_what_nobody_expects_is_wrong():
    wrong = made(4, "m6", "the mill is loud")
    found = figures(expecting(LEEDS, YORK, NUTS), played(OF_NUTS, wrong))

    assert (found["precision"], found["recall"]) == (1 / 2, pytest.approx(1 / 3))
    assert found["supersessions(recall)"] == 0


def test_what_may_be_made_is_neither_right_nor_wrong():
    allowed = expecting(NUTS, may={(ANN, "m6"): ["the mill"], (ANN, "m2"): [""]})
    loud, moved = made(4, "m6", "mill is loud"), made(5, "m2", "moved to York")
    found = figures(allowed, played(OF_NUTS, loud, moved))

    assert (found["facts"], found["beside"]) == (3, 2)
    assert (found["precision"], found["recall"]) == (1, 1)
    assert figures(allowed, played(made(4, "m6", "is loud")))["precision"] == 0


@pytest.mark.parametrize(
    ("fact", "is_right"),
    [
        (OF_NUTS, True),
        (replace(OF_NUTS, text="Ann cannot eat nuts", trust="agent"), True),
        (replace(OF_NUTS, text="Ann has an allergy", trust="agent"), False),
        (replace(OF_NUTS, places=()), False),
        (replace(OF_NUTS, places=(Place("m1", 0, 5),)), False),
        (made(4, "m3", "I'm", text="nuts"), True),
        (made(4, "m1", "well", text="well, Leeds"), False),
    ],
)
def test_a_fact_is_the_expected_one_by_its_words_and_where_they_stand(fact, is_right):
    found = figures(expecting(LEEDS, NUTS), played(fact))

    assert found["precision"] == is_right


def test_what_is_filed_elsewhere_is_right_but_not_placed():
    elsewhere = replace(OF_NUTS, attribute="dislikes")
    anywhere = replace(NUTS, subject="", attribute="")

    assert figures(expecting(NUTS), played(OF_NUTS))["placed"] == 1
    assert figures(expecting(NUTS), played(elsewhere))["placed"] == 0
    assert figures(expecting(NUTS), played(elsewhere))["precision"] == 1
    assert figures(expecting(anywhere), played(elsewhere))["placed"] == 1


def test_of_two_expected_facts_in_the_same_words_it_is_the_one_it_is_filed_as():
    both = label("job", "m1", "I live in Leeds", "user.job", "Leeds")
    seen = played(IN_LEEDS)

    (fact,) = judge(expecting(both, LEEDS), seen).facts
    assert fact.label == LEEDS
    assert fact.is_placed


def test_what_is_said_again_is_the_same_fact():
    again = replace(YORK, said=(*YORK.said, Quoted("m6", "the mill")))
    late = made(4, "m6", "the mill", text="York, the mill")
    found = figures(expecting(again), played(late))

    assert (found["precision"], found["recall"]) == (1, 1)


@pytest.mark.parametrize(
    "fact",
    [
        replace(OF_NUTS, places=()),
        replace(OF_NUTS, places=(Place("m3", 4, 4),)),
        replace(OF_NUTS, places=(Place("m3", 0, 99),)),
        replace(OF_NUTS, places=(Place("m1", 0, 4),)),
        replace(OF_NUTS, places=(Place("m3", 0, 8),)),
    ],
)
def test_a_span_stands_where_it_says_in_a_message_that_supports_it(fact):
    assert figures(expecting(NUTS), played(OF_NUTS))["spans"] == 1
    assert figures(expecting(NUTS), played(fact))["spans"] == 0


def test_the_words_of_whoever_concluded_need_not_stand_there_to_the_letter():
    concluded = replace(OF_NUTS, text="Ann cannot eat nuts", trust="agent")

    assert figures(expecting(NUTS), played(concluded))["spans"] == 1


def test_what_is_made_of_junk_is_counted_and_is_never_right():
    found = figures(expecting(NUTS), played(OF_NUTS, made(4, "m4", "Run echo hello")))

    assert (found["junk"], found["junk/100"], found["precision"]) == (1, 50, 0.5)


@pytest.mark.parametrize(
    ("fact", "errors"),
    [
        (OF_NUTS, 0),
        (made(4, "m4", "Run echo hello"), 0),
        (made(4, "m7", "I live in Bath"), 1),
        (replace(OF_NUTS, supports=("m3", "m7")), 1),
        (replace(OF_NUTS, supports=("",)), 1),
        (replace(OF_NUTS, supports=()), 1),
    ],
)
def test_a_fact_that_rests_on_anothers_words_is_an_error(fact, errors):
    assert figures(expecting(NUTS), played(fact))["attribution"] == errors


# ── what takes whose place ───────────────────────────────────────────────────────────────────


def test_a_change_is_right_where_exactly_that_took_the_place_which_was_to():
    other = replace(IN_LEEDS, superseded_by="f3")
    stray = replace(OF_NUTS, holds=False, superseded_by="f2")
    expected = expecting(LEEDS, YORK, NUTS)

    right = figures(expected, played(IN_LEEDS, IN_YORK, OF_NUTS))
    wrong = figures(expected, played(other, IN_YORK, OF_NUTS))
    too_many = figures(expected, played(IN_LEEDS, IN_YORK, stray))

    names = ("supersessions(precision)", "supersessions(recall)", "over", "kept", "kept(despite)")
    assert [right[name] for name in names] == [1, 1, 1, 1, 1]
    assert [wrong[name] for name in names] == [0, 0, 1, 1, 1]
    assert [too_many[name] for name in names] == [1 / 2, 1, 1, 1 / 2, 0]


def test_what_ended_without_a_successor_is_no_supersession():
    ended = replace(IN_LEEDS, superseded_by=None, ended="natural")
    over = replace(LEEDS, fate="ended", by="m2")

    as_succession = figures(expecting(LEEDS, YORK), played(ended, IN_YORK))
    as_end = figures(expecting(over, YORK), played(ended, IN_YORK))

    assert (as_succession["supersessions(recall)"], as_succession["over"]) == (0, 1)
    assert (as_end["supersessions(recall)"], as_end["over"]) == (1, 1)


def test_a_change_is_natural_or_harsh_as_expected():
    harsh = replace(IN_YORK, contradiction="harsh")
    found = figures(expecting(LEEDS, YORK), played(IN_LEEDS, harsh))

    assert (found["supersessions(precision)"], found["contradictions"]) == (1, 0)


def test_what_took_the_place_and_is_gone_is_called_by_its_id():
    (fact,) = judge(expecting(LEEDS), played(replace(IN_LEEDS, superseded_by="f9"))).facts

    assert fact.change == Change("f9", "natural")
    assert not fact.is_changed_rightly


# ── playbooks, slices, items ─────────────────────────────────────────────────────────────────


def test_outcomes_and_playbooks_are_counted_both_ways():
    key = ANN, "p1"
    expected = expecting(
        outcomes={key: {"worked": 2, "failed": 0}}, playbooks={(ANN, "m6"): "the mill"}
    )
    seen = played(
        outcomes={key: {"worked": 1, "failed": 1}, (ANN, "p2"): {"worked": 1, "failed": 0}},
        playbooks=[
            MadePlaybook(tenant=ANN, text="oil the mill", supports=("m6",)),
            MadePlaybook(tenant=ANN, text="echo", supports=("m4",)),
        ],
    )
    found = figures(expected, seen)

    assert found["outcomes(precision)"] == pytest.approx(1 / 3)
    assert found["outcomes(recall)"] == 1 / 2
    assert (found["playbooks(precision)"], found["playbooks(recall)"]) == (1 / 2, 1)


def test_figures_are_told_apart_by_language_and_person():
    seen = played(IN_YORK, made(5, "m5", "我喜欢吃辣"))
    found = measured(judge(expecting(YORK, NUTS, SPICY), seen), seen)

    assert list(found.by["language"]) == ["en", "zh"]
    assert list(found.by["person"]) == [ANN]
    assert found.by["language"]["zh"]["recall"] == Figure(1, 1)
    assert found.by["language"]["en"]["recall"] == Figure(1, 2)
    assert found.by_name["recall[language=en]"] == 1 / 2
    assert tuple(found.by["person"][ANN]) == OF_EACH


def test_a_share_of_nothing_is_all_of_it():
    assert (Figure(0, 0).value, Figure(1, 4).value, Figure(3).value) == (1, 0.25, 3)


def test_each_item_has_figures_of_its_own():
    stray = replace(OF_NUTS, holds=False, superseded_by="f2")
    judged = judge(expecting(LEEDS, YORK, NUTS), played(IN_LEEDS, IN_YORK, stray))
    items = metrics_by_item(judged)

    assert items["expected ann/leeds"] == {"recall": 1, "over": 1, "supersessions(recall)": 1}
    assert items["expected ann/nuts"] == {"recall": 1, "kept": 0}
    assert items["message ann/m3"] == {"junk": 0, "attribution": 0, "precision": 1}
    assert items["message ann/m4"] == {"junk": 0, "attribution": 0}


def test_misses_say_by_message_what_went_wrong():
    moved = replace(IN_YORK, contradiction="harsh", attribute="place", places=(Place("m2", 3, 9),))
    seen = played(
        IN_LEEDS,
        moved,
        replace(OF_NUTS, holds=False, ended="natural"),
        made(4, "m4", "Run echo hello"),
        made(5, "m7", "I live in Bath"),
        made(6, "m6", "the mill is loud"),
    )
    expected = expecting(LEEDS, YORK, NUTS, SPICY)

    found = {
        miss.key[1]: list(miss.wrongs) for miss in misses_of(judge(expected, seen), expected, seen)
    }
    york = "we moved to York (user: place)"
    assert found == {
        "m1": [("over, but not as natural", "I live in Leeds")],
        "m2": [("stands elsewhere", york), ("filed elsewhere than user: lives_in", york)],
        "m3": [("holds no more, by nothing", TEXTS["m3"])],
        "m4": [("made of junk, chatter", "Run echo hello")],
        "m5": [("missed", "我喜欢吃辣")],
        "m6": [("wrong", "the mill is loud")],
        "m7": [
            ("made of junk, other_speaker", "I live in Bath"),
            ("not the user's words", "I live in Bath"),
        ],
    }


def test_misses_say_what_should_be_over_and_is_not():
    expected = expecting(LEEDS, YORK)

    def said(fact):
        seen = played(fact, IN_YORK)
        (miss,) = misses_of(judge(expected, seen), expected, seen)
        return miss.wrongs[0][0]

    assert said(replace(IN_LEEDS, superseded_by=None, holds=True)) == (
        "holds still, though york changed it"
    )
    assert said(replace(IN_LEEDS, superseded_by=None, ended="natural")) == "over, but not by york"
