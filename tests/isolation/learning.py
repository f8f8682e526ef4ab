"""What an intruder would try of consolidation and reflection; see `isolation.probes`."""

from collections.abc import Iterator

from isolation.probes import Call, Case, call, probes_of, swap
from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    OutcomeProposal,
    PlaybookProposal,
)
from pinyon.domain.ids import MemoryId


@probes_of("consolidate")
def consolidate(_case: Case) -> Iterator[Call]:
    """Have what waits be read."""
    yield call(limit=3)
    yield call()


@probes_of("material")
def material(_case: Case) -> Iterator[Call]:
    """Be shown what waits, and what is near it."""
    yield call(limit=1)
    yield call(limit=100)


@probes_of("propose")
def propose(case: Case) -> Iterator[Call]:
    """Rest something of one's own on another's words, or change what is another's.

    What is kept is one's own from then on, so it says the decoy's words only.
    """
    own, said = MemoryId(case.own_id("episode")), case.decoy.tokens["text"]
    text = f"The lamp is {said}"
    yield from case.by_id(lambda one: call(facts=[_fact(one, text)]))
    # Every other id is read by the same code: one spelling of it will do.
    for make in (
        lambda one: call(facts=[_fact(own, text, supersedes=(one,))]),
        lambda one: call(episodes=[one]),
        lambda one: call(ends=[EndProposal(fact=one, support=own, quote=said)]),
        lambda one: call(playbooks=[_playbook(one, text)]),
        lambda one: call(playbooks=[_playbook(own, text, refines=one)]),
        lambda one: call(outcomes=[_outcome(one, own, said)]),
        lambda one: call(outcomes=[_outcome(own, one, said)]),
    ):
        yield swap(make, f"mem_{case.foreign_id()}", f"mem_{case.never()}")


@probes_of("reflect")
def reflect(case: Case) -> Iterator[Call]:
    """Learn from what another did."""
    foreign, never = case.foreign().tokens["task"], f"zq{case.never()}"
    yield swap(lambda task: call(f"lamp {task}", outcome="worked"), foreign, never)
    yield swap(lambda task: call(f"lamp {task}", outcome="failed"), foreign, never)
    yield call("*", outcome="worked")
    yield call("%", outcome="failed")
    yield call(f"lamp {case.own.tokens['task']}", outcome="failed")


def _fact(support: str, text: str, supersedes: tuple[str, ...] = ()) -> FactProposal:
    return FactProposal(
        text=text,
        support=MemoryId(support),
        quote=text,
        supersedes=tuple(MemoryId(one) for one in supersedes),
    )


def _playbook(support: str, text: str, refines: str | None = None) -> PlaybookProposal:
    return PlaybookProposal(
        text=text,
        trigger="the lamp fails",
        steps=("reset the lamp",),
        supports=(MemoryId(support),),
        quote=text,
        refines=None if refines is None else MemoryId(refines),
    )


def _outcome(playbook: str, support: str, quote: str) -> OutcomeProposal:
    return OutcomeProposal(
        playbook=MemoryId(playbook), outcome="worked", support=MemoryId(support), quote=quote
    )
