"""Make `projection.npy`: how the late-interaction model's token vectors become small ones.

    python make_projection.py FOLDER        # holds model.onnx and tokenizer.json

The principal components, without centring, of the unit-length token vectors of `texts.txt`. The
signs of the components are fixed, so that a second run gives the same matrix up to rounding.
"""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
import tokenizers

HERE = Path(__file__).parent
DIM = 96


def token_vectors(folder: Path, texts: list[str]) -> np.ndarray:
    """Return the unit-length vectors of all tokens of the texts: float32 (n, 384)."""
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    vectors = []
    for text in texts:
        encoded = tokenizer.encode(text)
        ids = np.array([encoded.ids], np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        vectors.append(session.run(None, inputs)[0][0])
    stacked = np.concatenate(vectors).astype(np.float32)
    return stacked / np.linalg.norm(stacked, axis=1, keepdims=True)


def projection(vectors: np.ndarray) -> np.ndarray:
    """Return the first `DIM` principal directions as columns: float32 (384, DIM)."""
    _, directions = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors.astype(np.float64))
    first = directions[:, ::-1][:, :DIM]
    largest = np.abs(first).argmax(axis=0)
    return (first * np.sign(first[largest, np.arange(DIM)])).astype(np.float32)


if __name__ == "__main__":
    lines = (HERE / "texts.txt").read_text("utf-8").splitlines()
    made = projection(token_vectors(Path(sys.argv[1]), lines))
    np.save(HERE / "src" / "pinyon_models" / "projection.npy", made)
    print(f"{made.shape} from {len(lines)} texts")
