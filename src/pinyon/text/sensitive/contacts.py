"""How and where to reach somebody: e-mail addresses, telephone numbers, postal addresses."""

import re
from collections.abc import Iterator

from pinyon.text.sensitive.view import View

Span = tuple[int, int]

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?P<who>[A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63})@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,6}(?P<top>[A-Za-z]{2,24})(?![A-Za-z0-9_])"
    r"(?!:[\w~/])",
    re.ASCII,
)
_NOT_TOP = frozenset(
    """
    png jpg jpeg gif svg webp ico js ts jsx tsx mjs css json yaml yml md txt py html htm lock tgz gz
    zip exe dll local localhost internal service timer socket
    """.split()
)
_MACHINE_USERS = frozenset({"git", "hg", "svn"})
_REMOTE_SHELL = re.compile(r"(?<![A-Za-z])(?:ssh|scp|sftp|rsync|mosh)(?: +-[\w./-]{1,30})* +$")

_INTERNATIONAL = re.compile(
    r"(?<![0-9A-Za-z_+/=])(?:\+|(?<=[^0-9A-Za-z_])00(?=[1-9]{2} ))[1-9][0-9]{0,2}"
    r"(?:[ .()/-]{0,2}[0-9]{1,12}){1,6}(?![0-9A-Za-z_])"
)
_AMERICAN = re.compile(
    r"(?<![0-9A-Za-z_.+-])(?:\+?1[ .-]?)?"
    r"(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}(?P<by>[.-]))[2-9][0-9]{2}(?(by)(?P=by)|[ .-])[0-9]{4}"
    r"(?![0-9A-Za-z_]|[.-][0-9])"
)
_CN_LANDLINE = re.compile(
    r"(?<![0-9A-Za-z_.+-])(?:\(0[1-9][0-9]{1,2}\) ?|0[1-9][0-9]{1,2}-)"
    r"[2-8][0-9]{2,3}[ -]?[0-9]{4}(?:-[0-9]{1,4})?(?![0-9A-Za-z_]|-[0-9])"
)
_NAMED_PHONE = re.compile(
    r"(?<![A-Za-z])(?:(?:tele|cell|mobile )?phone|tel|mobile|cell|fax|whatsapp|landline"
    r"|(?:call|text|ring|phone|dial|reach) (?:me|us|him|her|them|mum|mom|dad)|wechat"
    r"|电话|手机|座机|固话|传真|联系方式|热线|致电|微信)"
    r"(?:号码|号| number| no\.?| nr\.?)?[\s:=#]{0,3}(?:at|on|is|under|是|为)?[\s:]{0,2}"
    r"(?P<value>\(?[0-9][0-9 ().-]{5,17}[0-9])(?![0-9A-Za-z_]|[.,-][0-9])",
)
_PHONE_HINTS = tuple(
    """
    phone tel mobile cell fax whatsapp landline wechat call text ring dial reach
    电话 手机 座机 固话 传真 联系 热线 致电 微信
    """.split()
)
_NO_PHONE = re.compile(
    r"(?:19|20)[0-9]{2}[-./ ](?:0?[1-9]|1[0-2])[-./ ]|[0-9]{1,3}(?:\.[0-9]{1,3}){3}$"
    r"|[0-9]+\.[0-9]+$"
)
_PHONE_DIGITS = range(7, 16)
_NOT_DIGITS = re.compile("[^0-9]")

_KINDS_OF_STREET = (
    "Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Boulevard|Blvd|Drive|Dr|Court|Ct|Place|Pl|Square|Sq"
    "|Terrace"
    "|Crescent|Parkway|Pkwy|Highway|Hwy|Close|Mews|Gardens|Plaza|Way|Loop|Circle|Grove|Hill|Quay"
)
_STREET = re.compile(
    r"(?<![0-9A-Za-z_.,:$€£-])[1-9][0-9]{0,4}[A-Za-z]?,? (?:[NSEW]\.? |(?:North|South|East|West) )?"
    r"(?!(?:The|A|An|Of|In|On|Our|My|This|That|More|New) (?:St|Street|Road|Way|Drive|Place)\b)"
    r"(?:(?:[A-Z][a-z'’]{1,20}|[0-9]{1,3}(?:st|nd|rd|th)|St\.|[A-Z]{1,2}) ){1,3}"
    rf"(?P<kind>{_KINDS_OF_STREET})(?![A-Za-z0-9])\.?"
    r"(?:,? (?:Apt|Apartment|Suite|Unit|Flat|Floor|Ste|No)\.? ?#?[0-9]{1,5}[A-Za-z]?"
    r"|,? #[0-9]{1,5}[A-Za-z]?)?",
)
_NAMED_STREET = re.compile(
    r"(?<![A-Za-z])(?:at|address(?: is)?:?|lives? on|moved to|deliver(?:ed)? to) "
    r"(?P<value>[1-9][0-9]{0,4}[a-z]?,? (?:[a-z'’]{2,20} ){1,2}"
    r"(?:street|avenue|road|boulevard|lane|drive|st|ave|rd))(?![a-z0-9])"
)
_YEAR_BEFORE = re.compile(r"(?:in|since|of|until|from|by|before|after|early|late) $", re.IGNORECASE)
_YEAR = re.compile("(?:19|20)[0-9]{2} ")
_PO_BOX = re.compile(r"(?<![a-z])p\.?o\.? box [0-9]{1,6}(?![0-9a-z])")

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_CN_DIGITS = "[0-9]{1,5}|[一二三四五六七八九十百零〇]{1,6}"
_CN_STREET = re.compile(
    rf"[{_HAN}](?:路|街|大道|大街|胡同|道|巷|弄"
    rf"|里)(?:[东南西北中]|[东南西北中一二三四五六七八九十]{{1,2}}[段路街])? ?"
    rf"(?:{_CN_DIGITS})(?:[-之][0-9]{{1,4}})? ?(?:号|弄)(?!线|机|电|台|车|公交|文件|桌|选手|样"
    rf"|方案)"
)
_CN_ESTATE = re.compile(
    rf"[{_HAN}]{{2}}(?:小区|花园|公寓|家园|苑|新村|新城|大厦|广场|公馆|府|庭|湾) ?"
    r"[0-9A-Za-z]{1,4} ?(?:号楼|栋|幢|座|号院)"
)
_CN_TAIL = re.compile(
    rf"院?(?:[, ]?(?:[0-9A-Za-z一二三四五六七八九十]{{1,6}}(?:-[0-9]{{1,4}}){{0,2}}"
    r"(?:号楼|号院|号|弄|栋|幢|座|单元|楼|层|室|房)|[0-9]{3,4}(?![0-9A-Za-z年月日元个])"
    rf"|[{_HAN}]{{2,6}}(?:大厦|小区|花园|公寓|广场))){{1,5}}"
)
_NO_STREET = re.compile("[线电思铁网回通半短断支逛知味频渠管轨航赛跑车公][路道街巷]|[上逛]街")
_CN_LEAD = re.compile(rf"[{_HAN}0-9A-Za-z]{{0,30}}$")
_CN_LEAD_WORDS = re.compile("在|住|到|址|是|寄|送|去|从|往|搬|找")
_CN_HINTS = ("号", "弄", "栋", "幢", "座")


def find_emails(view: View) -> Iterator[Span]:
    """Yield where e-mail addresses stand; not where a machine's account or a package does."""
    if "@" not in view.text:
        return
    for match in _EMAIL.finditer(view.text):
        if match["top"].lower() in _NOT_TOP or match["who"].lower() in _MACHINE_USERS:
            continue
        if not _REMOTE_SHELL.search(view.text[max(0, match.start() - 50) : match.start()]):
            yield match.span()


def find_phones(view: View) -> Iterator[Span]:
    """Yield where telephone numbers stand; without a form of their own only where named so."""
    for match in _INTERNATIONAL.finditer(view.text):
        if len(_NOT_DIGITS.sub("", match[0])) in range(8, 16):
            yield match.span()
    yield from (match.span() for match in _AMERICAN.finditer(view.text))
    yield from (match.span() for match in _CN_LANDLINE.finditer(view.text))
    if not any(hint in view.lower for hint in _PHONE_HINTS):
        return
    for match in _NAMED_PHONE.finditer(view.lower):
        value = match["value"]
        if len(_NOT_DIGITS.sub("", value)) in _PHONE_DIGITS and not _NO_PHONE.match(value):
            yield match.span("value")


def find_addresses(view: View) -> Iterator[Span]:
    """Yield where postal addresses stand: a street and a number, English or Chinese."""
    text = view.text
    for match in _STREET.finditer(text):
        before = text[max(0, match.start() - 10) : match.start()]
        if not (_YEAR.match(match[0]) and _YEAR_BEFORE.search(before)):
            yield match.span()
    yield from (match.span("value") for match in _NAMED_STREET.finditer(view.lower))
    if "box" in view.lower:
        yield from (match.span() for match in _PO_BOX.finditer(view.lower))
    if any(hint in text for hint in _CN_HINTS):
        for pattern in (_CN_STREET, _CN_ESTATE):
            yield from _chinese(text, pattern)


def _chinese(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    """Yield the addresses around a street and number: from the province to the door."""
    for match in pattern.finditer(text):
        if pattern is _CN_STREET and _NO_STREET.match(text, match.start()):
            continue
        lead_from = max(0, match.start() - 30)
        lead = _CN_LEAD.search(text, lead_from, match.start() + 1)
        start = lead.start() if lead else match.start()
        for word in _CN_LEAD_WORDS.finditer(text, start, match.start()):
            start = word.end()
        tail = _CN_TAIL.match(text, match.end())
        yield start, tail.end() if tail else match.end()
