"""How Chinese sentences are taken apart, and what of them is not meant."""

import re

from pinyon.text.statements.chinese_rules import RULES
from pinyon.text.statements.rules import FIRST, NEVER, Language, Omission

_SEPARATOR = re.compile(
    r"[，,、；;：:]\s{0,3}|(?<=[\u4e00-\u9fff])\s{1,3}(?=(?:我|咱|俺|现在|但|不过|还有|对了))"
)
_OWN = re.compile("[我俺咱](?!妈|爸|哥|姐|弟|妹|老|朋|同|女|儿|家|对|先|太|的|们的)")
_WHEN = (
    "(?:现在|目前|如今|平时|周末|去年|今年|上周|最近|前几天|昨天|刚刚|刚|已经|终于|还是|后来"
    "|又){0,2}"
)
_OMISSIONS = (
    Omission(
        _OWN,
        re.compile(
            rf"(?={_WHEN}(?:在.{{1,16}}(?:上班|工作)$|住在|换了|买了|养了|入手了|喜欢|讨厌|会[说讲]"
            r"|(?:退休|结婚|离婚)了$|不吃|不喝|[一二三四五六七八九十\d]{1,3}(?:岁|了$)|报了"
            r"|每天(?:早上|中午|晚上)?吃))"
        ),
        "我",
    ),
    Omission(
        re.compile(f"{FIRST.pattern}|{_OWN.pattern}|医生给我"),
        re.compile(
            rf"(?={_WHEN}(?:在.{{2,16}}(?:上班|工作)$|在.{{2,14}}公司\w{{3}}$"
            r"|入手|换成|换回|改用|改吃|搬[到来]"
            r"|报了个|下单了"
            r"|买了(?:一)?[个台只辆部]|养了(?:一)?只|领养了|[订定]了.{1,16}(?:票|高铁|酒店|民宿|航班)$|更喜欢|特别喜欢))"
        ),
        "我",
    ),
    Omission(
        re.compile(
            r"(?P<who>我(?:妈妈?|姐姐?|妹妹?|老婆|媳妇|女儿|闺女|女朋友|奶奶|外婆))(?!.*[他她].*)"
            r"(?!.*(?:和|跟|给|带|朋友|同事|老师))"
        ),
        re.compile("她(?![们的说])"),
        r"\g<who>",
    ),
    Omission(
        re.compile(
            r"(?P<who>我(?:爸爸?|哥哥?|弟弟?|老公|儿子|男朋友|爷爷|外公))(?!.*[他她].*)"
            r"(?!.*(?:和|跟|给|带|朋友|同事|老师))"
        ),
        re.compile("他(?![们的说])"),
        r"\g<who>",
    ),
)
"""What clauses leave out: who is meant, after a clause of theirs, or at the beginning."""

_CARRIES = re.compile(
    "平[时常]|周末|每[天周月年次]|[就也还都]|现在|目前|如今|已经|之前|以前|今年|去年|最近|刚|一直|经常|有时|天天|换工作|用了|租的|在(?!座)"
)
"""How a clause begins that names nobody."""

_FILLER = re.compile(
    r"(?:(?:你好|您好|嗨|哦|对了|其实|不对(?=[，,])|不是(?=[，,])|更正一下|更正|说错了|另外|还有|顺便说一下|话说|嗯|因为|所以|但是|但|不过|而且|然后"
    r"|请记住|记住|记一下|最后|后来|可是|可(?![能以爱靠])|(?:哈{2,9}|嘿{2,9}|笑死(?:我了?)?)(?![哈嘿]|$)|说真的|讲真的?|说实话|老实说|坦白[说讲]|实话说|跟你说(?:个事|一下)?(?![我他她])"
    r"|忘了说|差点忘了|顺便(?:说|提)一[下句]|补充一[下句]|(?:嗯|哎呀?|唉|呃|额|那个|反正|总之|好吧|好的|对|是的|没错|早上好|早|晚上好|在吗|跟你说|说来话长"
    r"|先(?:自我)?介绍一?下(?:我?自己)?吧?|跟你说个?[^，,我他她]{0,6})(?=[，,：:\s]))[，,、：:\s]{0,3}){1,6}(?!来)"
)
_CONDITION = re.compile(
    r"(?:[^，。；！？,;!?]{1,16}?(?:的时候|时候|期间|时|以后|之后)|(?:每天|每周|平日|周末|早上|晚上|冬天|夏天|上班|出差|在家|在外面)[^，。；！？,;!?我]{0,6})"
    r"(?=我)"
)
_LIMIT = re.compile(
    ".{1,16}(?:的时候|时候|期间|时|之后|以后)$|(?:冬天|夏天|平日|周末|出差|在家|在外面).{0,6}$"
)
_INSTEAD = re.compile(r"(?:不是|而不是|不在)\s{0,3}(?P<old>[^，。；！？,;!?]{1,16})$")

_ORDERS = re.compile(
    "请|以后|今后|往后|跟我聊天|从现在|从今|接下来|每次(?:我?(?:问|说|提|发|写|给|推荐|订|回答|回复|都?先|都要|都用|都给|都按))|每当|每回|凡是|一律|统统|始终|务必|默认|永远|总是|一定要|别|不要|不用|叫我|称呼我|喊我|回答|回复|答案|代码|解释|记得"
    "|只要我|如果我|当我|我.{1,12}(?:时|的时候)|给我"
)
_ASKS = re.compile(
    r"(?:.*(?:什么|哪(?!怕)|谁|怎么|为何|为什么|多少|是不是|能不能|有没有|要不要|会不会|可不可以|支不支持|几[个岁点号月天只台块]$|来着|还记得|请问)|.*[吗么]$|.*呢$)",
    re.DOTALL,
)
_CONFIRMS = re.compile("对[吗吧么不]|是[吗吧么]|没错|记得|记错|说错|知道|确定|来着|^还是|^.{0,3}$")
_DOUBTS = re.compile(
    "可能|也许|或许|说不定|好像|似乎|差点|恨不得|据|听说|应该是|不确定|不知道|不清楚"
)
_HEDGE = re.compile(
    "(?:我|也|就|这)?(?:可能|也许|或许|说不定|好像|似乎|应该是?|不确定|不知道|不清楚)(?:吧|是|的|哦|呢|呀|啊|了)?"
)
"""A clause that is a guess and nothing else."""

_LEANS = re.compile(
    "[也就]?(?:可能|也许|或许|说不定|好像|似乎|应该|不确定|不知道|不清楚)|[它这那]|我也?(?:不确定|不知道|不清楚)"
)
_SUPPOSES = re.compile(
    "如果|要是|假如|假设|倘若|万一|假装|的话|梦见|梦到|即使|哪怕|想象|角色|剧本|(?:游戏|故事|戏|剧|电影|小说)里"
)
_TURN = re.compile("但|不过|可是|话说回来|对了")
_JOKES = re.compile("哈哈|嘿嘿|233|笑死")
_TAKES_BACK = re.compile("开玩笑|逗你|骗你的")
_OTHERS_SPEAK = re.compile(
    "(?<![会不再用能在话])(?<!跟你)(?<!和你)(?<!实话)(?<!老实)(?<!坦白)(?<!忘了)(?<!顺便)说(?!错|英|中|粤|法|日|普|话|真的|实话|来话长|起来|一下|不定|明书)|告诉|写道|认为|(?<![先要来])问我|主角|小说里|歌词|台词|这句话|让我"
)
_FOR_ONCE = re.compile("今天|今晚|明天|这次|这回|这个|那个|这种|刚才|暂时|还没")
_TASKS = re.compile(
    r"\s{0,9}(?:请|帮我|麻烦|帮忙){0,2}(?:翻译|把.{0,60}(?:翻[译成]|改|译|润色|念给|读给|背)|写一|写首|改写|润色|扮演|假装|重复|执行|运行|测试|心跳|系统[：:]|你是(?:一个|一名|个)|续写|造句|例如|比如|示例)"
)

CHINESE = Language(
    rules=RULES,
    separator=_SEPARATOR,
    own=_OWN,
    omissions=_OMISSIONS,
    carries=_CARRIES,
    filler=_FILLER,
    condition=_CONDITION,
    limit=_LIMIT,
    instead=_INSTEAD,
    orders=_ORDERS,
    asks=_ASKS,
    relative=NEVER,
    confirms=_CONFIRMS,
    doubts=_DOUBTS,
    hedge=_HEDGE,
    leans=_LEANS,
    joins=NEVER,
    supposes=_SUPPOSES,
    turn=_TURN,
    jokes=_JOKES,
    takes_back=_TAKES_BACK,
    others_speak=_OTHERS_SPEAK,
    for_once=_FOR_ONCE,
    tasks=_TASKS,
)
