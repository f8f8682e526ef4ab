"""Cheap tags by rule: what a text is about, as far as its form tells."""

import re

from pinyon.domain.memory import Facets
from pinyon.text.scripts import language_by_script

ENTITIES_MAX = 16

_CODE = re.compile(
    r"```|^\s{4,}\S+.*[;{}()]\s*$|\b(?:def|class|function|import|SELECT|const|return)\b.*[(;:{]",
    re.MULTILINE,
)
_CODE_MARKS = frozenset("`;{}():")
_ERROR = re.compile(
    r"(?:Error|Exception)\b|\b(?:error|traceback|stack trace|panic|segfault|exit code [1-9]\d*"
    r"|failed|failure|crash(?:ed|es)?)\b|0x[0-9a-fA-F]{4,}|错误|异常|失败|报错",
)
_EDGES = ".,;:!?…\"'“”„«»()[]{}<>*`，。！？；：（）"
_INNER = re.compile(r"\w[._/-]\w|[a-z][A-Z]|^v\d")
_SCANNED_CHARS = 4_000


def facets_of(text: str) -> Facets:
    """Return what a text's form says: language by script, code, errors, names."""
    head = text[:_SCANNED_CHARS]
    return Facets(
        language=language_by_script(head),
        has_code=not _CODE_MARKS.isdisjoint(head) and bool(_CODE.search(head)),
        has_error=tells_of_error(head),
        entities=tuple(_names(head))[:ENTITIES_MAX],
    )


def tells_of_error(text: str) -> bool:
    """Return whether a text names an error, or says that something failed."""
    return bool(_ERROR.search(text))


def _names(text: str) -> dict[str, None]:
    """Return what looks like a name: capitals in a row, numbers after them, identifiers."""
    names: dict[str, None] = {}
    run: list[str] = []

    def close() -> None:
        if len(run) > 1:
            names[" ".join(run)] = None
        run.clear()

    for raw in text.split():
        if raw.islower() and raw.isalpha():
            # What most words are; the rest of the loop is dear.
            if run:
                close()
            continue
        word = raw.strip(_EDGES)
        if not word:
            continue
        if word[0].isupper() or (run and (word[0].isdigit() or _INNER.match(word))):
            run.append(word)
        else:
            close()
        # Most words are plain, and telling so is cheaper than the pattern.
        if not (word.isalpha() and (word.islower() or word[1:].islower())) and _INNER.search(word):
            names[word] = None
        if raw[-1] in _EDGES:
            close()
    close()
    return names
