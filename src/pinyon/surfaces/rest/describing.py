"""The description of the API (OpenAPI): a credential, problems, and an example for every call."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from pinyon.surfaces.rest.problems import MEDIA_TYPE

OPEN = frozenset({"healthz", "readyz"})
"""Routes that take no credential."""

_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was found, and what to do next."},
        "code": {"type": "string", "description": "Stays the same from release to release."},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "why": {"type": "string"}},
            },
        },
    },
}


@cache
def examples() -> dict[str, dict[str, Any]]:
    """Return by route what one sends, and what one gets."""
    text = files("pinyon.surfaces.rest").joinpath("examples.json").read_text("utf-8")
    read: dict[str, dict[str, Any]] = json.loads(text)
    return read


def describe(app: FastAPI) -> None:
    """Let the app describe itself, once somebody asks."""

    @cache
    def described() -> dict[str, Any]:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            routes=app.routes,
            tags=[
                {"name": "memory", "description": "what one user remembers"},
                {
                    "name": "personal",
                    "description": "what a person lets memory keep, and how it went",
                },
                {
                    "name": "learning",
                    "description": "what is learnt of what was said and done",
                },
                {"name": "moving", "description": "streams in and out"},
                {"name": "running", "description": "for whoever runs the place"},
                {"name": "health", "description": "whether it works"},
            ],
        )
        parts = schema.setdefault("components", {})
        parts.setdefault("schemas", {})["Problem"] = _PROBLEM
        parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        for path in schema["paths"].values():
            for call in path.values():
                _complete(call["operationId"], call)
        return schema

    app.openapi = described  # type: ignore[method-assign]


def named(route: APIRoute) -> str:
    """Return what a call is named in the description: as its route is."""
    return route.name


def _complete(name: str, call: dict[str, Any]) -> None:
    if name not in OPEN:
        call["security"] = [{"key": []}]
    responses = call["responses"]
    responses.pop("422", None)  # ours are told as 400, like every other mistake in a request
    problem = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    responses["default"] = {"description": "A problem", "content": problem}
    example = examples().get(name, {})
    if "request" in example:
        media_type = example.get("request_media_type", "application/json")
        content = call.setdefault("requestBody", {}).setdefault("content", {})
        content.setdefault(media_type, {"schema": {"type": "string"}})["example"] = example[
            "request"
        ]
    for status in (one for one in responses if one.startswith("2")):
        answer = responses[status]
        if "response" in example:
            answer["content"] = {
                example.get("media_type", "application/json"): {
                    "schema": example.get("schema", {"type": "object"}),
                    "example": example["response"],
                }
            }
        else:
            answer.pop("content", None)
