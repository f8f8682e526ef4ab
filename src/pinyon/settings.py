"""Every setting, in one frozen value that is read once, from the environment only when asked.

`docs/reference/settings.md` is made from the descriptions here.
"""

import getpass
import json
import os
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
)

from pinyon.domain.budget import Limits
from pinyon.domain.event import REMEMBERED
from pinyon.domain.policy import Policies, policies_of
from pinyon.domain.synonyms import Synonyms, synonyms_of
from pinyon.errors import InvalidSetting
from pinyon.ranking.weights import Weights

PREFIX = "PINYON_"


def default_home(environ: Mapping[str, str]) -> Path:
    """Return where memories are kept unless somebody says otherwise: the platform's data folder."""
    user_home = Path(environ.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return user_home / "Library" / "Application Support" / "pinyon"
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or user_home / "AppData" / "Local") / "pinyon"
    return Path(environ.get("XDG_DATA_HOME") or user_home / ".local" / "share") / "pinyon"


def login_name() -> str:
    """Return the name of whoever runs this process, where nobody says a user; `me` for none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "me"


def _read_json(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _read_names(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(name.strip().lower() for name in value.split(",") if name.strip())


def _read_policies(value: object) -> Policies:
    return value if isinstance(value, Policies) else policies_of(_read_json(value))


def _read_synonyms(value: object) -> Synonyms:
    return value if isinstance(value, Synonyms) else synonyms_of(_read_json(value))


def _read_remembered(value: object) -> frozenset[str]:
    """Read roles and event types: a JSON list, or names between commas."""
    if isinstance(value, str):
        is_json = value.lstrip().startswith("[")
        value = _read_json(value) if is_json else value.split(",")
    if not isinstance(value, Collection) or not all(isinstance(one, str) for one in value):
        raise ValueError("it is no list of roles and event types")
    names = frozenset(name for one in value if (name := str(one).strip()))
    if not names:
        raise ValueError("it names nobody; `recallable=False` keeps one message out")
    return names


def _check_chat(value: str) -> str:
    vendor, _, model = value.partition(":")
    if value != "off" and not (vendor in ("openai", "anthropic") and model.strip()):
        raise ValueError("it must be `off`, `openai:MODEL` or `anthropic:MODEL`")
    return value


ReadChat = Annotated[str, AfterValidator(_check_chat)]
ReadWeights = Annotated[Weights, BeforeValidator(_read_json)]
ReadLimits = Annotated[Limits, BeforeValidator(_read_json)]
ReadSynonyms = Annotated[Synonyms, BeforeValidator(_read_synonyms)]
ReadRemembered = Annotated[frozenset[str], BeforeValidator(_read_remembered)]
ReadPolicies = Annotated[Policies, BeforeValidator(_read_policies)]
Names = Annotated[tuple[str, ...], BeforeValidator(_read_names)]
FullPath = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]


class Settings(BaseModel, frozen=True, extra="forbid"):
    """What can be set. Each is read from `PINYON_` and its name in capitals."""

    home: FullPath = Field(description="The directory that holds every memory.")
    tenant: str = Field("default", description="The tenant that commands speak for.")
    user: str = Field("", description="The user that commands speak for where none is named.")
    durable: bool = Field(
        True,
        description="Wait at each write until the disk has it. Off, a power cut may take the last "
        "writes; a killed process still takes none.",
    )
    models: str = Field(
        "auto",
        description="Where the models lie that recall by meaning: `auto` for those of the package "
        "`pinyon-models`, a folder that holds a folder for each, or `off`.",
    )
    embedder: Literal["local", "mixed", "multilingual", "endpoint"] = Field(
        "local",
        description="Which model gives vectors: the `local` one for English, the `multilingual` "
        "one, `mixed` for the first where it knows the script and the second elsewhere, or an "
        "`endpoint`. A space keeps the vectors of one; `pinyon reembed` changes it.",
    )
    embeddings_url: str = Field(
        "", description="The endpoint, OpenAI-compatible, as `http://localhost:11434/v1`."
    )
    embeddings_model: str = Field("", description="The endpoint's name for its model.")
    embeddings_key: SecretStr = Field(
        SecretStr(""), description="The endpoint's key, where it wants one."
    )
    chat: ReadChat = Field(
        "off",
        description="The chat model that consolidates, and that recalls of quality `judged` ask: "
        "`openai:MODEL` for any endpoint that chats as OpenAI's does, `anthropic:MODEL`, or `off`. "
        "Needs the extra of that name; episodes are sent to it, and what those recalls find.",
    )
    chat_url: str = Field(
        "",
        description="Where it is, as `http://localhost:11434/v1`; the vendor's own address where "
        "empty. No redirect is followed.",
    )
    chat_key: SecretStr = Field(
        SecretStr(""),
        description="Its key, where it wants one. No other variable is looked at for one.",
    )
    chat_timeout_s: float = Field(
        120.0, gt=0, le=3_600, description="Seconds that one question to it may take in all."
    )
    consolidate_every: int = Field(
        20,
        ge=0,
        le=100,
        description="After how many messages of a user that nobody has looked at background work "
        "consolidates them; 1: after each; 0: only by request. What matters much goes at once, and "
        "what is left once a day.",
    )
    weights: ReadWeights = Field(
        default_factory=Weights,
        description="What counts beside relevance, as JSON of what differs from the defaults: "
        '`{"catalog": 0.9, "off": ["age"]}`.',
    )
    synonyms: ReadSynonyms = Field(
        default_factory=Synonyms,
        description="What is called the same, as JSON: groups of words or short phrases, for all "
        'tenants or for single ones: `{"usual": [["hub", "bridge"]], '
        '"tenants": {"acme": [["PTO", "annual leave"]]}}`.',
    )
    gate: ReadPolicies = Field(
        default_factory=Policies,
        description="What happens to sensitive things before they are kept (`keep`, `tag`, "
        "`redact` or `refuse`), as JSON of what differs from the defaults: "
        '`{"email_address": "redact", "tenants": {"acme": {"phone_number": "refuse"}}}`.',
    )
    remembered: ReadRemembered = Field(
        REMEMBERED,
        description="What becomes a memory when it is said, by role or event type: names between "
        'commas, or a JSON list, as `user,assistant` or `["user", "thought"]`. All else goes to '
        "the event log.",
    )
    detector: Literal["rules", "presidio"] = Field(
        "rules",
        description="What looks for personal data: our own `rules`, or `presidio` beside them, "
        "which needs the extra `presidio` and asks no network.",
    )
    jwt_issuer: str = Field(
        "",
        description="Whose JSON Web Tokens a server accepts beside API keys, as their `iss` says "
        "it: `https://login.example.com`. Empty, it accepts none.",
    )
    jwt_audience: str = Field(
        "", description="What the `aud` of such a token must name; needed with an issuer."
    )
    jwt_jwks_url: str = Field(
        "",
        description="Where the issuer's keys are, if not at `/.well-known/jwks.json` below it. "
        "HTTPS, unless it is on this machine; no redirect is followed.",
    )
    hosts: Names = Field(
        (),
        description="Names, without a port, under which a server is reached beside its own "
        "address, separated by commas: `memory.example.com`. Any other is refused; `*` stands for "
        "all, for where a proxy has looked at it.",
    )
    rate_limit: float = Field(
        100.0,
        ge=0,
        le=100_000,
        description="Requests that a server answers each credential, for each user that it acts "
        "for, a second, over ten seconds and in each of its processes; 0 for no limit.",
    )
    mcp_tools: Literal["core", "full"] = Field(
        "core",
        description="Which tools a model is given over MCP: the six of `core`, or `full` for the "
        "rest of what a client can do.",
    )
    worker: Literal["on", "off"] = Field(
        "on",
        description="Whether `pinyon serve` does the background work of its home too. Off, "
        "`pinyon worker` does, beside it.",
    )
    budget: ReadLimits = Field(
        default_factory=Limits,
        description="What may be spent on models that talk in a day (UTC), as JSON of "
        "what differs from the defaults: `calls` and `tokens` for one space, `home_calls` and "
        '`home_tokens` for all together: `{"calls": 50, "home_tokens": 2000000}`.',
    )
    otel: Literal["off", "on"] = Field(
        "off",
        description="Whether each call becomes an OpenTelemetry span, sent where the standard "
        "variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, ...) say. Needs the extra `otel`.",
    )
    spaces_open_max: int = Field(
        128, ge=1, le=10_000, description="Spaces kept open at once; each takes a few file handles."
    )


def environment_of(settings: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment with these settings, by name, and no other of ours.

    For a process of its own that is to go by nothing that happens to be set here.
    """
    others = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return others | {PREFIX + name.upper(): value for name, value in settings.items()}


def variables(*names: str) -> dict[str, str]:
    """Return those of these environment variables that say anything.

    For what is another program's, and lies where that program's own variables say.
    """
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def read_settings(environ: Mapping[str, str] | None = None, **given: object) -> Settings:
    """Return the settings: what is given, else what the environment says, else the defaults.

    Args:
        environ: Where to look; the process's environment by default.
        given: Settings by name; `None` is as good as not given.

    Raises:
        InvalidSetting: One is unknown or outside its range.
    """
    source = os.environ if environ is None else environ
    values: dict[str, object] = {
        name: source[PREFIX + name.upper()]
        for name in Settings.model_fields
        if PREFIX + name.upper() in source
    }
    values.update({name: value for name, value in given.items() if value is not None})
    values.setdefault("home", default_home(source))
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        raise InvalidSetting(PREFIX + name.upper(), first["msg"]) from None
