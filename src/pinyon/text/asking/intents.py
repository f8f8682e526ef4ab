"""What a question is after, by the words in which it asks: English and Chinese.

The rules are tried in an order, the most telling first: "why did we say" asks for a cause, and
"where did I live before" for history. What none of them knows is `general`, which favours nothing.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from pinyon.domain.question import Intent
from pinyon.text.tokens import question_terms

END_CHARS = 300

_SPOKEN = (
    r"(?:say|said|saying|tell|telling|told|talk(?:ed|ing)?|discuss(?:ed|ing)?|mention(?:ed)?"
    r"|agree(?:d)?|ask(?:ed)?|decided?|chat(?:ted)?|suggest(?:ed)?|recommend(?:ed)?|spoke|speak"
    r"|settled?|conclude[d]?|promised?|br(?:ing|ought)\s(?:it\s|that\s)?up|came\sup\swith|planned"
    r"|explain(?:ed)?|complain(?:ed)?|asking|mentioning|listed|g[ai]ve\s(?:me|you)|offered|described)"
)
_WE = r"(?:i|we|you|u)"
_MENDED = (
    r"(?:fix(?:ed)?|solved?|resolved?|repair(?:ed)?|mend(?:ed)?|sort(?:ed)?|clear(?:ed)?|deal(?:t)?"
    r"|get|got|set|(?:re)?install(?:ed)?|(?:re)?connect(?:ed)?|restored?|recover(?:ed)?|rescued?"
    r"|reset|pair(?:ed)?|stop(?:ped)?|clean(?:ed)?|unblock(?:ed)?|work(?:ed)?\saround|make|made|save[d]?"
    r"|undo|remove[d]?|migrate[d]?|deploy(?:ed)?|configured?|update|upgrade|handled?|avoid(?:ed)?|cure[d]?)"
)
_ASKS_WHETHER = (
    r"(?:^|[,.;!?]\s*)(?:have|has|had|did|does|do|is|was|were|are|any|anyone|ever|haven't|didn't)\b"
)
_IDENTIFIER = r"\b[a-z]+(?:_[a-z0-9]+)+\b"
_COMMAND = (
    r"(?<![a-z])(?:git|ffmpeg|pytest|curl|docker|kubectl|npm|npx|pip|ssh|scp|rsync|grep|sed|awk|psql|cargo"
    r"|terraform|ansible|jq|tar|wget|aws|gcloud|helm|openssl|pandoc|cmake|mypy|ruff|sqlite3)(?![a-z])"
)

_ENGLISH: Mapping[Intent, str] = {
    "general": (
        r"\b(?:ideas|inspiration|suggestions)\sfor\b|\ba\sbit\s(?:lost|stuck|nervous|worried)\b|\b(?:everything|anything|whatever|all)\b.{0,24}\b(?:about|on|concerning|regarding)\b"
        r"|\b(?:everything|all|whatever)\s(?:you|we|i)\s(?:know|have|remember)\b"
        r"|\bwhat\sdo\syou\sknow\sabout\b|^(?:please\s)?tell\sme\sabout\b|\bfill\sme\sin\b|\bsum(?:\sit)?\sup\b"
        r"|\bhelp\sme\s(?:plan|think|prepare|decide|get)\b|^(?:i'm|i\sam|we're|we\sare|i\sneed\sto|i\swant\sto"
        r"|i\shave\sto|we\sneed\sto|planning|thinking\sof|thinking\sabout|let's)\b"
    ),
    "cause": (
        r"^(?:so\s|and\s|but\s)?why\b|\bwhy\s(?:did|do|does|is|are|was|were|has|have|had|won't|can't"
        r"|didn't|doesn't|isn't|the|my|our|it|we|i)\b|\bhow\scome\b|\bcome\sabout\b"
        r"|\bwhat\b.{0,40}\b(?:caus(?:ed?|es|ing)|led\sto|leads?\sto|made|makes|trigger(?:ed|s)?"
        r"|behind|brought\s(?:on|about)|responsible|to\sblame|went\swrong|set\soff|prompted)\b"
        r"|\b(?:reasons?|cause|rationale|culprit)\b|\bdue\sto\swhat\b|\bbecause\sof\swhat\b"
        r"|\bbehind\s(?:the|my|our)\b|\bwhat\swas\sthe\sthinking\b"
    ),
    "conversation": (
        rf"\b(?:did|have|had|were|was|do|haven't|didn't)\s{_WE}\b.{{0,24}}\b{_SPOKEN}\b"
        rf"|\b{_WE}(?:'ve|\shave|\shad)?\s(?:just\s|already\s|once\s|last\s|ever\s)?{_SPOKEN}\b"
        r"|\b(?:our|last|previous|earlier|this|yesterday's)\s(?:\w+\s)?"
        r"(?:conversation|chat|talk|discussion|session|call)\b|\b(?:leave|left)\s(?:it\s|things\s)?off\b|\byou\s(?:gave|listed|offered)\b"
        r"|\bpick\sup\swhere\b|\bwhere\swere\swe\b|\blast\stime\swe\b|\b(?:your|my)\s(?:suggestion|advice"
        r"|question|recommendation)\b"
    ),
    "observation": (
        _ASKS_WHETHER + r"(?!.*\b(?:used\sto|cost|since)\b)"
        r".*\b(?:before|earlier|already|previous(?:ly)?|first\stime|familiar|any\stime|known"
        r"|occasion|sightings?|in\sthe\spast|brand\snew|a\sfirst|elsewhere|last\stime|another\stime|again)\b"
        r"|\b(?:have|had|did)\s(?:we|you|i)\s(?:ever\s)?(?:seen?|come\sacross|run\sinto|encounter(?:ed)?|gotten)\b"
        r"|\bseen\s(?:that|this)\sone\b|\b(?:ever|already)\s(?:seen?|got|get|had|hit|encountered|come\sacross|run\sinto)\b"
        r"|\b(?:look|sound)s?\sfamiliar\b|\bring\sa\sbell\b|\bseen\s(?:this|that|it|the\ssame)\b"
        r"|\bseen\b.*\bbefore\b|\bfirst\stime\b.*\b(?:see|seeing|get|show|report)"
    ),
    "solution": (
        rf"\bhow\s(?:did|do|can|could|should|would|have)\s{_WE}\b.{{0,30}}?\b{_MENDED}\b"
        rf"|\bhow\sto\b|\bhow\s(?:was|were|did|is)\b.*\b{_MENDED}\b|\bhow\s(?:do|did)\s{_WE}\b.*\bagain\b"
        rf"|\bwhat\sdid\s{_WE}\s(?:end\sup\s)?do(?:ing)?\s(?:to|about|with|when|so|last\stime)\b"
        r"|\bwhat\b.{0,40}\b(?:fix(?:ed)?|solved?|work(?:ed)?|help(?:ed|s)?|did\sthe\strick|cured?)\b"
        r"|\b(?:steps|fix|solution|procedure|trick|remedy|instructions|way|recipe|method)\s"
        r"(?:to|for|that|we|i|you|again|of)\b|\bworkaround\b|\bget\srid\sof\b|\b(?:get|got|getting)\s(?:it|them|this|that|the\s\w+)\s(?:to\swork|working|back|going|running|clean)\b"
        r"|\b(?:how'd|how\sdid|how\sdo)\s(?:i|we|you)\s(?:finally\s|ever\s|eventually\s)?(?:solve|fix|get)\b|\bsteps\sw?e?\s?(?:i|we|you)?\s?(?:used|took|take)\b|\b(?:walk|talk)\sme\sthrough\b"
    ),
    "tool": (
        r"\b(?:flags?|arguments?|args?|parameters?|params?|payload|commands?|inputs?"
        r"|headers?|endpoint|query\sstring|body|switch(?:es)?|invocation|cli|tool\scalls?)\b"
        r".*\b(?:used?|pass(?:ed)?|call(?:ed)?|r[au]n|invoke[d]?|sen[dt]|gave|give|with|for|to|set|get)\b"
        r"|\b(?:used?|pass(?:ed)?|call(?:ed)?|r[au]n|invoke[d]?|sen[dt]|with)\b.*\b(?:flags?|arguments?|args"
        r"|parameters?|params|payload|commands?|inputs|headers?|endpoint|tool|values)\b"
        rf"|\bhow\b.*\b(?:call(?:ed)?|invoked?)\b|{_IDENTIFIER}"
        rf"|{_COMMAND}.*\b(?:with|command|r[au]n|call(?:ed)?|used?|exact(?:ly)?|type[d]?|syntax)\b"
        rf"|\b(?:with|command|r[au]n|call(?:ed)?|used?|exact|type[d]?|syntax)\b.*{_COMMAND}"
        r"|\b(?:endpoint|api|tool|function)\b.*\bdid\s(?:you|we|i)\b|\bdid\s(?:you|we|i)\b.*\b(?:send|pass|hit)\b"
        r"|\bwhen\syou\s(?:called|ran|invoked|queried)\b"
        r"|\bhow\b.*\b(?:used?|r[au]n)\b.*\b(?:tool|command|api|cli|script|function)\b"
    ),
    "history": (
        r"\bused\sto\b|\balways\sbeen\b|\bever\s(?:cost|been|have)\b|\bat\ssome\spoint\b|\bstart\sof\sthe\b.*\bsince\b|\bprevious(?:ly)?\b|\bformer(?:ly)?\b|\bover\s(?:time|the\s(?:\w+\s)?(?:years|months"
        r"|weeks))\b|\b(?:has|have|did)\b.{0,60}\b(?:chang(?:ed?|ing)|evolved?|develop(?:ed)?|gone|progressed"
        r"|moved|shifted|grown|gone\sup|gone\sdown)\b|\bdeveloped\b|\bsince\swhen\b|\btimeline\b|\bhistory\b"
        r"|\bhow\slong\s(?:have|has)\b|\boriginal(?:ly)?\b|\bin\sthe\spast\b|\bprior\sto\b|\bearlier\b"
        r"|\bback\s(?:then|when)\b|\bbefore\b|\bthroughout\b|\bprogress\b|\bevolution\b|\btrend\b"
        r"|\b(?:old|older|past|ex|last)\s(?:one|ones|address|job|jobs|phone|number|plan|version|versions|car"
        r"|setup|router|name|flat|house|employer|doctor|landlord)\b|\b(?:so\sfar|up\sto\snow|until\snow)\b"
    ),
    "preference": (
        r"\b(?:refuse|refuses|avoids?)\sto\s(?:eat|drink|wear|watch)\b|\bam\si\s(?:more|a|into)\b|\bi(?:'m|\sam)?\sinto\b"
        r"|\bam\si\s(?:more\sof\s)?an?\b.*\bor\b|\bfavou?rites?\b|\bprefer(?:s|red|ence|ences)?\b|\b(?:dis)?likes?\b|\benjoys?\b|\bloves?\b"
        r"|\bhates?\b|\bcan't\sstand\b|\bgo-to\b|\bmy\s(?:usual|taste|tastes)\b|\bfond\sof\b"
        r"|\brather\b|\bhow\s(?:\w+\s)?do(?:es)?\s.{1,20}\b(?:take|want|like)\b|\bfussy\b|\bpicky\b"
        r"|\bdo(?:es)?\s(?:i|we|she|he|they|my\s\w+)\s(?:\w+\s)?(?:want|care|go\sfor|take|pick|choose|drink)\b"
        r"|\b(?:am|are)\s(?:i|we)\s(?:really\s|mostly\s)?into\b|\b(?:i|we|she|he|they|my\s\w+)\s(?:usually|normally|typically|generally|always|tend\sto)\b"
        r"|\bdo\sour\b.*\blike\b|\bmind\sif\b|\bstyle\sdo\b"
    ),
    "catalog": (
        r"\b(?:manual|documentation|docs|specs?|specification|data\s?sheet|price[sd]?|pricing"
        r"|warranty|guarantee|compatible|polic(?:y|ies)|handbook|catalog(?:ue)?|brochure"
        r"|retail|in\sstock|guide\ssay|rated|licen[cs]e\s(?:terms|cost)|release\snotes|standard\ssay|leaflet|label|package\sinsert|recommended\s(?:dose|dosage)|terms|tariff"
        r"|subscription|free\s(?:plan|tier)|guidelines?|faq|datasheets)\b"
        r"|\bcosts?\b|\bhow\smuch\s(?:is|are|does|do|for)\b|\baccording\sto\sthe\b"
        r"|^(?:can|does|will|do)\s(?:the|a|an|any)\b(?!.*\b(?:i|we|my|our)\b)"
        r"|\b(?:do|does|is|are|can|will)\s(?:the|a|an|any|\w+\s\w*\d)\b.*\b(?:support|work\swith"
        r"|include|come\swith|fit|handle|need|require|waterproof|available|covered|allow)"
    ),
    "fact": (
        r"^(?:and\s|so\s|ok\s|hey\s|hi\s|quick\sone\s)?(?:(?:in|on|at|to|from|by|for|with|under)\s)?"
        r"(?:who|whose|whom|where|when|which|what|is|are|was|were|do|does|did|has|have|am"
        r"|how\s(?:many|much|old|long|far|big|tall|often|large|high))(?:'s|'re|s)?\b|\?\s*$"
        r"|\b(?:remind\sme|tell\sme|what's|whats|do\syou\s(?:know|remember))\s"
        r"(?:who|where|when|which|what|the|my|how\s(?:many|much|old|long))\b"
        r"|\b(?:number|address|password|passcode|code|name|date|email|birthday|size|model|version|serial"
        r"|plate|deadline|dose|dosage)\s(?:of|for)\b"
    ),
}

_CHINESE: Mapping[Intent, str] = {
    "general": (
        r"(?:还没|没怎么|什么都没|啥都没|一点.{0,4}没)(?:准备|头绪|想好|弄|开始)|(?:所有|全部|一切|任何).{0,10}(?:关于|有关|知道|信息|内容|记录|情况)|关于.{1,20}(?:一切|所有|全部|都|情况)"
        r"|有(?:什么|啥|哪些).{0,6}(?:该|要|需要|得)(?:留意|注意|知道|准备)|想想|帮我(?:想|规划|计划|准备|理一理)"
        r"|(?:打算|准备|计划|正在|想要|我想).*(?:[^吗呢？?么]|了)$(?<![么什哪多谁几]).*(?<!什么)$"
    ),
    "cause": (
        r"为什么|为何|为啥|怎么会|原因|导致|引起|造成|起因|根源|咋回事|怎么回事|怎么搞的|因为什么|缘由|罪魁|缘故"
        r"|到底怪|怪(?:什么|谁|啥)|咋又|怎么又|出于什么|出于啥|被什么|什么考虑|诱发|惹的|怎么.{0,12}(?:自己|突然|忽然|老是|总是|一直|又|没|不)"
        r"|(?:咋|怎么)就"
    ),
    "conversation": (
        r"(?:我们|咱们|咱|我|你|您).{0,16}(?:说过|说的|说了|说定|说好|说到|聊过|聊了|聊到|聊的|谈到|谈过|谈的|谈了|讨论|提到|提过"
        r"|提的|提了|告诉过|告诉你|讲过|讲的|讲到|讲了|约定|约好|商量|问过|问的|问了|问我|问你|讲过|怎么讲|怎么说|说什么|聊什么|列的|列了|给我列|推荐的|说来着|建议|推荐|答应|决定|定下|跟你说|跟我说)"
        r"|(?:上次|刚才|刚刚|昨天|之前|上回|前面|那天)(?:的|我们|咱们|咱|在)?(?:聊|说|谈|讲|对话|讨论|商量|提|问)|聊天|对话|聊到哪|再说一遍"
    ),
    "observation": (
        r"(?:有没有|没有|是否|是不是).{0,20}(?:测出|返回|出现|报|碰到|遇到|见|收到|看到|弹出|跳出|显示)过|(?:遇到|碰到|见|碰见|出现|看到|报|收到)过[吧？?]"
        r"|(?:之前|以前|从前).{0,6}(?:碰|遇|见)到?过|(?<!去)(?<!住)(?<!吃)(?<!用)(?<!买)(?<!读)(?<!学)(?<!养)(?<!换)(?<!改)过(?!去|来|敏|期|程|年|节|夜|户|滤)"
        r".*(?:吗|没有?|么|不)\s*[？?]?$|头一[回次]|第一[次回]|首次|眼熟|面熟|有印象|似曾相识"
        r"|(?:以前|之前|从前|早先|过去).*(?:返回|报错|读数|出现|见|遇|碰|报).*(?:吗|没有?|么)\s*[？?]?$"
    ),
    "tool": (
        r"(?:调用|参数|入参|命令行?|传了|传的|传入|接口|指令|选项|请求体|请求头|脚本|函数|工具|标志|端点|endpoint|API|时区参数)"
        r".*(?:怎么|什么|啥|哪些|哪个|哪条|如何|几个|过|吗|的|多少)"
        r"|(?:怎么|什么|啥|哪些|哪个|哪条|如何).*(?:调用|参数|命令|传的|接口|指令|选项|函数|工具|跑的|工具|端点|endpoint|API|请求)"
        r"|[a-z]+(?:_[a-z0-9]+)+|\s-{1,2}[a-z]|(?:带|加)-{1,2}[a-z]|" + _COMMAND.replace(r"\b", "")
    ),
    "history": (
        r"以前|之前|原来|原先|过去|历史|变化|变更|演变|从什么时候|什么时候开始|曾|先后|历任|历次|最早|最初|最开始"
        r"|改过|换过|搬过|早先|从前|一路|到现在|至今|经历|旧的|老的|前一|上一(?:个|任|版|份|部|台|家|辆|款|位|代)|怎么变|前任|起初|时间线|一直.{0,10}还是|后来(?:才|改|变)|再早|多久了|沿革|第一份|第一个|第一任"
        r"|(?:这|过去|近)(?:几|两|三|一|半)?(?:年|个月).*(?:怎么样|变|走势|进展|情况)"
    ),
    "solution": (
        r"(?:怎么|怎样|如何|咋).{0,14}(?:解决|修|处理|弄|搞定|设置|设|配置|恢复|清理|清除|安装|装|办|做|去掉|连|重启"
        r"|救|消除|绕过|升级|迁移|部署|调|治|打开|关|除|洗|重置|配对|通|好的|退|哄|搞)"
        r"|解决办法|解决方法|解决方案|办法|法子|步骤|修好|搞定|管用|奏效|诀窍|窍门|流程|招|方案|变通|偏方|起作用|成功的"
        r"|怎么.{0,6}(?:出来|回来|过去|下来|起来|成|导出|导入|要回)|用什么.{0,6}(?:弄|洗|擦|修|去|清)|怎么(?:导|绕|要|转|换成|做到|弄到)"
    ),
    "preference": (
        r"喜欢|偏好|最爱|爱(?:吃|喝|看|听|玩|用|去|穿|坐|住|不爱|点)|讨厌|习惯|口味|偏爱|更愿意|更想|更爱|爱调|爱开|爱选|希望.{0,10}(?:什么|怎么|哪|啥)|(?:要|想要|喜)多(?:辣|甜|咸|烫|冰|软|硬|亮)|宁愿|中意|受不了|喜好"
        r"|倾向|最烦|(?:我|我们|咱|他|她|家里|孩子|老公|老婆|妈|爸).{0,14}(?:一般|通常|平时|平常|常|总|老).{0,10}"
        r"(?:怎么|什么|啥|哪|几|多|点|要|选)|(?:想要|要).{1,8}还是"
    ),
    "catalog": (
        r"说明书|手册|文档|规格|规范|价格|价钱|多少钱|售价|报价|保修|质保|支持|兼容|政策|退货|官方|型号|条款|收费|费用"
        r"|能不能用|防水|标价|产品|目录|适配|规定|允不允许|允许|这款|那款|该款|额定|参考价|差价|资费|制度|免费版|付费版|专业版|企业版|会员|套餐|章程|公告|协议|细则|指南|标准(?:里|中|上)"
    ),
    "fact": (
        r"什么|啥|哪|谁|多少|几|何时|吗|是否|多大|多久|多远|多高|多长|[？?]\s*$|呢\s*$|是不是|有没有"
        r"|(?:电话|地址|密码|号码|名字|生日|邮箱|日期|尺码|型号)"
    ),
}

_RULES = tuple(
    (intent, re.compile(f"(?:{english})", re.IGNORECASE), re.compile(_CHINESE[intent]))
    for intent, english in _ENGLISH.items()
)


@lru_cache(maxsize=1024)
def intent_of(question: str) -> Intent:
    """Return what a question is after; `general` where its words do not tell."""
    asked = _ends_of(" ".join(question.replace("’", "'").split()))
    for intent, english, chinese in _RULES:
        if english.search(asked) or chinese.search(asked):
            return intent
    return "general"


def _ends_of(question: str) -> str:
    """Return the beginning and the end of a long message: what is asked stands there."""
    if len(question) <= 2 * END_CHARS:
        return question
    return f"{question[:END_CHARS]} {question[-END_CHARS:]}"


_TALK = re.compile(
    r"\b(?:what|which|whatever|anything|happen(?:ed|s|ing)?|did|do|does|done|was|were|have|had|has|is|i|we|you"
    r"|me|us|it|to|up|on|in|at|by|of|with|and|so|just|then|there|about|last|latest|recent(?:ly)?|newest|time"
    r"|times|earlier|before|now|again|new|say|said|saying|tell|told|talk(?:ed|ing)?|discuss(?:ed|ing)?"
    r"|mention(?:ed)?|speak|spoke|chat(?:ted)?|conversation|discussion|going|go|went|s|re|ve)\b"
    r"|什么|发生|做|干|聊|说|谈|讲|讨论|提到|对话|上次|刚才|刚刚|最近|之前|上回|过|了|啥|我们|咱们|我|你|些|的|都|在|天|到|那|和",
    re.IGNORECASE,
)


def asks_for_whatever_was(question: str) -> bool:
    """Return whether a question names no matter at all: "what did we talk about last time?"."""
    rest = _TALK.sub(" ", question.replace("’", "'"))
    return not question_terms(rest).words and not question_terms(question).phrases


_ADVICE = re.compile(
    r"\b(?:suggest(?:ions?)?|recommend(?:ations?)?|should\s(?:i|we)|would\syou|advi[cs]e|options|ideas"
    r"|help\s(?:me|us)\s(?:choose|find|pick|decide))\b|推荐|建议|该(?:选|买|用|去)|选哪|买哪|帮我(?:选|挑)",
    re.IGNORECASE,
)


def seeks_advice(question: str) -> bool:
    """Return whether a question asks for advice: what the asker likes then matters."""
    return _ADVICE.search(_ends_of(question)) is not None
