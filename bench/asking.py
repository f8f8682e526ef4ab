"""What a chat model adds to a recall: `PINYON_CHAT=… python bench/asking.py [sarah|FOLDER …]`.

The same questions, with and without it: where it judges what was found (quality `judged`), where
the question is asked in other words too, and where it is asked as its answer might read. What comes
so is joined with what the question itself finds, in several ways. How much a judge could do shows
one that knows the answers, and one that knows them but is wrong every so often.
Each answer of the model is kept in a file (`--answers`), so that a run can be broken off and gone
on with; it holds texts of the corpus.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import anyio
from pydantic import Field

from pinyon.client import MemoryClient
from pinyon.errors import BadModelOutput
from pinyon.evaluation.quality.asking import hits_of
from pinyon.evaluation.quality.corpus import Asked, Corpus
from pinyon.evaluation.quality.intervals import mean_interval
from pinyon.evaluation.quality.keeping import Kept, keep_corpus
from pinyon.evaluation.quality.marks import marks_of
from pinyon.evaluation.quality.measuring import counted_uuids
from pinyon.evaluation.quality.named import corpus_of
from pinyon.models.chat_judge import ChatJudge
from pinyon.ports.chat import Chat, Completion, F, Form, Message
from pinyon.ports.judge import ForJudging, Judge, Judgement
from pinyon.ports.models import NO_MODELS
from pinyon.settings import read_settings
from pinyon.testing.clocks import FrozenClock
from pinyon.wiring import chat_of, models_of, open_to_evaluate

K, DEEP = 10, 30
RRF_K = 30
FEWER_DIGITS = 5
BESIDE = 0.5
"""What an added question counts beside the one that was asked."""
MARKS = ("recall@10", "ndcg@10")

HYPOTHETICAL = """\
Somebody asks their own memory, which holds what they said and noted:

{question}

Write one sentence as it might stand there if it holds the answer. Make up what you do not know. \
Write as a person notes it, in the language of the question."""
PARAPHRASES = """\
Somebody asks their own memory:

{question}

Ask the same three times in other words: with synonyms, and with words that the answer may have. \
Keep names and numbers as they are, and the language of the question."""


class Hypothetical(Form):
    """What the answer might read like."""

    answer: Annotated[str, Field(max_length=200)]


class Paraphrases(Form):
    """The question in other words."""

    first: Annotated[str, Field(max_length=200)]
    second: Annotated[str, Field(max_length=200)]
    third: Annotated[str, Field(max_length=200)]


@dataclass(slots=True)
class Cost:
    """What a question took of the model."""

    calls: int = 0
    tokens: int = 0
    ms: float = 0.0
    failed: int = 0


class Remembered:
    """A chat that is asked each thing once; see `pinyon.ports.chat.Chat`."""

    def __init__(self, chat: Chat, path: Path | None) -> None:
        self._chat, self._path = chat, path
        self.cost = Cost()
        lines = path.read_text("utf-8").splitlines() if path is not None and path.exists() else ()
        self._held: dict[str, dict[str, Any]] = {
            one["asked"]: one for one in (json.loads(line) for line in lines)
        }

    @property
    def label(self) -> str:
        """See the port."""
        return self._chat.label

    async def complete(
        self, messages: Sequence[Message], *, form: type[F], max_tokens: int, timeout_s: float
    ) -> Completion[F]:
        """See the port; what it took counts each time as it did the first time."""
        said = [form.__name__, max_tokens, self.label, *((one.role, one.text) for one in messages)]
        asked = hashlib.sha256(json.dumps(said).encode()).hexdigest()
        if asked not in self._held:
            self._hold(await self._first(asked, messages, form, max_tokens, timeout_s))
        held = self._held[asked]
        self.cost.calls += held["calls"]
        self.cost.tokens += held["tokens"]
        self.cost.ms += held["ms"]
        if held["value"] is None:
            self.cost.failed += 1
            raise BadModelOutput(self.label, held["why"], tokens=held["tokens"])
        return Completion(
            value=form.model_validate(held["value"]), tokens_in=held["tokens"], tokens_out=0
        )

    async def _first(
        self,
        asked: str,
        messages: Sequence[Message],
        form: type[F],
        max_tokens: int,
        limit_s: float,
    ) -> dict[str, Any]:
        held: dict[str, Any] = {"asked": asked, "value": None, "why": "", "calls": 2}
        began = time.perf_counter()
        try:
            done = await self._chat.complete(
                messages, form=form, max_tokens=max_tokens, timeout_s=limit_s
            )
        except BadModelOutput as error:
            held |= {"why": error.why, "tokens": error.tokens}
        else:
            held |= {"value": done.value.model_dump(), "calls": done.calls}
            held |= {"tokens": done.tokens_in + done.tokens_out}
        return {**held, "ms": (time.perf_counter() - began) * 1000}

    def _hold(self, held: dict[str, Any]) -> None:
        self._held[held["asked"]] = held
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(held, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class One:
    """A question that is asked of the corpus, by whoever may ask it."""

    client: MemoryClient
    kept: Kept
    asked: Asked


@dataclass(frozen=True, slots=True)
class Found:
    """What a recall brought: rows and their scores, best first."""

    rows: tuple[str, ...]
    scores: Mapping[str, float]


@dataclass(slots=True)
class Arm:
    """What became of each question, asked in one way."""

    rows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cost: dict[str, Cost] = field(default_factory=dict)


async def found_by(one: One, text: str) -> Found:
    """Return what a recall brings, as users ask for it, and behind it what would come next."""
    shallow = await one.client.recall(text, k=K)
    deep = await one.client.recall(text, k=DEEP) if shallow.hits else shallow
    came = [*hits_of(one.kept, shallow), *hits_of(one.kept, deep)]
    scores: dict[str, float] = {}
    for hit in came:
        scores.setdefault(hit.row, hit.score)
    return Found(tuple(scores), scores)


async def hypothetical(chat: Chat, question: str) -> list[str]:
    """Return what an answer might read like."""
    said = [Message("user", HYPOTHETICAL.format(question=question))]
    done = await chat.complete(said, form=Hypothetical, max_tokens=300, timeout_s=120)
    return [text for text in (done.value.answer.strip(),) if text]


async def paraphrases(chat: Chat, question: str) -> list[str]:
    """Return a question in other words; what says the same to the letter adds nothing."""
    said = [Message("user", PARAPHRASES.format(question=question))]
    done = await chat.complete(said, form=Paraphrases, max_tokens=500, timeout_s=120)
    value = done.value
    texts = (one.strip() for one in (value.first, value.second, value.third))
    return [text for text in dict.fromkeys(texts) if text and text != question]


def joined_by_rank(own: Found, others: Sequence[Found]) -> tuple[str, ...]:
    """Return what came, by reciprocal rank; all the added questions together count `BESIDE`."""
    total: dict[str, float] = {}
    weights = [1.0, *(BESIDE / max(1, len(others)) for _ in others)]
    for weight, found in zip(weights, (own, *others), strict=True):
        for place, row in enumerate(found.rows, start=1):
            total[row] = total.get(row, 0.0) + weight / (RRF_K + place)
    return tuple(sorted(total, key=lambda row: -total[row]))


def joined_by_score(own: Found, others: Sequence[Found]) -> tuple[str, ...]:
    """Return what came, by the mean of its scores."""
    rows = dict.fromkeys(row for found in (own, *others) for row in found.rows)
    share = BESIDE / max(1, len(others))
    total = {
        row: own.scores.get(row, 0.0) + sum(share * one.scores.get(row, 0.0) for one in others)
        for row in rows
    }
    return tuple(sorted(total, key=lambda row: -total[row]))


def behind(own: Found, others: Sequence[Found]) -> tuple[str, ...]:
    """Return what the question finds, and where that is little, what else came behind it."""
    return tuple(dict.fromkeys((*own.rows, *joined_by_rank(Found((), {}), others))))


class Knowing:
    """A judge that knows which texts answer, and is wrong about some; see `pinyon.ports.judge`."""

    def __init__(self, wrong: float, evidence: Sequence[str] = ()) -> None:
        self.wrong, self.evidence = wrong, evidence

    @property
    def label(self) -> str:
        """See the port."""
        return f"knowing@1 wrong:{self.wrong}"

    async def judge(self, found: ForJudging) -> Mapping[int, Judgement]:
        """See the port."""
        return {
            place: self._judged(found.question, one) for place, one in enumerate(found.memories)
        }

    def _judged(self, question: str, memory: str) -> Judgement:
        answers = any(text in memory for text in self.evidence)
        lot = hashlib.blake2b(f"{question}\n{memory}".encode(), digest_size=4).digest()
        if int.from_bytes(lot) / 2**32 < self.wrong:
            answers = not answers
        return Judgement(float(answers), answers)


class Switched:
    """The judge of a home, which another one takes the place of now and then."""

    def __init__(self) -> None:
        self.judge_now: Judge = Knowing(0.0)

    @property
    def label(self) -> str:
        """See the port."""
        return self.judge_now.label

    async def judge(self, found: ForJudging) -> Mapping[int, Judgement]:
        """See the port."""
        return await self.judge_now.judge(found)


WRONG = {"a judge that knows": 0.0, "wrong of 1 in 10": 0.1, "wrong of 1 in 4": 0.25}
THE_MODEL = "the model judges"


async def judged(
    one: One,
    texts: Sequence[str],
    judge: Switched,
    chat: Remembered | None,
    arms: dict[str, Arm],
) -> None:
    """Ask one question of quality `judged`, with each judge."""
    judges: dict[str, Judge] = {}
    cost = Cost()
    if chat is not None:
        chat.cost = cost
        judges[THE_MODEL] = ChatJudge(chat, timeout_s=120)
    judges |= {name: Knowing(wrong, texts) for name, wrong in WRONG.items()}
    for name, judge.judge_now in judges.items():
        answer = await one.client.recall(one.asked.text, k=K, quality="judged")
        arm = arms.setdefault(name, Arm())
        arm.rows[one.asked.id] = tuple(hit.row for hit in hits_of(one.kept, answer))
        arm.cost[one.asked.id] = cost if name == THE_MODEL else Cost()


Say = Callable[[Chat, str], Awaitable[list[str]]]
Join = Callable[[Found, Sequence[Found]], tuple[str, ...]]
SAID: Mapping[str, Say] = {"hypothetical answer": hypothetical, "paraphrases": paraphrases}
JOINED: Mapping[str, Join] = {
    "joined by rank": joined_by_rank,
    "joined by score": joined_by_score,
    "behind": behind,
}


async def expanded(
    one: One, own: Found, say: Say, chat: Remembered, arms: Mapping[str, Arm]
) -> None:
    """Ask one question with what the model makes of it, and join that in each way."""
    chat.cost = Cost()
    try:
        texts = await say(chat, one.asked.text)
    except BadModelOutput:
        texts = []
    began = time.perf_counter()
    others = [await found_by(one, text) for text in texts]
    chat.cost.ms += (time.perf_counter() - began) * 1000
    for name, join in JOINED.items():
        rows = join(own, others)
        # What is added lifts nothing over the floor: where the question finds nothing, nothing is.
        arms[name].rows[one.asked.id] = rows[:K] if own.rows else ()
        arms[name].cost[one.asked.id] = chat.cost
    lifted = joined_by_rank(own, others) if not own.rows else own.rows
    arms["where nothing comes"].rows[one.asked.id] = lifted[:K]
    arms["where nothing comes"].cost[one.asked.id] = chat.cost if not own.rows else Cost()


def sample(corpus: Corpus, answered: int, unanswered: int) -> list[tuple[str, Asked]]:
    """Return some questions, spread evenly over those that something answers, and over others."""
    asked = [(tenant.name, one) for tenant in corpus.tenants for one in tenant.questions]
    parts = (
        ([one for one in asked if one[1].abstain is None], answered),
        ([one for one in asked if one[1].abstain is not None], unanswered),
    )
    return [one for part, most in parts for one in part[:: max(1, -(-len(part) // most))]]


async def measured(
    corpus: Corpus,
    setting: str,
    picked: Sequence[tuple[str, Asked]],
    chat: Remembered,
    judged_every: int,
) -> dict[str, Arm]:
    """Keep a corpus and ask some questions of it in every way; `words` goes without a model."""
    settings = read_settings(embedder="local" if setting == "words" else setting)
    models = NO_MODELS if setting == "words" else models_of(settings)
    clock = FrozenClock()
    clock.at_us = corpus.asked_at_us
    arms: dict[str, Arm] = {"nothing": Arm()}
    said = {row.id: row.draft.text for row in corpus.rows}
    judge = Switched()
    with TemporaryDirectory(prefix="pinyon-asking-") as folder:
        home = open_to_evaluate(
            settings,
            Path(folder),
            clock=clock,
            new_uuid=counted_uuids(),
            models=replace(models, judge=judge),
        )
        async with home:
            clients, kept = await keep_corpus(home, corpus)
            for place, (tenant, asked) in enumerate(picked, start=1):
                one = One(client=clients[tenant], kept=kept[tenant], asked=asked)
                began = time.perf_counter()
                own = await found_by(one, asked.text)
                took = Cost(ms=(time.perf_counter() - began) * 1000)
                arms["nothing"].rows[asked.id], arms["nothing"].cost[asked.id] = own.rows[:K], took
                if models.embedder is not None:
                    texts = [said[row] for row in asked.evidence]
                    model = chat if (place - 1) % judged_every == 0 else None
                    await judged(one, texts, judge, model, arms)
                for name, say in SAID.items():
                    ways = {
                        way: arms.setdefault(f"{name}, {way}", Arm())
                        for way in (*JOINED, "where nothing comes")
                    }
                    await expanded(one, own, say, chat, ways)
                print(f"{corpus.name}, {setting}: {place}/{len(picked)}", file=sys.stderr)
    return arms


def told(
    arms: Mapping[str, Arm], corpus: Corpus, picked: Sequence[tuple[str, Asked]]
) -> dict[str, Any]:
    """Return the figures of each way, and how they differ from those without a model."""
    said = {row.id: row.draft.text for row in corpus.rows}

    def marks(arm: Arm, asked: Asked) -> Mapping[str, float]:
        came = [said.get(row, row) for row in arm.rows[asked.id]]
        return marks_of([said[row] for row in asked.evidence], came)

    usual = arms["nothing"]
    shown: dict[str, Any] = {}
    for name, arm in arms.items():
        asked = [one for _, one in picked if one.id in arm.rows]
        own = [one for one in asked if one.abstain is None]
        figures: dict[str, Any] = {"answered": len(own), "unanswered": len(asked) - len(own)}
        for mark in MARKS:
            each = [marks(arm, one)[mark] for one in own]
            more = [a - marks(usual, one)[mark] for a, one in zip(each, own, strict=True)]
            figures[mark] = fmean(each)
            figures[f"{mark} more"] = [fmean(more), *asdict(mean_interval(more)).values()]
        none = [not arm.rows[one.id] for one in asked if one.abstain is not None]
        figures["abstention"] = fmean(none) if none else None
        figures["empty"] = fmean(not arm.rows[one.id] for one in own)
        costs = [arm.cost[one.id] for one in asked]
        figures["ms"] = median(one.ms for one in costs)
        figures["calls"] = fmean(one.calls for one in costs)
        figures["tokens"] = fmean(one.tokens for one in costs)
        figures["failed"] = fmean(one.failed for one in costs)
        shown[name] = figures
    return shown


def _rounded(number: str) -> float:
    return round(float(number), FEWER_DIGITS)


def main(given: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    parser = argparse.ArgumentParser(description="What a chat model adds to a recall.")
    parser.add_argument("corpora", nargs="*", default=["sarah"], help="sarah, or folders")
    parser.add_argument("--setting", action="append", help="local, mixed or words; may be repeated")
    parser.add_argument("--questions", type=int, default=60, help="that something answers")
    parser.add_argument("--unanswered", type=int, default=12, help="that nothing answers")
    parser.add_argument(
        "--judged-every", type=int, default=1, help="the model judges for every so manyth question"
    )
    parser.add_argument("--answers", type=Path, help="keeps what the model said")
    arguments = parser.parse_args(given)
    chat = chat_of(read_settings())
    if chat is None:
        parser.error("set a model in PINYON_CHAT (and PINYON_CHAT_URL, PINYON_CHAT_KEY)")
    remembered, runs = Remembered(chat, arguments.answers), []
    for named in arguments.corpora:
        corpus = corpus_of(named)
        picked = sample(corpus, arguments.questions, arguments.unanswered)
        for setting in arguments.setting or ["local"]:
            arms = anyio.run(measured, corpus, setting, picked, remembered, arguments.judged_every)
            head = {"corpus": corpus.name, "setting": setting, "data": corpus.digest()}
            runs.append({**head, "ways": told(arms, corpus, picked)})
    told_of = {"date": datetime.now(UTC).date().isoformat(), "model": chat.label}
    rounded = json.loads(json.dumps({**told_of, "runs": runs}), parse_float=_rounded)
    print(json.dumps(rounded, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
