"""Published sets are read from the files of their projects. All texts here are made up."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from pinyon.errors import InvalidFile
from pinyon.evaluation.quality.named import corpus_of
from pinyon.evaluation.quality.published import PUBLISHED, beam, locomo, longmemeval, memdaily
from pinyon.text.passages import TEXT_CHARS_MAX


@pytest.fixture
def write(tmp_path):
    def file(content, name="file.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
        return path

    return file


def at(*parts):
    return datetime(*parts, tzinfo=UTC)


def ids(tenant):
    return [row.id for row in tenant.rows]


def texts(tenant):
    return [row.draft.text for row in tenant.rows]


# ── LoCoMo ───────────────────────────────────────────────────────────────────────────────────


def turn(name, text="Hm.", speaker="Ada", **fields):
    return {"speaker": speaker, "dia_id": name, "text": text, **fields}


def sample(*qa, name="talk-1", **sessions):
    """Return one talk of `locomo10.json`; session 10 stands before 2, as keys of JSON may."""
    talk = {
        "speaker_a": "Ada",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            turn("D1:1", "I bought a lathe."),
            turn("D1:2", "Show me!", "Bo"),
            turn("D1:3", "Here.", blip_caption="a lathe on a bench", img_url=["…"]),
        ],
        "session_10_date_time": "9:05 am on 1 January, 2024",
        "session_10": [turn("D10:1", "The lathe is sold.")],
        "session_2_date_time": "12:30 am on 25 May, 2023",
        "session_2": [turn("D2:1", "A bowl is done.")],
        "session_11_date_time": "9:05 am on 2 January, 2024",
        **sessions,
    }
    return {
        "sample_id": name,
        "conversation": talk,
        "qa": list(qa),
        "event_summary": {},
        "observation": {},
        "session_summary": {},
    }


def qa(*evidence, category=4, **fields):
    return {
        "question": "what was bought?",
        "answer": "a lathe",
        "evidence": list(evidence),
        "category": category,
        **fields,
    }


def test_locomo_is_a_turn_for_a_row_and_a_talk_for_a_tenant(write):
    corpus = locomo.load(write([sample(qa("D1:1"), name="a"), sample(qa("D2:1"), name="b")]))

    first, second = corpus.tenants
    draft = first.rows[1].draft
    assert (corpus.name, first.name, second.name, corpus.shared) == ("locomo", "a", "b", ())
    assert (draft.text, draft.speaker, draft.session) == ("Show me!", "Bo", "1")
    assert draft.kind == "episodic"


def test_locomo_tells_its_sessions_in_the_order_of_their_numbers(write):
    (tenant,) = locomo.load(write([sample(qa("D1:1"))])).tenants

    assert ids(tenant) == ["D1:1", "D1:2", "D1:3", "D2:1", "D10:1"]


def test_locomo_says_when_a_session_began_and_its_turns_follow(write):
    (tenant,) = locomo.load(write([sample(qa("D1:1"))])).tenants

    times = [row.draft.occurred_at for row in tenant.rows]
    assert times[0] == at(2023, 5, 8, 13, 56)
    assert times[0] < times[1] < times[2] < times[0] + timedelta(minutes=5)
    assert times[3:] == [at(2023, 5, 25, 0, 30), at(2024, 1, 1, 9, 5)]


def test_locomo_keeps_what_a_picture_shows(write):
    (tenant,) = locomo.load(write([sample(qa("D1:1"))])).tenants

    assert texts(tenant)[2] == "Here. (shared a photo: a lathe on a bench)"


@pytest.mark.parametrize(
    ("told", "evidence"),
    [
        (["D1:1"], ("D1:1",)),
        (["D1:1", "D10:1"], ("D1:1", "D10:1")),
        (["D1:1; D2:1"], ("D1:1", "D2:1")),
        (["D1:1 D1:3"], ("D1:1", "D1:3")),
        (["D:10:1"], ("D10:1",)),
        (["D2:01"], ("D2:1",)),
        (["D1:1", "D1:1"], ("D1:1",)),
    ],
)
def test_locomo_reads_evidence_as_it_was_written_by_hand(write, told, evidence):
    (tenant,) = locomo.load(write([sample(qa(*told))])).tenants

    assert [one.evidence for one in tenant.questions] == [evidence]


@pytest.mark.parametrize("told", [[], ["D"], ["D1:1", "D9:9"]])
def test_locomo_asks_nothing_whose_evidence_is_not_there(write, told):
    corpus = locomo.load(write([sample(qa("D1:1"), qa(*told))]))

    assert [one.id for tenant in corpus.tenants for one in tenant.questions] == ["talk-1/q0"]


def test_locomo_names_questions_by_their_place_in_the_file(write):
    (tenant,) = locomo.load(write([sample(qa(), qa("D1:1"))])).tenants

    assert [one.id for one in tenant.questions] == ["talk-1/q1"]


def test_locomo_has_names_for_its_categories(write):
    asked = [qa("D1:1", category=number, adversarial_answer="a drill") for number in range(1, 6)]

    (tenant,) = locomo.load(write([sample(*asked)])).tenants

    assert [one.category for one in tenant.questions] == [
        "multi_hop",
        "temporal",
        "open_domain",
        "single_hop",
        "adversarial",
    ]


def test_locomo_without_a_date_follows_what_was_said_before(write):
    talk = sample(qa("D1:1"), session_2_date_time="some day")

    (tenant,) = locomo.load(write([talk])).tenants

    assert tenant.rows[3].draft.occurred_at == tenant.rows[2].draft.occurred_at + timedelta(
        minutes=1
    )


def test_locomo_leaves_out_a_turn_that_says_nothing(write):
    talk = sample(qa("D1:1"), session_2=[turn("D2:1", " "), turn("D2:2")])

    (tenant,) = locomo.load(write([talk])).tenants

    assert ids(tenant)[3:] == ["D2:2", "D10:1"]


# ── LongMemEval ──────────────────────────────────────────────────────────────────────────────


def haystack(name="q1", *, sessions=None, **fields):
    """Return a question of LongMemEval; its sessions are in another order than that of time."""
    sessions = sessions or {
        "late": (
            "2023/05/20 (Sat) 02:21",
            [
                {"role": "user", "content": "The kiln is red.", "has_answer": True},
                {"role": "assistant", "content": "Noted.", "has_answer": False},
            ],
        ),
        "early": (
            "2023/03/01 (Wed) 23:59",
            [
                {"role": "user", "content": "The kiln is blue."},
                {"role": "assistant", "content": "It is hot.", "has_answer": True},
            ],
        ),
    }
    return {
        "question_id": name,
        "question_type": "knowledge-update",
        "question": "which colour has the kiln?",
        "answer": "red",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer_session_ids": ["late"],
        "haystack_session_ids": list(sessions),
        "haystack_dates": [date for date, _ in sessions.values()],
        "haystack_sessions": [turns for _, turns in sessions.values()],
        **fields,
    }


def test_longmemeval_is_a_turn_for_a_row_and_a_question_for_a_tenant(write):
    corpus = longmemeval.load(write([haystack("q1"), haystack("q2")], "longmemeval_oracle.json"))

    first, second = corpus.tenants
    assert (corpus.name, first.name, second.name) == ("longmemeval_oracle", "q1", "q2")
    assert (first.rows[0].draft.speaker, first.rows[0].draft.session) == ("user", "early")


def test_longmemeval_tells_its_sessions_in_the_order_of_time(write):
    (tenant,) = longmemeval.load(write([haystack()])).tenants

    times = [row.draft.occurred_at for row in tenant.rows]
    assert ids(tenant) == ["early:0", "early:1", "late:0", "late:1"]
    assert (times[0], times[2]) == (at(2023, 3, 1, 23, 59), at(2023, 5, 20, 2, 21))
    assert times == sorted(set(times))


def test_longmemeval_is_answered_by_the_turns_that_it_marks(write):
    (tenant,) = longmemeval.load(write([haystack()])).tenants

    (asked,) = tenant.questions
    assert (asked.id, asked.category) == ("q1", "knowledge-update")
    assert (asked.evidence, asked.abstain) == (("early:1", "late:0"), None)


def test_longmemeval_marks_by_the_name_what_nothing_answers(write):
    (tenant,) = longmemeval.load(write([haystack("q1_abs")])).tenants

    (asked,) = tenant.questions
    assert (asked.id, asked.category) == ("q1_abs", "abstention")
    assert (asked.evidence, asked.abstain) == ((), "near")


def test_longmemeval_asks_nothing_that_no_turn_answers(write):
    unmarked = {"only": ("2023/03/01 (Wed) 23:59", [{"role": "user", "content": "Hm."}])}

    (tenant,) = longmemeval.load(write([haystack(sessions=unmarked)])).tenants

    assert (len(tenant.rows), tenant.questions) == (1, ())


def test_longmemeval_tells_sessions_without_a_date_last(write):
    turns = [{"role": "user", "content": "Hm.", "has_answer": True}]
    undated = {
        "x": ("", turns),
        "y": ("one day", turns),
        "z": ("2023/03/01 (Wed) 23:59", turns),
    }

    (tenant,) = longmemeval.load(write([haystack(sessions=undated)])).tenants

    assert ids(tenant) == ["z:0", "x:0", "y:0"]


def test_longmemeval_counts_what_it_had_to_cut(write):
    long = [{"role": "user", "content": "x" * (TEXT_CHARS_MAX + 1), "has_answer": True}]

    corpus = longmemeval.load(write([haystack(sessions={"s": ("2023/03/01 (Wed) 23:59", long)})]))

    assert corpus.shortened == 1


def test_longmemeval_with_a_date_too_few_is_refused(write):
    path = write([haystack(haystack_dates=[])])

    with pytest.raises(InvalidFile):
        longmemeval.load(path)


# ── BEAM ─────────────────────────────────────────────────────────────────────────────────────


def message(number, text="Hm.", role="user", **fields):
    return {"role": role, "id": number, "content": text, **fields}


CHAT = [
    {
        "batch_number": 1,
        "turns": [
            [
                message(0, "We use Rust. ->-> 1,2", time_anchor="March-15-2024"),
                message(1, "Good choice.", "assistant"),
            ],
            [message(2, "Port 8080 is free -> good ->-> 1,N/A")],
        ],
    },
    {
        "batch_number": 2,
        "turns": [[message(3, "It is 9090 now.", time_anchor="April-01-2024"), message(3, "Ok.")]],
    },
]


@pytest.fixture
def chats(write, tmp_path):
    """Return a writer of conversations in a folder of the test's."""

    def conversation(questions, *, number=1, name="chat.json", chat=None):
        write(CHAT if chat is None else chat, f"chats/{number}/{name}")
        write(questions, f"chats/{number}/probing_questions/probing_questions.json")
        return tmp_path / "chats"

    return conversation


def probing(*named, category="information_extraction", **fields):
    asked = {"question": "which port?", "answer": "9090", **fields}
    return {category: [asked | {"source_chat_ids": list(named)}]}


def test_beam_is_a_message_for_a_row_and_a_conversation_for_a_tenant(chats):
    corpus = beam.load(chats(probing(0)))

    (tenant,) = corpus.tenants
    draft = tenant.rows[1].draft
    assert (corpus.name, tenant.name) == ("beam", "1")
    assert (draft.text, draft.speaker, draft.session) == ("Good choice.", "assistant", "1")


def test_beam_loses_the_marks_of_what_made_it(chats):
    (tenant,) = beam.load(chats(probing(0))).tenants

    assert texts(tenant)[0] == "We use Rust."
    assert texts(tenant)[2] == "Port 8080 is free -> good"


def test_beam_tells_a_date_once_a_batch_and_the_rest_follows(chats):
    (tenant,) = beam.load(chats(probing(0))).tenants

    times = [row.draft.occurred_at for row in tenant.rows]
    assert (times[0], times[3]) == (at(2024, 3, 15), at(2024, 4, 1))
    assert times == sorted(set(times))
    assert times[2] - times[0] == timedelta(minutes=2)


def test_beam_means_the_first_message_of_an_id(chats):
    (tenant,) = beam.load(chats(probing(3))).tenants

    (asked,) = tenant.questions
    said = dict(zip(ids(tenant), texts(tenant), strict=True))
    assert len(said) == 5
    assert [said[row] for row in asked.evidence] == ["It is 9090 now."]


@pytest.mark.parametrize(
    "named",
    [
        [0, 2],
        [[0], [2, 0]],
        {"user": [0], "assistant": [2]},
        {"first": [0], "later": {"deep": [[2]], "none": []}},
    ],
)
def test_beam_names_messages_in_lists_however_deep(chats, named):
    questions = {"event_ordering": [{"question": "in which order?", "source_chat_ids": named}]}

    (tenant,) = beam.load(chats(questions)).tenants

    assert [one.evidence for one in tenant.questions] == [("0", "2")]


def test_beam_names_questions_by_conversation_category_and_place(chats):
    questions = probing(0) | probing(2, category="event_ordering")
    questions["event_ordering"] *= 2

    (tenant,) = beam.load(chats(questions, number=7)).tenants

    assert [(one.id, one.category) for one in tenant.questions] == [
        ("7/information_extraction/0", "information_extraction"),
        ("7/event_ordering/0", "event_ordering"),
        ("7/event_ordering/1", "event_ordering"),
    ]


def test_beam_abstains_near_its_topics(chats):
    questions = {"abstention": [{"question": "which editor?", "why_unanswerable": "unsaid"}]}

    (tenant,) = beam.load(chats(questions)).tenants

    assert [(one.abstain, one.evidence) for one in tenant.questions] == [("near", ())]


@pytest.mark.parametrize("named", [[], [0, 99]])
def test_beam_asks_nothing_whose_evidence_is_not_there(chats, named):
    questions = probing(*named) | probing(0, category="kept")

    (tenant,) = beam.load(chats(questions)).tenants

    assert [one.category for one in tenant.questions] == ["kept"]


def test_beam_reads_the_cut_chat_where_there_is_one(chats):
    cut = [{"batch_number": 1, "turns": [[message(0, "Only this.")]]}]
    chats(probing(0), name="chat_trunecated.json", chat=cut)

    (tenant,) = beam.load(chats(probing(0))).tenants

    assert texts(tenant) == ["Only this."]


def test_beam_tells_conversations_in_the_order_of_their_numbers(chats):
    for number in (10, 2, 1):
        folder = chats(probing(0), number=number)

    assert [tenant.name for tenant in beam.load(folder).tenants] == ["1", "2", "10"]


def test_beam_can_be_one_conversation(chats):
    folder = chats(probing(0), number=3)
    chats(probing(0), number=4)

    assert [tenant.name for tenant in beam.load(folder / "3").tenants] == ["3"]


def test_beam_leaves_out_conversations_whose_chat_lies_elsewhere(chats):
    folder = chats(probing(0))
    chats(probing(0), number=2, name="plan-1.json")

    assert [tenant.name for tenant in beam.load(folder).tenants] == ["1"]


def test_beam_says_which_conversation_has_no_chat(chats):
    folder = chats(probing(0), name="plan-1.json")

    with pytest.raises(InvalidFile, match=r"it has no chat\.json"):
        beam.load(folder / "1")


# ── MemDaily ─────────────────────────────────────────────────────────────────────────────────


MESSAGES = [
    {
        "mid": 0,
        "message": "我姑姑在茶馆工作。",
        "time": "2024年04月01日 周一 08:30",
        "place": "杭州",
    },
    {"mid": 1, "message": "她喜欢钓鱼。", "time": "2024年04月02日 周二 09:00", "place": "杭州"},
]


def series(number=0, *, steps=(0,), question="姑姑在哪里工作?", answer="茶馆", in_list=False):
    asked = {
        "qid": 0,
        "question": question,
        "answer": answer,
        "target_step_id": list(steps),
        "choices": {"A": "茶馆"},
        "ground_truth": "A",
    }
    one = {"question_list": [asked]} if in_list else {"QA": asked}
    return {"tid": number, "message_list": MESSAGES, **one}


@pytest.fixture
def daily(write, tmp_path):
    """Return a writer of both forms in which MemDaily is published, one series for each form."""

    def both(**fields):
        whole = write({"simple": {"roles": [series(**fields)]}}, "memdaily.json")
        write([series(**fields, in_list=True)], "messages_and_QAs/01_roles.json")
        return {"file": whole, "folder": tmp_path / "messages_and_QAs"}

    return both


@pytest.mark.parametrize("form", ["file", "folder"])
def test_memdaily_is_a_message_for_a_row_and_a_series_for_a_tenant(daily, form):
    corpus = memdaily.load(daily(steps=[1, 0, 1])[form])

    (tenant,) = corpus.tenants
    (asked,) = tenant.questions
    assert (corpus.name, ids(tenant)) == ("memdaily", ["0", "1"])
    assert tenant.rows[0].draft.occurred_at == datetime.fromisoformat("2024-04-01T08:30+08:00")
    assert tenant.rows[0].draft.speaker == "user"
    assert (asked.category, asked.evidence) == ("simple", ("1", "0"))


@pytest.mark.parametrize("form", ["file", "folder"])
@pytest.mark.parametrize(
    "fields",
    [
        {"question": "[ERRORQ]"},
        {"answer": "[ERRORA]"},
        {"answer": "[ERRORQ]"},
        {"steps": []},
        {"steps": [0, 9]},
    ],
)
def test_memdaily_leaves_out_a_series_without_a_question(daily, form, fields):
    assert memdaily.load(daily(**fields)[form]).tenants == ()


def test_memdaily_names_a_series_by_where_it_stands(write):
    whole = {
        "simple": {"roles": [series(1), series(2)], "places": None},
        "noisy": {"roles": [series(1)]},
    }

    tenants = memdaily.load(write(whole)).tenants

    names = ["simple-roles-1", "simple-roles-2", "noisy-roles-1"]
    assert [tenant.name for tenant in tenants] == names
    assert [one.id for who in tenants for one in who.questions] == [f"{name}/q0" for name in names]
    assert [who.questions[0].category for who in tenants] == ["simple", "simple", "noisy"]


def test_memdaily_tells_the_category_by_the_name_of_a_file(write, tmp_path):
    for number in range(6, 0, -1):
        write([series(in_list=True)], f"held/0{number}_roles.json")

    tenants = memdaily.load(tmp_path / "held").tenants

    assert [(who.name, who.questions[0].category) for who in tenants] == [
        ("01_roles-0", "simple"),
        ("02_roles-0", "conditional"),
        ("03_roles-0", "comparative"),
        ("04_roles-0", "aggregative"),
        ("05_roles-0", "post_processing"),
        ("06_roles-0", "noisy"),
    ]


# ── all of them ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("load", [locomo.load, longmemeval.load, memdaily.load])
@pytest.mark.parametrize(
    "content", [5, None, "text", [1], [{}], [[1]], {"a": 1}, {"a": {"b": [1]}}, [{"qa": []}]]
)
def test_a_file_of_another_form_is_refused(write, load, content):
    path = write(content)

    with pytest.raises(InvalidFile, match=r"^file\.json: it does not look like "):
        load(path)


@pytest.mark.parametrize("content", [5, None, "text", [1], [{}], {"a": 1}])
def test_a_chat_of_another_form_is_refused(chats, content):
    folder = chats(probing(0), chat=content)
    (folder / "1" / "chat.json").write_text(json.dumps(content), "utf-8")

    with pytest.raises(InvalidFile, match=r"^chat\.json: it does not look like a chat of BEAM"):
        beam.load(folder)


@pytest.mark.parametrize("content", [5, None, [1], {"abstention": 1}, {"abstention": [{}]}])
def test_probing_questions_of_another_form_are_refused(chats, content):
    folder = chats(content)

    with pytest.raises(InvalidFile, match=r"^probing_questions\.json: it does not look like"):
        beam.load(folder)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_path_where_nothing_lies_is_refused(name, tmp_path):
    with pytest.raises(InvalidFile):
        corpus_of(name, tmp_path / "nothing")


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_folder_where_nothing_lies_is_refused(name, tmp_path):
    with pytest.raises(InvalidFile):
        corpus_of(name, tmp_path)


@pytest.mark.parametrize("load", [locomo.load, longmemeval.load, memdaily.load])
@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b""])
def test_a_file_that_is_no_json_is_refused(tmp_path, load, content):
    path = tmp_path / "file.json"
    path.write_bytes(content)

    with pytest.raises(InvalidFile, match=r"^file\.json: it is no JSON$"):
        load(path)


def test_a_file_of_memdaily_named_otherwise_is_refused(write, tmp_path):
    write([series(in_list=True)], "held/extra.json")

    with pytest.raises(InvalidFile, match="it does not look like MemDaily"):
        memdaily.load(tmp_path / "held")


@pytest.mark.parametrize("name", ["locomo", "longmemeval", "memdaily"])
def test_a_file_without_a_question_is_refused(write, name):
    empty = {} if name == "memdaily" else []

    with pytest.raises(InvalidFile, match="it has no question that can be scored"):
        corpus_of(name, write(empty))


def test_a_published_set_is_asked_foreign_questions_too(write):
    (tenant,) = corpus_of("locomo", write([sample(qa("D1:1"))])).tenants

    assert {one.abstain for one in tenant.questions} == {None, "foreign"}
