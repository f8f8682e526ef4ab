"""The command that measures how good recall is, on a small folder and by words."""

import json
import re
from html.parser import HTMLParser

import pytest

from pinyon.evaluation.quality.marks import MARKS
from pinyon.evaluation.quality.named import NAMES
from pinyon.ranking.weights import FACTORS
from pinyon.recall.recaller import TO_SPARE
from pinyon.testing.scripted_model import Reply, ScriptedModel

WICKED = "<script>alert(1)</script> where is the wheel kept?"
MEMORIES = [
    ("*", "s1", "the granary opens at eight"),
    ("ann", "a1", "the heron nests by the mill"),
    ("ann", "a2", "the mill wheel was mended with oak <b>twice</b>"),
    ("ben", "b1", "violin strings are kept in the tin"),
    ("ben", "b2", "the tin stands behind the flour"),
]
QUESTIONS = [
    ("ann", "where does the heron nest?", "place", ["a1"], None),
    ("ann", "when does the granary open?", "time", ["s1"], None),
    ("ann", WICKED, "place", ["a1", "a2"], None),
    ("ann", "zib quux frump?", "foreign", [], "foreign"),
    ("ben", "where are the violin strings?", "place", ["b1"], None),
    ("ben", "who painted the ceiling?", "near", [], "near"),
]


def write(folder, memories, questions):
    folder.mkdir(exist_ok=True)
    rows = [{"tenant": who, "id": row, "text": text} for who, row, text in memories]
    asked = [
        {"tenant": who, "question": text, "category": category, "evidence": evidence}
        | {"abstain": abstain}
        for who, text, category, evidence, abstain in questions
    ]
    for name, lines in (("memories", rows), ("questions", asked)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return folder


@pytest.fixture
def mill(tmp_path):
    return write(tmp_path / "mill", MEMORIES, QUESTIONS)


@pytest.fixture
def measure(pinyon, mill):
    """Run the command on the small folder, by words."""
    return lambda *args: pinyon("eval", mill, "--words", *args, user=None)


def questions_of(run):
    lines = [json.loads(line) for line in run.read_text("utf-8").splitlines()]
    return [line for line in lines if line["type"] == "question"]


# ── what it says ─────────────────────────────────────────────────────────────────────────────


def test_figures_are_shown_as_tables(measure):
    said = measure()

    assert (said.exit, said.err) == (0, "")
    first, *lines = said.out.splitlines()
    assert first.startswith("mill: ")
    assert "5 memories of 2 people · by words, quality default" in first
    shown = {line.split()[0] for line in lines if line}
    assert {*MARKS, "abstention(foreign)", "abstention(near)", "auroc(near)"} <= shown
    assert {"foreign", "near", "place", "time"} <= shown
    assert "\x1b" not in said.out


def test_figures_are_told_to_a_program(measure):
    said = measure("--json")

    told = said.json
    assert said.exit == 0
    assert {*MARKS, "empty", "tokens", "abstention(near)", "auroc(foreign)"} <= set(told["metrics"])
    assert told["intervals"].keys() == told["metrics"].keys()
    assert (told["corpus"], told["memories"], told["tenants"]) == ("mill", 5, 2)
    assert set(told["by_category"]) == {"foreign", "near", "place", "time"}
    assert set(told["by_kind"]) == {"catalog", "episodic"}
    assert (told["leaks"], told["starvation"]) == (0, 0)
    assert told["starvation_of"] == told["questions"]
    assert set(told["latency_ms"]["recall"]["wall"]) == {"p50", "p95", "p99"}
    assert "keyword" in told["latency_ms"]["stages"]
    assert (told["compared"], told["gates"]) == ({}, [])


def test_figures_are_those_that_can_be_counted_by_hand(measure):
    told = measure("--json").json

    place = told["by_category"]["place"]
    assert (place["questions"], place["recall@10"]) == (3, pytest.approx((1 + 0.5 + 1) / 3))
    assert place["all-hit@10"] == pytest.approx(2 / 3)
    assert told["by_category"]["time"]["recall@1"] == 1
    assert told["by_category"]["near"]["abstention(near)"] == 1


def test_a_run_says_what_made_it(measure):
    told = measure("--json").json

    assert told["config"] == {
        "quality": "default",
        "embedder": None,
        "reranker": None,
        "without": [],
        "weights": {},
    }
    assert len(told["data"]) == len(told["code"]) == 64


def test_nothing_is_kept_in_the_home(measure, home):
    measure()

    assert not home.exists()


@pytest.mark.parametrize("people", ["1", "ann"])
def test_only_some_people_are_measured_where_that_is_asked(measure, people):
    told = measure("--json", "--tenants", people).json

    assert (told["tenants"], told["memories"]) == (1, 3)
    assert set(told["by_half"]) == {"odd"}
    assert told["starvation_of"] == 0


# ── stages and factors ───────────────────────────────────────────────────────────────────────


def test_stages_and_factors_are_left_out(measure):
    told = measure("--json", "--without", "turns, weigh,age").json

    assert told["config"]["without"] == ["turns", "weigh", "age"]
    assert "weigh" not in told["latency_ms"]["stages"]


def test_nothing_comes_without_the_stage_that_finds_it(measure):
    told = measure("--json", "--without", "keyword,weigh").json

    assert "keyword" not in told["latency_ms"]["stages"]
    assert (told["metrics"]["recall@10"], told["metrics"]["empty"]) == (0, 1)


def test_what_is_left_out_is_shown(measure):
    assert "without keyword, weigh" in measure("--without", "keyword,weigh").out


def test_a_stage_that_there_is_not_is_refused_with_those_that_there_are(measure):
    said = measure("--json", "--without", "keyword,selct")

    known = ", ".join((*TO_SPARE, *FACTORS))
    assert (said.exit, said.out, said.error["code"]) == (2, "", "invalid_value")
    assert said.error["message"] == f"without is 'selct'; it must be one of {known}"


# ── runs ─────────────────────────────────────────────────────────────────────────────────────


def test_two_runs_differ_in_nothing_but_how_long_they_took(measure, tmp_path):
    runs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for run in runs:
        measure("--out", run)

    lines = [run.read_text("utf-8").splitlines() for run in runs]
    differing = [pair for pair in zip(*lines, strict=True) if pair[0] != pair[1]]
    assert [json.loads(one)["type"] for one, _ in differing] == ["latency"]


def test_a_run_tells_what_became_of_each_question(measure, tmp_path):
    run = tmp_path / "run.jsonl"
    said = measure("--json", "--out", run)

    questions = questions_of(run)
    assert len(questions) == said.json["questions"]
    assert questions[0]["question"] == "where does the heron nest?"
    assert [hit["row"] for hit in questions[0]["hits"]] == ["a1"]


def test_a_run_compared_with_itself_does_not_differ(measure, tmp_path):
    run = tmp_path / "run.jsonl"
    measure("--out", run)

    said = measure("--json", "--compare", run)

    compared = said.json["compared"]
    assert {"recall@10", "mrr", "empty", "tokens", "abstention(near)"} <= set(compared)
    for one in compared.values():
        assert (one["delta"], one["interval"]) == (0, {"low": 0, "high": 0})
        assert (one["better"], one["worse"]) == (0, 0)
    assert said.err == ""


def test_what_changed_since_an_earlier_run_is_shown(measure, tmp_path):
    run = tmp_path / "run.jsonl"
    measure("--out", run)

    said = measure("--compare", run, "--without", "keyword")

    shown = said.out.partition("compared")[2]
    mrr = next(line.split() for line in shown.splitlines() if line.startswith("mrr"))
    assert mrr[1:4] == ["100.0", "0.0", "-100.0"]
    assert mrr[-2:] == ["0", "4"]


def test_a_run_of_other_data_is_compared_by_what_both_asked(measure, tmp_path, mill):
    run = tmp_path / "run.jsonl"
    measure("--out", run)
    write(mill, [*MEMORIES, ("ben", "b3", "the ceiling is white")], QUESTIONS)

    said = measure("--json", "--compare", run)

    assert (said.exit, said.json["compared"]["mrr"]["questions"]) == (0, 4)
    assert "the earlier run is of other data" in said.err


def test_a_file_that_is_no_run_is_refused_before_anything_is_measured(measure, tmp_path):
    run = tmp_path / "run.jsonl"
    run.write_text("{}", "utf-8")

    said = measure("--json", "--compare", run)

    assert (said.exit, said.error["code"], said.out) == (2, "invalid_file", "")


# ── gates ────────────────────────────────────────────────────────────────────────────────────


def test_gates_that_hold_end_well(measure):
    said = measure("--gate", "recall@10>=0.8", "--gate", "leaks==0", "--gate", "mrr[kind=*]>0.5")

    assert said.exit == 0
    assert said.out.splitlines()[-4:] == [
        "✓ passed recall@10>=0.8: 0.875",
        "✓ passed leaks==0: 0",
        "✓ passed mrr[kind=*]>0.5: mrr[kind=catalog] 1",
        "✓ passed mrr[kind=*]>0.5: mrr[kind=episodic] 1",
    ]


def test_gates_that_fail_say_so_and_end_with_a_code_of_their_own(measure):
    said = measure(
        "--gate", "recall@10>0.875", "--gate", "recall@1[category=*]>0.9", "--gate", "leaks<1"
    )

    assert said.exit == 3
    failed = [line for line in said.out.splitlines() if line.startswith("✗ failed")]
    assert failed == [
        "✗ failed recall@10>0.875: 0.875",
        "✗ failed recall@1[category=*]>0.9: recall@1[category=place] 0.8333",
    ]


def test_gates_are_told_to_a_program(measure):
    said = measure("--json", "--gate", "recall@10>0.9", "--gate", "leaks==0")

    assert said.exit == 3
    assert said.err == "gate failed: recall@10>0.9: recall@10 0.875\n"
    assert said.json["gates"] == [
        {"gate": "recall@10>0.9", "name": "recall@10", "found": 0.875, "passed": False},
        {"gate": "leaks==0", "name": "leaks", "found": 0, "passed": True},
    ]


def test_a_gate_may_be_of_what_changed(measure, tmp_path):
    run = tmp_path / "run.jsonl"
    measure("--out", run)

    held = measure("--compare", run, "--gate", "delta(mrr)>=0", "--gate", "delta(mrr).low>=-0.01")
    failed = measure("--compare", run, "--without", "keyword", "--gate", "delta(mrr)>=0")

    assert (held.exit, failed.exit) == (0, 3)


@pytest.mark.parametrize(
    ("gate", "allowed"),
    [
        ("recall@7>0.5", "one of recall@1, recall@5, "),
        ("delta(mrr)>0", "one of recall@1, recall@5, "),
        ("recall@10", "a figure, one of >=, <=, ==, !=, > and <, and a number"),
    ],
)
def test_a_gate_that_cannot_be_judged_is_refused(measure, gate, allowed):
    said = measure("--json", "--gate", gate)

    assert (said.exit, said.out, said.error["code"]) == (2, "", "invalid_value")
    assert allowed in said.error["message"]


# ── what is refused ──────────────────────────────────────────────────────────────────────────


def test_a_folder_that_is_not_there_is_told_in_one_line(pinyon, tmp_path):
    missing = tmp_path / "no-such-folder"

    said = pinyon("eval", missing, "--words", user=None)

    assert (said.exit, said.out) == (2, "")
    assert said.err == (
        f"invalid_file: {missing}: it is no folder, and none of {', '.join(NAMES)}\n"
    )


def test_a_line_that_is_no_memory_is_told_in_one_line(measure, mill):
    (mill / "memories.jsonl").write_text('{"tenant": "ann"}', "utf-8")

    said = measure()

    assert (said.exit, said.out) == (2, "")
    assert said.err == "invalid_file: memories.jsonl, line 1: it has no 'id'\n"


def test_a_published_set_without_its_files_says_where_they_come_from(pinyon):
    said = pinyon("eval", "locomo", user=None)

    assert (said.exit, said.err.count("\n")) == (2, 1)
    assert "https://github.com/snap-research/locomo" in said.err


@pytest.mark.parametrize("option", [("--tenants", "zoe"), ("--quality", "good"), ("--data", "x")])
def test_an_option_outside_its_range_is_refused(measure, option):
    said = measure("--json", *option)

    assert (said.exit, said.out) == (2, "")
    assert option[0].strip("-") in said.error["message"]


def test_nobody_is_told_in_one_line(measure):
    assert measure("--json", "--tenants", "0").exit == 2


def test_people_who_are_asked_nothing_are_told_in_one_line(pinyon, tmp_path):
    questions = [("ben", "where are the violin strings?", "place", ["b1"], None)]
    folder = write(tmp_path / "quiet", MEMORIES, questions)

    said = pinyon("eval", folder, "--words", "--tenants", "1", "--json", user=None)

    assert said.exit == 2


def test_questions_that_nothing_answers_are_shown_by_themselves(pinyon, tmp_path):
    questions = [one for one in QUESTIONS if one[4] is not None]
    folder = write(tmp_path / "nothing", MEMORIES, questions)

    said = pinyon("eval", folder, "--words", user=None)

    assert said.exit == 0


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_a_place_that_cannot_be_written_is_told_in_one_line(measure, tmp_path, option):
    said = measure("--json", option, tmp_path / "nowhere" / "file")

    assert said.exit in {2, 8}


# ── the page ─────────────────────────────────────────────────────────────────────────────────


class Page(HTMLParser):
    """Notes elements, what they refer to, and the text between them."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def page(measure, tmp_path):
    """Return a function that measures with some options, and the page of it."""

    def report(*args):
        path = tmp_path / "page.html"
        assert measure("--report", path, *args).exit in {0, 3}
        return path.read_text("utf-8")

    return report


def test_a_page_fetches_nothing_and_runs_nothing(page):
    html = page()

    read = Page(html)
    assert not re.search(r"https?:|//[a-z]|url\(|@import", html, re.IGNORECASE)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(read.tags)
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    assert not {"src", "href"} & {name for name, _ in read.attributes}


def test_a_page_says_itself_that_nothing_may_run(page):
    metas = [content for name, content in Page(page()).attributes if name == "content"]

    assert metas[0].startswith("default-src 'none';")


def test_a_page_is_whole(page):
    html = page()

    tags = Page(html).tags
    assert html.startswith("<!doctype html>")
    assert html.rstrip().endswith("</html>")
    assert [tags.count(tag) for tag in ("html", "head", "body", "h1")] == [1, 1, 1, 1]
    assert tags.count("svg") >= 3


def test_a_page_shows_the_texts_of_a_corpus_as_text(page):
    html = page()

    assert "<script" not in html
    assert "<b>twice" not in html
    assert WICKED in Page(html).text
    assert "mended with oak <b>twice</b>" in Page(html).text


def test_a_page_shows_what_a_corpus_is_called_as_text(pinyon, tmp_path):
    folder = write(tmp_path / "<i>mill & co", MEMORIES, QUESTIONS)

    pinyon("eval", folder, "--words", "--report", tmp_path / "page.html", user=None)

    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<i>" not in html
    assert "<i>mill & co" in Page(html).text


def test_a_page_shows_what_a_category_is_called_as_text(pinyon, tmp_path):
    questions = [(who, text, f"<u>{name}", *rest) for who, text, name, *rest in QUESTIONS]
    folder = write(tmp_path / "mill", MEMORIES, questions)

    pinyon("eval", folder, "--words", "--report", tmp_path / "page.html", user=None)

    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<u>" not in html
    assert "<u>place" in Page(html).text


def test_a_page_says_of_what_went_wrong_what_came_instead(page):
    text = Page(page()).text

    assert f"{WICKED}ann · place" in text
    assert "the heron nests by the mill did not come" in text


def test_a_page_says_where_nothing_came(page):
    text = Page(page("--without", "keyword")).text

    assert "where are the violin strings?ben · place" in text
    assert "nothing: best 0.00, floor" in text


def test_a_page_says_where_nothing_went_wrong(pinyon, tmp_path):
    folder = write(tmp_path / "mill", MEMORIES, QUESTIONS[:2])

    pinyon("eval", folder, "--words", "--report", tmp_path / "page.html", user=None)

    text = Page((tmp_path / "page.html").read_text("utf-8")).text
    assert "Every answer was among the first ten hits." in text


def test_a_page_shows_gates_and_what_changed(page, measure, tmp_path):
    run = tmp_path / "run.jsonl"
    measure("--out", run)

    read = Page(page("--compare", run, "--gate", "recall@10>0.9", "--gate", "leaks<1"))

    assert "recall@10>0.9" in read.text
    assert "failed" in read.text
    assert "leaks<1" in read.text
    assert "Compared with an earlier run" in read.text


def test_a_page_without_gates_or_an_earlier_run_shows_neither(page):
    text = Page(page()).text

    assert "Gates" not in text
    assert "Compared" not in text


# ── figures that a server shows ──────────────────────────────────────────────────────────────


def test_figures_are_kept_in_the_home_where_that_is_asked_for(measure, pinyon, home):
    pinyon("remember", "my hub is a v2")

    said = measure("--record", "--json")

    kept = json.loads((home / "evaluation.json").read_text("utf-8"))
    assert said.exit == 0
    assert "evaluation.json" in said.err
    assert kept["corpus"] == "mill"
    assert kept["measures"] == {**said.json["metrics"], "leaks": 0, "starvation": 0}


def test_nothing_that_was_asked_or_kept_is_in_those_figures(measure, pinyon, home):
    pinyon("remember", "my hub is a v2")

    measure("--record")

    kept = (home / "evaluation.json").read_text("utf-8")
    words = ("heron", "granary", "violin", "ann", "ben", "place", "hub")
    assert not [word for word in words if re.search(rf"\b{word}\b", kept)]


def test_figures_need_a_home_before_anything_is_measured(measure, home):
    said = measure("--record")

    assert said.exit == 2
    assert "invalid_value" in said.err
    assert not home.exists()


# ── questions of one's own memories ──────────────────────────────────────────────────────────


@pytest.fixture
def questioner():
    """Return the settings of a chat model that asks two things of whatever it is shown."""
    pytest.importorskip("openai")
    said = json.dumps({"first": "where is the nest of the heron?", "second": "which bird is it?"})
    with ScriptedModel(lambda _: Reply(said)) as model:
        yield {"PINYON_CHAT": "openai:words", "PINYON_CHAT_URL": model.url + "/v1"}


def test_questions_are_made_of_ones_own_memories_and_measured_with(pinyon, tmp_path, questioner):
    for text in ("the heron nests by the mill", "the wheel was mended with oak"):
        pinyon("write", text)
    made = pinyon("eval", tmp_path / "own", "--make-questions", "--sample", "1", **questioner)
    measured = pinyon("eval", tmp_path / "own", "--words", "--json", user=None)

    assert "2 questions of 1 memories" in made.out
    assert (measured.json["memories"], measured.json["by_category"]["made"]["questions"]) == (2, 2)


def test_made_questions_are_told_as_json(pinyon, tmp_path, questioner):
    pinyon("write", "the heron nests by the mill")
    made = pinyon("eval", tmp_path / "own", "--make-questions", "--json", **questioner)

    assert made.json == {
        "folder": str(tmp_path / "own"),
        "memories": 1,
        "sampled": 1,
        "questions": 2,
        "left_out": 0,
    }


def test_questions_are_not_made_without_a_model_or_a_memory_or_over_what_is_there(
    pinyon, tmp_path, mill, questioner
):
    without = pinyon("eval", tmp_path / "own", "--make-questions", "--json")
    of_nobody = pinyon("eval", tmp_path / "own", "--make-questions", "--json", **questioner)
    pinyon("write", "the heron nests by the mill")
    over = pinyon("eval", mill, "--make-questions", "--json", **questioner)

    assert (without.error["code"], "PINYON_CHAT" in without.error["message"]) == (
        "invalid_setting",
        True,
    )
    assert of_nobody.error["code"] == "invalid_value"
    assert (over.exit, over.error["code"]) == (6, "not_empty")
    assert not (tmp_path / "own").exists()
