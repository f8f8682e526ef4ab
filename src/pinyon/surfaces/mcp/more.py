"""The rest of what a client can do, for a model or an administrator who asked for it.

Each tool is made of an operation as the table says it: its first line, its parameters as far as
they can be said flat, its permission. An operation that is added to the table is offered by a line
here, or left out on purpose.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from pinyon.ports.client import OPERATIONS, Operation
from pinyon.surfaces import encode, encode_consolidation
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.block import of_data
from pinyon.surfaces.mcp.flat import Json, parameters_of_operation
from pinyon.surfaces.mcp.learning import LEARNING
from pinyon.surfaces.mcp.tool import Reply, Tool

OFFERED: Mapping[str, tuple[str, Callable[[Any], Json]]] = {
    "core_facts": ("core_facts", encode.core_facts),
    "list": ("list_memories", encode.listing),
    "show": ("show_memory", encode.memory),
    "events": ("read_events", encode.events),
    "why_not": ("why_not_recalled", encode.why_not),
    "list_catalog": ("list_catalog", encode.catalog),
    "edit": ("edit_memory", encode.memory),
    "retract": ("retract_memory", encode.memory),
    "end": ("end_memory", encode.memory),
    "hide": ("hide_memory", encode.memory),
    "release": ("release_memory", encode.memory),
    "undo": ("undo_change", encode.memory),
    "feedback": ("give_feedback", encode.noted),
    "consolidate": ("consolidate_memory", encode_consolidation.consolidated),
    "publish": ("publish_memory", encode.published),
    "withdraw": ("withdraw_memory", encode.published),
    "start_session": ("start_session", encode.session),
    "end_session": ("end_session", encode.forgotten),
    "list_sessions": ("list_sessions", encode.sessions),
    "consent": ("show_consent", encode.consent),
    "set_consent": ("set_consent", encode.consent),
    "receipts": ("list_receipts", encode.receipts),
}
"""By operation: what the tool is called, and what makes JSON of an answer."""

LEFT_OUT = frozenset(
    {
        "remember",
        "write_many",
        "warm",
        "export",
        "export_feedback",
        "import_rows",
        "import_catalog",
    }
)
"""Operations that are nothing for a model: they move much at once, only make ready, or are done by
a core tool."""

_NOT_A_MODELS = frozenset({"key"})
"""Parameters that only a program can use: a retry is the client's business."""


def _tool_of(operation: Operation) -> Tool:
    name, encoded = OFFERED[operation.name]

    async def act(asked: Asked, **arguments: Any) -> Reply:
        answer = await getattr(asked.client, operation.name)(**arguments)
        data = encoded(answer)
        return Reply(data, of_data(json.dumps(data, ensure_ascii=False)))

    return Tool(
        name=name,
        about=operation.summary,
        operation=operation.name,
        parameters=[
            one
            for one in parameters_of_operation(operation.signature)
            if one.name not in _NOT_A_MODELS
        ],
        act=act,
    )


MORE: tuple[Tool, ...] = (
    *(_tool_of(one) for one in OPERATIONS if one.name in OFFERED),
    *LEARNING,
)
