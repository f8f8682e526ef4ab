"""Where the weights lie: a folder that a setting names, or the companion package."""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

LATE_INTERACTION = "answerai-colbert-small-v1"
NEEDED = ("onnxruntime", "tokenizers")


@dataclass(frozen=True, slots=True)
class Weights:
    """The files of a model.

    Attributes:
        model: The ONNX file.
        tokenizer: The tokenizer's file.
        projection: The matrix that makes token vectors small.
    """

    model: Path
    tokenizer: Path
    projection: Path

    def fingerprint(self) -> str:
        """Return what names exactly these files: their model, and a hash of all three."""
        digest = hashlib.sha256()
        for path in (self.model, self.tokenizer, self.projection):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return f"{LATE_INTERACTION}@{digest.hexdigest()[:16]}"


def find_late_interaction(folder: Path | None) -> Weights | None:
    """Return the late-interaction model's files, or `None` where they, or a runtime, are missing.

    Args:
        folder: Where models lie, a folder each; the package `pinyon-models` where none is named.
    """
    if any(find_spec(name) is None for name in NEEDED):
        return None
    package = find_spec("pinyon_models")
    if package is None or package.origin is None:
        return None
    home = Path(package.origin).parent
    model = (folder or home / "data") / LATE_INTERACTION
    weights = Weights(model / "model.onnx", model / "tokenizer.json", home / "projection.npy")
    there = all(path.is_file() for path in (weights.model, weights.tokenizer, weights.projection))
    return weights if there else None
