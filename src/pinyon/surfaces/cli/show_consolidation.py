"""What became of episodes, for a person."""

from rich.markup import escape

from pinyon.domain.consolidation import Consolidated
from pinyon.domain.job import AWAITED_COUNTED
from pinyon.surfaces.cli.terminal import err, out

_BECAUSE = {
    "unknown_support": "they rest on a message that was not shown",
    "not_the_users": "they are not the user's words",
    "not_quoted": "what they quote was not said",
    "a_question": "they quote a question",
    "unsure": "too unsure",
    "forgotten": "forgotten before",
    "not_in_words": "their words stand in no message",
    "repeated": "said twice",
    "unknown_fact": "they end a fact that was not shown",
    "other_subject": "they end a fact about something else",
    "no_steps": "no trigger, or no steps",
    "unknown_playbook": "about a playbook that was not shown",
    "counted_before": "the outcome of a message that was read before",
    "bad_model_output": "the model's answer could not be read; rules read these messages",
    "gives_orders": "they give orders to a model",
}


def show_consolidated(answer: Consolidated) -> None:
    """Print what is new, and what was not followed and why."""
    if answer.left and not answer.episodes:
        err().print(
            "[yellow]Memory is paused; what waits goes on waiting.[/] "
            "[dim]pinyon consent --resume[/]"
        )
        return
    if not answer.episodes:
        out().print(
            '[yellow]Nothing waits.[/] [dim]What the user says does: pinyon remember "..."[/]'
        )
        return
    named = (
        ("new", answer.created, "green"),
        ("said again", answer.strengthened, "green"),
        ("history now", answer.superseded, "yellow"),
        ("steps bettered", answer.refined, "green"),
        ("outcomes counted", answer.outcomes, "green"),
        ("may contradict", answer.conflicts, "yellow"),
    )
    out().print(f"{answer.episodes} messages read [dim]by {escape(answer.made_by)}[/]")
    for name, ids, style in named:
        for one in ids:
            out().print(f"  [{style}]{name}[/] [dim]{one}[/]")
    if answer.refused:
        reasons = [
            f"{count} {_BECAUSE.get(reason, escape(reason))}"
            for reason, count in answer.refused.items()
        ]
        err().print(f"[dim]not followed: {'; '.join(reasons)}[/]")
    if answer.left:
        many = (
            f"{AWAITED_COUNTED} messages or more" if answer.left >= AWAITED_COUNTED else answer.left
        )
        err().print(f"[dim]still waiting: {many}[/]")
