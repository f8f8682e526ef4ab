"""Answers as lines of JSON on the standard streams."""

import json
import sys

from pinyon.errors import PinyonError
from pinyon.surfaces.encode import Json


def emit(value: Json) -> None:
    """Print a value as one line of JSON."""
    sys.stdout.write(line_of(value, sys.stdout.encoding))


def line_of(value: Json, encoding: str | None) -> str:
    """Return a value as one line of JSON that the encoding can hold."""
    is_unicode = (encoding or "").lower().replace("-", "").startswith("utf")
    return json.dumps(value, ensure_ascii=not is_unicode) + "\n"


def emit_error(raised: PinyonError) -> None:
    """Print an error on stderr, as one line of JSON."""
    value = {"error": {"code": raised.code, "message": str(raised)}}
    sys.stderr.write(line_of(value, sys.stderr.encoding))
