"""An environment for each peer: made once from its pinned requirements, and run apart from ours."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "requirements"
SCRIPT = Path(__file__).parent / "peer.py"

QUIET = {
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "LANGSMITH_TRACING": "false",
    "HF_HUB_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
}
"""How each of them says that it is to send nothing home."""

WORDS_OF_AN_ERROR = 200


class NotRun(Exception):
    """A peer could not be installed, or did not get to its end; it says why."""


def prepared(peer: str, cache: Path, python: str = sys.executable) -> Path:
    """Return the Python of a peer's environment, which is made if its requirements are new.

    Raises:
        NotRun: It cannot be installed here.
    """
    wanted = REQUIREMENTS / f"{peer}.txt"
    if not wanted.is_file():
        raise NotRun(f"there is no {wanted.name} that says what to install")
    digest = hashlib.sha256(python.encode() + wanted.read_bytes()).hexdigest()[:12]
    folder = cache / f"{peer}-{digest}"
    installed = folder / ".installed"
    if not installed.is_file():
        pip = [str(_python(folder)), "-m", "pip", "install", "--quiet", "--only-binary=:all:"]
        _run([python, "-m", "venv", "--clear", str(folder)])
        _run([*pip, "--disable-pip-version-check", "--requirement", str(wanted)])
        installed.touch()
    return _python(folder)


def run_peer(peer: str, python: Path, folder: Path, home: Path, weights: Path) -> None:
    """Run a peer on the files in `folder`; its answers lie there when it is done.

    Raises:
        NotRun: It failed.
    """
    command = [str(python), str(SCRIPT), peer.replace("-", "_"), str(folder), str(home)]
    # Nothing of our environment goes along: no key, no proxy, no setting of the user's.
    private = home / "user"
    private.mkdir(parents=True)
    apart = {"PATH": os.defpath, "HOME": str(private), "MEM0_DIR": str(private), **QUIET}
    _run([*command, "--weights", str(weights)], apart)


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _run(command: list[str], env: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(command, env=env, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["it said nothing"]
        wrong = [line for line in said if line.startswith("ERROR")] or said
        raise NotRun(wrong[-1][:WORDS_OF_AN_ERROR])
