"""The named queries in `sql/*.sql`, read once.

A query may hold `{columns}`, `{where}` and the like: they are filled with names and expressions
that this package wrote itself, never with a value; values are always bound.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^--.*\n", re.MULTILINE)


@cache
def queries() -> Mapping[str, str]:
    """Return every query under its name."""
    found: dict[str, str] = {}
    folder = files(__package__) / "sql"
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        _, *parts = _NAME.split(path.read_text(encoding="utf-8"))
        for name, body in zip(parts[::2], parts[1::2], strict=True):
            if name in found:
                raise ValueError(f"two queries are called {name}")
            found[name] = _COMMENT.sub("", body).strip().removesuffix(";")
    return found


@lru_cache(maxsize=1024)
def query(name: str, **parts: str) -> str:
    """Return a query with its parts filled in."""
    text = queries()[name]
    for part, sql in parts.items():
        text = text.replace("{" + part + "}", sql)
    return text
