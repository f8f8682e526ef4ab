"""How it went, as somebody tells in passing: "that worked, thanks", "no luck", 还是不行.

Short messages only, and only what is said outright: a question, a guess or a wish tells nothing,
and neither does a text that tells of both.
"""

import re
from dataclasses import dataclass
from typing import Literal

from pinyon.text.sentences import sentence_spans

Outcome = Literal["worked", "failed", ""]

CHARS_MAX = 400
"""What is longer is a report: how it went stands in it for many things at once."""

_IT = (
    r"(?:it|that|this|the\s(?:trick|fix|problem|issue|error)|everything|all|your\s\w{1,20}|things)"
)
_WORKED = re.compile(
    rf"\b(?:{_IT}|which|and)(?:'s|\shas|\shave)?\s(?:finally\s|actually\s|totally\s|really\s|indeed\s|just\s|all\s)?"
    r"(?:worked|fixed\s(?:it|that|the\s\w{1,20})|did\s(?:it|the\strick|the\sjob)|solved\s(?:it|that|the\s\w{1,20})|helped)\b"
    r"|\b(?:it|that|this|everything|all)(?:'s|\sis)\s(?:all\s)?(?:working|fixed|solved|mended|resolved|sorted|back\sto\snormal)(?!\s(?:yet|not))\b"
    r"|\b(?:it|that|everything)\s(?:now\s)?works(?:\s(?:now|again|fine|perfectly|great|like\sa\scharm))?\s*(?:[.!,]|$)"
    r"|\b(?:works|working)\s(?:now|again|perfectly|like\sa\scharm)\b"
    r"|\b(?:problem|issue|error)(?:'s|\sis|\shas\sbeen)?\s(?:gone|solved|resolved|fixed|sorted)\b"
    r"|\bwhat\s(?:finally\s|really\s)?(?:worked|fixed\sit|helped)\s(?:was|is)\b|\ball\sgood\snow\b|\b(?:did\sthe\strick|solved\sit)\b"
    r"|\bfixed\sit\b|\bno\smore\serrors?\b"
    r"|^(?:great|perfect|nice|ok|yes|brilliant|awesome|sorted|fixed|solved|success|done)[,!.\s]{1,3}(?:that\s|it\s)?(?:worked|works|fixed|solved|thanks|thank\syou)\b",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\bno\s(?:luck|joy|success|dice)\b|^(?:still\s|sorry,?\s)?no\s(?:change|difference|effect|improvement)\b"
    r"|(?<!i'm\s)(?<!i\sam\s)\bstill\s(?:broken|failing|fails|the\ssame|not\s(?:working|fixed|solved|there|connected|\w{2,12}ing)"
    r"|doesn't|does\snot|won't|isn't|crash\w{0,5}|happen\w{0,4}|hangs|stuck|showing\sthe|shows\sthe|throws)\b"
    r"|\bstill\s(?:getting|get|have|having|see|seeing)\s(?:the\s|that\s|this\s|an?\s)?(?:same|error|problem|issue|warning|[A-Z]{1,4}-?\d)"
    r"|\b(?:didn't|did\snot|doesn't|does\snot|hasn't|isn't)\s(?:really\s|actually\s)?(?:work(?:ed|ing)?|help(?:ed)?|fix(?:ed)?|solve[d]?|change\s(?:a\sthing|anything)|do\s(?:a\sthing|anything|it|the\strick)|make\sa\sdifference)\b"
    r"|\b(?:the\s)?same\s(?:problem|error|issue|thing|result|message|story|fault)(?:\s(?:again|as\sbefore|as\sever|still|once\smore)|\s*[.!,]|\s*$)"
    r"|\b(?:it|that|this)\s(?:failed|broke|made\s(?:it|things)\sworse)\b"
    r"|\b(?:it|the\s\w{1,20})(?:'s|\sis|\shas)\s(?:back|broken|happening|gone\swrong|failed)(?:\sagain)\b"
    r"|\b(?:happened|broke|failed|crashed|came\sback|appeared)\s(?:yet\s)?again\b|\bback\sto\ssquare\sone\b|\bto\sno\savail\b|\bin\svain\b",
    re.IGNORECASE,
)
_WORKED_CHINESE = re.compile(
    "就(?:好了|行了|可以了|正常了)|搞定了|解决了|修好了|弄好了|整好了|恢复正常|恢复了|正常了|可以用了|能用了|成功了|管用了?|奏效|有效果?了|没问题了|问题没了|好使了?|通了"
    "|^(?:现在|终于|这下|这回|果然|太好了[，,！!]?)*(?:好了|可以了|行了|成了)(?:[，,。！!~～谢]|$)"
)
_FAILED_CHINESE = re.compile(
    "还是不行|依然不行|仍然不行|照样不行|不管用|没用[，,。！!]?$|没有用|没效果|没有效果|不好使|没解决|没有解决|没修好|没搞定|没成功|失败了|又失败|又报错|还是报错|还报错"
    "|还是(?:一样|老样子|那样|没反应|连不上|打不开|不对|坏的|没好|有问题|同样的|这个问题|这样)|又(?:出现了?|来了|坏了|不行了|挂了|断了|出问题)|同样的(?:问题|错误)|老问题|还没好|白搭|徒劳|行不通"
)
_TROUBLE = re.compile(
    r"\b(?:keeps?|kept)\s(?:on\s)?(?:dying|crashing|failing|freezing|hanging|rebooting|restarting|breaking|stalling"
    r"|disconnecting|dropping|timing\sout|losing|flickering|going\s(?:out|offline|down))\b"
    r"|\b(?:won't|will\snot|can't|cannot|doesn't|does\snot|refuses\sto|stopped|fails\sto)\s(?:start|boot|connect|load|open"
    r"|pair|respond|build|compile|deploy|print|charge|sync|log\sin|turn\son|switch\son|work)(?:ing)?\b"
    r"|\b(?:crashes|crashed|times\sout|timed\sout|(?:runs?|ran)\sout\sof\s(?:memory|disk|space))\b"
    "|(?:老是|总是|一直|又|频繁)(?:掉线|断|死机|卡|重启|失败|闪)|连不上|打不开|用不了|登不上|开不了机|没反应|死机|掉线|报错|卡住|崩溃|闪退",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:if|would|could|might|may|maybe|perhaps|hope|hopefully|wish|should|will|think|suppose|probably|unless|until|whether|want|in\scase|when)\b|'ll\b"
    r"|\b(?:said|says|told|claims)\b"
    r"|^(?:do|does|did|is|are|was|were|has|have|can|what(?!\s(?:finally\s|really\s)?(?:worked|fixed\sit|helped)\b)|why|how|which|who|where)\b"
    "|如果|要是|假如|万一|可能|也许|希望|但愿|会不会|是不是|能不能|有没有|什么|怎么|为什么|吗|应该|估计|说|觉得|等",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|nothing|no\slonger|hardly|barely|almost|nearly|only|half)\b|n't\b|没|不|差点|几乎|别",
    re.IGNORECASE,
)
_ASKED = ("?", "？", "呢", "吗", "么")


_REMEDY = (
    re.compile(
        r"(?:(?:ok|yes|well|so|and|thanks|great|in\sthe\send)[,!]?\s){0,2}(?P<did>(?:\w{2,16}ing)\s[^,;.!?]{2,120}?)"
        r"\s(?:finally\s|actually\s|has\s)?(?:fixed\s(?:it|that|the\sproblem)|solved\s(?:it|the\sproblem)|did\sthe\strick|helped|worked)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:(?:ok|yes|well|so|and|thanks|great|in\sthe\send)[,!]?\s){0,2}what\s(?:finally\s|really\s)?(?:worked|fixed\sit|helped|solved\sit)\s(?:was|is)\s"
        r"(?:to\s)?(?P<did>[^,;.!?]{3,120})$",
        re.IGNORECASE,
    ),
    re.compile(
        "(?:(?:原来|后来|最后|其实)[，,]?)?(?P<did>(?:把|将|重启|重新|拔|换|升级|更新|关掉|打开|删|清|按住)[^，,。！!]{1,40}?)(?:一下|之后|以后)?[，,]?就(?:好了|行了|可以了|解决了|恢复了|正常了)$"
    ),
)


_THANKS = re.compile(
    r"[\s,;.!-]{1,3}(?:many\s|so\s)?(?:thanks|thank\syou|thx|cheers|ta)(?:\s(?:so\smuch|a\slot|again|for\s[^,.!]{1,40}))?$"
    "|[\\s,，。！!]{0,3}(?:谢谢|多谢|谢了|感谢)(?:你|您|啦|了)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Remedy:
    """What somebody says has helped, `[start, end)` in the text, and the sentence that says so."""

    start: int
    end: int
    sentence: tuple[int, int]


def outcome_in(text: str) -> Outcome:
    """Return whether a message says that what was tried worked or failed; "" where it says neither.

    Args:
        text: A message of a user's, or what a tool gave back.
    """
    if len(text) > CHARS_MAX:
        return ""
    plain = text.replace("’", "'")
    told = {_told(plain[start:end]) for start, end in sentence_spans(plain)} - {""}
    return told.pop() if len(told) == 1 else ""


def tells_of_trouble(text: str) -> bool:
    """Return whether a message says that something does not do what it should."""
    plain = text.replace("’", "'")
    return outcome_in(text) == "failed" or _TROUBLE.search(plain[:CHARS_MAX]) is not None


def remedy_in(text: str) -> Remedy | None:
    """Return what a message says has helped, in the clear case: "saving it again fixed it"."""
    if outcome_in(text) != "worked":
        return None
    plain = text.replace("’", "'")
    for start, end in sentence_spans(plain):
        sentence = _THANKS.sub("", plain[start:end].rstrip(".!。！ ")).rstrip(".!。！ ")
        for pattern in _REMEDY:
            match = pattern.match(sentence)
            if match is not None:
                return Remedy(start + match.start("did"), start + match.end("did"), (start, end))
    return None


def _told(sentence: str) -> Outcome:
    """Return how it went, as one sentence tells."""
    if sentence.endswith(_ASKED) or _UNSURE.search(sentence):
        return ""
    if _FAILED.search(sentence) or _FAILED_CHINESE.search(sentence):
        return "failed"
    worked = _WORKED.search(sentence) or _WORKED_CHINESE.search(sentence)
    if worked is None or _NEGATED.search(sentence[: worked.end()]):
        return ""
    return "worked"
