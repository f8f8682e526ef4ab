"""Which conversations are meant: those by name, or a folder; with what is expected of them."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from pinyon.errors import InvalidFile
from pinyon.evaluation.consolidation.expected import Expected, Key, read_expected
from pinyon.evaluation.quality.corpus import Corpus, some_tenants
from pinyon.evaluation.quality.folder import read_folder

BUNDLED = {
    "sarah": files("pinyon.evaluation.quality") / "sarah",
    "talks": files("pinyon.evaluation.consolidation") / "talks",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Conversations, and what consolidation is expected to make of them."""

    corpus: Corpus
    expected: Expected


def suite_of(named: str, tenants: str | None = None) -> Suite:
    """Return a suite.

    Args:
        named: `sarah`, `talks`, or a folder with `memories.jsonl` and `expected.jsonl`.
        tenants: Which people, as `some_tenants` reads it.

    Raises:
        InvalidFile: A file is missing, or not what it must be.
        InvalidValue: There are no such people.
    """
    with _folder(named) as folder:
        corpus = some_tenants(read_folder(folder, asks=False), tenants, asks=False)
        texts: dict[Key, str] = {
            (tenant.name, row.id): row.draft.text
            for tenant in corpus.tenants
            for row in tenant.rows
            if row.draft.kind in ("episodic", "procedural")
        }
        expected = read_expected(folder, texts)
    if not (expected.facts or expected.junk):
        raise InvalidFile(named, "nothing is expected of it")
    return Suite(corpus=corpus, expected=expected)


def _folder(named: str) -> AbstractContextManager[Path]:
    bundled = BUNDLED.get(named)
    if bundled is not None:
        return as_file(bundled)
    if not Path(named).is_dir():
        raise InvalidFile(named, f"it is no folder, and none of {', '.join(BUNDLED)}")
    return nullcontext(Path(named))
