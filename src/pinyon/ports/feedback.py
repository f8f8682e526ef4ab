"""How it went with memories, as it was reported."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.feedback import Feedback
from pinyon.domain.space import Space

PAGE = 500


@dataclass(frozen=True, slots=True)
class FeedbackPage:
    """A part of a space's feedback, and where the next one begins (`None` after the last)."""

    feedback: Sequence[Feedback]
    next_cursor: str | None


class FeedbackLog(Protocol):
    """Reads what `PutFeedback` changes wrote."""

    async def list_feedback(
        self, space: Space, *, cursor: str | None = None, limit: int = 100
    ) -> FeedbackPage:
        """Return feedback, oldest first."""


async def every_feedback(log: FeedbackLog, space: Space) -> AsyncIterator[Feedback]:
    """Yield all feedback of a space, oldest first, page by page."""
    cursor: str | None = None
    while True:
        page = await log.list_feedback(space, cursor=cursor, limit=PAGE)
        for one in page.feedback:
            yield one
        cursor = page.next_cursor
        if cursor is None:
            return
