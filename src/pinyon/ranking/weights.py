"""What a memory counts beside its relevance: bounded factors, each for one reason.

They are multiplied after relevance, never before it. Nothing here decides alone: all factors
together move a memory between about a third and twice its relevance.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp, log, log10, sqrt

from pinyon.domain.filter import Test
from pinyon.domain.memory import Counts, Kind, Memory, Trust
from pinyon.domain.question import RecallContext
from pinyon.domain.times import US_PER_S

_DAY_US = 24 * 3600 * US_PER_S
LATELY_US = 30 * 60 * US_PER_S
"""How long ago it may be that something was said, to have been said just now."""

AGE_LEAST = 0.3
"""However old: what is remembered fades, and is never as good as gone."""


def _decay() -> dict[Kind, tuple[float, float]]:
    return {"episodic": (180.0, 1825.0), "semantic": (180.0, 1825.0)}


def _trust() -> dict[Trust, float]:
    return {"user": 1.0, "agent": 0.97, "tool": 0.95, "document": 0.95}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The parameters of every factor.

    Attributes:
        decay: By kind: days for which age costs nothing, and days after them at which it has cost
            half. Kinds that are not named do not age; what is pinned never does.
        use: By kind: what ten uses add.
        outcome: Between which factors procedures lie, from those that fail to those that work.
        catalog: What shared world data counts beside one's own memories.
        fact: What a fact counts beside what was merely said.
        reply: What an assistant's reply that was kept counts beside the user's own words.
        confidence: What no confidence at all costs.
        importance: What lies between no importance and all of it.
        trust: By where it comes from; the catalog's weight covers its own.
        preference: What the user's preferences add where advice is asked for.
        over: What a memory counts that no longer holds, where history is let in beside what does.
        nearby: What the same session, task, tool, project, module or sort of task adds.
        intent: What it adds to be of the kind that the question is after.
        talk: What it adds, where it is asked what was said, to have been said in this session, or
            (half of it) in the last half hour.
        when: What it adds to be of a time that the question names.
        off: Names of factors that are not applied.
    """

    decay: Mapping[Kind, tuple[float, float]] = field(default_factory=_decay)
    use: Mapping[Kind, float] = field(default_factory=lambda: {"semantic": 0.2})
    outcome: tuple[float, float] = (0.7, 1.3)
    catalog: float = 0.85
    fact: float = 1.15
    reply: float = 0.7
    confidence: float = 0.2
    importance: float = 0.2
    trust: Mapping[Trust, float] = field(default_factory=_trust)
    preference: float = 0.2
    over: float = 0.85
    nearby: float = 0.05
    intent: float = 0.05
    talk: float = 0.2
    when: float = 0.3
    off: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a name of no factor, which would switch off nothing.

        Raises:
            ValueError: `off` has one.
        """
        unknown = sorted(set(self.off) - FACTORS.keys())
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no factor; there are {', '.join(FACTORS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When it is asked, in which situation, and about what.

    Attributes:
        is_about_then: It asks for what was true at another time.
        favours: Tells what it is after: memories that pass count a little more.
        is_about_talk: It asks for what was said.
        seeks_advice: It asks what to do, buy or choose.
        windows: Times that it names: from when until when (exclusive), microseconds since 1970.
    """

    now_us: int
    context: RecallContext = field(default_factory=RecallContext)
    is_about_then: bool = False
    favours: Test | None = None
    is_about_talk: bool = False
    seeks_advice: bool = False
    windows: tuple[tuple[int, int], ...] = ()


Factor = Callable[[Memory, Moment, Weights], float]


def age_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what age costs: a Gaussian after a flat stretch; in [`AGE_LEAST`, 1].

    An episode ages from when it happened, a fact from when it was last used.

    Source:
        The decay functions of search engines (`gauss` with an offset), at a decay of one half.
    """
    if memory.pinned or memory.kind not in weights.decay:
        return 1.0
    flat_days, half_days = weights.decay[memory.kind]
    since_us = memory.counts.last_used_at_us
    if memory.kind == "episodic" and memory.times.occurred_at_us is not None:
        since_us = memory.times.occurred_at_us
    return max(AGE_LEAST, _gauss((moment.now_us - since_us) / _DAY_US, flat_days, half_days))


def use_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what use adds: 1 + w · log10(1 + uses), at least 1."""
    return 1.0 + weights.use.get(memory.kind, 0.0) * log10(1 + memory.counts.uses)


def outcome_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what a procedure's record says of it; 1 where it was never tried.

    The lower bound of its success rate, aged from its last success: one success counts as nothing
    yet, and many weigh more than few at the same rate.

    Source:
        Wilson, "Probable inference, the law of succession, and statistical inference", JASA 1927,
        at one standard deviation.
    """
    counts = memory.counts
    if memory.kind != "procedural" or not counts.successes + counts.failures:
        return 1.0
    least, most = weights.outcome
    since_us = counts.last_success_at_us
    age_days = 0.0 if since_us is None else (moment.now_us - since_us) / _DAY_US
    return least + (most - least) * success_bound(counts) * _gauss(age_days, 180.0, 1825.0)


def success_bound(counts: Counts) -> float:
    """Return the lower Wilson bound of a success rate at one standard deviation, 0-1."""
    n = counts.successes + counts.failures
    if not n:
        return 0.0
    rate = counts.successes / n
    spread = sqrt(rate * (1 - rate) / n + 1 / (4 * n * n))
    return (rate + 1 / (2 * n) - spread) / (1 + 1 / n)


def catalog_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what shared world data counts: a clearly better entry still goes before one's own."""
    return weights.catalog if memory.kind == "catalog" else 1.0


def fact_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds to be a fact: somebody concluded it, and it holds until it is replaced.

    Source: the bundled corpus; recall@10 94.9 at 1, 95.3 at 1.1, 95.8 at 1.15, 95.3 at 1.2; nDCG@10
    85.6, 86.0, 85.7, 85.7.
    """
    return weights.fact if memory.kind == "semantic" else 1.0


def reply_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what an assistant's reply counts; by default none becomes a memory.

    It is long, repeats what it was asked, and says what is true of the world; what is asked of
    memory is mostly what the user said.

    Source: ten long work chats; recall@10 and nDCG@10 46.8 and 38.1 at 1, 52.8 and 46.3 at 0.8,
    56.2 and 47.8 at 0.7, 55.5 and 47.7 at 0.6; odd and even chats 55.3 and 57.1 at 0.7.
    """
    is_reply = memory.kind == "episodic" and memory.source.role == "assistant"
    return weights.reply if is_reply else 1.0


def confidence_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what a lack of confidence costs."""
    return 1.0 - weights.confidence * (1.0 - memory.confidence)


def importance_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what importance adds or takes, around the middle."""
    return 1.0 + weights.importance * (memory.importance - 0.5)


def trust_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what its source counts: the user's own words are 1."""
    return 1.0 if memory.kind == "catalog" else weights.trust.get(memory.trust, 1.0)


def standing_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it costs that a memory is superseded, retracted or over."""
    until_us = memory.times.valid_until_us
    is_over = until_us is not None and until_us <= moment.now_us
    is_past = is_over or memory.status != "active"
    return weights.over if is_past and not moment.is_about_then else 1.0


def session_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds that a memory is of the session that is going on."""
    session = moment.context.session
    return 1.0 + weights.nearby * (bool(session) and memory.source.session == session)


def task_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds that a memory is of the task at hand."""
    task = moment.context.task_id
    return 1.0 + weights.nearby * (bool(task) and memory.source.task == task)


def tool_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds that a procedure takes the tool at hand."""
    tool = moment.context.tool
    steps = () if memory.procedure is None else memory.procedure.current_steps
    return 1.0 + weights.nearby * (bool(tool) and any(step.tool == tool for step in steps))


def project_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds that a memory is of the project at hand."""
    project = moment.context.project
    return 1.0 + weights.nearby * (bool(project) and memory.project == project)


def module_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds that a memory is of the module at hand."""
    module = moment.context.module
    return 1.0 + weights.nearby * (bool(module) and memory.module == module)


def task_type_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds that a memory is of the sort of task at hand."""
    task_type = moment.context.task_type
    return 1.0 + weights.nearby * (bool(task_type) and memory.facets.task_type == task_type)


def intent_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds to be of the kind that the question is after."""
    favours = moment.favours
    return 1.0 + weights.intent * (favours is not None and favours(memory))


def preference_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds, where advice is asked for, to say what the user likes.

    "Which shoes would you suggest?" is answered by "I prefer neutral colours", which is no more
    like it than all other talk of shoes.

    Source: ten long work chats, five on which it was chosen and five on which it was not; recall@10
    56.1 and 57.4 at 0, 57.7 and 57.4 at 0.1 to 0.3.
    """
    is_theirs = memory.category == "preference" and memory.space.is_personal
    return 1.0 + weights.preference * (moment.seeks_advice and is_theirs)


def talk_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds, where it is asked what was said, to have been said just now."""
    if not moment.is_about_talk:
        return 1.0
    session, said_at_us = moment.context.session, memory.times.occurred_at_us
    if session and memory.source.session == session:
        return 1.0 + weights.talk
    is_of_late = said_at_us is not None and said_at_us >= moment.now_us - LATELY_US
    return 1.0 + weights.talk / 2 * is_of_late


def when_factor(memory: Memory, moment: Moment, weights: Weights) -> float:
    """Return what it adds that a memory is of a time that the question names.

    Source: recall@10 and nDCG@10 on five long chats 84.0 and 66.6 without it, 84.6 and 67.1 at
    0.25, 84.5 and 66.9 at 0.4; on the English temporal questions of the bundled corpus 90.0 and
    74.2, 96.7 and 92.2, 100 and 94.5.
    """
    times = memory.times
    at_us = times.occurred_at_us if times.occurred_at_us is not None else times.valid_from_us
    is_then = at_us is not None and any(start <= at_us < end for start, end in moment.windows)
    return 1.0 + weights.when * is_then


FACTORS: Mapping[str, Factor] = {
    "age": age_factor,
    "use": use_factor,
    "outcome": outcome_factor,
    "catalog": catalog_factor,
    "fact": fact_factor,
    "reply": reply_factor,
    "confidence": confidence_factor,
    "importance": importance_factor,
    "trust": trust_factor,
    "standing": standing_factor,
    "session": session_factor,
    "task": task_factor,
    "tool": tool_factor,
    "project": project_factor,
    "module": module_factor,
    "task_type": task_type_factor,
    "intent": intent_factor,
    "talk": talk_factor,
    "preference": preference_factor,
    "when": when_factor,
}


_ASKED_FOR: Mapping[str, Callable[[Moment], bool]] = {
    "session": lambda moment: bool(moment.context.session),
    "task": lambda moment: bool(moment.context.task_id),
    "tool": lambda moment: bool(moment.context.tool),
    "project": lambda moment: bool(moment.context.project),
    "module": lambda moment: bool(moment.context.module),
    "task_type": lambda moment: bool(moment.context.task_type),
    "intent": lambda moment: moment.favours is not None,
    "talk": lambda moment: moment.is_about_talk,
    "preference": lambda moment: moment.seeks_advice,
    "when": lambda moment: bool(moment.windows),
}
"""Factors that are 1 for every memory at most moments, and what a moment has where they are not."""


class Scale:
    """Weighs memories at one moment; which factors can matter then is found out once."""

    def __init__(self, moment: Moment, weights: Weights) -> None:
        self._moment, self._weights = moment, weights
        self._factors = tuple(
            (name, factor)
            for name, factor in FACTORS.items()
            if name not in weights.off and (name not in _ASKED_FOR or _ASKED_FOR[name](moment))
        )

    def factors_of(self, memory: Memory) -> dict[str, float]:
        """Return the factors that change a memory's score, by name; those that are 1 are left out.

        They are in the order of `FACTORS`.
        """
        return {
            name: value
            for name, factor in self._factors
            if (value := factor(memory, self._moment, self._weights)) != 1.0
        }


def _gauss(age_days: float, flat_days: float, half_days: float) -> float:
    beyond = max(0.0, age_days - flat_days) / half_days
    return exp(-log(2) * beyond * beyond)
