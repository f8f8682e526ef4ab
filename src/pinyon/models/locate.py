"""Where the weights lie: a folder that a setting names, or the companion package."""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

LATE_INTERACTION = "answerai-colbert-small-v1"
CROSS_ENCODER = "ms-marco-MiniLM-L-12-v2"
NEEDED = ("onnxruntime", "tokenizers")


@dataclass(frozen=True, slots=True)
class Weights:
    """The files of a model.

    Attributes:
        name: The model's name, and that of its folder.
        model: The ONNX file.
        tokenizer: The tokenizer's file.
        projection: The matrix that makes token vectors small, where it has one.
    """

    name: str
    model: Path
    tokenizer: Path
    projection: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """Return all of them."""
        files = (self.model, self.tokenizer)
        return files if self.projection is None else (*files, self.projection)

    def fingerprint(self) -> str:
        """Return what names exactly these files: their model, and a hash of all of them."""
        digest = hashlib.sha256()
        for path in self.files:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return f"{self.name}@{digest.hexdigest()[:16]}"


def has_runtime() -> bool:
    """Return whether what runs the models is installed."""
    return all(find_spec(name) is not None for name in NEEDED)


def package_folder() -> Path | None:
    """Return where the companion package `pinyon-models` lies, or `None` where it is missing."""
    package = find_spec("pinyon_models")
    return None if package is None or package.origin is None else Path(package.origin).parent


def find_late_interaction(folder: Path | None = None) -> Weights | None:
    """Return the late-interaction model's files, or `None` where they, or a runtime, are missing.

    Args:
        folder: Where models lie, a folder each; the package `pinyon-models` where none is named.
            The projection is looked for there first, and then in the package.
    """
    home = package_folder()
    if folder is not None and (folder / LATE_INTERACTION / "projection.npy").is_file():
        projection = folder / LATE_INTERACTION / "projection.npy"
    elif home is not None:
        projection = home / "projection.npy"
    else:
        return None
    return _found(LATE_INTERACTION, folder, projection)


def find_cross_encoder(folder: Path | None = None) -> Weights | None:
    """Return the cross-encoder's files, as `find_late_interaction` does."""
    return _found(CROSS_ENCODER, folder, None)


def _found(name: str, folder: Path | None, projection: Path | None) -> Weights | None:
    if folder is None:
        home = package_folder()
        if home is None:
            return None
        folder = home / "data"
    place = folder / name
    weights = Weights(name, place / "model.onnx", place / "tokenizer.json", projection)
    there = has_runtime() and all(path.is_file() for path in weights.files)
    return weights if there else None
