"""The JSON schema of a form, in the little of JSON Schema that every vendor takes.

Every object names all its fields as required and takes no others. Lengths and ranges are left out,
which some vendors refuse: the form itself is held against them when the answer is there. What is
defined elsewhere stands where it is used, since not every local server follows references.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pinyon.ports.chat import Form

Schema = dict[str, Any]

_KEPT = ("type", "description", "enum", "const")
_LENGTHS = ("minItems", "maxItems", "maxLength")
SHORT_MAX = 200
"""Characters of a text up to which its length is said: a grammar for thousands is refused."""


def strict_schema(form: type[Form], *, bounds_lists: bool = False) -> Schema:
    """Return the schema of a form.

    Args:
        form: Which.
        bounds_lists: Whether it says how long a list may be, or a short text. Small models go on
            with either until something stops them.
    """
    schema = form.model_json_schema()
    kept = _KEPT + (_LENGTHS if bounds_lists else ())
    return _strict(schema, schema.get("$defs", {}), kept)


def _strict(node: Mapping[str, Any], known: Mapping[str, Any], kept: Sequence[str]) -> Schema:
    if "$ref" in node:
        # What a field says of itself goes before what its type says.
        meant = known[node["$ref"].rpartition("/")[2]]
        itself = {key: value for key, value in node.items() if key != "$ref"}
        return _strict({**meant, **itself}, known, kept)
    strict: Schema = {key: node[key] for key in kept if key in node}
    if strict.get("maxLength", 0) > SHORT_MAX:
        del strict["maxLength"]
    if "anyOf" in node:
        strict["anyOf"] = [_strict(one, known, kept) for one in node["anyOf"]]
    if "items" in node:
        strict["items"] = _strict(node["items"], known, kept)
    if "properties" in node:
        fields = node["properties"]
        strict["properties"] = {name: _strict(one, known, kept) for name, one in fields.items()}
        strict["required"] = list(fields)
        strict["additionalProperties"] = False
    return strict
