"""Secrets that only the words before them give away: `my password is`, `API_KEY=`, `密码是`.

A word of ours, something that joins, and a value that no ordinary word is: that is a secret. How
strange the value has to be depends on the word. After "password" digits do; after "key", which
means a hundred things, it must look as if a machine had made it.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from pinyon.text.sensitive.view import View

Span = tuple[int, int]

_HINTS = tuple("pass pwd secret token key credential pin 密 秘 口令 令牌 私钥".split())

_WORD = re.compile(
    "(?P<password>pass(?:word|wd|code|phrase)|pwd|密码|口令|密碼)|(?P<pin>pin)|(?P<short>pass)"
    "|(?P<key>credential|密钥|秘钥|密鑰|私钥|令牌)|(?P<weak>secret|token|key)"
)
"""In lower case. "Key", "token" and "secret" mean a hundred things; see what is before."""

_MAKES_KEY = re.compile(
    "(?:api|app|access|secret|private|auth|encryption|signing|account|master|licen[sc]e|client|shared"
    "|jwt|webhook|refresh|bearer|bot|session|id|login|deploy|personal)[ _-]?$"
)
_MAKES_NONE = re.compile(
    "(?:primary|foreign|partition|sort|cache|object|idempotency|public|row|composite|unique|lookup"
    "|registry|index|storage|bucket|s3|config|map|dict|join|host|issue|jira|sha|hash|commit|etag"
    "|next|page|cursor|csrf|design|translation|i18n|公|主|外)[ _-]?$"
)
_WHOSE_PIN = re.compile("(?:my|your|his|her|our|card|bank|sim|debit|door) $")
_QUERY = re.compile(r"[?&][\w-]{0,19}$")
_BEFORE_CHARS = 20

_QUOTE = "['\"`\u201c\u2018\u300c\u300e]?"
_VALUE = r"(?P<value>[!#-&(-+\--:<-_a-~]{4,200})"
_WHOSE = r"(?:\s{1,2}(?:for|of|to|on|at|in)(?:\s{1,2}[\w'.@/-]{1,30}){1,4}?)?"
_ASSIGNED = re.compile(
    r"(?:(?<=[\u4e00-\u9fff])|s?(?![a-z]))(?:_base|_BASE|[0-9](?![0-9]))?"
    r"(?:['\"`*\]]{0,3}\s{0,3}(?::=|=>|->|[:=])"
    rf"|{_WHOSE}\s{{1,3}}(?:is|was|are)(?:\s(?:now|still|set\sto|just))?(?:\s{{0,2}}:)?(?=[\s'\"`])"
    rf"|{_WHOSE}\s{{0,2}}[:=]"
    r"|[\u4e00-\u9fff]{0,4}?(?:是|为|設為|改成|换成|设成)了?:?"
    r"|(?<=[\u4e00-\u9fff]))"
    rf"\s{{0,3}}{_QUOTE}{_VALUE}"
)
"""What joins a word and its value; in Chinese nothing has to."""

_BESIDE = re.compile(rf"\s(?:to\s)?{_VALUE}")
"""A value right after the word: of a flag of a command, or one that could be no word."""

_NO_VALUE = re.compile(
    r"[$%]?[<{\[(]|\$[A-Za-z_]|%[A-Za-z_]+%|\*{3}|\.{3}|x{3}|https?:|file:|\.{0,2}/|~/|[A-Za-z]:\\"
    r"|\[?redacted|your|my[_-]|enter|insert|change|example|placeholder"
    r"|[A-Za-z_][\w.]{0,60}[(\[]"  # a call, or an element
    r"|[a-z_]+(?:\.[A-Za-z_]\w{0,40}){1,6}$"  # an attribute
    r"|(?:sha|md|utf|base|aes|rsa|hs|rs|es|ecdsa|ed|oauth|argon|pbkdf|bcrypt|scrypt|x|http|ipv|i18n"
    r"|v|[0-9]fa|1password|int|uint|char|varchar|win|python|web|s3|ec)-?[0-9_]+(?:$|[-:.(/_])"
    r"|(?:19|20)[0-9]{2}[-/.][0-9]{1,2}[-/.][0-9]{1,2}"
    r"|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?$|v?[0-9]+(?:\.[0-9]+)+$|[0-9.]+%$",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\s{0,2}-?(?:bits?|bytes?|chars?|characters?|letters?|digits?|days?|hours?|minutes?|seconds?"
    r"|times?|years?|months?|users?|位|个|字|天|年|次|月|小时|分钟)",
    re.IGNORECASE,
)
_MIXED = re.compile(r"[A-Za-z][0-9]|[0-9][A-Za-z]")
_NUMBERED = re.compile("[A-Za-z]{2}[-_.][0-9]")
_DIGIT, _LETTER, _SIGN = re.compile("[0-9]"), re.compile("[A-Za-z]"), re.compile(r"[!@#$%^&*+=~?]")
_INNER_SIGN = re.compile(r"[A-Za-z0-9][!@#$%^&*+=~?]{1,4}[A-Za-z0-9]")
_ONLY_DIGITS = re.compile("[0-9]{4,16}")
_UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SEGMENT = re.compile(r"[A-Za-z0-9]{12,}")
_CLASS_CHANGE = re.compile(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[a-z])(?=[A-Z])")
_PATH = re.compile(r"[\w.-]{0,60}/[\w./-]{0,200}\.[a-z0-9]{1,5}$", re.IGNORECASE)
_CHANGES_MIN = 3
_REPEATED_MIN = 6
_FLAGS = ("--", "--api-", "--secret-")
_END_MARKS = ".:)]}>?"


def find_passwords(view: View) -> Iterator[Span]:
    """Yield where values stand that the words before them make secrets.

    A value that is found in one place is found in all.
    """
    if not any(hint in view.lower for hint in _HINTS):
        return
    text = view.text
    spans = [span for word in _WORD.finditer(view.lower) if (span := _after(view, word))]
    yield from spans
    for value in {text[start:end] for start, end in spans}:
        if len(value) >= _REPEATED_MIN and _MIXED.search(value):
            yield from _places(text, value)


def _after(view: View, word: re.Match[str]) -> Span | None:
    """Return where the secret stands that belongs to a word, `None` where there is none."""
    text = view.text
    kind = _kind(view, word)
    if not kind:
        return None
    if match := _ASSIGNED.match(text, word.end()):
        return _judged(text, word, match, kind)
    if match := _BESIDE.match(text, word.end()):
        is_flag = view.lower.endswith(_FLAGS, 0, word.start())
        return _judged(text, word, match, "key" if is_flag else f"{kind} beside")
    return None


def _kind(view: View, word: re.Match[str]) -> str:
    """Return what sort of word it is here; empty where it is part of another."""
    text, start = view.text, word.start()
    kind = word.lastgroup or ""
    last = text[start - 1 : start]
    before = view.lower[max(0, start - _BEFORE_CHARS) : start]
    if kind == "weak" and _MAKES_KEY.search(before):
        return "key"
    if (
        text[start].isascii()
        and last.isascii()
        and last.isalpha()
        and not (last.islower() and text[start].isupper())
    ):
        return ""
    if kind == "weak" and _MAKES_NONE.search(before):
        return ""
    if kind == "pin":
        return kind if text[start : word.end()] == "PIN" or _WHOSE_PIN.search(before) else ""
    if kind == "short":
        return "password" if last == "_" or text.startswith("=", word.end()) else ""
    return kind


def _judged(text: str, word: re.Match[str], match: re.Match[str], kind: str) -> Span | None:
    value = match["value"]
    if _QUERY.search(text, max(0, word.start() - _BEFORE_CHARS), word.start()):
        value = value.split("&")[0]
    value = value.rstrip(_END_MARKS)
    start = match.start("value")
    end = start + len(value)
    if _NO_VALUE.match(value) or _MEASURED.match(text, end):
        return None
    return (start, end) if _IS_SECRET.get(kind, _is_no_word)(value) else None


def _places(text: str, value: str) -> Iterator[Span]:
    place = text.find(value)
    while place >= 0:
        yield place, place + len(value)
        place = text.find(value, place + len(value))


def _is_password(value: str) -> bool:
    """Return whether a value may be a password: no word, number of pages, or path."""
    if len(value) < 4 or _PATH.match(value):
        return False
    if _ONLY_DIGITS.fullmatch(value) or _MIXED.search(value) or _NUMBERED.search(value):
        return True
    return bool(_LETTER.search(value) and (_INNER_SIGN.search(value) or _has_digit_and_sign(value)))


def _has_digit_and_sign(value: str) -> bool:
    return bool(_DIGIT.search(value) and _SIGN.search(value))


def _is_random(value: str) -> bool:
    """Return whether a machine made it: letters and digits, in turns, a dozen without a break."""
    if _UUID.fullmatch(value):
        return True
    return not _PATH.match(value) and any(
        len(_CLASS_CHANGE.findall(segment)) >= _CHANGES_MIN for segment in _SEGMENT.findall(value)
    )


def _is_key(value: str) -> bool:
    return len(value) >= 8 and bool(_MIXED.search(value)) and not _PATH.match(value)


def _is_pin(value: str) -> bool:
    return value.isdigit() and len(value) <= 8


def _is_no_word(value: str) -> bool:
    return len(value) >= 6 and bool(_LETTER.search(value)) and _has_digit_and_sign(value)


_IS_SECRET: Mapping[str, Callable[[str], bool]] = {
    "password": _is_password,
    "key": _is_key,
    "weak": _is_random,
    "pin": _is_pin,
}
