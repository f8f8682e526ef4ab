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


_UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")
_SPACED_WORD = re.compile(f"[^\\W\\d_{UNSPACED}]+")
_LATIN = re.compile("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")
LETTERS_PER_WORD = 2
"""Of a script that sets no words apart: most Chinese words have two characters."""


def is_mostly_latin(text: str) -> bool:
    """Return whether at most half of a text's words are of another script than the Latin one.

    By words, not by letters: "我手头这部手机是OPPOReno7" is Chinese and names a phone.
    """
    if text.isascii():
        return True
    other = len(_UNSPACED_LETTER.findall(text)) / LETTERS_PER_WORD
    latin = 0
    for word in _SPACED_WORD.findall(text):
        if _LATIN.match(word):
            latin += 1
        else:
            other += 1
    return other <= latin
