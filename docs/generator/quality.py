"""The page that says how good recall is, made from what `bench/results.py` kept."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from generator.markdown import NOTICE_OF_RUNS, page, section, table

RESULTS = Path(__file__).parents[2] / "bench" / "results"
ASKING = "asking"
"""What a chat model adds, by `bench/asking.py`."""
NOT_OF_RECALL = ("isolation", ASKING)
"""Results of another form than those of a recall."""

Result = Mapping[str, Any]

CORPORA: Mapping[str, tuple[str, str]] = {
    "locomo": (
        "LoCoMo: long chats of two people",
        "Five of the ten conversations (conv-26, conv-41, conv-43, conv-47, conv-49), English. "
        "Unit: a turn, every turn kept as an episode, whoever spoke. All five categories, "
        "adversarial questions among them; only questions whose evidence is no turn are left out.",
    ),
    "beam": (
        "BEAM, 100K tokens: work chats with long replies",
        "Ten of its conversations, English. Unit: a message, of up to several thousand characters. "
        "Four of the ten kinds of question ask for no passage: the order of events, a summary, "
        "standing instructions and preferences are spread over a chat.",
    ),
    "memdaily": (
        "MemDaily: Chinese messages of everyday life",
        "480 people, eighty for each of six kinds of question, Chinese. Unit: a message. Many "
        "people say the same sentences to the letter.",
    ),
    "xquad": (
        "XQuAD: Chinese questions to paragraphs",
        "240 paragraphs, 1,190 questions, Chinese. Unit: a paragraph.",
    ),
    "sarah": (
        "sarah: the corpus that Pinyon brings",
        "Three invented people with 120 memories each (two in English, one in Chinese) and a "
        "shared product catalog: episodes, facts that supersede each other, procedures, memories "
        "that differ in one number, questions in words that share none with their answer. "
        "Its gates were reached by choosing on it (the floor, the weight of facts): it guards "
        "against getting worse, and is no estimate for anybody else's data.",
    ),
}

WAYS: Mapping[str, str] = {
    "": "the default",
    "-mixed": "`PINYON_EMBEDDER=mixed`",
    "-best": "`--quality best`",
    "-words": "`--words`",
}
PEERS_OF = "peers-"
WITHOUT = "without-"
ABLATED = ("recall@10", "ndcg@10")
ABOUT_PARTS = {
    "encode": "meaning altogether: words alone are left",
    "keyword": "candidates by words",
    "turns": "what follows a turn that was found",
    "dated": "candidates of a time that the question names",
    "spelling": "unknown words in the nearest known spelling",
    "parts": "turns between the things that are asked for",
    "outdate": "puts what no longer holds behind what does",
    "weigh": "all factors",
    "when": "the factor for a time that the question names",
    "reply": "the factor for an assistant's reply",
    "preference": "the factor for what the user likes, where advice is asked for",
    "fact": "the factor for facts",
    "catalog": "the factor for the catalog",
    "intent": "the factor for what the question is after",
}
PEERS_ON = {
    "locomo": "LoCoMo, the five conversations, 2,960 turns, 1,018 questions and 40 foreign ones",
    "sarah": "sarah, the two people who speak English, 168 questions, 10 of them foreign",
}
PEER_HEADS = (
    "",
    "version",
    "recall@1",
    "recall@5",
    "recall@10",
    "nDCG@10",
    "foreign refused",
    "a recall, p50 / p95",
    "bytes a memory",
)
SHOWN = (
    "recall@1",
    "recall@5",
    "recall@10",
    "recall@20",
    "mrr",
    "ndcg@10",
    "evidence@1000",
    "at-hand@10",
)
_SHORT = {
    "mrr": "MRR",
    "ndcg@10": "nDCG@10",
    "evidence@1000": "in 1,000 tokens",
    "at-hand@10": "at hand@10",
}
HEADLINE_PEERS = ("bm25", "dense", "chroma", "mem0")
PUBLISHED = (
    (
        "DRAGON, the dense retriever of the set's own paper",
        "66.2",
        "–",
        "published for all ten conversations (Maharana et al., ACL 2024, arXiv:2402.17753)",
    ),
)


def quality_page() -> str:
    """Return the page."""
    results = read_results()
    parts = [
        section("In one table", HEADLINE.strip(), headline(results)),
        *(_corpus(name, results) for name in CORPORA),
        _ablations(results),
        _chat_model(),
        _peers(results),
        _isolation(results),
        section("What does not work", LIMITS.strip()),
        _repeat(results),
    ]
    return page("How good is it", ABOUT, *parts, notice=NOTICE_OF_RUNS)


def read_results() -> dict[str, Result]:
    """Return what was kept of each run, by its name."""
    paths = sorted(path for path in RESULTS.glob("*.json") if path.stem not in NOT_OF_RECALL)
    return {path.stem: json.loads(path.read_text("utf-8")) for path in paths}


def headline(results: Mapping[str, Result]) -> str:
    """Return the table that the README shows too."""
    names = ("recall@10", "ndcg@10")
    rows = [
        [f"Pinyon, {WAYS[way]}", *_cells(results[f"locomo{way}"], names), "here"]
        for way in ("", "-best", "-words")
        if f"locomo{way}" in results
    ]
    others = results.get(f"{PEERS_OF}locomo", {"result": ()})["result"]
    rows += [
        [
            f"{one['peer']} {one['version']}",
            *(_per_cent(one["metrics"][name]) for name in names),
            "here, same files and unit",
        ]
        for one in others
        if one["peer"] in HEADLINE_PEERS and not one["skipped"]
    ]
    rows += [list(one) for one in PUBLISHED]
    return table(["LoCoMo, turn level, all categories", "recall@10", "nDCG@10", "measured"], rows)


def _corpus(name: str, results: Mapping[str, Result]) -> str:
    title, about = CORPORA[name]
    ways = [way for way in WAYS if f"{name}{way}" in results]
    if not ways:
        return ""
    rows = [
        [WAYS[way], *_cells(results[f"{name}{way}"], SHOWN), _took(results[f"{name}{way}"])]
        for way in ways
    ]
    first = results[f"{name}{ways[0]}"]["result"]
    counts = f"{first['questions']:,} questions to {first['memories']:,} memories"
    whose = "one person" if first["tenants"] == 1 else f"{first['tenants']:,} people"
    return section(
        title,
        f"{about} {counts} of {whose}.",
        table(["per cent", *map(_short, SHOWN), "a recall, p50 / p95"], rows),
        _slices(results, name, ways),
        _abstention(results, name, ways),
    )


def _slices(results: Mapping[str, Result], name: str, ways: Sequence[str]) -> str:
    """Return recall@10 by category, a column for each way."""
    by = {way: results[f"{name}{way}"]["result"]["by_category"] for way in ways}
    categories = [one for one, of in by[ways[0]].items() if "recall@10" in of]
    if len(categories) < 2:
        return ""
    rows = [
        [one, f"{by[ways[0]][one]['questions']:,}"]
        + [_per_cent(by[way][one]["recall@10"]) for way in ways]
        for one in categories
    ]
    return table(["recall@10 by category", "asked", *(WAYS[way] for way in ways)], rows)


def _abstention(results: Mapping[str, Result], name: str, ways: Sequence[str]) -> str:
    lines = []
    for way in ways:
        metrics = results[f"{name}{way}"]["result"]["metrics"]
        said = [
            f"{_per_cent(metrics[metric])} % of {what}"
            for metric, what in (
                ("abstention(foreign)", "foreign questions get nothing"),
                ("empty", "answerable ones get nothing"),
            )
            if metric in metrics
        ]
        if "auroc(near)" in metrics:
            said.append(
                "what is near a topic and not answered is told from what is answered with an area "
                f"under the curve of {metrics['auroc(near)']:.2f}"
            )
        lines.append(f"- {WAYS[way]}: {'; '.join(said)}")
    return "\n".join(lines)


def _ablations(results: Mapping[str, Result]) -> str:
    """Return what recall@10 and nDCG@10 lose on each corpus without each part of a recall."""
    kept = {
        name.removeprefix(WITHOUT): one["result"]
        for name, one in results.items()
        if name.startswith(WITHOUT)
    }
    if not kept:
        return ""
    corpora = [name for name in CORPORA if name in kept]
    parts = dict.fromkeys(part for name in corpora for part in kept[name]["without"])
    rows = [
        [
            f"`{part}`",
            ABOUT_PARTS[part],
            *(_loss(kept[name], part) for name in corpora),
            _ms(kept, part),
        ]
        for part in sorted(parts, key=list(ABOUT_PARTS).index)
    ]
    heads = ["without", "what it does", *(f"{name}, {kept[name]['set']}" for name in corpora)]
    return section(
        "What each part is worth", ABLATIONS.strip(), table([*heads, "its own time"], rows)
    )


def _loss(result: Result, part: str) -> str:
    """Return what is lost in both marks, and in bold what is lost on either half."""
    left = result["without"].get(part)
    if left is None:
        return "–"
    lost = {
        half: [100 * (left[half][mark] - marks[mark]) for mark in ABLATED]
        for half, marks in result["whole"].items()
    }
    said = " / ".join(f"{value:+.1f}" for value in lost.pop("all"))
    holds = len(lost) > 1 and all(value < 0 for values in lost.values() for value in values)
    return f"**{said}**" if holds else said


def _ms(kept: Mapping[str, Result], part: str) -> str:
    took = [one["stages_ms"][part] for one in kept.values() if part in one["stages_ms"]]
    if not took:
        return "–"
    least, most = f"{min(took):.2f}", f"{max(took):.2f}"
    return f"{least} ms" if least == most else f"{least}–{most} ms"


def _chat_model() -> str:
    kept = json.loads((RESULTS / f"{ASKING}.json").read_text("utf-8"))
    parts = []
    for run in kept["runs"]:
        rows = [
            [
                name,
                f"{way['answered']} + {way['unanswered']}",
                *(_with_more(way, mark) for mark in ABLATED),
                _per_cent(way["abstention"]),
                "–" if way["ms"] < 100 else f"{way['ms']:,.0f} ms",
                "–" if not way["calls"] else f"{way['calls']:.2f}",
                "–" if not way["calls"] else f"{way['tokens']:,.0f}",
            ]
            for name, way in run["ways"].items()
        ]
        setting = f"{run['corpus']}, {SETTINGS[run['setting']]}"
        parts += [f"**{setting}**", table(CHAT_HEADS, rows)]
    made = f"Measured on {kept['date']} with `{kept['model']}`, 0.5 billion parameters in 4 bits."
    return section(
        "What a chat model would add", CHAT_MODEL.strip(), made, *parts, CHAT_KEPT.strip()
    )


def _with_more(way: Mapping[str, Any], mark: str) -> str:
    more, low, high = way[f"{mark} more"]
    if not more and not low and not high:
        return _per_cent(way[mark])
    return f"{_per_cent(way[mark])} ({100 * more:+.1f}; {100 * low:+.1f} to {100 * high:+.1f})"


def _peers(results: Mapping[str, Result]) -> str:
    kept = {name: one for name, one in results.items() if name.startswith(PEERS_OF)}
    if not kept:
        return ""
    parts = []
    for name, one in kept.items():
        corpus = name.removeprefix(PEERS_OF)
        ran = [peer for peer in one["result"] if not peer["skipped"]]
        parts.append(f"**{PEERS_ON[corpus]}** ({one['date']}, `{one['command']}`)")
        parts.append(table(PEER_HEADS, map(_peer, ran)))
        parts += [
            f"Not run: {peer['peer']}, {peer['skipped']}"
            for peer in one["result"]
            if peer["skipped"]
        ]
    *_, last = kept.values()
    return section("Beside others", PEERS.strip(), *parts, _cases(last["result"]))


def _peer(peer: Mapping[str, Any]) -> list[str]:
    metrics, took, size = peer["metrics"], peer["recall_ms"], peer["bytes_a_memory"]
    shares = ("recall@1", "recall@5", "recall@10", "ndcg@10", "abstention(foreign)")
    return [
        peer["peer"],
        peer["version"],
        *(_per_cent(metrics[name]) for name in shares),
        f"{took['p50']:.1f} / {took['p95']:.1f} ms",
        "–" if size is None else f"{size:,.0f}",
    ]


def _cases(standings: Sequence[Mapping[str, Any]]) -> str:
    ran = [peer for peer in standings if not peer["skipped"]]
    signs = {True: "✓", False: "✗", None: "–"}
    names = list(ran[0]["verdicts"])
    rows = [
        [peer["peer"], *(signs[peer["verdicts"][name]["passed"]] for name in names)] for peer in ran
    ]
    whys: dict[str, list[str]] = {}
    for peer in ran:
        for name, verdict in peer["verdicts"].items():
            if verdict["passed"] is False:
                whys.setdefault(f"{name}: {verdict['why']}", []).append(peer["peer"])
    lines = "\n".join(f"- {why} ({', '.join(peers)})" for why, peers in whys.items())
    return "\n\n".join([CASES.strip(), table(["", *names], rows), lines])


def _isolation(results: Mapping[str, Result]) -> str:
    whole = [one["result"] for one in _own(results).values()]
    leaks = sum(one["leaks"] for one in whole)
    starved = sum(one["starvation"] for one in whole)
    tried = sum(one["starvation_of"] for one in whole)
    asked = sum(one["questions"] for one in whole)
    said = (
        "In these runs all people of a corpus lie in one home and are written in turn. Of "
        f"{asked:,} questions, {leaks:,} brought a memory of somebody else; of {tried:,} that were "
        f"asked once more with their person alone in a home, {starved:,} had fewer hits beside "
        "others."
    )
    return section("Between people", said)


def _own(results: Mapping[str, Result]) -> Mapping[str, Result]:
    return {name: one for name, one in results.items() if not name.startswith((PEERS_OF, WITHOUT))}


def _repeat(results: Mapping[str, Result]) -> str:
    results = _own(results)
    dates = sorted({one["date"] for one in results.values()})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    code = sorted({one["result"]["code"][:12] for one in results.values()})
    said = REPEAT.strip() + f"\n\nThe runs above are of {when}, sources `{'`, `'.join(code)}`."
    rows = [
        [name, f"`{one['result']['data'][:12]}`", str(one["result"]["config"]["embedder"])]
        for name, one in results.items()
    ]
    return section("Doing it again", said, table(["run", "data", "model"], rows))


def _cells(kept: Result, names: Iterable[str]) -> list[str]:
    result = kept["result"]
    cells = []
    for name in names:
        low, high = result["intervals"][name]
        half = (high - low) / 2
        cells.append(f"{_per_cent(result['metrics'][name])} ± {100 * half:.1f}")
    return cells


def _took(kept: Result) -> str:
    wall = kept["result"]["latency_ms"]["recall"]["wall"]
    return f"{wall['p50']:.0f} / {wall['p95']:.0f} ms"


def _per_cent(value: float) -> str:
    return f"{100 * value:.1f}"


def _short(name: str) -> str:
    return _SHORT.get(name, name)


ABOUT = """
Recall, measured by `pinyon eval`: no language model takes part, neither in writing nor in asking.
Every figure comes from a run that is kept in `bench/results/`;
[doing it again](#doing-it-again) says how. What each metric means stands in
[the reference](../reference/evaluation.md).
"""
HEADLINE = """
Recall@10 is the share of the turns that answer a question among the first ten hits, a mean over
questions; nDCG@10 also counts in which order they stand. ± is half of a 95 % bootstrap interval.

**These five conversations are the ones that Pinyon was developed on**: what is read of a turn, the
weight of words, of a named time and of a reply were chosen by looking at them, at BEAM's ten chats
and at `sarah`. The interval does not cover that choice; on conversations that nobody looked at,
expect less. The others below were run as they come, with nothing chosen.
"""
PEERS = """
Other memories on the same rows and questions, without a language model (`mem0` with `infer=False`),
each in an environment of its own with the versions shown. All that take vectors get those of one
small model, bge-small-en-v1.5. `python bench/peers/run.py` repeats it;
[its page](../../bench/peers/README.md) says what is and is not fair about it.
"""
ABLATIONS = """
What is lost (or won) in recall@10 and nDCG@10 where one part of a recall is left out, in points;
`python bench/ablate.py` does it, and `pinyon eval --without NAME`. In bold what is lost in both
marks on both halves of the tenants. A dash stands where a part was not left out.
"""
SETTINGS = {
    "local": "the default",
    "mixed": "`PINYON_EMBEDDER=mixed`",
    "words": "by words alone",
}
CHAT_HEADS = (
    "",
    "asked",
    "recall@10",
    "nDCG@10",
    "unanswered get nothing",
    "a question, p50",
    "calls",
    "tokens",
)
CHAT_MODEL = """
Everything above goes without a language model. `python bench/asking.py` measures what one adds:
where it judges the best ten (`--quality judged`); where it makes up an answer, or asks in three
other words, and what these find is joined with what the question finds. In brackets: what changes
beside *nothing* on the same questions, and between which values 95 times in a hundred. *Asked* are
questions that something answers, and those that nothing does. *A judge that knows* is no model: it
knows the answers, and shows what the plumbing is worth where a model judges well; the two below it
are wrong of so many memories.
"""
CHAT_KEPT = """
- **Judging is kept, for whoever asks for it.** A judge that knows puts nearly every answer first;
  one that is wrong of one memory in ten still adds more than quality `best`; at one in four nothing
  is sure any more. A model of 0.5 billion parameters is no judge: it says the same of nearly every
  memory, and what that changes is within chance. Measure your own before you use it.
- **A made-up answer and other words are not in the product.** With this model neither adds anything
  anywhere, also not where only words are compared. Asked only where a question finds nothing, they
  take refusals away and bring no answer. They stay in `bench/asking.py`, for a model that can do
  more.

Times are of two cores that others used as well; most of each is what the model writes.

With your own model: `PINYON_CHAT=openai:MODEL PINYON_CHAT_URL=… python bench/asking.py sarah
--setting mixed`, or a folder in place of `sarah` ([the format](../reference/evaluation.md));
`--judged-every 3` has a slow one judge only for every third question.
"""
CASES = """
And what a memory must do besides finding: keep one of two equal texts, say no more what was put
right, give nothing away by an id, leave nothing of what was forgotten in its files, and answer
nonsense with nothing. A dash stands where there is no such notion.
"""
LIMITS = """
What each failing kind of question would need:

- **Near and unanswered.** What is asked about a topic that is there, but said nowhere, brings what
  is near. Likeness tells it from an answer hardly better than chance. It takes somebody who reads:
  a language model that drops hits, or an answer that says what it rests on.
- **Several hops** (LoCoMo `multi_hop`, `open_domain`; BEAM `multi_session_reasoning`). A question
  whose answer is two memories, of which only the first has anything to do with its words, finds
  the first. It takes facts that were drawn out of talk beforehand, and edges between them; or a
  second question made of the first answer.
- **Counting over a chat** (BEAM `multi_session_reasoning`, MemDaily `aggregative`). "How many
  different shoe sizes have I mentioned" is answered by every message that has one; some share no
  word with it. It takes facts with an attribute, to be listed and not ranked. Of MemDaily's, some
  have more than five pieces of evidence: no list of five has more than 86.4 of them.
- **What is spread over a chat** (BEAM `event_ordering`, `summarization`). The order of events and a
  summary are no passage. It takes summaries that are made beforehand.
- **Standing instructions** (BEAM `instruction_following`) share nothing with the questions that
  they are about: they are core facts, and *at hand@10* counts those.
- **Preferences** (BEAM `preference_following`) are told in talk of something else. Half of them are
  found; the rest is worded so far from the question that it takes facts drawn out of talk.
- **Replies that hold the answer** (BEAM `information_extraction`). A reply counts less than the
  user's own words, since that is right more often; where the reply is asked for, it comes late.
- **Other scripts.** By default Chinese goes by words, which find no paraphrase;
  `PINYON_EMBEDDER=mixed` mends that, and finds nothing across scripts.
- **Foreign questions in Chinese** are refused by half at most where paragraphs are long.
"""
REPEAT = """
```console
pinyon eval sarah                                        # brings its own data: 20 seconds
pinyon eval locomo                                       # says where the file comes from
pinyon eval locomo --data locomo10.json \\
    --tenants conv-26,conv-41,conv-43,conv-47,conv-49    # a minute or two
python bench/results.py --data FOLDER                    # all of this page
```

`FOLDER` holds a folder for each set with `memories.jsonl` and `questions.jsonl`
([the format](../reference/evaluation.md)). Two runs of the same sources on the same data and
machine agree to the digit in all but times; a model in int8 gives slightly other vectors on another
processor.

Several of these runs went side by side on two cores: their times, above all those of `--quality
best`, are longer than of one alone; figures of quality do not depend on it.
"""
