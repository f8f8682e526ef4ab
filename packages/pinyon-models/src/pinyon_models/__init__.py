"""The weights that Pinyon understands with: data, and where it lies."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
"""A folder for each model: `model.onnx`, `tokenizer.json`."""

PROJECTION = Path(__file__).parent / "projection.npy"
"""float32 (384, 96): from the late-interaction model's token vectors to those that are kept."""
