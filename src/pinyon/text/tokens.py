"""What a text is matched by: words as written, their parts and stems, pairs of CJK characters.

One tokeniser serves texts and questions on every store, so that all of them agree. Change anything
here and `TOKENIZER` must change too: stores keep it with each row and rebuild rows of another one.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

from pinyon.domain.terms import Terms
from pinyon.text.normal import fold
from pinyon.text.scripts import UNSPACED
from pinyon.text.stopwords import CHINESE, ENGLISH

TOKENIZER = 1
BREAK = "\u00a6"
"""Stands between fields, and between words and their parts: no phrase reaches over it."""
TOKEN_CHARS_MAX = 80

_WORD = rf"[^\W_{UNSPACED}]"
_RUN = re.compile(
    rf"([{UNSPACED}]+)"
    rf"|((?:{_WORD}|(?<![\w])_)(?:{_WORD}|[\u0300-\u036f_])*"
    rf"(?:[.\-/:@#+&\\'’]+{_WORD}(?:{_WORD}|[\u0300-\u036f_])*)*(?:\+\+|\#)?)"
)
# The same for text without other scripts, in half the time.
_ASCII_WORD = re.compile(r"\w+(?:[.\-/:@#+&\\']+[^\W_]\w*)*(?:\+\+|\#)?", re.ASCII)
_PLAIN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_JOINTS = re.compile(r"[^\w'’]+|_+")
_CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STEMMER = Stemmer.Stemmer("english", maxCacheSize=0)
_PHRASE = re.compile(r'"([^"]+)"|“([^“”]+)”')
_ALPHA_HYPHEN = re.compile(r"[a-z]+(?:-[a-z]+)+")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text: `main` in reading order, so that phrases hold; `extra` beside them."""

    main: list[str]
    extra: list[str]

    def __str__(self) -> str:
        """Return the tokens set apart by spaces, as an index keeps them."""
        return " ".join([*self.main, BREAK, *self.extra] if self.extra else self.main)


def tokenize(text: str) -> Tokens:
    """Split a text into the tokens it is indexed by."""
    main: list[str] = []
    extra: list[str] = []
    if text.isascii():
        for word in _ASCII_WORD.findall(text):
            token, beside = _word_tokens(word)
            main.append(token)
            if beside:
                extra.extend(beside)
        return Tokens(main, extra)
    for run, word in _RUN.findall(unicodedata.normalize("NFKC", text)):
        if word:
            token, beside = _word_tokens(word)
            main.append(token)
            if beside:
                extra.extend(beside)
        else:
            _add_unspaced(fold(run), main, extra)
    return Tokens(main, extra)


def question_terms(question: str) -> Terms:
    """Return what a question looks for, without the words that carry only its grammar.

    Quoted passages must match as they stand; a question of nothing but stop words has no terms.
    """
    phrases = tuple(
        tuple(tokens.main)
        for quoted in _PHRASE.findall(question)
        if (tokens := tokenize(quoted[0] or quoted[1])).main
    )
    tokens = tokenize(CHINESE.sub(" ", question))
    words = dict.fromkeys(token for token in tokens.main + tokens.extra if token not in ENGLISH)
    return Terms(tuple(words), phrases)


def spellings(question: str) -> dict[str, str]:
    """Return how the words of a question were written, by the token that each became."""
    text = question if question.isascii() else unicodedata.normalize("NFKC", question)
    written: dict[str, str] = {}
    for _, word in _RUN.findall(text):
        if word:
            written.setdefault(_word_tokens(word)[0], word)
    return written


def is_literal(token: str) -> bool:
    """Return whether a token is meant to the letter: it has a digit, or a sign inside."""
    return not token.isalpha() and token.isascii()


@lru_cache(maxsize=32_768)
def _word_tokens(word: str) -> tuple[str, tuple[str, ...]]:
    """Return a word's main token and what stands beside it."""
    if _PLAIN.fullmatch(word):
        return _plain(word[:TOKEN_CHARS_MAX].lower()), ()
    whole = fold(word)[:TOKEN_CHARS_MAX]
    if whole.endswith("'s"):
        return _word_tokens(word[:-2])
    beside = [_plain(part) for part in _parts(word) if _speaks(part)]
    if _ALPHA_HYPHEN.fullmatch(whole):
        beside.append(whole.replace("-", ""))
    return whole, tuple(beside)


def _plain(word: str) -> str:
    """Return an English word's stem (Porter2); what is no plain word stays as written."""
    if word.isascii() and word.isalpha() and word not in ENGLISH:
        return str(_STEMMER.stemWord(word))
    return word


def _parts(word: str) -> list[str]:
    """Return the folded parts of an identifier, or nothing where it has only one."""
    parts: list[str] = []
    for piece in _JOINTS.split(word):
        cased = _CASE_CHANGE.split(piece)
        # A lone letter before a capital is a name's style ("iOS", "eBay"), not a word of its own.
        parts.extend(cased if all(len(part) > 1 for part in cased) else [piece])
    return [fold(part) for part in parts] if len(parts) > 1 else []


def _speaks(part: str) -> bool:
    """Return whether a part says something by itself: no letter, no stop word, no short number."""
    if len(part) < 2 or part in ENGLISH:
        return False
    return part[0].isalpha() or (part.isdigit() and len(part) >= 4)


def _add_unspaced(run: str, main: list[str], extra: list[str]) -> None:
    if len(run) == 1:
        main.append(run)
        return
    main.extend(run[at : at + 2] for at in range(len(run) - 1))
    extra.extend(run)
