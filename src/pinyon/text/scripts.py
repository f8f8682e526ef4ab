"""Which writing system a character belongs to, as far as matching needs to know."""

import re

UNSPACED = (
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"  # Han
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # hangul
    "\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f"  # Thai, Lao, Khmer, Burmese
)
"""Ranges of scripts whose words spaces do not set apart (or, in Korean, do not set apart alone)."""

_LANGUAGES = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
)


def language_by_script(text: str) -> str:
    """Return a language code guessed from the script: Latin says `en`, no letters `""`.

    A cheap tag, not a claim: Latin-script languages are not told apart.
    """
    if not text.isascii():
        for code, pattern in _LANGUAGES:
            if pattern.search(text):
                return code
    return "en" if any(character.isalpha() for character in text) else ""


_NOT_LATIN = re.compile(
    "[\u0370-\u1fff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd]"
)
_LETTER = re.compile(r"[^\W\d_]")


def is_mostly_latin(text: str) -> bool:
    """Return whether at most half of a text's letters are of another script than the Latin one."""
    if text.isascii():
        return True
    return len(_NOT_LATIN.findall(text)) * 2 <= len(_LETTER.findall(text))
