"""What `pinyon eval --make-questions` does: a corpus of one's own memories."""

from pathlib import Path

import anyio
from rich.markup import escape

from pinyon.domain.memory import Memory
from pinyon.errors import InvalidSetting, InvalidValue
from pinyon.evaluation.quality.making import (
    Made,
    check_empty,
    made_questions,
    sampled,
    write_corpus,
)
from pinyon.settings import read_settings
from pinyon.surfaces.cli.options import Who
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.terminal import out, progress_bar, say_degraded
from pinyon.wiring import chat_of

PAGE = 200


def make_questions(who: Who, folder: Path, *, sample: int, seed: int, as_json: bool) -> None:
    """Let the chat model ask what some of a user's memories answer, and write the corpus.

    Raises:
        InvalidSetting: No chat model is set.
        InvalidValue: The user has no memory.
        NotEmpty: Something is in the folder.
    """
    settings = read_settings(home=who.home)
    chat = chat_of(settings)
    if chat is None:
        why = "it is `off`; a chat model makes the questions: openai:MODEL or anthropic:MODEL"
        raise InvalidSetting("PINYON_CHAT", why)
    check_empty(folder)
    memories = anyio.run(_all_of, who)
    if not memories:
        raise InvalidValue("user", who.user or settings.user, "somebody who has memories")
    chosen = sampled(memories, sample, seed=seed)
    with progress_bar("asking", len(chosen)) as bar:

        async def act() -> Made:
            return await made_questions(
                chat, chosen, timeout_s=settings.chat_timeout_s, done=bar.done
            )

        made = anyio.run(act)
    if made.left_out:
        say_degraded(f"of {made.left_out:,} memories the model made no question")
    write_corpus(folder, who.user or settings.user, memories, made.questions)
    if as_json:
        emit(
            {
                "folder": str(folder),
                "memories": len(memories),
                "sampled": len(chosen),
                "questions": len(made.questions),
                "left_out": made.left_out,
            }
        )
        return
    said = f"{len(made.questions):,} questions of {len(chosen):,} memories, in {folder}"
    out().print(f"[green]✓[/] {escape(said)}", soft_wrap=True)
    hint = f"Read them first: they are a model's. Then: pinyon eval {folder}"
    out().print(f"[dim]{escape(hint)}[/]", soft_wrap=True)


async def _all_of(who: Who) -> list[Memory]:
    """Return what a user's own memories say now."""
    memories: list[Memory] = []
    cursor: str | None = None
    async with who.client() as client:
        while True:
            listing = await client.list(cursor=cursor, limit=PAGE)
            memories += [one for one in listing.memories if one.status == "active"]
            cursor = listing.next_cursor
            if cursor is None:
                return memories
