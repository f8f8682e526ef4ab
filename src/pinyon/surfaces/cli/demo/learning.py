"""The scenes in which memory learns: what is true, and what works."""

from collections.abc import Sequence

from pinyon.client import MemoryClient
from pinyon.domain.consolidation import Consolidated
from pinyon.domain.memory import Memory
from pinyon.domain.question import RecallContext
from pinyon.surfaces.cli.demo.steps import Asked, Learnt, Said, Scene, Step, Taught, Wrote
from pinyon.surfaces.cli.demo.story import Home

_SAID = (
    "I work at Forth Analytics now, in an office without windows.",
    "Is there a lamp that wakes me up slowly?",
    "I prefer warm light in the evening.",
)
_CORRECTED = "No, it is Firth Analytics: I work at Firth Analytics, not Forth."
_WORK = "Where do I work?"

_PAIR = "A leak sensor comes back when it is paired again."
_DROPS = "My leak sensor drops off the network, what should I do?"
_FAILED = {
    "2026-07-27": "My leak sensor dropped off the network. I paired it again, no luck.",
    "2026-07-28": "It dropped off once more. Pairing the leak sensor again did not help.",
}
_AIM = "Keep a leak sensor from dropping off the network"
_CALLS = (
    ("pair", {"sensor": "leak"}, "Error: sensor lost after 10 min"),
    ("set_channel", {"zigbee": 25}, "ok, 9 devices moved"),
)
_TOLD = "The leak sensor stays in the network since Zigbee is on channel 25."


async def what_is_said_becomes_what_is_true(home: Home) -> Scene:
    """Tell of a new neighbour, who says where she works, and then corrects it."""
    at = home.go_to("2026-07-25T19:00:00+00:00")
    nina = home.sarah.acting_for("nina")
    said = [
        Said(who="Nina", text=text, kept=await nina.remember(text, session="jul-25"))
        for text in _SAID
    ]
    first = await _consolidated(nina)
    kept = await nina.remember(_CORRECTED, session="jul-25")
    second = await _consolidated(nina)
    answer = await nina.recall(_WORK, k=2, kinds=["semantic"], include_superseded=True)
    return Scene(
        title="What is said becomes what is true",
        at=at,
        steps=(
            *said,
            first,
            Said(who="Nina", text=_CORRECTED, kept=kept),
            second,
            Asked(question=_WORK, answer=answer, how=f"“{_WORK}” brings, with history"),
        ),
        moral="Facts are the user's own words, with where they stand; the question taught nothing. "
        "The correction is history that can be undone. No model was asked.",
    )


async def what_failed_falls_behind(home: Home) -> Scene:
    """Tell of a playbook that fails twice, and of an agent that finds what works."""
    nina = home.sarah.acting_for("nina")
    at = home.go_to("2026-07-26T19:00:00+00:00")
    playbook = await nina.write(
        _PAIR,
        kind="procedural",
        trigger="a leak sensor drops off the network",
        steps=["Remove the sensor in the app", "Pair it again"],
    )
    steps: list[Step] = [Wrote(how="An agent writes a playbook", text=_PAIR, answer=playbook)]
    for day, text in _FAILED.items():
        home.go_to(f"{day}T19:00:00+00:00")
        kept = await nina.remember(text, session=day)
        steps += [Said(who="Nina", text=text, kept=kept), await _consolidated(nina)]
    home.go_to("2026-07-29T19:00:00+00:00")
    steps.append(await _worked_on(nina))
    answer = await nina.recall(_DROPS, k=3, kinds=["procedural"])
    steps.append(Asked(question=_DROPS, answer=answer, how=f"“{_DROPS}” brings"))
    return Scene(
        title="What failed twice falls behind what worked",
        at=at,
        steps=tuple(steps),
        moral="She said how it went, and it was counted. The agent's own calls became a playbook, "
        "and the one that failed a pitfall.",
    )


async def _worked_on(client: MemoryClient) -> Taught:
    """Let an agent try what fails and then what works, and learn from it."""
    await client.before_plan(_AIM, session="agent", context=_on_task())
    for tool, arguments, result in _CALLS:
        await client.before_tool(tool, arguments, session="agent", context=_on_task())
        await client.on_observation(tool, result, session="agent", context=_on_task())
    done = await client.reflect("leak", outcome="worked", summary=_TOLD, session="agent")
    return Taught(
        answer=done,
        playbooks=await _shown(client, done.created),
        pitfalls=await _shown(client, done.pitfalls),
    )


def _on_task() -> RecallContext:
    return RecallContext(task_id="leak")


async def _consolidated(client: MemoryClient) -> Learnt:
    done: Consolidated = await client.consolidate()
    return Learnt(
        answer=done,
        new=await _shown(client, done.created),
        history=await _shown(client, done.superseded),
        counted=await _shown(client, done.outcomes),
    )


async def _shown(client: MemoryClient, ids: Sequence[str]) -> tuple[Memory, ...]:
    return tuple([await client.show(one) for one in ids])
