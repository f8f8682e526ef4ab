"""The JSON schema of a form, in the little of JSON Schema that every vendor takes.

Every object names all its fields as required and takes no others. Lengths and ranges are left out,
which some vendors refuse: the form itself is held against them when the answer is there. What is
defined elsewhere stands where it is used, since not every local server follows references.
"""

from collections.abc import Mapping
from typing import Any

from pinyon.ports.chat import Form

Schema = dict[str, Any]

_KEPT = ("type", "description", "enum", "const")


def strict_schema(form: type[Form]) -> Schema:
    """Return the schema of a form."""
    schema = form.model_json_schema()
    return _strict(schema, schema.get("$defs", {}))


def _strict(node: Mapping[str, Any], known: Mapping[str, Any]) -> Schema:
    if "$ref" in node:
        # What a field says of itself goes before what its type says.
        return _strict({**known[node["$ref"].rpartition("/")[2]], **_without_ref(node)}, known)
    strict: Schema = {key: node[key] for key in _KEPT if key in node}
    if "anyOf" in node:
        strict["anyOf"] = [_strict(one, known) for one in node["anyOf"]]
    if "items" in node:
        strict["items"] = _strict(node["items"], known)
    if "properties" in node:
        fields = node["properties"]
        strict["properties"] = {name: _strict(field, known) for name, field in fields.items()}
        strict["required"] = list(fields)
        strict["additionalProperties"] = False
    return strict


def _without_ref(node: Mapping[str, Any]) -> Schema:
    return {key: value for key, value in node.items() if key != "$ref"}
