"""The page of settings."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import SecretStr

from generator.markdown import page, table
from pinyon.domain.budget import Limits
from pinyon.domain.event import REMEMBERED
from pinyon.domain.policy import Policies
from pinyon.domain.synonyms import Synonyms
from pinyon.ranking.weights import Weights
from pinyon.settings import PREFIX, Settings

HOME_DEFAULT = (
    "`$XDG_DATA_HOME/pinyon`, else `~/.local/share/pinyon`; "
    "macOS: `~/Library/Application Support/pinyon`; Windows: `%LOCALAPPDATA%\\pinyon`"
)
BOUNDS = {"ge": "at least {}", "gt": "more than {}", "le": "at most {}", "lt": "less than {}"}


def settings_page() -> str:
    """Return the page of settings."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = _default(name, field.default)
        bounds = [
            words.format(f"{getattr(bound, sign):,}")
            for bound in field.metadata
            for sign, words in BOUNDS.items()
            if hasattr(bound, sign)
        ]
        allowed = ", ".join(bounds) or _allowed(field.annotation)
        rows.append(
            (f"`{name}`", f"`{PREFIX}{name.upper()}`", default, allowed, field.description or "")
        )
    return page(
        "Settings",
        """
        Settings are read from the environment when a home is opened, never on import. An option of
        a command wins over the environment, and the environment over the default. `pinyon.open`
        takes `home`, `tenant` and `user` as arguments and reads only the others, and `home` where
        none is given. A value outside its range is refused with the code `invalid_setting`.
        """,
        table(("setting", "environment", "default", "allowed", "what it does"), rows),
    )


def _default(name: str, default: object) -> str:
    if name == "home":
        return HOME_DEFAULT
    if name == "weights":
        return "those of `pinyon.ranking.weights.Weights`"
    if name == "budget":
        limits = {field.name: getattr(Limits(), field.name) for field in fields(Limits)}
        return f"`{json.dumps(limits)}`"
    if name == "synonyms":
        return "none"
    if name == "remembered":
        return f"`{','.join(REMEMBERED)}`"
    if name == "hosts":
        return "none"
    if name == "gate":
        return "those of `pinyon.domain.policy.Policy`"
    value = default.get_secret_value() if isinstance(default, SecretStr) else default
    return f"`{json.dumps(value)}`"


def _allowed(annotation: object) -> str:
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    names = {
        bool: "true or false",
        str: "text",
        Path: "a directory",
        frozenset[str]: "names between commas, or a JSON list",
        tuple[str, ...]: "names between commas",
        SecretStr: "text",
        Limits: "a JSON object",
        Weights: "a JSON object",
        Policies: "a JSON object",
        Synonyms: "JSON: a list, or an object",
    }
    return names[annotation]  # type: ignore[index]
