"""Cheap tags by rule: what a text is about, as far as its form tells."""

import re

from pinyon.domain.memory import Facets
from pinyon.text.scripts import language_by_script

ENTITIES_MAX = 16

_CODE = re.compile(
    r"```|^\s{4,}\S+.*[;{}()]\s*$|\b(?:def|class|function|import|SELECT|const|return)\b.*[(;:{]",
    re.MULTILINE,
)
_ERROR = re.compile(
    r"\b\w*(?:Error|Exception)\b|\b(?:error|traceback|stack trace|panic|segfault|exit code [1-9]\d*"
    r"|failed|failure|crash(?:ed|es)?)\b|0x[0-9a-fA-F]{4,}|错误|异常|失败|报错",
)
_ENTITY = re.compile(
    r"\b(?:[A-Z][\w'-]*(?:\s+(?:[A-Z][\w'-]*|v?\d[\w.]*))+"  # Lumio Hub v2
    r"|[A-Za-z]+\w*(?:[._/-]\w+)+"  # db-config.json
    r"|[a-z]+[A-Z]\w+"  # createdByAgent
    r"|[A-Z][a-z]+[A-Z]\w*"  # GitHub
    r"|v\d+(?:\.\d+)*)\b"
)
_SCANNED_CHARS = 4_000


def facets_of(text: str) -> Facets:
    """Return what a text's form says: language by script, code, errors, names."""
    head = text[:_SCANNED_CHARS]
    names = dict.fromkeys(match[0] for match in _ENTITY.finditer(head))
    return Facets(
        language=language_by_script(head),
        has_code=bool(_CODE.search(head)),
        has_error=bool(_ERROR.search(head)),
        entities=tuple(names)[:ENTITIES_MAX],
    )
