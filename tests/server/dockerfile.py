"""A Dockerfile, read; and its steps, done in a folder where there is no Docker."""

import fnmatch
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """An instruction, and what stands behind it."""

    name: str
    rest: str

    @property
    def words(self):
        return self.rest.split()

    @property
    def command(self):
        """Return what is run, in the exec form."""
        return json.loads(self.rest[self.rest.index("[") :])


def read_stages(text):
    """Return the steps of each stage of a Dockerfile, each beginning with its `FROM`."""
    lines = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    steps = [Step(*line.split(maxsplit=1)) for line in lines if line.strip()]
    starts = [place for place, step in enumerate(steps) if step.name == "FROM"]
    return [steps[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)]


def of(name, stage):
    return [step for step in stage if step.name == name]


def copied_from_here(stage):
    """Return the paths that a stage takes from the context."""
    copies = [step.words for step in of("COPY", stage) if not step.rest.startswith("--from")]
    return [source for words in copies for source in words[:-1]]


def is_ignored(path, rules):
    """Return whether `.dockerignore` leaves a path out: the last rule that fits it counts."""
    ignored = False
    for rule in rules.splitlines():
        if not rule or rule.startswith("#"):
            continue
        bare = rule.removeprefix("!")
        parts = path.split("/")
        above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        patterns = (bare, bare.removeprefix("**/")) if bare.startswith("**/") else (bare,)
        if any(fnmatch.fnmatchcase(one, pattern) for one in above for pattern in patterns):
            ignored = not rule.startswith("!")
    return ignored


class Folder:
    """A folder that stands for an image's file system."""

    def __init__(self, root, context, python):
        """Take where it lies, what is copied from, and which program is its `python`."""
        self.root, self.context = Path(root), Path(context)
        self.rules = (self.context / ".dockerignore").read_text("utf-8")
        self.workdir = self.root
        self.environment = {"PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        (self.root / "bin").mkdir(parents=True)
        given = self.root / "bin" / "python"
        given.write_text(f'#!/bin/sh\nexec {python} "$@"\n', "utf-8")
        given.chmod(0o755)

    def here(self, text):
        """Return a text whose absolute paths lie in this folder."""
        return re.sub(r"(?<![\w.$])/(?=opt/|var/|build\b)", f"{self.root}/", text)

    def do(self, step):
        """Do what a step says."""
        match step.name:
            case "ENV":
                self.environment |= dict(word.split("=", 1) for word in step.words)
            case "WORKDIR":
                self.workdir = Path(self.here(step.rest))
                self.workdir.mkdir(parents=True)
            case "COPY":
                self._copy(step.words[:-1], self.workdir / step.words[-1])
            case "RUN":
                self.run("/bin/sh", "-c", self.here(step.rest))

    def run(self, *command, **more):
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        home = {"HOME": str(self.root)}
        return subprocess.run(
            command,
            cwd=self.workdir,
            env=kept | home | self.environment,
            check=True,
            **more,
        )

    def _copy(self, sources, target):
        for source in sources:
            found = self.context / source
            if found.is_dir():
                shutil.copytree(found, target, ignore=self._left_out)
            else:
                shutil.copyfile(found, target / source)

    def _left_out(self, folder, names):
        inside = Path(folder).relative_to(self.context)
        return [name for name in names if is_ignored(f"{inside}/{name}", self.rules)]
