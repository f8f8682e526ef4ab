"""Whether a message leans on the turn before: "and the other one?", "那第二个呢"."""

import re

from pinyon.text.tokens import question_terms

WORDS_MAX = 8
"""A longer message says by itself what it is about, whatever it points at."""
CHARS_MAX = 160
CHINESE_CHARS_MAX = 24

_ENGLISH = re.compile(
    r"^(?:(?:ok(?:ay)?|no|yes|right|hm+|well|oh|ah)[,\s]+)?(?:and|but|or|so|then|also|what\sabout|how\sabout|what\sif|same\s(?:for|with|thing)|ok\sand)\b"
    r"|\b(?:it|its|that|those|these|this|them|they|he|she|him|his|her|theirs?|there|each)\b"
    r"(?!\s(?:is|are|was|were)\s(?:a|an|any|no)\b)"
    r"|\b(?:the\s)?(?:other|others|second|third|first|last|latter|former|same|next|previous|blue|red"
    r"|green|black|white|big|bigger|small|smaller|new|newer|old|older|cheaper?|cheapest|left|right)"
    r"\s(?:ones?|two)?\s*\??$"
    r"|\b(?:of\s)?(?:the|those|these)\s(?:two|three|four|both|others)\b|\bboth\b|\bones?\b|\binstead\b|\bthough\b|\belse\b|\bas\swell\b|\btoo\s*\?*$|\beither\s*\?*$|\bagain\s*\?*$",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^(?:why(?:\snot)?|how(?:\sso|\scome)?|when|where|who|which(?:\sone)?|what\selse|since\swhen|really"
    r"|until\swhen|how\s(?:much|many|long|often|old|far|big)|by\swhom|any\sothers?|more|go\son|such\sas"
    r"|like\swhat|for\show\slong|in\swhat\sway|with\swhom|is\sthat\sso|are\syou\ssure)\s*[?.!]*$",
    re.IGNORECASE,
)
_SELF_CONTAINED = re.compile(r"\b(?:my|our|i|we)\b", re.IGNORECASE)
_CHINESE = re.compile(
    r"^(?:那|那么|还有|然后|另外|换成|如果|要是|所以|可是|但是|而|再|也)"
    r"|(?:它|他|她|它们|他们|她们|这个|那个|这些|那些|另一个|另外|其他|其它|别的|第[一二三四五六两几]|前者|后者|上面|刚才那|那边|那里|那儿|这样|那样|其中|同样|这种|那种|这么|那次|那天|那时)"
    r"|^(?:为什么|为啥|怎么|什么时候|在哪|在哪里|哪里|哪个|谁|多少|多久|多少钱|几点|真的吗|是吗|然后呢|接着呢|比如|具体呢|怎么样)[呢啊呀嘛吗？?。]*$"
    r"|^.{1,8}呢[？?]?$|^.{0,6}也(?:是|行|可以|要|一样)"
)
_CHINESE_PAIR = re.compile(r"另外?一|[这那]两|第[二三]个|前者|后者")
_CHINESE_SELF = re.compile(r"我")


def leans_on_the_turn_before(message: str) -> bool:
    """Return whether a message cannot be understood by itself, as far as its words tell."""
    text = " ".join(message.strip().replace("’", "'").split())
    if not text or len(text) > CHARS_MAX:
        return False
    if any("\u4e00" <= letter <= "\u9fff" for letter in text):
        return _chinese_leans(text)
    if _BARE.match(text):
        return True
    words = len(question_terms(text).words)
    if words > WORDS_MAX:
        return False
    found = _ENGLISH.search(text)
    if found is None:
        return False
    # "and my sister's birthday?" says whose; "and where did I put it?" does not say what.
    return words <= 2 or not _SELF_CONTAINED.search(text)


def _chinese_leans(text: str) -> bool:
    if len(text) > CHINESE_CHARS_MAX:
        return False
    if _CHINESE_PAIR.search(text):
        return True
    found = _CHINESE.search(text)
    if found is None:
        return False
    return found.start() == 0 or not _CHINESE_SELF.search(text)
