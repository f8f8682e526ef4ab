"""Secrets that show by themselves what they are: keys with a known prefix, key blocks, tokens.

Repetitions are bounded or possessive, and a pattern cannot begin within what it would repeat, so
that the time taken grows with the text and no faster.
"""

import re
from collections.abc import Iterator

from pinyon.text.sensitive.view import View

Span = tuple[int, int]

# Per line: prefixes of one kind of key, what follows them, how much of it at least.
_KINDS = (
    (("sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-", "sk-lf-"), r"[\w-]", 12),
    (("sk-",), r"(?=[a-zA-Z]{0,40}[0-9])[A-Za-z0-9]", 16),
    (("AKIA", "ASIA", "ABIA", "ACCA"), "[A-Z0-9]", 16),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "gsk_", "hf_", "npm_", "r8_"), "[A-Za-z0-9]", 20),
    (("github_pat_", "pyn_", "ntn_", "lin_api_", "sbp_", "glsa_", "glc_"), r"\w", 16),
    (("glpat-", "gldt-", "glrt-", "GOCSPX-", "tvly-", "xai-", "pplx-", "NRAK-"), r"[\w-]", 16),
    (("xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxr-", "xoxs-", "xapp-"), "[A-Za-z0-9-]", 10),
    (("AIza", "ATATT3"), r"[\w=-]", 30),
    (("ya29.", "SG.", "hvs."), r"[\w.-]", 20),
    (("pypi-Ag",), r"[\w-]", 20),
    (("dop_v1_", "doo_v1_", "dor_v1_", "dapi", "PMAK-"), "[a-f0-9-]", 24),
    (("shpat_", "shpca_", "shppa_", "shpss_"), "[A-Fa-f0-9]", 20),
    (("sk_live_", "rk_live_", "sk_test_", "rk_test_"), r"\w", 10),
    (("whsec_",), r"[\w+/=-]", 16),
    (("LTAI", "AKID"), "[A-Za-z0-9]", 12),
    (("AGE-SECRET-KEY-1",), "[A-Z0-9]", 30),
    (("https://hooks.slack.com/",), r"[\w/+-]", 20),
    (("https://discord.com/api/webhooks/", "https://discordapp.com/api/webhooks/"), r"[\w/-]", 20),
)
_PREFIXES = tuple(prefix for prefixes, _, _ in _KINDS for prefix in prefixes)


def _prefixed(prefixes: tuple[str, ...], follows: str, least: int) -> str:
    look, _, body = follows.rpartition(")")
    named = "|".join(re.escape(prefix) for prefix in prefixes)
    return f"(?:{named}){look + ')' if look else ''}{body}{{{least},}}+"


_KEY = re.compile(
    "(?<![A-Za-z0-9])(?:" + "|".join(_prefixed(*kind) for kind in _KINDS) + ")", re.ASCII
)
_TELEGRAM = re.compile(r"(?<![\w:])[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", re.ASCII)
_JWT = re.compile(r"(?<![\w-])eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+(?:\.[\w-]{4,}+){0,3}", re.ASCII)
_BEARER = re.compile(
    r"(?<![A-Za-z])(?:bearer|authorization['\"]?\s{0,3}[:=]\s{0,3}['\"]?(?:basic|token|apikey))"
    r"\s{1,3}(?P<value>[\w.~+/=-]{12,}+)",
    re.ASCII | re.IGNORECASE,
)
_PASSWORD_IN_URL = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://"
    r"[^\s/?#:@'\"<>]{0,100}:(?P<value>[^\s/'\"<>]{1,200})@(?=[\w\[])",
    re.ASCII,
)
_PLACEHOLDER = re.compile(r"[<{$%*.\[]|x{3}|your", re.IGNORECASE)

_PEM_BEGIN = re.compile("-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile("-----END [A-Z0-9 ]{0,40}-----")
# Lines may be broken by white space or, in JSON, by a backslash and an n.
_PEM_HEADER = re.compile(r"(?:\s|\\[nr]){0,8}(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]{0,100}")
_PEM_LINE = re.compile(r"(?:\s|\\[nr]){0,8}(?:[A-Za-z0-9+/]{16,}+={0,2}|[A-Za-z0-9+/]{1,15}={1,2})")
_PEM_FIRST = re.compile(r"(?:\s|\\[nr]){0,8}[A-Za-z0-9+/]{4,}+={0,2}(?![ ][a-z])")


def find_keys(view: View) -> Iterator[Span]:
    """Yield where keys, tokens, key blocks and passwords of addresses stand."""
    text = view.text
    if any(prefix in text for prefix in _PREFIXES):
        yield from (match.span() for match in _KEY.finditer(text))
    if ":" in text:
        yield from (match.span() for match in _TELEGRAM.finditer(text))
    if "eyJ" in text:
        yield from (match.span() for match in _JWT.finditer(text))
    if "bearer" in view.lower or "authorization" in view.lower:
        yield from _values(_BEARER, text, digits=True)
    if "://" in text:
        yield from _values(_PASSWORD_IN_URL, text, digits=False)
    if "PRIVATE KEY" in text:
        yield from (_block(text, match) for match in _PEM_BEGIN.finditer(text))


def _values(pattern: re.Pattern[str], text: str, *, digits: bool) -> Iterator[Span]:
    for match in pattern.finditer(text):
        value = match["value"]
        if _PLACEHOLDER.match(value) or (digits and not any(map(str.isdigit, value))):
            continue
        yield match.span("value")


def _block(text: str, begin: re.Match[str]) -> Span:
    """Return a private key from its first line to its last, or as far as it goes without one."""
    next_block = text.find("-----BEGIN", begin.end())
    if end := _PEM_END.search(text, begin.end(), len(text) if next_block < 0 else next_block):
        return begin.start(), end.end()
    place = begin.end()
    while match := _PEM_HEADER.match(text, place):
        place = match.end()
    if match := _PEM_FIRST.match(text, place):
        place = match.end()
    while match := _PEM_LINE.match(text, place):
        place = match.end()
    return begin.start(), place
