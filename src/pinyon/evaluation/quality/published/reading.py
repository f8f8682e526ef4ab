"""What the loaders of published sets share."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from pinyon.errors import InvalidFile
from pinyon.evaluation.quality.corpus import Fields, Row, draft_of, in_order

SECONDS_A_TURN = 30
"""Between two turns of a session of which only the beginning is told."""


def json_of(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises:
        InvalidFile: It is not there, or no JSON.
    """
    if not path.is_file():
        raise InvalidFile(path.name, "it is not there")
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except ValueError:
        raise InvalidFile(path.name, "it is no JSON") from None


@contextmanager
def shape_of(path: Path, what: str) -> Iterator[None]:
    """Say that a file is not what it is taken for, where reading it stumbles."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as stumbled:
        raise InvalidFile(path.name, f"it does not look like {what} ({stumbled!r})") from None


class Rows:
    """Gathers the rows of one tenant, in order; none whose text is empty."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.shortened = 0
        self._ids: set[str] = set()
        self._last: datetime | None = None

    def add(self, row_id: str, fields: Fields, said_at: datetime | None) -> None:
        """Take in a row; the first of an id is the one that questions mean."""
        if not isinstance(fields["text"], str) or not fields["text"].strip():
            return
        self._last = in_order(self._last, said_at)
        draft, was_cut = draft_of(fields, said_at=self._last)
        self.shortened += was_cut
        while row_id in self._ids:
            row_id += "+"
        self._ids.add(row_id)
        self.rows.append(Row(row_id, draft))

    def evidence(self, named: Iterable[str]) -> tuple[str, ...]:
        """Return those of some ids that are rows, each once; none where one of them is none."""
        ids = tuple(dict.fromkeys(named))
        return ids if self._ids.issuperset(ids) else ()


def dated(told: object, form: str, clean: Callable[[str], str] = str) -> datetime | None:
    """Return a date that is written in one form (`strptime`), in UTC; `None` where it is not."""
    try:
        return datetime.strptime(f"{clean(str(told))} +0000", f"{form} %z")
    except ValueError:
        return None
