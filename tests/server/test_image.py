"""The image of a server: what its recipe says, and that its steps make a program that serves."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import httpx2
import pytest
import typer
from packaging.specifiers import SpecifierSet

from pinyon.surfaces.cli.main import app
from pinyon.surfaces.server import PORT
from server.dockerfile import Folder, copied_from_here, is_ignored, of, read_stages

ROOT = Path(__file__).parents[2]
RULES = (ROOT / ".dockerignore").read_text("utf-8")
BUILD, IMAGE = read_stages((ROOT / "Dockerfile").read_text("utf-8"))
HOME = "/var/lib/pinyon"
MADE_BY = os.environ.get("PINYON_IMAGE_PYTHON")
"""A Python by which the steps are done; that takes minutes and a package index."""


def the(name, stage=IMAGE):
    (step,) = of(name, stage)
    return step


def served(*options):
    return [*the("ENTRYPOINT").command, *the("CMD").command, *options]


# ── what it says ─────────────────────────────────────────────────────────────────────────────


def test_what_is_copied_is_there_and_not_left_out():
    sources = copied_from_here(BUILD)

    assert copied_from_here(IMAGE) == []
    assert [one for one in sources if not (ROOT / one).exists()] == []
    assert [one for one in sources if is_ignored(one, RULES)] == []


@pytest.mark.parametrize(
    "path", [".git", ".env", "secret.key", "home/registry.db", "tests", "src/pinyon/__pycache__"]
)
def test_nothing_else_gets_near_the_image(path):
    assert is_ignored(path, RULES)


def test_it_is_made_of_a_python_that_pinyon_takes_by_name_alone():
    bases = [of("FROM", stage)[0].words[0] for stage in (BUILD, IMAGE)]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    name, version = re.fullmatch(r"(\w+):(\d+\.\d+)-slim", bases[0]).groups()

    assert bases[0] == bases[1]
    assert name == "python"
    assert SpecifierSet(project["requires-python"]).contains(f"{version}.0")


def test_it_installs_what_was_locked_and_nothing_else():
    runs = " ".join(step.rest for step in of("RUN", BUILD))
    installs = re.findall(r"pip install (.*?)(?:&&|$)", runs)
    locked = set(re.findall(r"-r (\S+)", runs))

    assert locked == {
        f"requirements/{name}.txt" for name in ("run", "server", "otel", "local", "build")
    }
    assert all((ROOT / name).is_file() for name in locked)
    assert all(f"-o {name}" in (ROOT / "Makefile").read_text("utf-8") for name in locked)
    assert all("--require-hashes" in one or "--no-index" in one for one in installs)


def test_the_same_package_has_one_version_in_whatever_is_installed_together():
    pins = {}
    for name in ("run", "server", "otel", "local"):
        text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
        for package, version, only in re.findall(r"^([\w.-]+)==(\S+)(.*?)\\?$", text, re.MULTILINE):
            if "<" not in only:
                pins.setdefault(package, set()).add(version)

    assert {package: found for package, found in pins.items() if len(found) > 1} == {}


def test_it_runs_as_nobody_in_particular_on_a_home_that_is_a_volume():
    user = the("USER").rest
    made = the("RUN").rest
    environment = the("ENV").words

    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    assert all(number in made for number in user.split(":"))
    assert the("VOLUME").rest == HOME
    assert f"PINYON_HOME={HOME}" in environment
    assert f"install -d -m 0700 -o pinyon -g pinyon {HOME}" in made
    assert not any(re.search("KEY|SECRET|TOKEN", word) for word in environment)


def test_what_it_runs_is_a_command_of_pinyon_that_is_told_to_end_by_its_signal():
    program, command, *options = served()
    context = typer.main.get_command(app).commands[command].make_context(command, options)

    assert program == "pinyon"
    assert (context.params["host"], context.params["log_json"]) == ("0.0.0.0", True)  # noqa: S104
    assert context.params["port"] == PORT == int(the("EXPOSE").rest)
    assert the("STOPSIGNAL").rest == "SIGTERM"


def test_its_check_of_health_tells_a_server_that_answers_from_none(server):
    python, flag, script = the("HEALTHCHECK").command
    port = server.url.rpartition(":")[2]
    assert script.count(str(PORT)) == 1
    check = [sys.executable, flag, script.replace(str(PORT), port)]

    well = subprocess.run(check, capture_output=True, check=False)
    server.end()
    ended = subprocess.run(check, capture_output=True, check=False)

    assert (python, well.returncode) == ("python", 0)
    assert ended.returncode == 1


# ── what comes of it ─────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """Do the steps in a folder, and give it."""
    folder = Folder(tmp_path_factory.mktemp("image"), ROOT, MADE_BY)
    for step in BUILD:
        folder.do(step)
    folder.environment = {
        "PATH": f"{folder.root}/opt/pinyon/bin:/usr/bin:/bin",
        "PINYON_HOME": folder.here(HOME),
    }
    return folder


@pytest.mark.skipif(not MADE_BY, reason="PINYON_IMAGE_PYTHON names no Python to do the steps with")
@pytest.mark.timeout(1800)
class TestTheSteps:
    def test_they_bring_what_meaning_needs(self, image):
        listed = image.run("pinyon", "models", "doctor", capture_output=True, text=True).stdout

        assert "answerai-colbert-small-v1" in listed

    def test_a_key_is_made_first_and_then_it_serves(self, image):
        with pytest.raises(subprocess.CalledProcessError) as without_key:
            image.run(*served("--port", "0"), capture_output=True, text=True)
        made = image.run(
            *("pinyon", "keys", "create", "--user", "sarah", "--json"),
            capture_output=True,
            text=True,
        )
        with subprocess.Popen(
            served("--port", "0", "--json"),
            env=image.environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            url = re.search(r'"url": *"http://0.0.0.0:(\d+)"', process.stdout.readline())
            answer = httpx2.get(f"http://127.0.0.1:{url[1]}/readyz", trust_env=False).json()
            process.terminate()

        assert "keys create" in without_key.value.stderr
        assert '"key"' in made.stdout
        assert answer == {"status": "ready", "because": []}
        assert process.returncode == 0
