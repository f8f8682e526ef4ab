"""What an intruder would try of sessions, consent and feedback; see `isolation.probes`."""

from collections.abc import Iterator

from isolation.principals import own_of
from isolation.probes import OWNER_FIELDS, PATTERNS, Call, Case, call, probes_of, swap
from pinyon.domain.space import SCOPES


def _never(case: Case) -> str:
    """Return the name of a conversation that never was."""
    return "hall zq" + "".join(case.chosen.choices("bcdfghjklmnpqrtvwxz", k=12))


MODES = ("temporary", "off", "normal")


def _sessions(case: Case, turn: int) -> list[str]:
    """Return names of others' conversations, as many as there are modes, or as there are.

    What somebody starts under such a name is one's own from then on, and told from what never was.
    So no name is taken twice: not by two principals of one user, nor by two operations.
    """
    mine = [one for one in case.world.principals if own_of(one) == own_of(case.principal)]
    names = sorted({held.session for held in case.world.spaces.values() if held.event})
    slot = 2 * mine.index(case.principal) + turn
    others = {held.session for held in case.world.foreign_to(case.principal)}
    others -= {case.decoy.session}
    free = [name for name in names[slot :: 2 * len(mine)] if name in others]
    return case.chosen.sample(free, min(len(MODES), len(free)))


@probes_of("start_session")
def start_session(case: Case) -> Iterator[Call]:
    """Start another's conversation, so that it is forgotten, or not kept."""
    for mode, foreign in zip(MODES, _sessions(case, 0), strict=False):
        yield swap(lambda name, mode=mode: call(name, mode=mode), foreign, _never(case))
        yield call(case.decoy.session, mode=mode)
    for pattern in PATTERNS:
        yield call(pattern, mode="normal")
    yield call(case.name(), mode="every")
    yield call(case.own.session, mode="temporary")


@probes_of("end_session")
def end_session(case: Case) -> Iterator[Call]:
    """End another's conversation."""
    for foreign in _sessions(case, 1):
        yield swap(call, foreign, _never(case))
    for pattern in PATTERNS:
        yield call(pattern)
    yield call(case.decoy.session)


@probes_of("list_sessions")
def list_sessions(_case: Case) -> Iterator[Call]:
    """Ask which conversations there are."""
    yield call()


@probes_of("set_consent")
def set_consent(case: Case) -> Iterator[Call]:
    """Pause what is another's, or name topics as others do."""
    yield call(paused=True)
    yield call(paused=False)
    yield call(paused=case.name())
    yield call(never=[case.name()] * 101)
    yield call(never=[f"{named} {_never(case)}" for named in OWNER_FIELDS])
    yield swap(lambda topic: call(never=[topic]), case.foreign_topic(), _never(case))
    yield call(never=[])


@probes_of("consent")
def consent(_case: Case) -> Iterator[Call]:
    """Ask what others let memory keep."""
    yield call()


@probes_of("feedback")
def feedback(case: Case) -> Iterator[Call]:
    """Report on another's memory, alone and beside one's own."""
    held = case.foreign()
    yield from case.by_id(lambda named: call(named, "worked"))
    yield from case.by_id(lambda named: call([case.own_id("active"), named], "used", query="lamp"))
    yield call(case.own_id("active"), "used", query=held.tokens["text"], session=held.session)
    yield call(case.own_id("active"), "failed", key=held.key)


@probes_of("export_feedback")
def export_feedback(case: Case) -> Iterator[Call]:
    """Ask what others asked."""
    for scope in (*SCOPES, "*", str(case.foreign().space), None):
        yield call(scope=scope)
