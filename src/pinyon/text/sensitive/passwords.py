"""Secrets that only the words before them give away: `my password is ...`, `API_KEY=...`, `密码是...`.

A word of ours, something that joins, and a value that no ordinary word is: that is a secret. How
strange the value has to be depends on the word. After "password" digits do; after "key", which
means a hundred things, it must look as if a machine had made it.
"""

import re
from collections.abc import Iterator

from pinyon.text.sensitive.view import View

Span = tuple[int, int]

HINTS = ("pass", "pwd", "secret", "token", "key", "credential", "pin", "密", "秘", "口令", "令牌")
HINTS += ("私钥",)

_PASSWORDS = r"pass(?:word|wd|code|phrase)s?|(?-i:PASS)|(?<=_)pass|pwd|密码|口令|密碼"
_KEYS = (
    r"(?:api|app|access|secret|private|auth|encryption|signing|account|master|license|licence)"
    r"[ _-]?(?:access[ _-]?)?keys?"
    r"|(?:client|app|shared|jwt|webhook)[ _-]?secret"
    r"|(?:auth|access|refresh|bearer|bot|api|session|id|login|deploy|personal[ _-]access)"
    r"[ _-]?tokens?|credentials?|密钥|秘钥|密鑰|私钥|令牌"
)
_WEAK = r"secret|token|key"
_WORD = (
    r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))"
    rf"(?:(?P<password>{_PASSWORDS})|(?P<key>{_KEYS})|(?P<weak>{_WEAK})|(?P<pin>(?-i:PIN)))"
    r"(?![a-z])(?:_base|[0-9])?"
)
_WHOSE = r"(?:\s{1,2}(?:for|of|to|on|at|in)(?:\s{1,2}[\w'.@/-]{1,30}){1,4}?)?"
_JOINED = (
    r"(?:['\"`*\]]{0,3}\s{0,3}(?::=|=>|->|[:=])"
    rf"|{_WHOSE}\s{{1,3}}(?:is|was|are)(?:\s(?:now|still|set\sto|just))?(?:\s{{0,2}}:)?(?=[\s'\"`])"
    rf"|{_WHOSE}\s{{0,2}}[:=]"
    r"|(?:[\u4e00-\u9fff]{0,4}?(?:是|为|設為|改成|换成|设成)了?|['\"]?\s{0,2}:)[:]?"
    r"|(?<=[\u4e00-\u9fff])(?=\s{0,2}[!-~]))"
)
_ASSIGNED = re.compile(
    rf"{_WORD}(?P<joined>{_JOINED})\s{{0,3}}(?P<quote>['\"`\u201c\u2018\u300c\u300e]?)"
    r"(?P<value>[!#-&(-+\--:<-_a-~]{4,200})",
    re.IGNORECASE,
)
# After a flag of a command, or where the value could be no word, nothing needs to join.
_BESIDE = re.compile(
    r"(?:(?P<flag>--(?:password|passwd|pass|token|api-key|secret|secret-key)\s)"
    r"|(?<![A-Za-z])(?:password|passwd|pwd|passphrase)\s)"
    r"(?P<value>[!#-&(-+\--:<-_a-~]{6,200})",
    re.IGNORECASE,
)

_NOT_SECRET_BEFORE = re.compile(
    r"(?:primary|foreign|partition|sort|cache|object|idempotency|public|row|composite|unique|lookup"
    r"|registry|index|storage|bucket|s3|config|map|dict|join|ssh-rsa|host|issue|jira|sha|hash"
    r"|commit|etag|next|page|cursor|csrf|design|translation|i18n)[\s_-]{1,2}$|(?:公|主|外)$",
    re.IGNORECASE,
)
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
_END_MARKS = ".:)]}>?"


def find_passwords(view: View) -> Iterator[Span]:
    """Yield where values stand that the words before them make secrets.

    A value that is found in one place is found in all.
    """
    if not any(hint in view.lower for hint in HINTS):
        return
    text = view.text
    found = [
        *(_value(text, match) for match in _ASSIGNED.finditer(text)),
        *(_value(text, match) for match in _BESIDE.finditer(text)),
    ]
    spans = [span for span in found if span]
    yield from spans
    for value in {text[start:end] for start, end in spans}:
        if len(value) >= _REPEATED_MIN and _MIXED.search(value):
            yield from _places(text, value)


def _places(text: str, value: str) -> Iterator[Span]:
    place = text.find(value)
    while place >= 0:
        yield place, place + len(value)
        place = text.find(value, place + len(value))


def _value(text: str, match: re.Match[str]) -> Span | None:
    value = match["value"]
    if text[match.start() - 1 : match.start()] in ("?", "&"):
        value = value.split("&")[0]
    value = value.rstrip(_END_MARKS)
    start = match.start("value")
    end = start + len(value)
    if _NO_VALUE.match(value) or _MEASURED.match(text, end):
        return None
    return (start, end) if _is_secret(text, match, value) else None


def _is_secret(text: str, match: re.Match[str], value: str) -> bool:
    groups = match.groupdict()
    if groups.get("pin"):
        return value.isdigit() and len(value) <= 8
    if groups.get("password"):
        return _is_password(value)
    if groups.get("key") or groups.get("flag"):
        return len(value) >= 8 and bool(_MIXED.search(value)) and not _PATH.match(value)
    if groups.get("weak"):
        before = text[max(0, match.start() - 20) : match.start()]
        return not _NOT_SECRET_BEFORE.search(before) and _is_random(value)
    return bool(_DIGIT.search(value) and _LETTER.search(value) and _SIGN.search(value))


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
