"""The moment of a question: what its candidates are weighed by, beside their relevance."""

from pinyon.domain.filter import test_of
from pinyon.domain.times import read_instant
from pinyon.ranking.weights import Moment
from pinyon.recall.planning import NOT_YET
from pinyon.recall.recalling import Recalling
from pinyon.text.asking.intents import seeks_advice


def moment_of(recalling: Recalling) -> Moment:
    """Return when it is asked, in which situation, and what for."""
    question, plan = recalling.question, recalling.planned
    favours = plan.approach.favours
    return Moment(
        now_us=question.now_us,
        context=question.context,
        is_about_then=NOT_YET in question.where,
        favours=None if favours is None else test_of(favours),
        seeks_advice=seeks_advice(question.text),
        is_about_talk=plan.approach.by_turns,
        windows=tuple(
            (read_instant(window.start)[0], read_instant(window.end)[0]) for window in plan.windows
        ),
    )
