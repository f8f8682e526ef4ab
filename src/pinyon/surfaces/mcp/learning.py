"""Tools and a prompt by which a client's own model consolidates, under the guards that all obey."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pinyon.care.shown_material import by_id, shown_in_parts
from pinyon.domain.consolidation import (
    Consolidated,
    EndProposal,
    FactProposal,
    OutcomeProposal,
    PlaybookProposal,
)
from pinyon.domain.ids import memory_id
from pinyon.domain.memory import Contradiction
from pinyon.prompts.loading import load
from pinyon.surfaces import encode_consolidation
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.block import of_data
from pinyon.surfaces.mcp.tool import Reply, Tool, tool
from pinyon.surfaces.refusals import told

CONSOLIDATES = "consolidate_memory"
"""The prompt that hands over what waits."""
BUDGET_TOKENS = 6_000
EPISODES = 20

Episode = Annotated[str, "the episode that says it"]
Quote = Annotated[str, "the user's words in it, letter by letter"]
Sure = Annotated[float, "0-1: that the user says so and means it"]
Why = Annotated[str, "in one sentence"]


async def handed_over(asked: Asked) -> str:
    """Return what waits and what is known near it, with what to do with it."""
    material = await asked.client.material(limit=EPISODES)
    if not material.episodes:
        return "Nothing waits: everything that the user said has been looked at."
    shown = next(shown_in_parts(material, budget_tokens=BUDGET_TOKENS, named=by_id))
    return load(CONSOLIDATES).render(**shown.inputs)


@tool("material")
async def read_material(asked: Asked) -> Reply:
    """Show what the user said that nobody has looked at yet, and what to do with it."""
    text = await handed_over(asked)
    return Reply({"text": text}, text)


@tool("propose")
async def propose_fact(  # noqa: PLR0913, PLR0917 - the fields of a fact, flat for a model
    asked: Asked,
    episode: Episode,
    quote: Quote,
    text: Annotated[str, "the fact, whole in itself, in the language of the episode"],
    subject: Annotated[str, "`user`, or the thing or person that it is about"],
    attribute: Annotated[str, "what of it, in one or two words: lives_in, has, likes"],
    confidence: Sure = 0.9,
    category: Annotated[
        Literal["", "identity", "preference", "constraint", "instruction"], "what it is filed under"
    ] = "",
    supersedes: Annotated[Sequence[str], "known facts that it takes the place of"] = (),
    contradiction: Annotated[
        Contradiction, "natural: they were true until now; harsh: they never were"
    ] = "natural",
    why: Why = "",
) -> Reply:
    """Propose a fact that the user states."""
    fact = FactProposal(
        text=text,
        support=memory_id(episode),
        quote=quote,
        subject=subject,
        attribute=attribute,
        confidence=confidence,
        category=category,
        supersedes=tuple(memory_id(one) for one in supersedes),
        contradiction=contradiction,
        why=why,
    )
    return _told(await asked.client.propose(facts=[fact]))


@tool("propose")
async def propose_end(
    asked: Asked,
    fact: Annotated[str, "the known fact"],
    episode: Episode,
    quote: Quote,
    says: Annotated[Literal["ended", "never"], "it was true, or never was"] = "ended",
    confidence: Sure = 0.9,
    why: Why = "",
) -> Reply:
    """Propose that a known fact holds no more, with nothing in its place."""
    end = EndProposal(
        fact=memory_id(fact),
        support=memory_id(episode),
        quote=quote,
        says=says,
        confidence=confidence,
        why=why,
    )
    return _told(await asked.client.propose(ends=[end]))


@tool("propose")
async def propose_playbook(  # noqa: PLR0913, PLR0917 - the fields of a playbook, flat for a model
    asked: Asked,
    episodes: Annotated[Sequence[str], "the episodes that show it"],
    quote: Annotated[str, "the user's words in one of them that tell the steps, or that it worked"],
    text: Annotated[str, "what it achieves"],
    trigger: Annotated[str, "when to do it"],
    steps: Annotated[Sequence[str], "what to do, in order"],
    refines: Annotated[str, "the known playbook that it betters"] = "",
    confidence: Sure = 0.9,
    why: Why = "",
) -> Reply:
    """Propose a way of doing something."""
    playbook = PlaybookProposal(
        text=text,
        trigger=trigger,
        steps=tuple(steps),
        supports=tuple(memory_id(one) for one in episodes),
        quote=quote,
        confidence=confidence,
        refines=memory_id(refines) if refines else None,
        why=why,
    )
    return _told(await asked.client.propose(playbooks=[playbook]))


@tool("propose")
async def propose_outcome(
    asked: Asked,
    playbook: Annotated[str, "the known playbook that the user followed"],
    outcome: Literal["worked", "failed"],
    episode: Annotated[str, "the episode that tells it; it is settled by that"],
    quote: Quote,
    confidence: Sure = 0.9,
) -> Reply:
    """Propose how it went with a known playbook."""
    told_outcome = OutcomeProposal(
        playbook=memory_id(playbook),
        outcome=outcome,
        support=memory_id(episode),
        quote=quote,
        confidence=confidence,
    )
    return _told(await asked.client.propose(outcomes=[told_outcome]))


@tool("propose")
async def settle_episodes(
    asked: Asked, episodes: Annotated[Sequence[str], "ids of all that you are done with"]
) -> Reply:
    """Say that episodes are done with, whether they taught anything or not."""
    return _told(await asked.client.propose(episodes=list(episodes)))


@tool("reflect")
async def finish_task(
    asked: Asked,
    task: Annotated[str, "the task's name, as `task_id` or `task` said it"],
    outcome: Literal["worked", "failed"],
    summary: Annotated[str, "what was done and what came of it"] = "",
) -> Reply:
    """Learn from a task that is over: a playbook of what worked, pitfalls of what failed."""
    done = await asked.client.reflect(task, outcome=outcome, summary=summary, session=asked.session)
    return _reply(encode_consolidation.reflected(done), done.refused)


def _told(done: Consolidated) -> Reply:
    return _reply(encode_consolidation.consolidated(done), done.refused)


def _reply(data: dict[str, Any], refused: Any) -> Reply:
    shown = {name: value for name, value in data.items() if value not in ([], {}, "")}
    text = of_data(json.dumps(shown, ensure_ascii=False))
    return Reply(data, f"{text}\nRefused: {told(refused)}." if refused else text)


LEARNING: tuple[Tool, ...] = (
    read_material,
    propose_fact,
    propose_end,
    propose_playbook,
    propose_outcome,
    settle_episodes,
    finish_task,
)
"""Beside the tools of the full set that are made of an operation each."""
