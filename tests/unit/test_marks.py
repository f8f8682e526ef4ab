"""How good answers are: marks, how sure they are, sums, differences, and what must hold."""

from dataclasses import replace
from math import log2

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pinyon.errors import InvalidFile, InvalidValue
from pinyon.evaluation.quality.asking import Came, Outcome
from pinyon.evaluation.quality.comparing import Difference, differences_of
from pinyon.evaluation.quality.gates import OPERATORS, Gate, figures_of, judged, read_gate
from pinyon.evaluation.quality.intervals import (
    Interval,
    area_interval,
    area_under_curve,
    mean_interval,
)
from pinyon.evaluation.quality.marks import BUDGETS, CUTOFFS, MARKS, marks_of
from pinyon.evaluation.quality.summary import METRICS, metrics_of, summary_of
from pinyon.evaluation.timing import Run

# ── marks ────────────────────────────────────────────────────────────────────────────────────

EVIDENCE = st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=20)
CAME = st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), unique=True)


def test_a_perfect_answer_has_full_marks():
    assert marks_of(["a", "b"], ["b", "a", "c"]) == {
        **dict.fromkeys(MARKS, 1.0),
        "recall@1": 0.5,
    }


def test_nothing_has_no_marks():
    assert marks_of(["a"], []) == dict.fromkeys(MARKS, 0.0)


def test_the_place_of_what_answers_counts():
    marks = marks_of(["a"], ["x", "y", "a"])

    assert (marks["recall@1"], marks["recall@5"]) == (0.0, 1.0)
    assert marks["mrr"] == pytest.approx(1 / 3)
    assert marks["ndcg@10"] == pytest.approx(1 / log2(4))


def test_the_order_of_what_answers_is_measured_against_the_best_one():
    marks = marks_of(["a", "b"], ["a", "x", "y", "b"])

    gained, best = 1 / log2(2) + 1 / log2(5), 1 / log2(2) + 1 / log2(3)
    assert marks["ndcg@10"] == pytest.approx(gained / best)


def test_what_answers_only_in_part_is_not_all_there():
    marks = marks_of(["a", "b"], ["a"])

    assert (marks["recall@10"], marks["all-hit@10"]) == (0.5, 0.0)


def test_what_comes_after_ten_hits_counts_for_recall_and_first_place_alone():
    marks = marks_of(["a"], [*"0123456789", "a"])

    assert (marks["recall@10"], marks["recall@20"]) == (0.0, 1.0)
    assert (marks["all-hit@10"], marks["ndcg@10"]) == (0.0, 0.0)
    assert marks["mrr"] == pytest.approx(1 / 11)


def test_more_evidence_than_ten_hits_hold_can_be_in_perfect_order_still():
    marks = marks_of(list("abcdefghijkl"), list("abcdefghijkl"))

    assert marks["ndcg@10"] == pytest.approx(1)
    assert marks["recall@10"] == pytest.approx(10 / 12)


def test_what_says_the_same_is_found_together_and_counts_once_in_order():
    marks = marks_of(["a", "a", "b"], ["a"])

    assert marks["recall@1"] == pytest.approx(2 / 3)
    assert marks["ndcg@10"] == pytest.approx(1 / (1 + 1 / log2(3)))


def test_a_budget_ends_at_the_first_hit_that_it_does_not_hold():
    marks = marks_of(["a", "b", "c"], ["a", "x", "b", "c"], [300, 200, 501, 1])

    assert [marks[f"evidence@{budget}"] for budget in (500, 1000, 2000)] == [
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
        1.0,
    ]


def test_a_budget_holds_what_fills_it_to_the_last_token():
    marks = marks_of(["a", "b", "c"], ["a", "b", "c"], [400, 100, 501])

    assert marks["evidence@500"] == pytest.approx(2 / 3)
    assert marks["evidence@1000"] == pytest.approx(2 / 3)


def test_a_first_hit_that_is_too_long_leaves_no_room_for_others():
    marks = marks_of(["b"], ["a", "b"], [2001, 1])

    assert [marks[f"evidence@{budget}"] for budget in BUDGETS] == [0, 0, 0]


def test_marks_come_in_their_order():
    assert tuple(marks_of(["a"], ["a"])) == MARKS


@given(EVIDENCE, CAME, st.data())
def test_marks_lie_between_nothing_and_all(evidence, came, data):
    tokens = data.draw(st.lists(st.integers(0, 900), min_size=len(came), max_size=len(came)))

    marks = marks_of(evidence, came, tokens)

    assert all(0 <= value <= 1 + 1e-9 for value in marks.values())


@given(EVIDENCE, CAME)
def test_more_hits_never_hold_less_of_what_answers(evidence, came):
    marks = marks_of(evidence, came)

    recalls = [marks[f"recall@{cut}"] for cut in CUTOFFS]
    assert recalls == sorted(recalls)


@given(EVIDENCE, CAME, st.integers(0, 900))
def test_a_larger_budget_never_holds_less_of_what_answers(evidence, came, tokens):
    marks = marks_of(evidence, came, [tokens] * len(came))

    held = [marks[f"evidence@{budget}"] for budget in BUDGETS]
    assert held == sorted(held)


@given(EVIDENCE, CAME)
def test_all_is_there_exactly_where_nothing_is_missing(evidence, came):
    marks = marks_of(evidence, came)

    assert (marks["all-hit@10"] == 1) == (marks["recall@10"] == 1)


@given(EVIDENCE, CAME)
def test_something_that_answers_came_exactly_where_it_has_a_place(evidence, came):
    marks = marks_of(evidence, came)

    assert (marks["mrr"] > 0) == bool(set(evidence) & set(came))


def test_marks_are_those_that_others_measure():
    measures = pytest.importorskip("ir_measures", reason="it is needed to check our marks")
    theirs = {
        **{f"recall@{cut}": measures.R @ cut for cut in CUTOFFS},
        "mrr": measures.RR,
        "ndcg@10": measures.nDCG @ 10,
        "success@10": measures.Success @ 10,
    }
    names = {measure: name for name, measure in theirs.items()}

    @hypothesis_settings(max_examples=60)
    @given(st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, unique=True), CAME)
    def agree(evidence, came):
        marks = marks_of(evidence, came)
        qrels = {"q": dict.fromkeys(evidence, 1)}
        run = {"q": {one: float(-place) for place, one in enumerate(came)}}
        found = {
            names[one.measure]: one.value
            for one in measures.iter_calc(list(theirs.values()), qrels, run)
        }
        # A question that nothing came for has no line in a run of theirs, and is 0 in their means.
        ours = {name: marks[name] for name in theirs if name in marks}
        ours["success@10"] = float(marks["recall@10"] > 0)
        assert {name: found.get(name, 0.0) for name in theirs} == pytest.approx(ours)

    agree()


# ── how sure a figure is ─────────────────────────────────────────────────────────────────────


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
@hypothesis_settings(max_examples=30)
def test_a_mean_lies_within_its_interval(values):
    found = mean_interval(values)

    mean = sum(values) / len(values)
    assert min(values) - 1e-9 <= found.low <= mean + 1e-9
    assert mean - 1e-9 <= found.high <= max(values) + 1e-9


@pytest.mark.parametrize("values", [[0.25], [0.25] * 40, [0.0] * 7])
def test_what_is_always_the_same_is_sure(values):
    assert mean_interval(values) == Interval(values[0], values[0])


def test_an_interval_is_the_same_each_time():
    values = [0.0, 1.0, 0.5, 1.0]

    assert mean_interval(values) == mean_interval(list(values))
    assert area_interval(values, [0.2, 0.9]) == area_interval(values, [0.2, 0.9])


def test_more_questions_make_a_figure_surer():
    few, many = mean_interval([0.0, 1.0] * 10), mean_interval([0.0, 1.0] * 500)

    assert many.high - many.low < (few.high - few.low) / 4


def test_an_interval_is_about_as_wide_as_a_normal_one():
    found = mean_interval([0.0, 1.0] * 200)

    assert (found.low, found.high) == pytest.approx((0.451, 0.549), abs=0.006)


def test_many_questions_are_drawn_in_parts():
    values = [0.0, 1.0] * 1000

    found = mean_interval(values)

    assert (found.low, found.high) == pytest.approx((0.478, 0.522), abs=0.004)


@pytest.mark.parametrize(
    ("yes", "no", "area"),
    [
        ([0.9, 0.8], [0.1, 0.2], 1.0),
        ([0.1], [0.9], 0.0),
        ([0.5], [0.5], 0.5),
        ([0.9, 0.3], [0.5, 0.1], 0.75),
        ([0.9, 0.5, 0.5], [0.5, 0.1], 5 / 6),
        ([0.0, 0.0], [0.0, 0.0, 0.0], 0.5),
    ],
)
def test_an_area_is_how_often_what_is_answered_scores_higher(yes, no, area):
    assert area_under_curve(yes, no) == pytest.approx(area)


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=12),
    st.lists(st.integers(0, 5), min_size=1, max_size=12),
)
def test_an_area_counts_every_pair(yes, no):
    pairs = [(one > other) + (one == other) / 2 for one in yes for other in no]

    assert area_under_curve(yes, no) == pytest.approx(sum(pairs) / len(pairs))
    assert area_under_curve(no, yes) == pytest.approx(1 - sum(pairs) / len(pairs))


def test_an_area_lies_within_its_interval():
    yes, no = [0.9, 0.7, 0.6, 0.3], [0.5, 0.4, 0.2]

    found = area_interval(yes, no)

    assert 0 <= found.low <= area_under_curve(yes, no) <= found.high <= 1


def test_what_is_told_apart_whole_is_sure():
    assert area_interval([0.8, 0.9], [0.1, 0.2]) == Interval(1.0, 1.0)


def test_nothing_has_no_interval():
    with pytest.raises(InvalidValue):
        mean_interval([])


@pytest.mark.parametrize(("yes", "no"), [([], [0.1]), ([0.1], []), ([], [])])
def test_nothing_has_no_area(yes, no):
    with pytest.raises(InvalidValue):
        area_under_curve(yes, no)


# ── sums ─────────────────────────────────────────────────────────────────────────────────────


def outcome(number=0, *, came=("a",), **fields):
    """Return what became of a question that `a` answers."""
    abstain = fields.get("abstain")
    made = Outcome(
        tenant="ann",
        id=f"ann/{number}",
        question="which?",
        category="direct",
        kinds=() if abstain else ("episodic",),
        half="odd",
        abstain=None,
        evidence=() if abstain else ("a",),
        hits=tuple(Came(row=row, score=0.5, tokens=7) for row in came),
        best=0.5,
        floor=0.2,
        empty_because=None,
        tokens=7 * len(came),
        leaks=0,
        marks={} if abstain else marks_of(["a"], came),
    )
    return replace(made, **fields)


def test_figures_are_means_over_questions():
    whole = summary_of([outcome(0), outcome(1, came=["x", "a"]), outcome(2, came=[])]).whole

    assert whole.questions == 3
    assert whole.metrics["recall@1"] == pytest.approx(1 / 3)
    assert whole.metrics["recall@10"] == pytest.approx(2 / 3)
    assert whole.metrics["mrr"] == pytest.approx(0.5)
    assert whole.metrics["empty"] == pytest.approx(1 / 3)
    assert whole.metrics["tokens"] == pytest.approx(7)


def test_every_figure_says_how_sure_it_is():
    whole = summary_of([outcome(0), outcome(1, came=[]), outcome(2, abstain="near")]).whole

    assert whole.intervals.keys() == whole.metrics.keys()
    assert all(
        whole.intervals[name].low <= value <= whole.intervals[name].high
        for name, value in whole.metrics.items()
    )


def test_figures_are_told_by_category_kind_and_half():
    by = summary_of(
        [
            outcome(0, kinds=("episodic", "semantic")),
            outcome(1, category="multi", half="even", came=[]),
            outcome(2, category="", kinds=("semantic",), came=[]),
        ]
    ).by

    recalls = {
        name: {part: (of.questions, of.metrics["recall@10"]) for part, of in by[name].items()}
        for name in ("category", "kind", "half")
    }
    assert recalls == {
        "category": {"direct": (1, 1.0), "multi": (1, 0.0)},
        "kind": {"episodic": (2, 0.5), "semantic": (2, 0.5)},
        "half": {"even": (1, 0.0), "odd": (2, 0.5)},
    }


def test_figures_are_told_by_the_language_of_the_question():
    questions = ["which?", "外婆住在哪里?", "who?", "42?"]

    by = summary_of([outcome(n, question=text) for n, text in enumerate(questions)]).by

    assert {name: of.questions for name, of in by["language"].items()} == {
        "en": 2,
        "none": 1,
        "zh": 1,
    }


def test_what_nothing_answers_is_no_part_of_recall():
    whole = summary_of(
        [outcome(0), outcome(1, abstain="near", came=[]), outcome(2, abstain="foreign")]
    ).whole

    assert (whole.questions, whole.metrics["recall@10"], whole.metrics["empty"]) == (3, 1.0, 0.0)
    assert whole.metrics["tokens"] == 7


def test_abstention_is_the_share_that_nothing_came_for_of_each_sort():
    metrics = summary_of(
        [
            outcome(0, abstain="near"),
            outcome(1, abstain="near", came=[]),
            outcome(2, abstain="foreign", came=[]),
        ]
    ).whole.metrics

    assert metrics == {"abstention(near)": 0.5, "abstention(foreign)": 1.0}


def test_the_best_score_tells_what_is_answered_from_each_sort_that_is_not():
    metrics = summary_of(
        [
            outcome(0, best=0.9),
            outcome(1, best=0.3),
            outcome(2, abstain="near", best=0.5),
            outcome(3, abstain="foreign", best=0.1),
        ]
    ).whole.metrics

    assert (metrics["auroc(near)"], metrics["auroc(foreign)"]) == (0.5, 1.0)


def test_figures_come_in_their_order():
    whole = summary_of(
        [outcome(0, abstain="foreign"), outcome(1), outcome(2, abstain="near")]
    ).whole

    assert tuple(whole.metrics)[: len(METRICS)] == METRICS


def test_leaks_are_counted_over_all_questions():
    found = summary_of([outcome(0, leaks=2), outcome(1), outcome(2, abstain="near", leaks=1)])

    assert found.leaks == 3


def test_starvation_is_counted_of_what_was_looked_at():
    found = summary_of([outcome(0, starved=True), outcome(1, starved=False), outcome(2)])

    assert (found.starvation, found.starvation_of) == (1, 2)


def test_latency_is_told_by_percentile_and_stage():
    outcomes = [
        outcome(n, run=Run(cpu_ms=n, wall_ms=2 * n), stages_ms={"plan": n, "rerank": 5 * n})
        for n in range(100)
    ]

    found = summary_of([*outcomes, outcome(100, stages_ms={"plan": 100})])

    assert found.recall_ms["wall"] == {"p50": 98, "p95": 188, "p99": 196}
    assert found.recall_ms["cpu"] == {"p50": 49, "p95": 94, "p99": 98}
    assert found.stages_ms == {
        "plan": {"p50": 50, "p95": 95, "p99": 99},
        "rerank": {"p50": 250, "p95": 475, "p99": 495},
    }


def test_a_question_has_the_figures_that_its_sort_has():
    answered, nothing = outcome(came=["x"]), outcome(abstain="near", came=["x"])

    assert metrics_of(answered) == {**marks_of(["a"], ["x"]), "empty": 0.0, "tokens": 7.0}
    assert metrics_of(nothing) == {"abstention(near)": 0.0}


# ── two runs ─────────────────────────────────────────────────────────────────────────────────


def test_only_what_both_runs_asked_is_compared():
    before = {"q1": {"mrr": 0.5}, "q2": {"mrr": 0.0}}
    after = {"q2": {"mrr": 1.0}, "q3": {"mrr": 0.2}}

    assert differences_of(before, after, ["mrr"], run="old") == {
        "mrr": Difference(
            questions=1,
            before=0.0,
            after=1.0,
            delta=1.0,
            interval=Interval(1.0, 1.0),
            better=1,
            worse=0,
        )
    }


def test_a_difference_is_one_of_pairs():
    before = {"q1": {"mrr": 0.0}, "q2": {"mrr": 0.5}, "q3": {"mrr": 1.0}, "q4": {"mrr": 1.0}}
    after = {"q1": {"mrr": 0.5}, "q2": {"mrr": 1.0}, "q3": {"mrr": 0.5}, "q4": {"mrr": 1.0}}

    found = differences_of(before, after, ["mrr"], run="old")["mrr"]

    assert (found.before, found.after, found.delta) == (0.625, 0.75, 0.125)
    assert (found.questions, found.better, found.worse) == (4, 2, 1)
    assert found.interval == mean_interval([0.5, 0.5, -0.5, 0.0])


@pytest.mark.parametrize("name", ["empty", "tokens"])
def test_less_of_what_is_spent_is_better(name):
    before = {"q1": {name: 1.0}, "q2": {name: 1.0}, "q3": {name: 0.0}}
    after = {"q1": {name: 0.0}, "q2": {name: 0.0}, "q3": {name: 1.0}}

    found = differences_of(before, after, [name], run="old")[name]

    assert (found.better, found.worse) == (2, 1)
    assert found.delta == pytest.approx(-1 / 3)


def test_figures_are_compared_over_the_questions_that_have_them_in_both_runs():
    before = {"q1": {"mrr": 0.5, "recall@1": 0.0}, "q2": {"abstention(near)": 1.0}}
    after = {"q1": {"mrr": 1.0}, "q2": {"abstention(near)": 0.0}}

    found = differences_of(before, after, ["abstention(near)", "recall@1", "mrr"], run="old")

    assert [(name, one.questions) for name, one in found.items()] == [
        ("abstention(near)", 1),
        ("mrr", 1),
    ]


@pytest.mark.parametrize("after", [{}, {"q2": {"mrr": 1.0}}])
def test_runs_without_a_question_in_common_are_not_compared(after):
    with pytest.raises(InvalidFile, match="old: it has no question in common"):
        differences_of({"q1": {"mrr": 1.0}}, after, ["mrr"], run="old")


# ── gates ────────────────────────────────────────────────────────────────────────────────────

BELOW, EQUAL, ABOVE = 0.4, 0.5, 0.6


def passed(gate, figures):
    return [verdict.passed for verdict in judged(read_gate(gate), figures)]


@pytest.mark.parametrize(
    ("operator", "met"),
    [
        (">=", [False, True, True]),
        ("<=", [True, True, False]),
        ("==", [False, True, False]),
        ("!=", [True, False, True]),
        (">", [False, False, True]),
        ("<", [True, False, False]),
    ],
)
def test_a_gate_is_what_its_operator_says(operator, met):
    gate = f"mrr{operator}0.5"

    assert [passed(gate, {"mrr": found}) for found in (BELOW, EQUAL, ABOVE)] == [[m] for m in met]


def test_every_operator_is_known():
    assert set(OPERATORS) == {">=", "<=", "==", "!=", ">", "<"}


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("recall@10>=0.85", ("recall@10", ">=", 0.85)),
        (" recall@10 >= .85 ", ("recall@10", ">=", 0.85)),
        ("leaks==0", ("leaks", "==", 0)),
        ("delta(mrr)>-0.01", ("delta(mrr)", ">", -0.01)),
        ("mrr[category=two words]<1", ("mrr[category=two words]", "<", 1)),
        ("mrr[category=a>=b]>=1", ("mrr[category=a>=b]", ">=", 1)),
        ("wall_ms.p95<=50.", ("wall_ms.p95", "<=", 50)),
    ],
)
def test_a_gate_is_a_figure_an_operator_and_a_number(text, gate):
    name, operator, value = gate

    assert read_gate(text) == Gate(text=text.strip(), name=name, operator=operator, value=value)


@pytest.mark.parametrize(
    "text",
    ["", "mrr", "mrr>", ">=0.5", "mrr=0.5", "mrr>=much", "mrr>=1.2.3", "mrr>=.", "mrr>=0.5 or so"],
)
def test_what_is_no_gate_is_refused_with_how_one_reads(text):
    with pytest.raises(InvalidValue, match=r"as recall@10>=0\.85"):
        read_gate(text)


def test_a_verdict_says_what_was_found():
    (verdict,) = judged(read_gate("mrr>=0.5"), {"mrr": 0.25, "recall@10": 1.0})

    assert (verdict.gate, verdict.name) == ("mrr>=0.5", "mrr")
    assert (verdict.found, verdict.passed) == (0.25, False)


def test_a_star_means_every_slice():
    figures = {"mrr": 0.1, "mrr[kind=a]": 1.0, "mrr[kind=b]": 0.2, "mrr[half=odd]": 0.1}

    verdicts = judged(read_gate("mrr[kind=*]>=0.5"), figures)

    assert [(one.name, one.passed) for one in verdicts] == [
        ("mrr[kind=a]", True),
        ("mrr[kind=b]", False),
    ]


def test_a_figure_that_there_is_not_is_refused_with_those_that_there_are():
    figures = {"mrr": 0.1, "mrr[kind=a]": 1.0, "mrr[kind=b]": 0.2, "leaks": 0}

    with pytest.raises(InvalidValue) as refused:
        judged(read_gate("empty>=0.5"), figures)

    assert str(refused.value) == "gate is 'empty'; it must be one of mrr, mrr[kind=*], leaks"


@pytest.mark.parametrize("name", ["mrr[kind=*]", "mrr[half=even]", "mr", "mrr[half=odd]s", "*x"])
def test_a_slice_that_there_is_not_is_refused(name):
    with pytest.raises(InvalidValue):
        judged(read_gate(f"{name}>=0"), {"mrr": 0.1, "mrr[half=odd]": 1.0})


@pytest.fixture
def figures():
    """Return the figures of a run of three questions, compared with another one."""
    outcomes = [
        outcome(0, starved=False, run=Run(cpu_ms=1, wall_ms=2)),
        outcome(1, category="multi", half="even", came=[], leaks=1, run=Run(cpu_ms=3, wall_ms=4)),
        outcome(2, category="odd", abstain="near", run=Run(cpu_ms=1, wall_ms=2)),
    ]
    before = {"ann/0": {"mrr": 0.5}, "ann/1": {"mrr": 0.5}}
    after = {one.id: metrics_of(one) for one in outcomes}
    return figures_of(summary_of(outcomes), differences_of(before, after, METRICS, run="old"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall@10", 0.5),
        ("abstention(near)", 0.0),
        ("auroc(near)", 0.5),
        ("leaks", 1),
        ("starvation", 0),
        ("wall_ms.p50", 2),
        ("cpu_ms.p99", 3),
        ("recall@10[category=multi]", 0.0),
        ("recall@10[kind=episodic]", 0.5),
        ("recall@10[half=odd]", 1.0),
        ("abstention(near)[category=odd]", 0.0),
        ("delta(mrr)", 0.0),
        ("delta(mrr).low", -0.5),
        ("delta(mrr).high", 0.5),
    ],
)
def test_a_gate_can_name_every_figure_of_a_run(figures, name, value):
    (verdict,) = judged(read_gate(f"{name}=={value}"), figures)

    assert (verdict.found, verdict.passed) == (pytest.approx(value), True)


def test_a_slice_has_a_figure_for_what_it_asked_alone(figures):
    assert "recall@10[category=odd]" not in figures
    assert passed("recall@10[category=*]>=0", figures) == [True, True]


def test_a_run_that_is_not_compared_has_no_differences():
    alone = figures_of(summary_of([outcome()]), {})

    assert not [name for name in alone if name.startswith("delta")]
