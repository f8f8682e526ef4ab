"""Long-term memory for AI agents.

```python
import pinyon

with pinyon.open(user="sarah") as memory:
    memory.remember("My bulbs only show white since last week", session="s1")
    memory.recall("what is wrong with the bulbs?").hits[0].memory.text
```

Importing this reads no file and no environment, opens nothing, and loads the rest when it is used.
"""

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pinyon.blocking import BlockingMemoryClient
    from pinyon.client import MemoryClient
    from pinyon.domain.draft import Draft
    from pinyon.domain.question import AsOf, RecallContext
    from pinyon.errors import PinyonError
    from pinyon.operating import Operator
    from pinyon.remote.client import RemoteMemoryClient
    from pinyon.wiring import connect, open, operate, restore  # noqa: A004 - `pinyon.open` is its name

logging.getLogger(__name__).addHandler(logging.NullHandler())

__version__ = "0.1.0.dev0"

__all__ = [
    "AsOf",
    "BlockingMemoryClient",
    "Draft",
    "MemoryClient",
    "Operator",
    "PinyonError",
    "RecallContext",
    "RemoteMemoryClient",
    "connect",
    "open",
    "operate",
    "restore",
]

_HOMES = {
    "AsOf": "pinyon.domain.question",
    "BlockingMemoryClient": "pinyon.blocking",
    "Draft": "pinyon.domain.draft",
    "MemoryClient": "pinyon.client",
    "Operator": "pinyon.operating",
    "PinyonError": "pinyon.errors",
    "RecallContext": "pinyon.domain.question",
    "RemoteMemoryClient": "pinyon.remote.client",
    "connect": "pinyon.wiring",
    "open": "pinyon.wiring",
    "operate": "pinyon.wiring",
    "restore": "pinyon.wiring",
}


def __getattr__(name: str) -> Any:
    """Load a public name from where it lives, the first time that it is used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pinyon' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - not even this before it is needed

    return getattr(import_module(_HOMES[name]), name)
