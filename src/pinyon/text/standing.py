"""What holds whatever is asked: standing orders, who the user is, what must never be.

No search would find them: "always answer in metric" shares no word with a question about ovens. So
they are told at write, by the form of what the user says, and kept at hand.
"""

import re
from typing import Literal

Standing = Literal["", "instruction", "identity", "constraint"]

CHARS_MAX = 400
"""Nobody hides a standing order in a page of text; what is longer is a story or a document."""

_INSTRUCTION = re.compile(
    r"(?:^|[.!;,]\s+|\b(?:please|and|so|but)\s)(?:always|never|don't\sever|do\snot\sever)\s+"
    r"(?!happens?\b|happened\b|mind\b|was\b|were\b|been\b|had\b|forgets?\b|knew\b)\w+"
    r"|\bfrom\s(?:now|here|this\spoint)\son\b(?!\sit'?s\b)|\bgoing\sforward\b|\bin\s(?:the\s)?future\b.*\b(?:please|always"
    r"|don't|use|give|call|answer|reply|keep|include|avoid|remember)\b"
    r"|\b(?:whenever|any\s?time|every\stime|each\stime)\s(?:i|we|you|there|it|somebody|someone|my)\b"
    r".*\b(?:please|include|use|give|show|tell|add|ask|make|keep|answer|reply|always|don't|list|mention"
    r"|format|write|start|explain|provide|remind|check|skip|avoid|put|be|convert|assume|suggest)\b"
    r"|\b(?:let\sme\sknow|tell\sme|remind\sme|warn\sme|ping\sme)\s(?:every\stime|whenever|each\stime|any\stime)\b"
    r"|^(?:please\s)?(?:when|if)\s(?:i|you)\s(?:ask|say|schedule|book|write|send|draft|answer|reply|explain|plan|order"
    r"|suggest|give|buy|quote|cite|mention|talk|paste|share|request|want)\b.*,"
    r"|\b(?:call|address|refer\sto)\sme\s(?:as\s)?(?!back\b|when\b|later\b|on\b|at\b|tomorrow\b)\w+"
    r"|\b(?:i\swant|i'd\slike|i\sneed|i\sexpect|i\sprefer)\s(?:you\sto|your\s(?:answers|replies|responses))\b"
    r".*\b(?:always|every|never|all|any|whenever|each|by\sdefault|from\snow)\b"
    r"|\b(?:answer|reply|respond|write|speak|talk)\b.{0,30}\b(?:to\sme|with\sme|all)?\b.{0,20}"
    r"\b(?:only|always|by\sdefault|unless|every\stime)\b"
    r"|^(?:please\s)?(?:don't|do\snot|stop|avoid|no)\s(?:using|use|sending|send|starting|start|calling|call|adding"
    r"|add|giving|give|suggesting|suggest|recommending|apologi[sz]ing|ending|end|recommend|assume|ask|say"
    r"|saying|sugarcoat|emojis?|exclamation)\b.*\b(?:me|with\sme|answers?|replies|emojis?|ever|again|anymore"
    r"|any\smore|unless|messages?|code|responses?|i\sask|questions?|sorry)\b"
    r"|\bkeep\s(?:your\s|all\s)?(?:answers|replies|responses|it\sshort|explanations)\b|^(?:please\s)?(?:stop|quit)\s\w+ing\b.*\b(?:all\sthe\stime|so\smuch|constantly|every\stime|to\sme|me)\b"
    r"|\bbefore\syou\s(?:book|order|buy|send|delete|commit|change)\b.*\b(?:ask|check|confirm)\b|\bask\s(?:me\s)?(?:first|before)\b"
    r"|\b(?:as\sa\srule|by\sdefault|without\sexception|at\sall\stimes)\b.*\b(?:use|give|answer|reply|write|show"
    r"|include|assume|round|convert|send|be|keep|format|you)\b",
    re.IGNORECASE,
)
_IDENTITY = re.compile(
    r"\bmy\s(?:full\s|first\s|last\s|middle\s|real\s)?(?:name|surname|nickname|birthday|date\sof\sbirth"
    r"|pronouns|nationality|native\slanguage|mother\stongue|job|occupation|profession|job\stitle|star\ssign)"
    r"(?:'s|\sis|\sare|\swas)\b"
    r"|\bi(?:'m|\sam)\s(?:called|named|born|originally\sfrom|from|based\sin|living\sin|married|divorced|single"
    r"|widowed|retired|self-employed|\d{1,3}(?:\syears\sold)?\b(?!\s*(?:min|hour|percent|%|km|miles|steps))"
    r"|half[\s-])"
    r"|\bi(?:'m|\sam)\s(?:a|an|the)\s(?!bit\b|little\b|fan\b|mess\b|few\b|hurry\b|minute\b|big\sfan\b|idiot\b)"
    r"(?:\w+[\s-]){0,4}?(?:\w+(?:er|or|ist|ian|ant|ent|eer|man|woman|yst|ect|ief|ead|dad|mum|mom|rse|sse)"
    r"|student|nurse|chef|coach|vet|pilot|widow|widower|brit|scot|mother|father|parent|twin|vegan\schef"
    r"|grandmother|grandfather|ceo|cto|freelance\w*|phd|clerk|judge|scientist|german|swede|dane|pole)\b"
    r"|\b(?:retired|single\s(?:dad|mum|mom|parent|father|mother))\b|\b\d{1,3}\syears\sold\b|\bgrew\sup\sin\b"
    r"|\b(?:im|i'm|i\sam)\s(?:an?\s)?(?:brazilian|british|american|german|french|italian|spanish|chinese|indian|polish|dutch|irish"
    r"|scottish|welsh|canadian|australian|mexican|japanese|korean|turkish|greek|swedish|danish|norwegian|portuguese"
    r"|russian|ukrainian|nigerian|egyptian|vietnamese|thai|swiss|austrian|belgian|finnish|jewish|muslim|christian)\b"
    r"|\bmy\s(?:wife|husband|partner|spouse)\s(?-i:[A-Z][a-z]+)\b|\bmy\s(?:wife|husband|partner)\s(?:works|teaches|is\sa)\b"
    r"|\bi\s(?:live|grew\sup|was\sborn|come\sfrom|work\s(?:as|at|for|in)|teach|study|speak)\s"
    r"(?:in|as|at|for|on|from|with|\w+)\b"
    r"|\b(?:i|we)(?:'ve|\shave|'ve\sgot|\shave\sgot)?\s(?:have|got)?\s?(?:a|an|one|two|three|four|five|twin|no)\s"
    r"(?:\w+\s)?(?:kids?|child|children|daughters?|sons?|brothers?|sisters?|siblings|twins|wife|husband)\b"
    r"|\bmy\s(?:wife|husband|partner|daughter|son|spouse|fianc[eé]e?|mother|father|mum|mom|dad|sister|brother)"
    r"(?:'s\sname\sis|\sis\s(?:called|named)|'s\scalled)\b"
    r"|^(?:hi,?\s|hello,?\s|hey,?\s)?(?:it's|it\sis|this\sis|i'm|i\sam)\s(?-i:[A-Z][a-z]+)\b(?!\s(?:street|road))"
    r"|\bcall\sme\s[A-Z]\w+\s*[.,!]?$",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"\ballerg(?:ic|y|ies)\b|\bintoleran(?:t|ce)\b|\bcoeliac\b|\bceliac\b|\bdiabet(?:ic|es)\b|\basthma\b"
    r"|\b(?:i'm|im|i\sam|we're|we\sare|i've\sbeen|strictly)\s(?:a\s)?(?:strictly\s|mostly\s)?(?:vegetarian|vegan|pescatarian"
    r"|kosher|halal|gluten[\s-]free|lactose|teetotal|pregnant|colou?r[\s-]?blind|deaf|blind|dyslexic"
    r"|epileptic|hard\sof\shearing|in\sa\swheelchair|left-handed)"
    r"|\b(?:i|we)\s(?:can't|cannot|can\snot|mustn't|must\snot|may\snot|am\snot\sallowed\sto|'m\snot\sallowed\sto"
    r"|are\snot\sallowed\sto|don't\seat|do\snot\seat|don't\sdrink|do\snot\sdrink|don't\sdrive|never\seat"
    r"|never\sdrink)\s\w+.*"
    r"\b(?:because|since|due|after|anymore|any\smore|at\sall|ever|religio|medication|pregnan|doctor"
    r"|heavy|stairs|operation|surgery|back|knee|heart|blood|pork|meat|alcohol|dairy|gluten|nuts|fish|shellfish"
    r"|sugar|caffeine|on\sweekdays|before\s\w+|more\sthan|over\s[£$€]?\d|red|green|small\sprint|driv\w+)\b"
    r"|\b(?:i|we)\s(?:only|just)\s(?:eat|drink|wear)\b|\b(?:i|we)\s(?:don't|do\snot|never)\s(?:fly|drive|swim|drink|smoke|eat)\b"
    r"|\b(?:my|our)\s(?:\w+\s){0,2}budget\b.{0,30}\b(?:is|max|maximum|limit|at|of)\b|\bbudget\sof\b"
    r"|\b(?:no\smore\sthan|at\smost|max(?:imum)?\sof|limit(?:ed)?\s(?:of|to|is))\s[£$€]?\d"
    r"|\b(?:i|we)\s(?:use|need)\sa\s(?:wheelchair|hearing\said|screen\sreader|walking\sstick|cane)\b"
    r"|\bscreen\sreader\b|\bwheelchair\b|\bdoctor(?:'s)?\s(?:orders|said\si|told\sme\snot|forbade|banned)\b"
    r"|\b(?:i|we)\s(?:have|'ve\sgot|have\sgot)\s(?:a\s)?(?:bad\s(?:back|knee|hip|shoulder)|heart\scondition"
    r"|high\sblood\spressure|epilepsy|arthritis|fear\sof\sflying|pacemaker|nut\sallergy|migraines?)\b"
    r"|\b(?:i|we|my\s\w+|the\s\w+|kids|children)\s(?:is|are|am|isn't|aren't)(?:\snot)?\s(?:allowed|permitted)\b"
    r"|^no\s\w+\sfor\s(?:me|us)\b|\b(?:for\sgood|for\slife|for\smedical\sreasons|strictly\soff\slimits)\b"
    r"|\b(?:on|taking)\s(?:blood\sthinners|warfarin|insulin|antidepressants)\b",
    re.IGNORECASE,
)
_CHINESE_INSTRUCTION = re.compile(
    r"(?:老是|总是|动不动就).{0,4}(?:道歉|说|用|发)|别(?:老是|总是|再|动不动)|(?:之前|前)(?:必须|一定要|都要|要)?(?:先)(?:问|跟我|征得|告诉)我?"
    r"|(?:统统|全部|全都|一概|一律).{0,6}(?:给|用|按|要|写)|(?:以后|今后|从现在起|从今以后|从今天起|今后往后|接下来|每次|每当|每回|凡是|一律|始终|务必|默认)"
    r".*(?:请|都|要|别|不要|用|给|叫|回答|回复|先|必须|保持|提醒|不用|记得|写|按|加|附)"
    r"|(?:永远|总是|一直|一定)(?:要|用|给|别|不要|先|请|叫)|(?:叫我|称呼我|喊我)(?!起床|一声|来|去|吃)"
    r"|(?:回答|回复|答案|解释|代码).{0,8}(?:都要|都用|一律|尽量|必须|要简短|简短|控制在|不要超过|别超过)"
    r"|(?:别|不要|不用)(?:再)?(?:用|给我|跟我|对我|叫我|发|加|推荐).{0,10}(?:表情|了|称呼|敬语|emoji|客套|废话|您|道歉|英文|术语)"
    r"|只要我(?:问|说|提|发)|如果我(?:问|说|提|发)|当我(?:问|说|提|发)|我.{1,12}(?:时|的时候)[，,]?.*(?:先|都|要|别|不要|给|请|列|留)|一.{1,4}就(?:告诉|提醒|通知|叫)我"
)
_CHINESE_IDENTITY = re.compile(
    r"我叫(?!你|他|她|了|车|外卖|醒)|我的?(?:名字|姓名|全名|英文名|小名|生日|职业|国籍|母语|籍贯|老家|专业|年龄|网名)(?:是|在|叫|：)"
    r"|我(?:今年|已经)?[\d一二三四五六七八九十]{1,4}岁|我(?:[跟和].{1,6})?(?:住在|生于|出生(?:于|在)|来自|毕业于|任职|就职|从事)"
    r"|我是(?!说|不是|想|在|来|问|要|怕|觉得|真|去|从|昨|今|刚|第一次|否|为了|怎|谁|什么)"
    r".{0,14}(?:人|师|生|员|医|家|工|长|者|士|妈|爸|教授|经理|老板|会计|护士|编辑|厨师|律师|程序员|独生|党|博主|导演|法官|独子|独女|父亲|母亲|儿)"
    r"|我在.{1,16}(?:上班|工作|教书|读书|念书|上学|读研|读博|当老师|做|任职|当)(?!.*(?:今天|昨天|刚))"
    r"|我(?:有|家有|们有)(?:一|两|二|三|四|1|2|3|个)?.{0,3}(?:个)?(?:孩子|女儿|儿子|哥哥|姐姐|弟弟|妹妹|双胞胎|娃)"
    r"|我(?:已婚|未婚|离异|单身|退休了?|结婚了)|我(?:老婆|老公|妻子|丈夫|爱人|女儿|儿子|太太|先生|妈妈|爸爸)(?:名?叫|的名字|是.{0,8}(?:师|员|生|工|医|家|警|官|理))"
    r"|家里.{0,3}个(?:孩子|娃|老人)|老大叫|老二叫"
    r"|我家(?:在|住)|我姓|本人|(?:今年|现年)[\d一二三四五六七八九十]{1,4}(?:岁|，|,|了|$)"
)
_CHINESE_CONSTRAINT = re.compile(
    r"过敏|不耐受|(?:我|我们|家里).{0,6}(?:吃素|素食|清真|忌口|不吃|不喝酒|不能吃|不能喝|吃不了|戒)"
    r"|糖尿病|高血压|心脏病|哮喘|癫痫|色盲|色弱|失聪|轮椅|残疾|孕妇|怀孕|痛风|乳糜泻|恐高|恐飞|晕机|晕船|晕车|近视|听障|听力不好|视障|关节炎|心脏起搏|腰椎间盘|低血糖|贫血|胃病"
    r"|预算.{0,10}(?:\d|[一二三四五六七八九十百千万])|不(?:能|要)?超过.{0,4}\d|(?:最多|上限).{0,6}\d"
    r"|(?:我|我们).{0,8}(?:不能|不可以|没法|无法|不准|禁止).{0,14}(?:手术|医生|吃药|膝盖|腰|背|宗教|提重|搬|久坐|久站|剧烈|熬夜|开车|爬楼|喝酒|碰|坐飞机)"
    r"|(?:酒|烟|肉|糖|海鲜|牛奶|花生|坚果|辣).{0,6}(?:不能|不许|不可以|不准|碰不得)|长期(?:吃药|服药)|死规定|硬性|绝对不(?:能|行|可以)"
    r"|不(?:许|准|让)(?:看|吃|喝|用|玩|带|进)|医生(?:说|让|嘱咐|不让|叮嘱|要求|禁止).{0,8}(?:不|别|少|禁|戒|避免)"
)
_QUESTION = re.compile(
    r"^(?:so\s|and\s)?(?:what|where|who|whose|which|how|why|when\s(?:did|do|does|is|was|will|am|are))\b"
    r"|^(?:do|does|did|am|is|are|was|were|can|could|should|have|has)\s(?:i|we|you|my|the|it|he|she)\b"
    r"|^(?:我|他|她|我们|我家).{0,8}(?:什么|哪|谁|几|多少|吗)",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"\blol\b|\bhaha|哈哈|\bjoking\b|\b(?:today|right\snow|this\stime|tonight|just\snow|this\s(?:paragraph|sentence|email|file|one))\b"
    r"|今天|今晚|这次|这一次|这段|刚才|现在(?!起)|这封|这句",
    re.IGNORECASE,
)


def standing_of(text: str) -> Standing:
    """Return what a statement of the user's lays down for good; "" for what merely happened."""
    if len(text) > CHARS_MAX or text.rstrip().endswith(("?", "？")):
        return ""
    said = " ".join(text.replace("’", "'").split())
    if _QUESTION.search(said):
        return ""
    if _ONE_OFF.search(said):
        return ""
    if _CONSTRAINT.search(said) or _CHINESE_CONSTRAINT.search(said):
        return "constraint"
    if _INSTRUCTION.search(said) or _CHINESE_INSTRUCTION.search(said):
        return "instruction"
    if _IDENTITY.search(said) or _CHINESE_IDENTITY.search(said):
        return "identity"
    return ""


_PREFERENCE = re.compile(
    r"\b(?:i|we)(?:'ve|'d|\shave)?\s(?:\w+\s)?(?:prefer(?:red)?|like|love|enjoy|hate|dislike|favou?r"
    r"|avoid|chose|decided)\b|\bmy\s(?:\w+\s)?(?:favou?rite|preference|preferred)\b"
    r"|我.{0,6}(?:喜欢|偏好|更爱|最爱|讨厌|不爱|爱吃|爱喝|爱看|爱用|习惯用|宁愿)",
    re.IGNORECASE,
)


def states_a_preference(text: str) -> bool:
    """Return whether somebody says what they like or chose: what advice to them must mind."""
    return _PREFERENCE.search(text.replace("’", "'")) is not None


def filed_under(text: str) -> str:
    """Return the category under which the user's own words are filed, by rule; "" for most."""
    return standing_of(text) or ("preference" if states_a_preference(text) else "")
