"""Every route that a server describes, and a request to each that is sound.

A new route is found by itself. If it needs a body or a parameter that is not known here, add it to
`BODIES` or `GIVEN`; a test fails until then, and says which.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from isolation.over_http import Served

OPEN = {"healthz", "readyz"}
"""Routes that take no credential."""

LOCAL = {"metrics"}
"""Routes that take none from this machine, and an admin's from elsewhere."""

NEVER = "0" * 32
LINES = {"import_rows": frozenset({"agent"}), "import_catalog": frozenset[str]()}
"""Routes that take lines, and what of a line names somebody without making him its owner."""

BODIES: Mapping[str, Any] = {
    "remember": {"text": "the lamp is blue"},
    "write": {"text": "the lamp is blue"},
    "write_many": {"memories": [{"text": "the lamp is blue"}]},
    "recall": {"query": "which lamp is blue?"},
    "consolidate": {},
    "propose": {"episodes": [f"mem_{NEVER}"]},
    "reflect": {"outcome": "worked", "summary": "the lamp is blue"},
    "turn": {"message": "which lamp is blue?"},
    "build_context": {"task": "which lamp is blue?"},
    "why_not": {"query": "which lamp is blue?"},
    "edit": {"title": "Lamp"},
    "end": {},
    "publish": {"scope": "shared"},
    "withdraw": {},
    "forget": {"ids": [f"mem_{NEVER}"]},
    "start_session": {"session": "the hall"},
    "end_session": {"session": "the hall"},
    "set_consent": {"paused": False},
    "feedback": {"ids": [f"mem_{NEVER}"], "outcome": "worked"},
    "create_key": {"role": "user", "user": "ann"},
    "grant": {"space": "acme/shared", "user": "ann"},
    "import_rows": {"text": "the lamp is blue"},
    "import_catalog": {"name": "a.md", "text": "# Lamp"},
}
GIVEN: Mapping[str, str] = {
    "memory_id": f"mem_{NEVER}",
    "key_id": f"key_{NEVER}",
    "job_id": f"job_{NEVER}",
    "task": "lamp",
    "space": "acme/user/ann",
    "user": "ann",
    "name": "lamps",
}


@dataclass(frozen=True)
class Route:
    """A route as the server describes it.

    Attributes:
        parameters: Those of the query that it needs.
        takes: All of the query that it takes; of that `takes_once`, what is no list.
        takes_body: It takes a body of one object.
        fields: The fields of its body, or of a line of it.
    """

    name: str
    method: str
    path: str
    tag: str
    parameters: tuple[str, ...]
    takes: frozenset[str]
    takes_once: frozenset[str]
    takes_body: bool
    fields: frozenset[str]

    @property
    def needs(self) -> tuple[str, ...]:
        """Return what a request must fill in, in its path and its query."""
        return (*re.findall(r"{(\w+)}", self.path), *self.parameters)

    @property
    def params(self) -> dict[str, str]:
        """Return the query of a sound request."""
        return {name: GIVEN[name] for name in self.parameters}

    @property
    def url(self) -> str:
        """Return its path, with ids of what never was."""
        return self.path.format_map(GIVEN)

    def sound(self, **more: Any) -> dict[str, Any]:
        """Return what a sound request sends; `more` goes into its body."""
        sent: dict[str, Any] = {"params": self.params}
        if self.takes_body or self.name in LINES or more:
            sent["json"] = {**BODIES.get(self.name, {}), **more}
        return sent


def routes_of(served: Served) -> list[Route]:
    """Return the routes that a server describes."""
    return sorted(_read(served.fastapi.openapi()), key=lambda route: route.name)


def _read(described: Mapping[str, Any]) -> Iterator[Route]:
    schemas = described["components"]["schemas"]
    for path, calls in described["paths"].items():
        for method, call in calls.items():
            asked = [one for one in call.get("parameters", ()) if one["in"] == "query"]
            fields = _fields(call.get("requestBody"), schemas)
            yield Route(
                name=call["operationId"],
                method=method.upper(),
                path=path,
                tag=call["tags"][0],
                parameters=tuple(one["name"] for one in asked if one.get("required")),
                takes=frozenset(one["name"] for one in asked),
                takes_once=frozenset(
                    one["name"] for one in asked if one["schema"].get("type") != "array"
                ),
                takes_body=bool(fields),
                fields=fields or LINES.get(call["operationId"], frozenset()),
            )


def _fields(body: Mapping[str, Any] | None, schemas: Mapping[str, Any]) -> frozenset[str]:
    schema = (body or {}).get("content", {}).get("application/json", {}).get("schema", {})
    refers = [schema, *schema.get("anyOf", ())]
    names = [one["$ref"].rpartition("/")[2] for one in refers if "$ref" in one]
    return frozenset(field for name in names for field in schemas[name]["properties"])
