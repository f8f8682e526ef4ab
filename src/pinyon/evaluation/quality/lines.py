"""Reading JSON lines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pinyon.errors import InvalidFile


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object of a file with the number of its line, from 1; blank lines are none.

    Raises:
        InvalidFile: It is not there, no UTF-8, or a line of it is no JSON object.
    """
    if not path.is_file():
        raise InvalidFile(str(path), "it is not there")
    place = 0
    try:
        # With or without the mark that some editors put first.
        with path.open(encoding="utf-8-sig") as lines:
            for place, line in enumerate(lines, start=1):
                if line.strip():
                    yield place, _object(path.name, line, place)
    except UnicodeDecodeError:
        raise InvalidFile(path.name, "it is no UTF-8", line=place + 1) from None
    except OSError as error:
        raise InvalidFile(str(path), f"it cannot be read: {error.strerror}") from None


def _object(name: str, line: str, place: int) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except ValueError:
        raise InvalidFile(name, "it is no JSON", line=place) from None
    if not isinstance(fields, dict):
        raise InvalidFile(name, "it is no JSON object", line=place)
    return fields
