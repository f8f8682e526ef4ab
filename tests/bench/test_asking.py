"""What a chat model adds is measured on the same questions, with it and without."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from pinyon.domain.space import Space
from pinyon.ports.judge import ForJudging
from pinyon.testing.scripted_chat import ScriptedChat

BENCH = Path(__file__).parents[2] / "bench"
SPEC = importlib.util.spec_from_file_location("bench_asking", BENCH / "asking.py")
asking = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = asking  # its slotted values look themselves up there
SPEC.loader.exec_module(asking)

OWN = asking.Found(("a", "b"), {"a": 0.9, "b": 0.5})
OTHER = asking.Found(("c", "b"), {"c": 0.9, "b": 0.8})


def test_what_is_added_counts_less_than_what_was_asked():
    assert asking.joined_by_rank(OWN, [OTHER]) == ("b", "a", "c")
    assert asking.joined_by_score(OWN, [OTHER]) == ("a", "b", "c")
    assert asking.behind(OWN, [OTHER]) == ("a", "b", "c")
    assert asking.joined_by_rank(OWN, []) == asking.joined_by_score(OWN, []) == OWN.rows


@pytest.mark.anyio
@pytest.mark.parametrize(("wrong", "score"), [(0.0, 1.0), (1.0, 0.0)])
async def test_a_judge_that_knows_says_what_answers_but_where_it_is_wrong(wrong, score):
    found = ForJudging(
        space=Space("acme", ("user", "ann")),
        question="which hub?",
        said_before=(),
        now_us=0,
        memories=["(2026-03-01, semantic) the hub is a v2", "(2026-03-01, semantic) tea"],
    )

    judged = await asking.Knowing(wrong, ["the hub is a v2"]).judge(found)

    assert (judged[0].score, judged[1].score) == (score, 1 - score)


def test_a_model_that_says_nothing_new_changes_nothing(monkeypatch, capsys):
    def say(messages):
        if "judgements" in messages[0].text:
            return {"judgements": []}
        if "three times" in messages[0].text:
            return dict.fromkeys(("first", "second", "third"), "quindle")
        return {"answer": " "}

    monkeypatch.setattr(asking, "chat_of", lambda _settings: ScriptedChat(say))

    assert (
        asking.main(["sarah", "--setting", "words", "--questions", "4", "--unanswered", "2"]) == 0
    )
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    for way in run["ways"].values():
        assert way["recall@10 more"] == [0.0, 0.0, 0.0]
