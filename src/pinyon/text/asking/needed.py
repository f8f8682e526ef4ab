"""Whether memory can help with a message at all: a cheap test before an automatic recall.

It errs towards recall: one that finds nothing costs milliseconds, one that is left out costs an
answer. So a message is let pass only where its whole form says that it brings what it asks about,
and nothing in it speaks of the user or of what was before.
"""

import re

CHARS_MAX = 2_000
"""What is longer is looked up: nobody can tell from its first words what it holds."""
SHORT = 5
"""Words of a message that need no verb to be a question about the world: "capital of Peru?"."""

_QUOTED = re.compile(r"[“\"「『].*?[”\"」』]", re.DOTALL)
_PERSONAL = re.compile(
    r"\b(?:my|mine|our|ours|we|us|i|i'm|i've|i'd|i'll|me\sand|again|usual|last|before|earlier|previous"
    r"|you\s(?:say|said|told|mention(?:ed)?|suggested|recommended|gave)|same|always|remember|remind|yesterday|still|like\sthe\sone|that\sone|as\sever)\b"
    r"|我|咱|上次|以前|之前|还是|又|老样子|一样|记得|平时|照旧|昨天|那个|那家|那位",
    re.IGNORECASE,
)
# "Can you tell me", "for me": about the form of the answer, not about the one who asks.
_POLITE = re.compile(
    r"\b(?:can|could|would|will)\syou(?:\splease)?\b|\b(?:for|tell|give|show|let)\sme\b|\bplease\b"
    r"|\bi\s(?:need|want|have)\s(?:you\sto|to\sknow|a\squick)|\bi(?:'d|\swould)\slike\syou\sto\b"
    r"|\b(?:help\sme|let's)\b|(?:帮我|给我|告诉我|替我)(?![妹妈爸哥姐弟老奶爷们家的朋同女男儿孩媳])|请你?|麻烦你?|我想(?:知道|请)|帮忙|一下",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:thank\syou|thanks|thx|ty|cheers|ta|hi|hello|hey|yo|hiya|howdy|ok(?:ay)?|kk?|cool|great|nice"
    r"|perfect|awesome|lovely|brilliant|got\sit|sure|yes|yep|yeah|no|nope|bye|goodbye|see\syou|good"
    r"|morning|afternoon|evening|night|sounds|makes\ssense|fine|right|alright|never\smind|lol|haha+|wow"
    r"|very|so|much|a\slot|there|all|that's|that|is|will\sdo|done|understood|noted|welcome|later|then"
    r"|you|for|the|your|help|everyone|team|have|day|one|how\sare\syou|what's\sup|to|works|again|a"
    r"|helpful|super|amazing|exactly|agreed|indeed|well|oh|ah|interesting|appreciated|point|fair|enough)"
    r"(?!\w)[\s,.!?…~:;)(-]*|[\U0001F300-\U0001FAFF❤☺✨\ufe0f]+[\s,.!?]*",
    re.IGNORECASE,
)
_CHINESE_GREETING = re.compile(
    r"(?:最近怎么样|帮了大忙|早上好|上午好|下午好|晚上好|大家好|就这样|先这样|没问题|知道了|回头见|不客气|太棒了|有道理"
    r"|你好|您好|哈喽|早安|晚安|谢谢|谢啦|谢了|多谢|感谢|辛苦|好的|好呀|好嘞|可以|明白|收到|了解|再见|拜拜|不用|没事|真棒"
    r"|厉害|不错|是的|没错|帮助|懂了|在吗|嗨|早|好|行|嗯|哦|噢|哈|呵|对|是|OK|ok|你|您|啊|呀|吧|啦|的|了|太|很|非常|真|棒)"
    r"[\s，。！？!?,.~～、…]*"
)
_BRINGS_ITS_MATTER = re.compile(
    r"^(?:translate|convert|reformat|format|sort|alphabeti[sz]e|proofread|correct|fix\sthe\s(?:grammar"
    r"|spelling|punctuation|typos?)|rewrite|rephrase|paraphrase|summari[sz]e|shorten|capitali[sz]e"
    r"|count|reverse|calculate|compute|solve|simplify|evaluate|what\sis|what's|how\smuch\sis|how\smany"
    r"|how\sdo\syou\s(?:say|spell)|spell|define|explain|name|list|write|compose|generate|give|tell|who"
    r"|where|when|which|what|why|is|are|does|do|in\swhat|turn|make|put|extract|parse|decode|encode"
    r"|round|find|square|how\s(?:far|tall|old|long|big|deep|hot|fast|does|do)|whats|sqrt|hi,?|hey,?)\b",
    re.IGNORECASE,
)
_MATTER = re.compile(
    # The text itself stands behind a colon, in quotes, or in the next line.
    r":\s*\S|[\"“'‘`].+[\"”'’`]|\n\s*\S"
    # A sum; a measure and its unit.
    r"|\d\s*[-+*/×÷^%]\s*(?:of\s)?\d|\b\d+(?:[.,]\d+)?\s*%?\s*(?:of|percent|plus|minus|times|divided|squared)\b"
    r"|\b\d+(?:[.,]\d+)?\s*(?:°\s?)?(?:[cf]|km|cm|mm|kg|g|lbs?|oz|miles?|feet|ft|inch(?:es)?|cups?|ml|l"
    r"|litres?|liters?|gallons?|metres?|meters?|celsius|fahrenheit|usd|eur|gbp|euros?|dollars?|pounds"
    r"|hours|minutes|seconds|stone|knots|mph|grams?|tablespoons?|teaspoons?|acres?)\b"
    r"|\bhow\smany\s\w+\s(?:are\s)?(?:in|make|per)\s(?:a|an|one|the)\b|\b(?:sqrt|square\sroot|cube\sroot|log)\b|\b(?:print|return|output|def|function|console\.log|lambda)\b.*[(\[]|\bderivative\b|\bintegral\b|\bfactorial\b|\bprime\b",
    re.IGNORECASE | re.DOTALL,
)
_WORLD = re.compile(
    r"\b(?:capital\sof|population\sof|president\sof|author\sof|wrote|invented|discovered|painted|composed"
    r"|planet|planets|continent|ocean|mountain|river|speed\sof\s(?:light|sound)|boiling\spoint"
    r"|freezing\spoint|chemical|symbol\sfor|atomic|world\scup|world\swar|olympics|synonyms?|antonyms?"
    r"|opposite\sof|plural\sof|past\stense|mean(?:s|ing\sof)?\sin|stands?\sfor|definition|haiku|limerick"
    r"|joke|riddle|pun|fun\sfact|tongue\stwister|(?:in|to|into)\s(?:french|german|spanish|italian|japanese|chinese"
    r"|mandarin|korean|latin|russian|portuguese|arabic|hindi|dutch|polish|swedish)|largest|tallest"
    r"|longest|highest|deepest|smallest|fastest|century|dynasty|pythagor\w+|photosynthesis|gravity"
    r"|big-?o|regex(?:p)?|fizzbuzz|binary\ssearch|primes|palindrome|fibonacci)\b",
    re.IGNORECASE,
)
_CHINESE_WORLD = re.compile(
    r"翻译|译成|换算|等于|加|减|乘|除以|平方|开方|计算|算|首都|省会|人口|总统|作者|发明|发现|谁写的|谁画的|行星|大洲|海洋|最高峰|最长的河"
    r"|沸点|熔点|冰点|光速|声速|化学式|元素符号|世界杯|奥运会|近义词|同义词|反义词|什么意思|怎么读|拼音|笔顺|成语|俳句|绝句|笑话|谜语|绕口令"
    r"|输出什么|返回什么|打印什么|结果是什么|概括|总结|摘要|病句|这句话|这段(?:话|代码|文字)|排个?序|排一下|排列|做成|列成|表格|按.{0,6}排|语病|错别字|改写|润色|缩写|扩写|大写|小写|正则|斐波那契|质数|素数|回文|定义|朝代|世纪|几大|英语怎么说|用英语|日语|法语"
    r"|写一首|写首|改成|格式化|转成|转换|提取|统计.{0,8}字|多少(?:克|米|公里|厘米|毫升|英里|磅|摄氏度|华氏度|秒|小时)|圆周率|勾股"
)


def can_memory_help(message: str) -> bool:
    """Return whether what was said before may matter for a message; true in doubt."""
    text = message.strip().replace("’", "'")
    if len(text) > CHARS_MAX:
        return True
    if is_greeting(text):
        return False
    ordered = _POLITE.sub(" ", text).strip(" ,.!?，。！？")
    instruction = re.split(r"[:：\n]", _QUOTED.sub(" ", ordered), maxsplit=1)[0]
    if _PERSONAL.search(instruction):
        return True
    if _CHINESE_WORLD.search(instruction):
        return False
    asks = _BRINGS_ITS_MATTER.search(text) or _BRINGS_ITS_MATTER.search(ordered)
    is_short = len(ordered.split()) <= SHORT
    return not (
        (asks and _MATTER.search(ordered)) or ((asks or is_short) and _WORLD.search(ordered))
    )


def is_greeting(message: str) -> bool:
    """Return whether a message is nothing but greetings, thanks and small talk."""
    text = message.strip().replace("’", "'")
    return len(text) <= CHARS_MAX and (
        _is_made_of(_GREETING, text) or _is_made_of(_CHINESE_GREETING, text)
    )


def _is_made_of(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a text is one match after another; word by word, so in one go."""
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        if match is None:
            return False
        at = match.end()
    return bool(text)
