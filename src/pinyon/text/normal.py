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
_MARKS_PERHAPS = re.compile(rf"[^\w\s\x00-\x7f]{{{MARKS_PER_CHARACTER + 1},}}")
_LATIN_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_WIDE_SENTENCE_MARKS = str.maketrans(dict.fromkeys("。，、；：！", " "))
# Only after a word: in "cd .." and "git add ." the dots are what is meant.
_SENTENCE_MARKS = re.compile(r"(?<=[^\s.,;:!…])[.,;:!…]+(?=\s|$)")
_QUOTES = str.maketrans("", "", '"“”„«»「」『』')
_APOSTROPHES = str.maketrans("’‘ʼ", "'''")
# Compatibility forms that mean another number than the plain digit does.
_RAISED = str.maketrans({raised: f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})


def keep(text: str) -> str:
    """Return the text as it is stored: NFC, with what no file can hold replaced.

    NUL and lone surrogates become U+FFFD; a flood of combining marks is cut to
    `MARKS_PER_CHARACTER`. Everything else round-trips.
    """
    if text.isascii():
        return text.replace("\x00", REPLACEMENT) if "\x00" in text else text
    composed = unicodedata.normalize("NFC", _UNSTORABLE.sub(REPLACEMENT, text))
    if _MARKS_PERHAPS.search(composed):
        composed = unicodedata.normalize("NFC", _without_floods(composed))
    return composed


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
        marked = text.translate(_WIDE_SENTENCE_MARKS).translate(_APOSTROPHES).translate(_RAISED)
        folded = unicodedata.normalize("NFKC", marked).casefold().translate(_QUOTES)
    return " ".join(_SENTENCE_MARKS.sub(" ", folded).split())


def content_hash(text: str) -> str:
    """Return the hash under which equal texts meet: 32 hex digits over `equality_form`."""
    return blake2b(equality_form(text).encode(), digest_size=16).hexdigest()


def _without_floods(text: str) -> str:
    """Return the text with at most `MARKS_PER_CHARACTER` combining marks in a row."""
    kept: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character)[0] == "M" else 0
        if marks <= MARKS_PER_CHARACTER:
            kept.append(character)
    return "".join(kept)
