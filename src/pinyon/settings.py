"""Every setting, in one frozen value that is read once, from the environment only when asked.

`docs/reference/settings.md` is made from the descriptions here.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from pinyon.errors import InvalidSetting

PREFIX = "PINYON_"


def default_home(environ: Mapping[str, str]) -> Path:
    """Return where memories are kept unless somebody says otherwise: the platform's data folder."""
    user_home = Path(environ.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return user_home / "Library" / "Application Support" / "pinyon"
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or user_home / "AppData" / "Local") / "pinyon"
    return Path(environ.get("XDG_DATA_HOME") or user_home / ".local" / "share") / "pinyon"


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
        "off",
        description="Recall by meaning, a preview: `auto` for the models of the package "
        "`pinyon-models`, a folder with one for each model, or `off`.",
    )
    spaces_open_max: int = Field(
        128, ge=1, le=10_000, description="Spaces kept open at once; each takes a few file handles."
    )


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
