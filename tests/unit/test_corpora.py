"""A corpus: what a folder says, what comes by name, and the one that Pinyon brings."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pinyon.domain.draft import Draft
from pinyon.domain.memory import KINDS
from pinyon.errors import InvalidFile, InvalidValue
from pinyon.evaluation.quality.corpus import (
    FIRST,
    Asked,
    Corpus,
    Row,
    some_tenants,
    text_of,
)
from pinyon.evaluation.quality.folder import date_of, read_folder
from pinyon.evaluation.quality.named import NAMES, corpus_of
from pinyon.evaluation.quality.published import PUBLISHED
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.text.scripts import is_mostly_latin


def memory(number, tenant="ann", **fields):
    return {"tenant": tenant, "id": f"r{number}", "text": f"text {number}", **fields}


def question(*evidence, tenant="ann", **fields):
    return {"tenant": tenant, "question": "which?", "evidence": list(evidence), **fields}


@pytest.fixture
def folder(tmp_path):
    """Return a writer of folders; a line that is text already is written as it is."""

    def write(memories=(), questions=()):
        for name, rows in (("memories", memories), ("questions", questions)):
            lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
            (tmp_path / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return tmp_path

    return write


@pytest.fixture
def read(folder):
    return lambda *lines: read_folder(folder(*lines))


@pytest.fixture
def asked(read):
    """Return a reader of questions, by default to the memories `r1` and `r2`."""

    def questions(*lines, memories=None):
        (tenant,) = read(memories or [memory(1), memory(2)], lines).tenants
        return tenant.questions

    return questions


# ── memories ─────────────────────────────────────────────────────────────────────────────────


def test_a_row_says_all_that_a_memory_is_kept_with(read):
    corpus = read(
        [
            memory(0),
            {
                "tenant": "ann",
                "id": 1,
                "text": "Unplug the kiln",
                "kind": "procedural",
                "title": "Kiln",
                "keywords": ["kiln", "plug"],
                "speaker": "Ann",
                "session": 3,
                "time": "2024-05-06T07:08:09+02:00",
                "trigger": "the kiln hums",
                "steps": ["switch off", "pull"],
                "supersedes": ["r0"],
                "contradiction": "harsh",
            },
        ]
    )

    assert corpus.tenants[0].rows[1] == Row(
        "1",
        Draft(
            text="Unplug the kiln",
            kind="procedural",
            title="Kiln",
            keywords=("kiln", "plug"),
            speaker="Ann",
            session="3",
            occurred_at=datetime.fromisoformat("2024-05-06T07:08:09+02:00"),
            trigger="the kiln hums",
            steps=("switch off", "pull"),
            supersedes=("r0",),
            contradiction="harsh",
        ),
    )


def test_a_row_needs_no_more_than_its_owner_its_id_and_its_text(read):
    (tenant,) = read([memory(1)]).tenants

    assert tenant.rows == (Row("r1", Draft(text="text 1", kind="episodic", occurred_at=FIRST)),)


def test_a_field_that_is_null_says_nothing(read):
    names = "kind title keywords speaker session time trigger steps supersedes contradiction"
    nothing = dict.fromkeys([*names.split(), "caption"])

    assert read([memory(1, **nothing)]).tenants == read([memory(1)]).tenants


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_is_of_the_kind_that_it_names(read, kind):
    (tenant,) = read([memory(1, kind=kind)]).tenants

    assert tenant.rows[0].draft.kind == kind


def test_a_session_of_number_nought_is_one(read):
    (tenant,) = read([memory(1, session=0)]).tenants

    assert tenant.rows[0].draft.session == "0"


def test_people_come_in_the_order_of_their_first_row(read):
    corpus = read([memory(1, "zoe"), memory(2, "ann"), memory(3, "zoe")])

    held = [(tenant.name, [row.id for row in tenant.rows]) for tenant in corpus.tenants]
    assert held == [("zoe", ["r1", "r3"]), ("ann", ["r2"])]


def test_what_everybody_may_recall_is_nobodys_and_of_a_catalog(read):
    corpus = read([memory(1), memory(2, "*"), memory(3, "*", kind="semantic")])

    assert [tenant.name for tenant in corpus.tenants] == ["ann"]
    assert [(row.id, row.draft.kind) for row in corpus.shared] == [
        ("r2", "catalog"),
        ("r3", "semantic"),
    ]


def test_every_row_is_told_the_shared_ones_first(read):
    corpus = read([memory(1), memory(2, "*"), memory(3, "ben")])

    assert [row.id for row in corpus.rows] == ["r2", "r1", "r3"]


def test_rows_without_times_keep_their_order_a_minute_apart(read):
    corpus = read([memory(1), memory(2, "ben"), memory(3), memory(4, time="some day")])

    ann, ben = corpus.tenants
    minutes = [(row.draft.occurred_at - FIRST) / timedelta(minutes=1) for row in ann.rows]
    assert minutes == [0, 1, 2]
    assert ben.rows[0].draft.occurred_at == FIRST


def test_a_row_without_a_time_comes_a_minute_after_the_one_before_it(read):
    (tenant,) = read([memory(1, time="2025-02-03T04:05:00"), memory(2)]).tenants

    assert tenant.rows[1].draft.occurred_at == datetime(2025, 2, 3, 4, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("told", "instant"),
    [
        ("2023-05-08T13:56:00", "2023-05-08T13:56:00+00:00"),
        ("2023-05-08T13:56:00Z", "2023-05-08T13:56:00+00:00"),
        ("2023-05-08T13:56:00+02:00", "2023-05-08T13:56:00+02:00"),
        ("2023-05-08", "2023-05-08T00:00:00+00:00"),
        ("2024年04月01日 周一 08:30", "2024-04-01T08:30:00+08:00"),
        ("2024年4月1日8:30", "2024-04-01T08:30:00+08:00"),
    ],
)
def test_a_time_is_read_as_its_writer_meant_it(told, instant):
    found = date_of(told)

    assert found == datetime.fromisoformat(instant)
    assert found.utcoffset() == datetime.fromisoformat(instant).utcoffset()


@pytest.mark.parametrize("told", ["yesterday", "2024年13月01日 周一 08:30", "", None, 12, {}])
def test_a_time_that_does_not_read_is_none(told):
    assert date_of(told) is None


def test_what_a_picture_shows_belongs_to_the_text():
    assert text_of({"text": "Look!", "caption": "a kite"}) == "Look! (shared a photo: a kite)"
    assert text_of({"text": "Look!", "caption": None}) == "Look!"


def test_a_text_longer_than_a_memory_is_cut_and_counted(read):
    corpus = read([memory(1, text="x" * (TEXT_CHARS_MAX + 1)), memory(2, text="x" * 9)])

    assert len(corpus.tenants[0].rows[0].draft.text) == TEXT_CHARS_MAX
    assert corpus.shortened == 1


def test_a_corpus_of_a_folder_has_its_name(read, tmp_path):
    assert read([memory(1)]).name == tmp_path.name


def test_lines_that_are_blank_say_nothing(read):
    corpus = read(["", memory(1), "  \t", memory(2)], ["", question("r1")])

    (tenant,) = corpus.tenants
    assert (len(tenant.rows), len(tenant.questions)) == (2, 1)


# ── questions ────────────────────────────────────────────────────────────────────────────────


def test_a_question_says_what_it_is_and_what_answers_it(asked):
    line = question("r2", "r1", qid="q7", category="multi")

    assert asked(line) == (
        Asked(id="q7", text="which?", category="multi", evidence=("r2", "r1"), abstain=None),
    )


def test_a_question_without_an_id_is_named_by_its_place(asked):
    assert [one.id for one in asked(question("r1"), question("r2"))] == ["ann/0", "ann/1"]


@pytest.mark.parametrize(
    ("fields", "category"),
    [
        ({"category": 4, "category_name": "single"}, "single"),
        ({"category": 4}, "4"),
        ({"category_name": "single"}, "single"),
        ({"category": None}, ""),
        ({}, ""),
    ],
)
def test_a_category_with_a_name_is_called_by_it(asked, fields, category):
    assert [one.category for one in asked(question("r1", **fields))] == [category]


def test_only_questions_that_can_be_scored_are_asked(asked):
    lines = [question(), question("r1", scorable=False), question("r1", scorable=True)]

    assert [one.evidence for one in asked(*lines)] == [("r1",)]


def test_evidence_that_is_said_twice_is_there_once(asked):
    (one,) = asked(question("r1", "r2", "r1"))

    assert one.evidence == ("r1", "r2")


def test_evidence_is_named_by_a_number_too(asked):
    lines = question(7)

    assert [one.evidence for one in asked(lines, memories=[memory(1, id=7)])] == [("7",)]


def test_a_shared_row_answers_a_question_of_anybody(read):
    memories = [memory(1), memory(2, "ben"), memory(3, "*")]

    corpus = read(memories, [question("r3"), question("r3", "r2", tenant="ben")])

    evidence = [one.evidence for tenant in corpus.tenants for one in tenant.questions]
    assert evidence == [("r3",), ("r3", "r2")]


@pytest.mark.parametrize("why", ["foreign", "near"])
def test_a_question_that_nothing_answers_has_no_evidence(asked, why):
    (one,) = asked(question("r1", abstain=why, category="odd"))

    assert (one.abstain, one.evidence, one.category) == (why, (), "odd")


def test_what_a_published_set_abstains_from_is_near(asked):
    (one,) = asked(question(category="abstention"))

    assert (one.abstain, one.evidence) == ("near", ())


def test_what_has_evidence_is_answered_whatever_its_category_is_called(asked):
    (one,) = asked(question("r1", category="abstention"))

    assert (one.abstain, one.evidence) == (None, ("r1",))


# ── what is refused ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("no json", "it is no JSON"),
        ("[]", "it is no JSON object"),
        ({"id": "r2", "text": "x"}, "it has no 'tenant'"),
        ({"tenant": "ann", "text": "x"}, "it has no 'id'"),
        ({"tenant": "ann", "id": "r2"}, "it has no 'text'"),
        (memory(2, text=" \n"), "its text is empty, or no text"),
        (memory(2, kind="story"), "kind must be one of episodic, semantic, procedural, catalog"),
        (memory(2, contradiction="mild"), "contradiction must be one of natural, harsh"),
    ],
)
def test_a_memory_of_another_form_is_refused_with_its_line(folder, line, why):
    place = folder([memory(1), "", line])

    with pytest.raises(InvalidFile) as refused:
        read_folder(place)

    assert str(refused.value) == f"memories.jsonl, line 3: {why}"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "it is no JSON"),
        ({"question": "which?", "evidence": []}, "it has no 'tenant'"),
        ({"tenant": "ann", "evidence": []}, "it has no 'question'"),
        ({"tenant": "ann", "question": "which?"}, "it has no 'evidence'"),
        (question("r1", tenant="zoe"), "tenant 'zoe' has no memory"),
        (question("r1", "r9"), "evidence 'r9' is no memory"),
        (question("b1"), "evidence 'b1' is no memory"),
        (question("r1", qid="first"), "qid 'first' stands there twice"),
        (question(abstain="far"), "abstain must be one of foreign, near"),
    ],
)
def test_a_question_of_another_form_is_refused_with_its_line(folder, line, why):
    memories = [memory(1), memory(2, "ben", id="b1")]
    place = folder(memories, [question("r1", qid="first"), "", line])

    with pytest.raises(InvalidFile) as refused:
        read_folder(place)

    assert str(refused.value) == f"questions.jsonl, line 3: {why}"


@pytest.mark.parametrize("name", ["memories.jsonl", "questions.jsonl"])
def test_a_folder_without_one_of_its_files_is_refused(folder, name):
    place = folder([memory(1)], [question("r1")])
    (place / name).unlink()

    with pytest.raises(InvalidFile, match=f"^{name}: it is not in this folder$"):
        read_folder(place)


@pytest.mark.parametrize("line", ["5", "null", '"tenant id text"'])
def test_a_memory_that_is_no_object_is_refused_with_its_line(folder, line):
    place = folder([memory(1), line])

    with pytest.raises(InvalidFile, match=r"memories\.jsonl, line 2"):
        read_folder(place)


@pytest.mark.parametrize("evidence", [None, 1])
def test_evidence_that_is_no_list_is_refused_with_its_line(folder, evidence):
    place = folder([memory(1)], [question() | {"evidence": evidence}])

    with pytest.raises(InvalidFile, match=r"questions\.jsonl, line 1"):
        read_folder(place)


def test_steps_that_are_no_list_are_refused_with_their_line(folder):
    place = folder([memory(1, steps=5)])

    with pytest.raises(InvalidFile, match=r"memories\.jsonl, line 1"):
        read_folder(place)


def test_a_file_of_another_encoding_is_refused(folder):
    place = folder([memory(1)])
    (place / "memories.jsonl").write_bytes(b'{"tenant": "ann", "id": "r1", "text": "caf\xe9"}')

    with pytest.raises(InvalidFile):
        read_folder(place)


@pytest.mark.parametrize("owner", ["ann", "*"])
def test_an_id_that_stands_there_twice_is_refused_with_its_line(folder, owner):
    place = folder([memory(1), memory(1, owner, text="another")])

    with pytest.raises(InvalidFile, match=r"memories\.jsonl, line 2"):
        read_folder(place)


# ── a corpus ─────────────────────────────────────────────────────────────────────────────────


def test_everything_is_asked_when_the_newest_row_was_said(read):
    times = ("2023-05-08T13:00:00+02:00", "2023-05-08T12:00:00", "2021-01-01")
    corpus = read([memory(n, who, time=times[n]) for n, who in enumerate(("ann", "*", "ben"))])

    at = datetime.fromtimestamp(corpus.asked_at_us / 1e6, UTC)
    assert at == datetime(2023, 5, 8, 12, tzinfo=UTC)


def test_a_corpus_without_times_is_asked_at_the_first_one():
    nobody = Corpus(name="empty", tenants=())

    assert nobody.asked_at_us == FIRST.timestamp() * 1e6


def test_a_digest_is_of_what_is_said_and_not_of_how_it_is_written(read):
    memories = [memory(1, time="2024-03-01T12:00:00Z", speaker="Ann"), memory(2, "*")]
    written = read(memories, [question("r1", qid="q")])
    otherwise = read(
        [
            '{"speaker":"Ann","text":"text 1","time":"2024-03-01T13:00:00+01:00"'
            ',"id":"r1","tenant":"\\u0061nn"}',
            "",
            memory(2, "*", kind="catalog", title=None),
        ],
        [question("r1", "r1", qid="q", note="unread")],
    )

    assert written.digest() == otherwise.digest()


@pytest.mark.parametrize(
    ("memories", "questions"),
    [
        ([memory(1, text="other"), memory(2)], [question("r1")]),
        ([memory(1, time="2024-01-01T00:00:30"), memory(2)], [question("r1")]),
        ([memory(1, kind="semantic"), memory(2)], [question("r1")]),
        ([memory(1), memory(2, supersedes=["r1"])], [question("r1")]),
        ([memory(2), memory(1)], [question("r1")]),
        ([memory(1), memory(2, "*")], [question("r1")]),
        ([memory(1), memory(2)], [question("r2")]),
        ([memory(1), memory(2)], [question("r1", category="multi")]),
        ([memory(1), memory(2)], [question("r1", question="who?")]),
        ([memory(1), memory(2)], [question("r1", abstain="near")]),
        ([memory(1), memory(2)], []),
    ],
)
def test_whatever_else_is_kept_or_asked_has_another_digest(read, memories, questions):
    one = read([memory(1), memory(2)], [question("r1")]).digest()

    assert read(memories, questions).digest() != one


def test_the_name_of_a_corpus_is_no_part_of_its_digest(read):
    corpus = read([memory(1)])

    assert replace(corpus, name="other").digest() == corpus.digest()


@pytest.fixture
def people(read):
    held = [memory(1, "zoe"), memory(2, "ann"), memory(3, "2"), memory(4, "*")]
    return read(
        held,
        [question(row, tenant=one) for row, one in (("r1", "zoe"), ("r2", "ann"), ("r3", "2"))],
    )


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (None, ["zoe", "ann", "2"]),
        ("1", ["zoe"]),
        ("3", ["zoe", "ann", "2"]),
        ("9", ["zoe", "ann", "2"]),
        ("ann", ["ann"]),
        ("ann, zoe", ["ann", "zoe"]),
        ("2", ["2"]),
        ("2,zoe,", ["2", "zoe"]),
    ],
)
def test_a_corpus_can_be_cut_to_its_first_people_or_to_some_by_name(people, wanted, names):
    some = some_tenants(people, wanted)

    assert [one.name for one in some.tenants] == names
    assert (some.shared, some.name) == (people.shared, people.name)


@pytest.mark.parametrize("wanted", ["joe", "ann,joe", "-1", "1.5", "ann;zoe", "²"])
def test_people_that_there_are_not_are_refused_with_those_that_there_are(people, wanted):
    with pytest.raises(InvalidValue, match="a number, or some of zoe, ann, 2"):
        some_tenants(people, wanted)


@pytest.mark.parametrize("wanted", ["0", "", ",", "ann,ann"])
def test_people_are_at_least_one_and_each_is_there_once(people, wanted):
    try:
        names = [one.name for one in some_tenants(people, wanted).tenants]
    except InvalidValue:
        return

    assert names == ["ann"]


# ── by name ──────────────────────────────────────────────────────────────────────────────────


def added(tenant):
    return [one for one in tenant.questions if one.id.startswith("foreign/")]


def test_a_folder_is_a_corpus_by_its_path(folder):
    place = folder([memory(1), memory(2, "*")], [question("r1"), question(abstain="foreign")])

    assert corpus_of(str(place)) == read_folder(place)


def test_foreign_questions_are_added_where_a_corpus_has_none(folder):
    place = folder([memory(1)], [question("r1"), question(abstain="near")])

    (ann,) = corpus_of(str(place)).tenants

    assert ann.questions[:2] == read_folder(place).tenants[0].questions
    assert len({one.id for one in added(ann)}) == len(added(ann)) == len(ann.questions) - 2 >= 20
    assert {(one.abstain, one.category, one.evidence) for one in added(ann)} == {
        ("foreign", "foreign", ())
    }


def test_a_foreign_question_is_asked_of_one_person_and_of_all_as_often(folder):
    people = ("ann", "ben", "cleo")
    place = folder(
        [memory(n, who) for n, who in enumerate(people)],
        [question(f"r{n}", tenant=who) for n, who in enumerate(people)],
    )

    tenants = corpus_of(str(place)).tenants

    asked = [one.id for who in tenants for one in added(who)]
    counts = [len(added(who)) for who in tenants]
    assert len(set(asked)) == len(asked)
    assert max(counts) - min(counts) <= 1


def test_a_foreign_question_is_in_the_language_of_whom_it_is_asked(folder):
    chinese = {"question": "外婆住在哪里?", "tenant": "lin"}
    place = folder(
        [memory(1), memory(2, "lin")],
        [question("r1"), question("r2", **chinese), question("r2", **chinese)],
    )

    ann, lin = corpus_of(str(place)).tenants

    assert len(added(ann)) >= 20
    assert len(added(lin)) >= 10
    assert all(is_mostly_latin(one.text) for one in added(ann))
    assert not any(is_mostly_latin(one.text) for one in added(lin))


def test_whoever_is_asked_nothing_is_asked_nothing_foreign(folder):
    place = folder([memory(1), memory(2, "ben")], [question("r1")])

    _, ben = corpus_of(str(place)).tenants

    assert ben.questions == ()


def test_a_corpus_without_questions_is_refused(folder):
    place = folder([memory(1)], [question()])

    with pytest.raises(InvalidFile, match="it has no question that can be scored"):
        corpus_of(str(place))


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_set_without_its_files_says_where_they_come_from(name):
    with pytest.raises(InvalidValue, match="https://") as refused:
        corpus_of(name)

    assert PUBLISHED[name].source in str(refused.value)
    assert PUBLISHED[name].what in str(refused.value)


def test_a_published_set_is_read_from_the_path_that_is_given(tmp_path):
    with pytest.raises(InvalidFile, match=r"^locomo10\.json: it is not there$"):
        corpus_of("locomo", tmp_path / "locomo10.json")


@pytest.mark.parametrize("named", ["sarah", "."])
def test_a_path_is_refused_where_no_published_set_is_meant(named, tmp_path):
    with pytest.raises(InvalidValue, match="left out, but for locomo, longmemeval"):
        corpus_of(named, tmp_path)


def test_a_name_that_nothing_has_says_which_there_are():
    with pytest.raises(InvalidFile) as refused:
        corpus_of("sahra")

    assert str(refused.value) == f"sahra: it is no folder, and none of {', '.join(NAMES)}"


# ── the one that Pinyon brings ───────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def sarah():
    return corpus_of("sarah")


def test_sarah_is_three_people_and_what_they_share(sarah):
    assert {tenant.name: len(tenant.rows) for tenant in sarah.tenants} == {
        "sarah": 120,
        "tom": 120,
        "lin": 120,
    }
    assert (len(sarah.shared), sarah.shortened) == (47, 0)


def test_sarah_asks_252_questions_none_of_them_twice(sarah):
    asked = [(one.id, one.text) for who in sarah.tenants for one in who.questions]

    assert len(asked) == 252
    assert len({name for name, _ in asked}) == len({text for _, text in asked}) == 252


def test_sarah_asks_everybody_something_of_every_category(sarah):
    categories = [Counter(one.category for one in who.questions) for who in sarah.tenants]

    assert set(categories[0]) == {
        "catalog",
        "direct",
        "foreign",
        "identifier",
        "multi",
        "near",
        "paraphrase",
        "procedure",
        "sibling",
        "temporal",
        "update",
    }
    assert categories[0] == categories[1] == categories[2]


def test_sarah_speaks_two_languages(sarah):
    latin = {
        who.name: sum(is_mostly_latin(row.draft.text) for row in who.rows) / len(who.rows)
        for who in sarah.tenants
    }

    assert latin["sarah"] == latin["tom"] == 1
    assert latin["lin"] < 0.5


def test_sarah_has_every_kind_of_memory(sarah):
    assert {row.draft.kind for row in sarah.rows} == set(KINDS)


def test_sarah_counts_nothing_as_an_answer_that_no_longer_holds(sarah):
    superseded = {one for row in sarah.rows for one in row.draft.supersedes}
    evidence = {row for who in sarah.tenants for asked in who.questions for row in asked.evidence}

    assert superseded
    assert not superseded & evidence


def test_sarah_supersedes_only_what_was_said_before_by_the_same_person(sarah):
    for rows in (sarah.shared, *(who.rows for who in sarah.tenants)):
        said_at = {row.id: row.draft.occurred_at for row in rows}

        for row in rows:
            assert all(said_at[one] < row.draft.occurred_at for one in row.draft.supersedes)


def test_sarah_knows_what_nothing_answers_in_both_ways(sarah):
    for who in sarah.tenants:
        why = Counter(one.abstain for one in who.questions)

        assert why["foreign"] == why["near"] == 5


def test_sarah_tells_its_rows_in_the_order_of_time(sarah):
    for who in sarah.tenants:
        times = [row.draft.occurred_at for row in who.rows]

        assert times == sorted(times)


def test_sarah_asks_lin_in_chinese_too_and_the_others_in_english(sarah):
    latin = {
        who.name: {is_mostly_latin(one.text) for one in who.questions} for who in sarah.tenants
    }

    assert latin["sarah"] == latin["tom"] == {True}
    assert False in latin["lin"]


def test_sarah_has_no_two_rows_of_one_id(sarah):
    ids = [row.id for row in sarah.rows]

    assert len(set(ids)) == len(ids)
