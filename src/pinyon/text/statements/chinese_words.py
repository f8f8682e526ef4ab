"""Words that the rules for Chinese know, and whether a value is one that can be meant."""

import re

JOB = (
    "(?:老师|教师|医生|护士|程序员|工程师|律师|会计|设计师|司机|厨师|教授|经理|编辑|记者"
    "|作家|学生|研究生|博士生|大学生|警察|演员|歌手|翻译|法官|导游|教练|校长|画家|导演|农民"
    "|保安|销售|公务员|快递员|飞行员|空姐|药剂师|建筑师|摄影师|理发师|咨询师|分析师|店长"
    "|店主|插画师|化妆师|兽医|牙医|军人|消防员|收银员|服务员|图书管理员|产品经理|研究员"
    "|科学家|音乐家|架构师|运维|退休医生)"
)
CONDITIONS = (
    "(?:高血压|[一二12]?型?糖尿病|低血糖|哮喘|心脏病|痛风|贫血|胃病|鼻炎|颈椎病"
    "|腰椎间盘突出|偏头痛|关节炎|失眠症|湿疹|癫痫|甲亢|甲减|恐高症|抑郁症)"
)
COUNTRIES = (
    "(?:中国|美国|英国|法国|德国|日本|韩国|意大利|西班牙|葡萄牙|俄罗斯|加拿大|澳大利亚"
    "|新西兰|新加坡|马来西亚|泰国|越南|印度|印尼|菲律宾|荷兰|瑞典|挪威|芬兰|丹麦|瑞士"
    "|奥地利|波兰|巴西|墨西哥|埃及|土耳其|乌克兰)"
)
CITIES = (
    "(?:北京|上海|天津|重庆|广州|深圳|珠海|佛山|东莞|惠州|杭州|宁波|温州|绍兴|嘉兴|南京|苏州|无锡|常州|扬州|镇江"
    "|南通|徐州|合肥|芜湖|福州|厦门|泉州|南昌|济南|青岛|烟台|潍坊|郑州|洛阳|开封|武汉|宜昌|长沙|株洲|湘潭|成都"
    "|绵阳|贵阳|昆明|大理|丽江|西安|咸阳|兰州|西宁|银川|乌鲁木齐|拉萨|呼和浩特|太原|大同|石家庄|保定|唐山|沈阳"
    "|大连|长春|吉林|哈尔滨|南宁|桂林|海口|三亚|香港|澳门|台北|高雄|老家|东京|大阪|首尔|伦敦|巴黎|柏林|纽约"
    "|洛杉矶|旧金山|波士顿|多伦多|温哥华|悉尼|墨尔本|乡下)"
)
MEDICINES = (
    "(?:{X}{0,6}?(?:药|地平|沙坦|他汀|普利|洛尔|双胍|西林|甲状腺素|华法林|阿司匹林|胰岛素|胶囊))"
)
WORK = (
    "(?:写文案|写代码|写程序|做设计|做运营|做销售|做财务|做人事|做开发|做前端|做后端|做客服"
    "|做测试|带团队|跑业务)"
)
NO_PLACES = (
    "(?:男|女|好|坏|普通|成年|老实|负责|外地|本地|一个|个|局外|当事|过来|聪明|什么|怎|老|大"
    "|新|主持|候选|经纪|中间|第|病|盲|机器|当地|代理|保证|不|很|说|想|你|他|她|这|那)"
)
_MEASURED = re.compile(
    r"(?:[一两二三四五六七八九十\d]{1,3}\s{0,2})?[台只条辆部把架双盏匹款头块支副套]\s{0,2}(?P<what>\S.*)"
)
_COUNTED = re.compile(r"(?:[一两二三四五六七八九十\d]{1,3}\s{0,2})?个\s{0,2}(?P<what>\S.*)")
_KIN = re.compile("孩子|女儿|儿子|双胞胎|哥哥|姐姐|弟弟|妹妹|孙子|孙女|娃")
_THINGS = re.compile(
    "网关|手机|平板|电脑|笔记本|路由器|电视|打印机|相机|手表|服务器|自行车|电动车|汽车|摩托车|钢琴|吉他|古筝|小提琴|冰箱|洗衣机|扫地机|机器人"
    "|耳机|音箱|键盘|显示器|投影|空调|猫|狗|兔子|乌龟|仓鼠|鹦鹉|柯基|房子|公寓|插座|传感器|窗帘|灯泡|灯|电池|锅|烤箱|咖啡机|帐篷|沙发|轮椅"
)
_NO_THINGS = re.compile(
    "问题|事|会$|点$|空$|想法|时间|计划|建议|课|任务|机会|办法|意见|疑问|感觉|意思|朋友|同事|邻居|钱|票$|兴趣|印象|经验|年纪|部分|手就|没|不|就|身$|把$|给[我他她你]"
)
_NAMED = re.compile("[A-Za-z]{2}|[A-Za-z]\\d|\\d[A-Za-z]")
FIELDS = (
    "(?:法律|会计|建筑|医|计算机|数学|物理|化学|生物|经济|金融|管理|中文|英语|日语|历史|哲学"
    "|艺术|设计|音乐|机械|电子|土木|新闻|心理|护理|美术|舞蹈|地理|农|软件工程|通信|自动化)"
)
_NO_NAMES = re.compile(
    "你|他|她|它|我|了|车|外卖|醒|不|什么|滴滴|来|人|过|停|快递|代驾|爷爷|奶奶|[爸妈]|吃饭|回家|起床"
)
_POINTS = re.compile("这|那|第|你|他|她|它|我|的|此|上面|下面|刚才")
_NO_PLACES = re.compile(
    "^(?:酒店|宾馆|路上|家里?$|你|第|下一|上一|一起|医院|隔壁)|[这那哪床他她]|楼[上下]?$|附近$|会议室|客厅|卧室|书房|厨房|阳台|办公室|[工座]位|文件夹|目录|服务器|硬盘|^公司."
)
_NO_TOPICS = re.compile(
    "[就都也还但是说让给把和跟他她你]|时候|以后|今|昨|现在|[早中午晚]饭|这|那|的"
)
_NO_EMPLOYERS = re.compile("认真|努力|拼命|好好|外面|公司$|线上|远程|加班|安心|专心")
_PRODUCT = re.compile("[\u4e00-\u9fff]{0,6}\\s?[A-Za-z][A-Za-z0-9 .+#-]{1,30}")
_VERSION = re.compile(
    "(?:[\u4e00-\u9fff]{1,8}\\s?\\d{1,3}[A-Za-z]{0,5}"
    "|[\u4e00-\u9fff]{0,8}\\s?(?:[A-Za-z][A-Za-z0-9 .+-]{1,30}|\\d{1,4}(?:\\.\\d{1,6}){1,3}))"
)


def is_a_name(value: str) -> bool:
    """Return whether a value may be the name of somebody."""
    return len(value) <= 16 and not _NO_NAMES.search(value)


def is_place(value: str) -> bool:
    """Return whether a value may be where somebody lives, or comes from, for long."""
    return not _NO_PLACES.search(value)


def is_driven(value: str) -> bool:
    """Return whether a value is what somebody drives, and not whose, or how."""
    return is_liked(value) and not re.search("的|别人|公司|很|太|慢|快", value)


def is_employer(value: str) -> bool:
    """Return whether a value may be where somebody works, and not how."""
    return is_place(value) and not _NO_EMPLOYERS.match(value)


def is_job(value: str) -> bool:
    """Return whether a value is a job of one's own, and not somebody who was spoken of."""
    return not re.search("[他她你那这第的]", value)


def is_named(value: str) -> bool:
    """Return whether a value is a name in Latin letters, as products have."""
    return _PRODUCT.fullmatch(value) is not None


def is_version(value: str) -> bool:
    """Return whether a value names a version or a model, and is no amount: "v3", "小米 15"."""
    return _VERSION.fullmatch(value) is not None and any(map(str.isdigit, value))


def is_thing(value: str) -> bool:
    """Return whether a value is something to be had: measured as things are, known, or named."""
    if _POINTS.match(value) or _NO_THINGS.search(value):
        return False
    if _MEASURED.match(value) or _THINGS.search(value) or _NAMED.search(value):
        return True
    return bool(_COUNTED.match(value)) and bool(_KIN.search(value))


def is_liked(value: str) -> bool:
    """Return whether a value stands for itself, and not for what was said or shown just before."""
    return len(value) > 1 and not _POINTS.match(value) and not re.match("[了过着习]|.不.", value)


def is_taste(value: str) -> bool:
    """Return whether a value is to somebody's taste, and not near to their heart: 现在的工作."""
    return is_liked(value) and not re.search("工作$|^现在", value)


def is_topic(value: str) -> bool:
    """Return whether what stands before a clause is what that is about: no time, no person."""
    return is_liked(value) and not _NO_TOPICS.search(value)


def is_booked(value: str) -> bool:
    """Return whether a value is booked for a day, and nothing of every day."""
    return is_liked(value) and not re.search("闹钟|外卖|^[个了]", value)


def is_allergen(value: str) -> bool:
    """Return whether a value is a thing that one reacts to, and not what was just spoken of."""
    return not _POINTS.match(value)


def is_consumed(value: str) -> bool:
    """Return whether a value is something that is eaten or drunk, and not how or when."""
    return not re.match("[素了过得下惯饱不太完起这那早午晚饭药亏苦多兜]", value)


def is_an_ability(value: str) -> bool:
    """Return whether a value says what cannot be done, whoever asks."""
    return len(value) > 1 and not re.search("[亏苦接送陪你他]", value)
