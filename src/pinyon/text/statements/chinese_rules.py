"""What clauses in Chinese state; see `rules` for the notation."""

from functools import partial

from pinyon.text.statements.chinese_words import (
    CITIES,
    CONDITIONS,
    COUNTRIES,
    FIELDS,
    JOB,
    MEDICINES,
    NO_PLACES,
    WORK,
    is_a_name,
    is_allergen,
    is_an_ability,
    is_booked,
    is_consumed,
    is_driven,
    is_employer,
    is_job,
    is_liked,
    is_named,
    is_place,
    is_taste,
    is_thing,
    is_topic,
    is_version,
)
from pinyon.text.statements.rules import Notation
from pinyon.text.statements.vocabulary import (
    DEVICES,
    EVENTS,
    FAMILY,
    KINDS,
    OBJECTS,
    PETS,
    words_of,
)

_PIECES = {
    "ME": "(?:我们全家|我们家|我们|我家|咱们|咱家|咱|俺们|{SELF})",
    "SELF": "(?:(?:我|俺)(?:这边|这儿|这个人|这人)?(?:吧|呢|嘛|啊|呀)?)",
    "ADV": """(?:_(?:现在|目前|平时|平常|一直|就|也|还|都|已经|今年|去年|刚刚|刚|又|其实|特别|非常
        |很|真的|一般|通常|长期|从小|一个人|上个月|上周|上个星期|这个月|昨天|今天|前几天|最近|天生|确实
        |主要|家里|只|自己|有点|现在是|是真的|超级|超|巨|贼|挺|还是|一共|总共|常年|这两年|这几年|早就|才)){0,3}""",
    "X": r"[^，。；！？、,;!?：:（）()\n\ufffc]",
    "V": "(?P<value>{X}{1,24}?){END}",
    "OLD": "(?P<old>{X}{1,12}?)",
    "END": "(?:_(?:了|啦|吧|呢|哦|呀|啊|哈|嘛|呗|噢|哟|咯|喽|而已|就行|就好)){0,2}$",
    "NUMBER": "(?:[一二三四五六七八九十]{1,3}|\\d{1,3})",
    "DATE": r"""(?P<value>(?:(?:今年|明年|农历|下个?月|(?:19|20)\d\d_年)_)?
        (?:(?:\d{1,2}|[一二三四五六七八九十]{1,2})_月(?:份|_(?:\d{1,2}|初?[一二三四五六七八九十]{1,3})_[号日]?)?
        |[这本下]?个?(?:周|星期)[一二三四五六日天])
        (?:(?:早上|上午|中午|下午|晚上)?_[\d一二三四五六七八九十两]{1,3}_点半?)?)""",
    "MONEY": r"""(?P<value>(?:\d[\d,.]{0,10}|[一二两三四五六七八九十百千万]{1,6})_多?
        _(?:万|千|百)?_(?:块钱|块|元|人民币|k|欧元|美元)?)""",
    "OURS": "(?:{MY}|(?=老婆|老公|儿子|女儿|闺女|媳妇|孙女|孙子|外孙))",
    "MY": "(?:我的|我们的|我家的|我家|家里的|咱家的?|我)",
    "FAMILY": f"{{OURS}}(?P<of>{words_of(FAMILY)})",
    "KINDRED": words_of(FAMILY),
    "THEIRS": f"{{OURS}}(?P<of>{words_of(FAMILY, PETS)})",
    "DEVICE": f"{{MY}}(?:那[台部个辆])?_(?P<of>{words_of(DEVICES)})",
    "BARE": f"(?P<of>{words_of(DEVICES)})",
    "THING": f"(?P<of>{words_of(DEVICES, OBJECTS)})",
    "EVENT": f"(?:{{MY}})?(?P<of>{words_of(EVENTS)})",
    "KIND": f"(?P<kind>{words_of(KINDS)})",
    "TOPIC": "(?:的话|嘛|呢|吧|啊)?_",
    "JOB": JOB,
    "CITIES": CITIES,
    "MEDICINES": MEDICINES,
    "WORK": WORK,
    "NOWHERE": NO_PLACES,
    "DEVICES": words_of(DEVICES),
}


_rules = Notation(_PIECES, r"[ \t]{0,3}").rules
_ended = partial(_rules, says="ended")
_never = partial(_rules, says="never")

_WHO = (
    *_rules(
        "name",
        "我叫_{V}",
        "我的(?:名字|姓名|全名|英文名|中文名)(?:是|叫)_{V}",
        "{THEIRS}(?:的)?(?:名字)?(?:叫|名叫|名字是)_{V}",
        "{THEIRS}(?P<value>[小阿老](?![时学的孩朋声心姨区家师板])[\u4e00-\u9fff])(?=今年|明年|刚|最近|也?在|也?是|$)",
        means=is_a_name,
    ),
    *_rules(
        "age",
        "{SELF}今年_(?P<value>{NUMBER}){END}",
        "{SELF}{ADV}_(?P<value>{NUMBER})_岁{END}",
        "{THEIRS}{ADV}_(?P<value>{NUMBER})_岁{END}",
    ),
    *_rules("birthday", "我的?生日(?:是|在)_{DATE}{END}", "{FAMILY}的?生日(?:是|在)_{DATE}{END}"),
    *_rules("anniversary", "(?:我们|我)的?(?:结婚)?纪念日(?:是|在)_{DATE}{END}"),
    *_rules("nationality", f"我是(?P<value>{COUNTRIES})人{{END}}"),
    *_rules(
        "from",
        f"我是(?!{COUNTRIES}人)(?P<value>(?!{NO_PLACES}){{X}}{{2,5}}?)人{{END}}",
        "{FAMILY}是(?P<value>(?!{NOWHERE}){X}{2,5}?)人{END}",
        "我(?:的)?老家(?:是|在)_{V}",
        "{SELF}{ADV}来自_{V}",
        "{SELF}{ADV}出生(?:在|于)_{V}",
        means=is_place,
    ),
    *_rules(
        "lives_in",
        "{ME}{ADV}(?:住在|定居在|租住在|家住|居住在)_{V}",
        "我家在_{V}",
        "{ME}{ADV}是?在_(?P<value>{X}{2,10}?)_住(?:着)?{END}",
        "(?:我的?|家里的?)?新地址是_(?=[\u4e00-\u9fff]){V}",
        "{FAMILY}{ADV}在_(?P<value>{CITIES}){END}",
        "{SELF}{ADV}[跟和]{X}{1,8}?{ADV}住在_{V}",
        "{ME}{ADV}(?:从_{OLD}_)?搬家?(?:到|去|来|回)了?_{V}",
        "{FAMILY}{ADV}住在_{V}",
        means=is_place,
    ),
    *_ended(
        "lives_in",
        "{ME}{ADV}不再?住在?_(?P<value>{X}{2,12}?)了$",
        "{ME}(?:以前|之前|曾经)住在_{V}",
        means=is_place,
    ),
    *_rules(
        "job",
        "{SELF}{ADV}是(?:一名|一个|一位|个|名|位)?_(?P<value>{X}{0,6}?{JOB}){END}",
        "{SELF}{ADV}在_{X}{1,12}?当_(?P<value>{X}{0,4}?{JOB}){END}",
        "{SELF}{ADV}在_{X}{1,12}?[当做]_(?P<value>{X}{0,4}?{JOB}){END}",
        "我的职业是_{V}",
        "{SELF}{ADV}在_(?P<value>{X}{1,14}?(?:公司|单位|厂|工作室)?_{WORK}){END}",
        "{FAMILY}{ADV}是(?:一名|一个|一位|个|名|位)?_(?P<value>{X}{0,6}?{JOB}){END}",
        "(?:我的?)?(?P<of>室友)在_{X}{1,10}?当_(?P<value>{X}{0,4}?{JOB}){END}",
        means=is_job,
    ),
    *_rules(
        "works_at",
        "{SELF}{ADV}在_(?P<value>{X}{2,14}?)_(?:上班|工作|任职|就职){END}",
        "我[和跟]_{X}{1,6}?都?在_(?P<value>{X}{2,14}?)_(?:上班|上夜班|工作){END}",
        "{SELF}{ADV}(?:就职于|任职于|供职于)_{V}",
        "{FAMILY}{ADV}在_(?P<value>{X}{2,14}?)_(?:上班|工作|任职){END}",
        means=is_employer,
    ),
    *_ended(
        "works_at",
        "{SELF}{ADV}不再?在_(?P<value>{X}{2,14}?)_(?:上班|工作|任职)了",
        "{SELF}{ADV}从_(?P<value>{X}{2,14}?)_(?:离职|辞职)了",
        "我(?:以前|之前|曾经)在_(?P<value>{X}{2,14}?)_(?:上班|工作|任职){END}",
    ),
    *_rules("studies", f"{{FAMILY}}{{ADV}}是?学_(?P<value>{FIELDS})(?:学|专业)?的$"),
    *_rules(
        "studies", f"{{SELF}}{{ADV}}是?学_(?P<value>{FIELDS}(?:学|专业)?)的$", "我的?专业是_{V}"
    ),
    *_rules(
        "status", "{SELF}{ADV}(?P<value>已婚|未婚|离异|单身|丧偶|结婚了|离婚了|退休了|订婚了)$"
    ),
    *_rules("speaks", "{SELF}{ADV}会[说讲](?:一点|一些|点)?_(?P<value>{X}{1,10}?[语文话]){END}"),
    *_rules(
        "learns", "{SELF}{ADV}报了(?:一?个)?_(?P<value>{X}{1,6}?)_(?:班|课){END}", means=is_liked
    ),
    *_rules("learns", "{SELF}{ADV}(?:在学|正在学|开始学)_{V}", means=is_liked),
)
_THINGS = (
    *_rules(
        "has",
        "{ME}{ADV}(?:有|拥有|养了|养着|养|买了|入手了?|领养了|收养了)_{V}",
        "{ADV}(?:入手了|领养了)_{V}",
        "家里{ADV}(?:有|养了|养着|买了)_{V}",
        "{ME}{ADV}换了_{V}",
        "(?:咱家|我家|我们家|我们|我){ADV}(?P<value>{NUMBER}个(?:孩子|娃)){END}",
        "{OURS}{KINDRED}{ADV}给(?:我|我们)?买了_{V}",
        "(?:我们)?家里{ADV}(?P<value>{NUMBER}个(?:孩子|娃))",
        "(?:海淘|网购|新买|下单|订)的_(?P<value>{X}{2,20}?)_到(?:货)?了",
        "(?P<value>{X}{2,20}?)_买(?:好|到)了",
        "(?P<value>{X}{2,20}?)_我(?:特意|专门|又|也)买了",
        "给_{X}{1,10}?配了(?:一)?[个台块]_{V}",
        "(?:我的?)?{DEVICES}换了(?:一)?[块台个条副]_{V}",
        means=is_thing,
    ),
    *_rules("has", "(?:车子?|摩托车?|自行车){TOPIC}{SELF}{ADV}(?:开|骑)的是_{V}", means=is_driven),
    *_rules("has", f"我家(?P<value>{words_of(PETS)})(?!叫|是|粮|窝)_{{X}}{{2}}"),
    *_ended(
        "has",
        "{SELF}{ADV}把_(?P<value>{X}{1,16}?)_(?:卖|送人|扔|退|转手|捐)了",
        "{SELF}{ADV}(?:没有|没|不再有)_(?P<value>{X}{1,16}?)了$",
        "我的?(?P<value>{X}{1,8}?)(?:被偷|丢)了",
        means=is_thing,
    ),
    *_never("has", "{SELF}{ADV}(?:从来)?(?:没有|没)(?:买|养|有)过_{V}", means=is_thing),
    *_rules("ordered", "{ME}{ADV}(?:下单|订购|网购)了_{V}", means=is_liked),
    *_rules(
        "ordered",
        "(?P<value>{X}{2,20}?)_下单了",
        "(?P<value>{X}{2,20}?)_是(?:另外)?下的?一?单",
        means=is_thing,
    ),
    *_rules(
        "booked",
        "(?:{ME})?{ADV}(?:订|预订|预定)了_{V}",
        "(?P<value>{X}{0,12}?票)_(?:抢到|买到|买好|订好|买)了",
        "(?P<value>{X}{1,10}?(?:客栈|酒店|民宿|宾馆))_订的是",
        "(?P<value>{X}{1,10}?(?:客栈|酒店|民宿|宾馆))_(?:我)?订好了",
        "{ME}{ADV}定了_(?P<value>{X}{0,16}?(?:高铁|机票|车票|火车|航班|酒店|民宿|客栈|宾馆)){END}",
        means=is_booked,
    ),
    *_rules(
        "uses",
        "{SELF}{ADV}(?:用的是|在用|用(?![了过]))_{V}",
        "{SELF}{ADV}从_{OLD}_(?:换成|换到|换回|改用|转到|换)了?_{V}",
        "{SELF}{ADV}(?:改用|换成|换回)了?_{V}",
        "{DEVICES}{TOPIC}{SELF}{ADV}(?:用的是?|在用|用着|用(?![了过]))_{V}",
        means=is_named,
    ),
    *_rules(
        "version",
        "{DEVICE}的?(?:系统|固件|版本)?{ADV}(?:是|用的是|升级?到了?|更新到了?)_{V}",
        "(?:{MY})?新(?:买|换)?的?{BARE}{ADV}是_{V}",
        "{BARE}的?(?:系统|固件|版本){ADV}(?:是|升级?到了?|更新到了?|停在)_{V}",
        "{SELF}{ADV}把_{BARE}_(?:从_{OLD}_)?(?:升级?到|更新到|换成)了?_{V}",
        "{DEVICE}_从_{OLD}_(?:升级?到|换成)了?_{V}",
        means=is_version,
    ),
    *_never(
        "version",
        "(?:原来)?(?:{MY})?(?:家里)?(?:那个|那台)?_{BARE}(?:根本|从来)(?:就)?不是_{V}",
        means=is_version,
    ),
    *_rules(
        "version",
        "(?:它|那)?是_(?P<value>{X}{0,8}?{BARE}_v?\\d[\\w.]{0,8}){END}",
        is_reply=True,
    ),
    *_rules(
        "place",
        "{SELF}{ADV}把_{X}{0,6}?{THING}_(?:放|挂|装|藏|塞|收|搬|挪)(?:在|到|进)了?_{V}",
        "(?:{MY})?_{THING}{ADV}(?:放|挂|摆|装|塞)在了?_{V}",
        "{X}{0,8}?我的_(?P<of>工位)是_{V}",
        means=is_liked,
    ),
)
_DATES = (
    *_rules(
        "date",
        "{EVENT}{ADV}(?:定在了?|是在|是|在|安排在|改到了?|改成了?)?_{DATE}",
        "{DATE}的_{X}{0,4}?(?P<of>半马|全马|马拉松)_(?:抽中|报上|报名)了",
    ),
    *_rules("date", "{X}{0,6}?约了_{DATE}", subject="appointment"),
    *_rules("date", "{DATE}去_{X}{0,4}?(?:复查|体检|拆线){END}", subject="appointment"),
    *_rules("date", "回{X}{2,4}那趟是_{DATE}", subject="return"),
    *_rules("goal", "我(?:今年|明年)?的?(?:目标|心愿|新年愿望)是_{V}"),
)
_TASTES = (
    *_rules(
        "likes",
        "{ME}{ADV}最?(?:喜欢|热爱|爱(?=[吃喝看听玩用]))_{V}",
        means=is_taste,
    ),
    *_rules(
        "dislikes",
        "{ME}{ADV}(?:不太?喜欢|不怎么喜欢|讨厌|不爱(?=[吃喝看听玩用])|受不了|最烦)_{V}",
        means=is_liked,
    ),
    *_rules(
        "dislikes",
        "(?P<value>{X}{1,6}?){TOPIC}{SELF}{ADV}(?:一口都?|一点都?|完全|实在)?(?:吃不了|喝不了|受不了){END}",
        means=is_topic,
    ),
    *_ended("likes", "{ME}{ADV}不再(?:喜欢|爱)_{V}", means=is_liked),
    *_rules(
        "prefers",
        "{ME}{ADV}(?:更喜欢|更爱|偏好|偏爱|比较喜欢|宁愿)_{V}",
        means=is_liked,
    ),
    *_rules("favourite_", "我最(?:喜欢|爱)的_{KIND}(?:是|就是)_{V}"),
)
_LIMITS = (
    *_rules(
        "allergic_to",
        "{ME}{ADV}对_(?P<value>{X}{1,12}?)(?<!不)_过敏",
        "{SELF}{ADV}(?P<value>乳糖|果糖|麸质|酒精)_不耐受",
        "{FAMILY}{ADV}对_(?P<value>{X}{1,12}?)_过敏",
        "(?P<value>[^，。；！？、,;!?我俺对\\s\ufffc]{1,6}){TOPIC}{SELF}{ADV}过敏{END}",
        means=is_allergen,
    ),
    *_never(
        "allergic_to",
        "{SELF}{ADV}并?不对_(?P<value>{X}{1,12}?)_过敏",
        "{SELF}{ADV}对_(?P<value>{X}{1,12}?)_不过敏",
        means=is_allergen,
    ),
    *_rules(
        "condition",
        f"{{SELF}}{{ADV}}(?:有|得了|患有)_(?P<value>{CONDITIONS}){{END}}",
        "{SELF}{ADV}是?(?P<value>恐高|恐飞|红绿色盲|色盲|色弱|近视|怀孕|晕车|晕船|晕机|左撇子){END}",
        "{FAMILY}{ADV}(?:有|得了|患有|是)?(?P<value>乳糜泻|高血压|糖尿病|哮喘|痛风|癫痫)(?:好?多年|很久|好久)?{END}",
        "(?:我)?{ADV}确诊(?:了|为|是)?_{V}",
        means=is_liked,
    ),
    *_rules(
        "takes",
        "{SELF}{ADV}(?:每天|天天)?(?:早上|中午|晚上|饭后|睡前)?(?:都)?(?:要)?(?:改吃|在吃|吃着|吃|服用)_(?:[一二两三半]_[片粒颗]_)?(?P<value>{MEDICINES}){END}",
        means=is_liked,
    ),
    *_rules("takes", "{SELF}{ADV}(?:在吃|吃着|吃|服用)_(?P<value>{X}{1,6}?药){END}"),
    *_rules("diet", "{SELF}{ADV}(?:是)?(?P<value>吃素|吃纯素|素食者|素食|吃清真){END}"),
    *_ended("diet", "{SELF}{ADV}不再?(?P<value>吃素|吃纯素)了$"),
    *_rules(
        "avoids",
        "{ME}{ADV}(?:从不|从来不|不再|不)(?:吃|喝|抽)_{V}",
        "{ME}{ADV}(?:完全|一点都?|一口都?)?(?:吃不了|喝不了)_{V}",
        "{SELF}(?:[^，。；！？、,;!?他她你看听说\\ufffc]{0,6}?)戒的_(?P<value>酒|烟|咖啡|糖|奶茶){END}",
        "(?P<value>[^，。；！？、,;!?我俺\\s\ufffc]{1,6}){TOPIC}{SELF}{ADV}(?:从不|从来不|不)(?:吃|喝|碰){END}",
        "{SELF}{ADV}戒(?:掉)?了?_(?P<value>酒|烟|咖啡|糖|奶茶){END}",
        means=is_consumed,
    ),
    *_rules(
        "cannot",
        "{ME}{ADV}(?:不能|不太能|不可以|不准|没法)再?_(?P<value>(?:吃|喝|开车|久坐|久站|坐飞机|熬夜|剧烈运动|提重|爬楼|碰|游泳){X}{0,8}?){END}",
        means=is_an_ability,
    ),
    *_rules(
        "budget",
        """(?:{MY})?(?:买菜|装修|旅行|这次)?预算{ADV}(?:一周|一个月|每月)?
            (?:是|为|在|有|不超过|最多|大概|上限){0,2}_{MONEY}(?:以内|左右|以下|出头)?{END}""",
    ),
)

RULES = (*_WHO, *_THINGS, *_DATES, *_TASTES, *_LIMITS)
