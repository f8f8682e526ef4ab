"""Texts that give orders to a model: what a page or a tool may have slipped into a memory.

An order is addressed to an assistant, or sets aside what it was told, or moves money, secrets or
data. Advice to people stays what it is, however firm. By wording alone: who says it decides what
becomes of it, and that is not decided here.
"""

import re

from pinyon.text.normal import fold
from pinyon.text.sensitive.view import HIDDEN

_DECORATION = re.compile("[*_~`\"'“”‘’「」『』]+")
_HAN_SPACE = re.compile(
    "(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff]) ?[,，、:：] ?"
)

_BEGIN = r"(?:^|[.!?;:,\n>\])-] ?|\b(?:please|must|always|then|and|now|should|to|also|just|you) )"
_NOT = r"(?<!not )(?<!never )(?<!dont )(?<!told me to )(?<!t )"
_AI = r"(?:ai|a\.i\.|llm|language model|chat ?bot|assistant|gpt|copilot|claude|gemini|ai agent)s?"
_WHOLE = (
    r"(?:all|any|every|each|everything|of|the|your|my|our|these|those|this|that|and|or|previous"
)
_WHOLE += (
    r"|prior|above|earlier|preceding|original|system|initial|existing|former|foregoing|current"
)
_WHOLE += r"|other|past|developers?|safety|hidden|content|ethical|given|set|you|were|been|have|has)"
_TOLD = r"(?:instructions?|prompts?|rules|directives?|guidelines?|guardrails?|programming|orders"
_TOLD += r"|commands|system messages?|restrictions|constraints|directions|context)"
_OF_SOMEBODY = (
    r"(?! (?:from|on|in|for|about|by|at) (?:my|his|her|our|their|the|a|your)?\b ?"
    r"(?!system|developer|prompt|user|assistant|admin|context|conversation|above|memory|openai))"
)
_MONEY = (
    r"(?:payments?|money|funds|refunds?|bitcoins?|btc|eth|crypto|usdt|deposits?|transfers?|tips)"
)
_DATA = (
    r"(?:passwords?|credentials|api keys?|access tokens?|auth tokens?|tokens|secrets|cookies"
    r"|chat history|chat log|conversation|conversations|messages|memory|memories|private keys?"
    r"|emails"
    r"|contacts|environment variables|user data|users? data|users? \w+|personal data|system prompt"
    r"|files|documents)"
)
_TARGET = r"(?:https?:|www\.|\S{1,40}@\S|\S{2,40}\.(?:com|net|org|io|xyz|example|ru|cn)\b|attacker)"

_ENGLISH = (
    # What it was told is to be set aside.
    (("instruction", "prompt", "rule", "directive", "guideline", "guardrail", "programming",
     "order",
      "command", "system message", "restriction", "constraint", "direction", "context"),
     rf"{_NOT}\b(?:ignore|disregard|forget|override|bypass|discard|overrule|do not follow"
     rf"|dont follow"
     rf"|stop following|pay no attention to|neglect|drop|abandon) (?!the {_TOLD}\b)"
     rf"(?:{_WHOLE} ){{1,6}}{_TOLD}\b{_OF_SOMEBODY}"),
    (("ignore", "disregard", "forget"),
     r"\b(?:ignore|disregard|forget) (?:all|everything|anything)(?: that)? "
     r"(?:(?:you )?(?:were|have been|ve been|was) (?:told|instructed|taught|given|said)"
     r"|(?:said )?above\b"
     r"|(?:that )?(?:came |you (?:know|learned) )?before(?: this)?\b)"),
    # It is to be somebody else.
    (("you are", "youre", "act as", "pretend", "roleplay", "behave"),
     rf"\b(?:(?:you are|youre) (?:now|no longer|henceforth)|pretend (?:to be|you are|that you are)"
     rf"|(?:act|behave|roleplay|respond) as)\b.{{0,50}}?\b(?:{_AI}|dan|persona|unrestricted"
     rf"|jailbroken"
     r"|uncensored|unfiltered|hacker|developer mode|no (?:rules|restrictions|filters?|limits)"
     r"|without (?:any )?(?:rules|restrictions|filters?|limits)|bound by|evil|admin mode"
     r"|root mode)\b"),
    (("mode",), r"\b(?:dan|god|jailbreak|unrestricted|do anything now) mode\b"),
    # From now on it is to do something.
    (("from now on", "henceforth", "from this point"),
     r"\b(?:from now on|henceforth|from this point (?:on|forward|onwards?)),? (?:you |please )?"
     r"(?:must|will|shall|are to|have to|always|never|respond|answer|reply|obey|comply|act as)\b"),
    # The user is not to know.
    (("user", "human", "operator"),
     r"\b(?:do not|dont|never|without|avoid|must not|should not|cannot) (?:ever )?"
     r"(?:tell|telling|inform|informing|alert|alerting|mention|mentioning|reveal|revealing|disclose"
     r"|disclosing|say|saying|report|reporting|let)\b(?: (?:this|it|that|any of this"
     r"|anything))?(?: to)?"
     r" (?:the |your |any )?(?:users?|human|operator)\b(?! which| how| whether| what| when"
     r"| where| why)"),
    (("user", "human"),
     r"\b(?:keep|hide|conceal) (?:this|it|that|these).{0,30}\bfrom (?:the |your )?(?:users?"
     r"|human)\b"),
    # It is spoken to.
    (("system", "im_start", "inst", "sys"),
     r"<\|?(?:im_start|im_end|system|sys)\|?>|<\|im_|<<sys>>|\[/?inst\]|\[/?system\]|</?system>"
     r"|#{2,} ?(?:system|instructions?) ?:|imstart\|>"
     r"|(?:^|[.!\n] ?)system(?: (?:message|override|prompt"
     r"|notice))? ?: ?.{0,40}?\b(?:you (?:are|must"
     r"|should|will|shall)|ignore|always|never|do not|from now|override|disregard|new instructions"
     r"|the assistant|reveal|send)\b"),
    (("ai", "llm", "model", "assistant", "bot", "gpt", "copilot", "claude", "gemini", "agent"),
     rf"\b(?:if you are|as) an? (?:helpful )?(?:large )?{_AI}(?: reading| processing"
     rf"| agent)?\b.{{0,20}}?"
     r"(?:reading this|processing this|you (?:must|should|shall|need|have)|please (?:do|also"
     r"|send|add)"
     r"|, (?:always|never|do|send|add|include|recommend|ignore|say|answer|reply))"
     rf"|\b(?:note|message|attention|instructions?|notice|important)(?: to| for)?,? (?:the "
     rf"|all |any )?"
     rf"(?:reading )?{_AI}(?: models?| agents?)? ?[:,!-]"
     rf"|(?:^|[.!?] ){_AI}(?: agents?)?(?: reading this| processing this)?,? "
     r"(?:must|you must|ignore|disregard|always|never|do not|please (?:ignore|send|disregard))\b"),
    (("new instructions", "updated instructions", "real instructions", "your task",
     "your instructions"),
     r"\b(?:your )?(?:new|updated|real|actual|revised) (?:system )?instructions(?: are)? ?:"
     r"|\byour (?:new|real|actual) (?:task|goal|objective|purpose|instructions) (?:is|are)\b"),
    # It is to show what it was told.
    (("prompt", "instructions"),
     rf"{_BEGIN}(?:reveal|print|show|output|repeat|display|leak|share|tell|give|disclose|dump"
     rf"|expose"
     r"|recite|paste|write out|copy)(?: me| us)?(?: out)?(?: back)? (?:all |the |of |whole "
     r"|full |entire "
     r"|exact |verbatim |everything in ){0,3}"
     r"(?:your (?:\w+ ){0,3}(?:prompt|system message|(?<=system )instructions"
     r"|(?<=hidden )instructions"
     r"|(?<=initial )instructions|(?<=original )instructions|(?<=secret )instructions)"
     r"|(?:the )?(?:system|hidden|initial|secret|developer) (?:prompt"
     r"|instructions)(?= (?:above|verbatim"
     r"|word|you|to me|in full|and|as|,)|[.!]|$)|instructions above)"),
    # It is to move money, secrets or data.
    ((" to ",),
     r"(?<!we )(?<!i )(?<!they )\b(?:always|automatically|silently|secretly|immediately|must"
     r"|instead"
     r"|quietly|you should|now) "
     r"(?:send|make|transfer|wire|forward|pay|route|deposit|redirect|direct)"
     rf" (?:all |any |the |every |your |their |future |customer "
     rf"|users? )*{_MONEY}\b.{{0,30}}? to\b"),
    ((" to ",),
     rf"{_BEGIN}(?:send|transfer|wire|forward|pay|deposit"
     rf"|redirect) .{{0,30}}?\b{_MONEY}\b.{{0,20}}? to "
     r"(?:this |the following |my |wallet |bitcoin |iban |account )*(?:wallet|address [0-9b]"
     r"|bc1|0x|account"
     r" (?:number )?[0-9]|iban)"),
    (("send", "forward", "post", "upload", "email", "exfiltrate", "transmit", "leak", "copy",
     "bcc"),
     rf"{_BEGIN}(?:(?:secretly|silently|quietly|also) )?(?:send|forward|post|upload|e?mail"
     rf"|exfiltrate"
     rf"|transmit|leak|copy|bcc) .{{0,40}}?\b{_DATA}\b.{{0,40}}?\bto .{{0,20}}?{_TARGET}"),
    (("append", "encode", "embed", "include", "put", "add", "insert"),
     r"\b(?:append|encode|embed|include|put|add|insert) .{0,30}?\b(?:conversation|chat history"
     r"|secrets?"
     r"|api keys?|passwords?|users? data|users? \w+|system prompt|memory|memories)\b.{0,30}?"
     r"\b(?:in|into|to|as) .{0,20}?\b(?:url|link|image|markdown|query string|query parameter)\b"),
    # It is to favour somebody.
    (("remember", "always", "trusted", "authoritative"),
     r"\bremember to (?:always|only|never) (?:recommend|promote|suggest|mention|advertise|cite"
     r"|endorse"
     r"|say|claim|prefer|send|trust)\b"
     r"|\b(?:remember|treat|keep|save|store|regard|remember that) .{1,60}? (?:as|is) (?:a|the"
     r"|an|your) "
     r"(?:most )?(?:trusted|authoritative|preferred|go-to|best) (?:source|authority|expert"
     r"|provider)\b"
     r"|\byou must (?:always |only )?(?:recommend|promote|suggest|advertise|endorse)\b"),
    (("user asks", "users ask", "asked about", "user mentions"),
     r"\b(?:when|whenever|if|every time) (?:the |a |any )?(?:users? (?:asks?|mentions?)"
     r"|you are asked|asked)"
     r"\b.{0,50}?\b(?:always|must|only|never|instead) (?:recommend|say|answer|reply|respond"
     r"|tell|claim"
     r"|suggest|promote|mention|direct|link)\b"),
    (("tool", "function", "memor"),
     rf"{_BEGIN}(?:use|call|invoke) (?:the |your )(?:\w+ ){{0,3}}(?:tool|function) (?:to"
     rf"|and) (?:send|delete"
     r"|transfer|read|exfiltrate|forward|post|upload|pay|buy)\b"
     r"|\b(?:erase|delete|wipe|clear) (?:all )?(?:of )?your (?:\w+ )?memor(?:y|ies)\b"),
)  # fmt: skip

_TOLD_CN = "(?:指令|指示(?!灯)|提示词|提示语|系统提示|规则|命令|设定|限制|约束|系统消息|prompt)"
_AI_CN = "(?:ai|人工智能|大模型|语言模型|聊天机器人|智能体|助手|模型)"
_CHINESE = (
    (("忽略", "无视", "忘记", "忘掉", "不要理会", "别管", "不要遵守", "不再遵守", "抛开", "绕过",
     "不必遵守",
      "覆盖", "抛弃", "放弃"),
     "(?<!不要)(?<!不能)(?<!别)(?:忽略|无视|忘记|忘掉|不要理会|别管|不要遵守|不再遵守|抛开"
     "|绕过|不必遵守|覆盖|抛弃|放弃)"
     "掉?(?:所有|全部|一切|任何|你|之前|以前|先前|此前|上面|以上|前面|上述|原有|原来|系统|现有"
     "|的|收到过?|这些|那些|和|安全"
     f"|开发者|给|被){{1,8}}{_TOLD_CN}"),
    (("从现在", "从今", "从此", "今后", "以后"),
     "(?:从现在(?:起|开始)|从今(?:天|以后|往后)|从此(?:刻|以后)?|今后|以后)(?:开始|起)?[,，]?(?:"
     "你(?:必须|只能|总是|永远|务必|不得|将|就是|只需|要始终|要一直|都?要听)|(?:所有|每次"
     "|你的)的?(?:回复|回答|对话)"
     ".{0,8}(?:必须|都要|一律|都))"),
    (("用户", "使用者"),
     "(?:不要|别|不准|不许|不得|切勿|禁止|千万别|不能|无需|不用)(?:把.{0,10})?(?:(?:告诉|告知"
     "|透露给|泄露给|说给)(?:用户|使用者)"
     "|让(?:用户|使用者)(?:知道|发现|察觉|得知)|(?:向|对|跟)(?:用户|使用者)(?:透露|提及|提起"
     "|说|披露|坦白))(?!.{0,4}(?:哪|怎么|如何))"
     "|(?:瞒着|背着)(?:用户|使用者)|对(?:用户|使用者)(?:保密|隐瞒)"),
    (("你现在", "扮演", "充当", "假装", "你不再", "你将"),
     "你(?:现在|现已|已经|将|从现在起)?(?:起|开始)?(?:是|扮演|充当|变成|作为|不再是"
     "|成为)(?!不是).{0,16}?"
     "(?:人工智能|ai|助手|机器人|语言模型|黑客|dan|管理员模式|开发者模式|没有(?:任何)?限制"
     "|不受(?:任何)?限制|无限制)"
     "|(?:扮演|假装|充当).{0,12}?(?:没有(?:任何)?限制|不受(?:任何)?限制|无限制|黑客|越狱)"
     "|你(?:现在)?不再受.{0,8}?(?:限制|约束)"
     "|(?:开发者|越狱|无限制|dan)模式(?:已)?(?:开启|启动|激活)|进入(?:越狱|无限制|dan)模式"),
    (("系统",),
     "(?:^|[。!\n])[【\\[]?系统(?:消息|提示|指令|通知|命令)?[】\\]]?[:：]?.{0,20}?(?:你必须"
     "|你是|你现在|忽略|你将|你应)"),
    (("提示词", "系统提示", "指令", "prompt", "设定"),
     "(?:输出|打印|显示|告诉我|泄露|透露|公开|重复|复述|展示|说出|给我看?|贴出|写出)(?:一下"
     "|一遍|出)?(?:你的|你)"
     "(?:完整|全部|系统|初始|隐藏|原始|内部|所有|最初|的){0,4}(?:提示词|系统提示|指令|prompt|设定)"
     "|(?:输出|打印|泄露|透露|公开|复述)(?:完整|全部|隐藏|原始|内部|的){0,3}(?:系统提示词"
     "|系统提示)"),
    (("付款", "款", "资金", "钱", "比特币", "余额", "转账", "汇款"),
     "(?:总是|始终|一律|务必|必须|立即|马上|自动|悄悄|偷偷|永远)(?:把|将)?.{0,10}?(?:付款"
     "|款项?|资金|钱|比特币|余额|转账|汇款)"
     ".{0,8}?(?:转|打|汇|发送|支付|付|转账)(?:到|给|至|入|进)"),
    (("发送", "发到", "发给", "上传", "转发", "提交", "传到", "传给", "外传"),
     "(?:把|将|请|并|偷偷|悄悄).{0,12}?(?:密码|密钥|令牌|凭证|聊天记录|对话|用户数据|用户信息"
     "|用户的.{1,6}|记忆|cookie|token|api ?key"
     "|提示词|隐私).{0,12}?(?:发送|发|上传|转发|提交|传)(?:到|给|至).{0,12}?(?:https?:"
     "|\\S{1,30}@|\\w{2,30}\\.\\w|外部|攻击者|这个地址|以下)"),
    (("推荐", "宣传", "建议", "回答", "引用", "回复", "说"),
     "(?:记住|牢记)[,，:]?(?:你)?(?:要|必须|应该)?(?:总是|始终|永远|一律|优先|只"
     "|每次都)(?:要)?(?:推荐|宣传|建议|说|回答|引用|介绍)"
     "|(?:当|如果|每当|只要)(?:有)?(?:用户|使用者|有人)(?:问|询问|提到|咨询"
     "|搜索).{0,24}?(?:必须|总是|始终|只能|一律|永远|务必|只)"
     "(?:要)?(?:推荐|回答|回复|说|介绍|引用)|你必须(?:总是|始终|一直|优先)?(?:推荐|宣传)"),
    (("ai", "人工智能", "模型", "智能体", "助手"),
     f"(?:如果|若|假如)你是(?:一个|一名|一款)?{_AI_CN}|(?:致|给|写给)(?:所有"
     f"|各位)?(?:的)?{_AI_CN}的?(?:指令|说明|注意|命令|留言|消息)"
     f"|(?:^|[。!,，]){_AI_CN}(?:请注意|须知|必须|务必|请(?:忽略|立即|执行|把|将)|(?:读到|看到"
     f"|阅读)(?:这|此|本))"),
    (("记忆", "工具"),
     "(?:清除|删除|清空|抹掉)(?:掉)?你的?(?:所有|全部)的?记忆|(?:调用"
     "|使用)你?的?.{0,8}?工具.{0,4}?(?:发送|删除|转账|读取|上传|转发|付款)"),
)  # fmt: skip

_Rules = tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]
_ENGLISH_RULES: _Rules = tuple((hints, re.compile(rule)) for hints, rule in _ENGLISH)
_CHINESE_RULES: _Rules = tuple((hints, re.compile(rule)) for hints, rule in _CHINESE)


def gives_orders(text: str) -> bool:
    """Return whether a text gives orders to a model; see the module for what that means."""
    folded = fold(text if text.isascii() else HIDDEN.sub("", text))
    plain = " ".join(_DECORATION.sub("", folded).split())
    if _fires(_ENGLISH_RULES, plain):
        return True
    return not text.isascii() and _fires(_CHINESE_RULES, _HAN_SPACE.sub(_close, plain))


def _close(space: re.Match[str]) -> str:
    return space[0].strip()


def _fires(rules: _Rules, text: str) -> bool:
    return any(any(hint in text for hint in hints) and rule.search(text) for hints, rule in rules)
