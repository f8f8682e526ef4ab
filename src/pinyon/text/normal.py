"""The three forms of a text: as it is kept, as it is indexed, as it is compared.

Kept text is NFC and otherwise the writer's own. The other two forms are never shown.
"""

import re
import unicodedata
from hashlib import blake2b

REPLACEMENT = "\ufffd"
MARKS_PER_CHARACTER = 32
"""Combining marks kept on one character. Source: the stream-safe text format of UAX 15 (30)."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_MARK_FLOOD = re.compile(rf"([\u0300-\u036f]{{{MARKS_PER_CHARACTER}}})[\u0300-\u036f]+")
_LATIN_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_SENTENCE_MARKS = re.compile(r"[.,;:!…。，、；：！]+(?=\s|$)|[。，、；：！]+")
_QUOTES = str.maketrans("", "", '"“”„«»「」『』')
_APOSTROPHES = str.maketrans("’‘ʼ", "'''")


def keep(text: str) -> str:
    """Return the text as it is stored: NFC, with what no file can hold replaced.

    NUL and lone surrogates become U+FFFD; a flood of combining marks is cut to
    `MARKS_PER_CHARACTER`. Everything else round-trips.
    """
    if text.isascii():
        return text.replace("\x00", REPLACEMENT) if "\x00" in text else text
    replaced = _UNSTORABLE.sub(REPLACEMENT, text)
    return unicodedata.normalize("NFC", _MARK_FLOOD.sub(r"\1", replaced))


def fold(text: str) -> str:
    """Return the text as it is matched: NFKC, casefolded, Latin letters without their marks."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    # Only Latin letters lose their marks: é is e to a searcher, but й is not и and が is not か.
    bare = _LATIN_MARKS.sub("", unicodedata.normalize("NFD", folded))
    return unicodedata.normalize("NFC", bare)


def equality_form(text: str) -> str:
    """Return what two texts must share to say the same, word for word.

    Case, white space, quotation marks and the marks that end or divide sentences do not count;
    question marks do, and so does every character inside a word (`C++`, `v2.3`, `-5`).
    """
    if text.isascii():
        folded = text.lower().replace('"', "")
    else:
        plain = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
        folded = plain.translate(_QUOTES)
    return " ".join(_SENTENCE_MARKS.sub(" ", folded).split())


def content_hash(text: str) -> str:
    """Return the hash under which equal texts meet: 32 hex digits over `equality_form`."""
    return blake2b(equality_form(text).encode(), digest_size=16).hexdigest()
