"""Which corpus is meant: one by name, or a folder."""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import as_file, files
from itertools import cycle
from pathlib import Path
from typing import Literal

from pinyon.errors import InvalidFile, InvalidValue
from pinyon.evaluation.quality.corpus import Asked, Corpus, Tenant
from pinyon.evaluation.quality.folder import read_folder
from pinyon.evaluation.quality.published import PUBLISHED
from pinyon.text.scripts import is_mostly_latin

SARAH = "sarah"
NAMES = (SARAH, *PUBLISHED)
FOREIGN: Literal["foreign"] = "foreign"


def corpus_of(named: str, data: Path | None = None) -> Corpus:
    """Return a corpus.

    Where none of its questions is foreign, those that Pinyon brings are added: nonsense, and what
    has nothing to do with anybody's life, in English or Chinese, whichever a tenant is asked in.

    Args:
        named: `sarah`, a published set, or a folder.
        data: Where the files of a published set lie.

    Raises:
        InvalidFile: A file is missing, or not what it must be.
        InvalidValue: The files of a published set are not given, or are where none are needed.
    """
    published = PUBLISHED.get(named)
    if published is not None:
        if data is None:
            wanted = f"the path of {published.what}, from {published.source}"
            raise InvalidValue("data", "nothing", wanted)
        corpus = published.load(data)
    elif data is not None:
        raise InvalidValue("data", str(data), f"left out, but for {', '.join(PUBLISHED)}")
    elif named == SARAH:
        with as_file(files(__package__) / SARAH) as folder:
            corpus = read_folder(folder)
    elif Path(named).is_dir():
        corpus = read_folder(Path(named))
    else:
        raise InvalidFile(named, f"it is no folder, and none of {', '.join(NAMES)}")
    if not any(tenant.questions for tenant in corpus.tenants):
        raise InvalidFile(named, "it has no question that can be scored")
    return with_foreign(corpus)


def with_foreign(corpus: Corpus) -> Corpus:
    """Return a corpus with foreign questions, each asked of one tenant who speaks its language."""
    asked = [one for tenant in corpus.tenants for one in tenant.questions]
    if any(one.abstain == FOREIGN for one in asked):
        return corpus
    speakers: dict[str, list[str]] = {}
    for tenant in corpus.tenants:
        if tenant.questions:
            speakers.setdefault(_language_of(tenant), []).append(tenant.name)
    added: dict[str, list[Asked]] = {tenant.name: [] for tenant in corpus.tenants}
    for language, names in speakers.items():
        for name, question in zip(cycle(names), _foreign(language), strict=False):
            added[name].append(question)
    tenants = (
        replace(tenant, questions=(*tenant.questions, *added[tenant.name]))
        for tenant in corpus.tenants
    )
    return replace(corpus, tenants=tuple(tenants))


def _language_of(tenant: Tenant) -> str:
    latin = sum(is_mostly_latin(one.text) for one in tenant.questions)
    return "en" if latin * 2 >= len(tenant.questions) else "zh"


def _foreign(language: str) -> Iterator[Asked]:
    lines = (files(__package__) / "foreign.jsonl").read_text("utf-8").splitlines()
    for fields in map(json.loads, lines):
        if fields["language"] == language:
            yield Asked(
                id=f"{FOREIGN}/{fields['id']}",
                text=fields["question"],
                category=FOREIGN,
                abstain=FOREIGN,
            )
