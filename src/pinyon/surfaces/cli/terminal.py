"""The terminal: where answers go, how far a long work is, and what went wrong."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pinyon.errors import PinyonError
from pinyon.surfaces import encode
from pinyon.surfaces.cli.printing import emit

Answer = TypeVar("Answer")


def out() -> Console:
    """Return where answers go."""
    return Console(highlight=False, soft_wrap=False)


def err() -> Console:
    """Return where everything else goes."""
    return Console(stderr=True, highlight=False)


def give(
    answer: Answer,
    *,
    as_json: bool,
    encoded: Callable[[Answer], encode.Json],
    shown: Callable[[Answer], None],
) -> None:
    """Print an answer: encoded for a program, shown for a person."""
    if as_json:
        emit(encoded(answer))
    else:
        shown(answer)


def show_error(raised: PinyonError) -> None:
    """Print an error."""
    err().print(f"[bold red]{raised.code}[/]: {escape(str(raised))}", soft_wrap=True)


@contextmanager
def progress_bar(what: str, total: int | None) -> Iterator["Bar"]:
    """Show how far a long work is, on stderr and only where a person looks."""
    columns = (
        TextColumn("[dim]{task.description}[/]"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=err(), transient=True, disable=not sys.stderr.isatty()
    ) as shown:
        task = shown.add_task(what, total=total)
        yield Bar(shown, task)


class Bar:
    """A progress bar that is told how much is done."""

    def __init__(self, progress: Progress, task: object) -> None:
        self._progress, self._task = progress, task

    def done(self, count: int, total: int | None = None) -> None:
        """Say how much is done, and of how much."""
        self._progress.update(self._task, completed=count, total=total)  # type: ignore[arg-type]

    def doing(self, what: str, count: int, total: int) -> None:
        """Say what is being done, how much of it is, and of how much."""
        self._progress.update(
            self._task,  # type: ignore[arg-type]
            description=what,
            completed=count,
            total=total,
        )


def say_degraded(what: str) -> None:
    """Print what went on without a part of it."""
    err().print(f"[yellow]{escape(what)}[/]", soft_wrap=True)
