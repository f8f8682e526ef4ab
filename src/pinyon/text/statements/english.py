"""How English sentences are taken apart, and what of them is not meant."""

import re

from pinyon.text.statements.english_rules import RULES
from pinyon.text.statements.rules import FIRST, NEVER, Language, Omission

_GOES_ON = (
    r"(?:work|live|speak|love|like|hate|prefer|am|use|have|bought|adopted|ordered|sold|booked"
    r"|moved|switched|quit|retired)\b"
)
"""Verbs before which "and" goes on with whom the clause before was about."""

_ADVERBS = r"(?:also|now|actually|honestly|basically|currently|anyway|luckily|sadly|tbh|then)"
_SEPARATOR = re.compile(
    r"(?<!\bhi)(?<!\bhey)(?<!\bhello)(?<!\bthere),\s{1,3}(?:(?:and|but|so|because|cos|since)\s)?|;\s{1,3}|\s[—–-]{1,2}\s|:\s{1,3}"
    rf"|\s(?:and|but|so|because|cos|cuz|though)\s(?=(?:{_ADVERBS}\s)?(?:(?:i|im|ive|we|my|our|please)\b|i'|we'))"
    rf"|\s(?=and\s{_GOES_ON})",
    re.IGNORECASE,
)
"""Where a clause ends and another begins."""

_OWN = re.compile(
    r"(?:i|we)(?:\s|'(?:m|ve|re)\b)|(?:im|ive)\s|my\s(?:partner|wife|husband)\sand\si\b",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(?:i'?m|i\sam|we're|we\sare|(?:i|we)\shave|(?:i|we)'?ve(?:\sgot)?)\s", re.IGNORECASE
)
"""How a clause begins that may be the first of a list of what one is and has."""

_HER = r"wife|mother|mum|mom|sister|daughter|girlfriend|grandmother|grandma|nan"
_HIS = r"husband|father|dad|brother|son|boyfriend|grandfather|grandpa"


def _only(kin: str) -> re.Pattern[str]:
    """Return how a clause begins that is about somebody of the family, and names nobody else."""
    place = r"(?<!\sin)(?<!\son)(?<!\sat)(?<!\sto)(?<!from)"
    return re.compile(
        rf"(?P<who>(?:my|our)\s(?:(?:older|elder|younger|big|twin|little)\s)?(?:{kin}))\b(?:,?\s(?-i:[A-Z])\w{{1,20}})?"
        rf"(?!'s|.*\s(?:my|our|his|her|their|and|friend|with|an?\s\w+er)\s)(?!.*{place}\s(?-i:[A-Z]))",
        re.IGNORECASE,
    )


_OMISSIONS = (
    Omission(_OWN, re.compile(rf"and\s(?={_GOES_ON})", re.IGNORECASE), "i "),
    Omission(_OWN, re.compile(r"(?=(?:living|working|based)\b)", re.IGNORECASE), "i'm "),
    Omission(
        _OWN,
        re.compile(r"(?=(?:(?:work|live)\s(?:as|at|for|in)|teach|retired)\s)", re.IGNORECASE),
        "i ",
    ),
    Omission(
        _LISTED,
        re.compile(
            r"(?=(?:happily\s)?(?:married|divorced|single|widowed|engaged|retired|separated|vegan|vegetarian)$)",
            re.IGNORECASE,
        ),
        "i'm ",
    ),
    Omission(
        _LISTED,
        re.compile(
            r"(?:and\s)?(?=(?:an?|one|two|three|four|five|\d)\s(?:\S{1,20}\s){0,3}"
            r"(?:kids?|child(?:ren)?|sons?|daughters?|twins|dogs?|cats?|rabbits?|puppy|kitten)$)",
            re.IGNORECASE,
        ),
        "i have ",
    ),
    Omission(
        FIRST,
        re.compile(
            r"(?=(?:just|finally|recently|only)\s(?:got|bought|moved|switched|ordered|adopted|booked|turned)\s"
            r"|(?:switched|migrated|moved|upgraded)\s(?:from|to)\s"
            r"|(?:got|bought|adopted|ordered|booked|sold)\s(?:an?|my|our|the|myself|two|three)\s)",
            re.IGNORECASE,
        ),
        "i ",
    ),
    Omission(
        FIRST,
        re.compile(r"(?=been\s(?:living\sin|working|using|vegan|vegetarian)\s)", re.IGNORECASE),
        "i've ",
    ),
    Omission(
        FIRST,
        re.compile(
            r"(?=(?:not\s(?:really\s)?an?\s(?:(?:huge|big)\s)?fan\sof|allergic\sto|originally\sfrom)\s)",
            re.IGNORECASE,
        ),
        "i'm ",
    ),
    Omission(_only(_HER), re.compile(r"(?:she|who)(?=\s|'s\b)", re.IGNORECASE), r"\g<who>"),
    Omission(_only(_HIS), re.compile(r"(?:he|who)(?=\s|'s\b)", re.IGNORECASE), r"\g<who>"),
)
"""What clauses leave out: who is meant, after a clause of theirs, or at the beginning."""

_FILLER = re.compile(
    r"(?!(?:hi|hello|hey)(?:\sthere|\severyone)?[,!]?\s(?:i'm|i\sam|this\sis)\s(?-i:[A-Z]))"
    rf"(?:(?:oh|well|hi|hello|morning|good\s(?:morning|evening)|lol|lmao|haha\w{{0,9}}|hm{{1,4}}|ugh|ah|aw|yep|nah|tbh|ngl|basically|right|now|these\sdays|nowadays|currently|hey|so|and(?!\s{_GOES_ON})|but|ok|okay|no|nope|yes|yeah|actually|sorry"
    r"|correction|wait"
    r"|by\sthe\sway|btw|fyi|honestly|anyway|also|because|since|in\sfact|to\sbe\shonest|just\sso\syou\sknow"
    r"|(?:so\s|anyway\s)?what\si\s(?:wanted\sto\ssay|meant|mean)\s(?:is|was)(?:\sthat)?|the\sthing\sis(?:\sthat)?|i\sforgot\sto\s(?:say|mention)(?:\sthat)?"
    r"|(?:i\s)?should\s(?:have\s)?mention(?:ed)?(?:\sthat)?|before\si\sforget|(?:a\s(?:bit|little)\s|so\s)?about\s(?:me|myself)|since\syou\sask(?:ed)?"
    r"|(?:for\s|some\s|quick\s)?context|fun\sfact|big\snews|small\schange|quick\s(?:update|note)|i\smean|to\sbe\s(?:clear|fair)|like\si\ssaid|if\s(?:that|it)\s(?:matters|helps)"
    r"|for\sthe\srecord|turns\sout|quick\sbackground|remember\sthat|note\sthat|remember|there|as\sof\snow)\b[,:!]?\s{1,3}){1,4}",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:when(?:ever)?|while|on|at|in|during|after|before|for|every|this|last)\s"
    r"[^,;.!?]{1,48}?\s(?=(?:i|we)(?:\s|'))",
    re.IGNORECASE,
)
"""What stands before a statement and limits it: it stays with it."""

_LIMIT = re.compile(
    r"(?:when(?:ever)?|while|on|at|in|during|after|before|for|every|since)\s.{1,80}", re.IGNORECASE
)
_INSTEAD = re.compile(
    r"not\s(?:an?\s|the\s|in\s|at\s)?(?P<old>[^\s,;.!?]{1,40}(?:\s[^\s,;.!?]{1,40}){0,4}?)"
    r"(?:\sany\s?(?:more|longer))?$",
    re.IGNORECASE,
)
"""A clause that says what does not hold beside what does."""

_ORDERS = re.compile(
    r"(?:always|never)\s(?!(?:on|in|at|the|an?|so|too|as|with|been|had|was|quite|enough|(?:have|has|did|do|will|would|could|can)(?=\s*(?:[,.;:!?]|$))|again|gonna|going|mind|say\snever|\w{2,20}(?:ed|ing))\b)"
    r"|(?:please|from\s(?:now|here|this\spoint)\son,?(?!\s(?:i|we|my|it|he|she|they)\b)|going\sforward(?!\s(?:a|one|two|three|to|from)\b)|in\s(?:the\s)?future|when(?:ever)?|any\s?time|every\stime|each\stime"
    r"|if|let\sme\sknow|(?:tell|remind|warn|ping)\sme|call\sme|address\sme|refer\sto\sme|i\s(?:want|need|expect)\syou|i'd\slike\syou"
    r"|answer|reply|respond|write|speak|talk|use|give|don't|do\snot|stop|quit|avoid|no|keep|before\syou|ask|as\sa\srule|by\sdefault)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:so\s|and\s|but\s|ok\s|then\s|please\s)?(?:(?:what|where|who|whose|which|how|why)\b|when\s(?:did|do|does|is|was|will|am|are|should)\b"
    r"|(?:do|does|did|am|is|are|was|were|can|could|should|would|will|shall|may|have|has)\s(?:i|we|you|my|our|the|it|he|she|they|there|this|that)\b"
    r"|remember\s(?:when|how|the\stime)\b)",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"\b(?:right|correct|true|wrong|sure|remember|recall|know|or|mention(?:ed)?)\b|^\S{1,20}(?:\s\S{1,20}){0,2}$",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:would(?!\syou\b)|might|maybe|perhaps|could(?!\syou\b)|hope|hopefully|probably|kidding|joking|joke"
    r"|possibly|guess|assume|assuming|wonder(?:ing)?|almost|nearly|unsure|should"
    r"|think|thought|feel\slike|considering|ought|let's|not\ssure|no\sidea|(?:i|we|you|he|she|it|they|this|that)\smay"
    r"|someday|one\sday|tempted|fancy|don'?t\sknow|dunno|can'?t\sremember|could\sbe)\b"
    r"|\b\w{1,6}'d\b(?!\s(?:always\s)?rather\b)",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"(?:(?:i|i'?m|i\sam|just|still|really|honestly|at\sleast|or|have|to\sbe|do)\s){0,3}"
    r"(?:maybe|perhaps|probably|possibly|hopefully|think|thought|guess|suppose|assume|hope|wonder|not\ssure|unsure"
    r"|no\sidea|dunno|don'?t\sknow|can'?t\sremember|(?:could|might|may)\s(?:well\s)?be\s(?:wrong|mistaken|misremembering))"
    r"(?:\s(?:so|not|but|though|anyway|about\s(?:it|that)|right\snow)){0,2}",
    re.IGNORECASE,
)
"""A clause that is a guess and nothing else."""

_LEANS = re.compile(
    r"(?:it|that|this|he|she|they|there|which|these|those|i\s(?:think|thought|guess|assume|hope|wonder|dunno|don'?t\sknow)"
    r"|could|might|may|would|should|maybe|perhaps|probably|possibly|hopefully|almost|nearly|or|not\ssure|no\sidea)\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\b(?:if(?!\s(?:that|it|this)\s(?:matters|helps)\b|\syou(?:'re|\sare)\s(?:wondering|curious))|wish(?:ed)?(?!\sme\sluck)|suppos(?:e|ing)|imagin(?:e|ing)|pretend(?:ing)?|dream(?:ed|t)?|as\sthough|in\scase"
    r"|hypothetical\w{0,4}|what\sif|unless"
    r"|in\s(?:the|this|that|a|my|our)\s(?:story|play|film|movie|game|book|novel|dream|scene|show))\b",
    re.IGNORECASE,
)
_TURN = re.compile(r"\b(?:but|anyway|anyhow|though)\b", re.IGNORECASE)
_JOKES = re.compile(r"\b(?:lol|lmao|rofl|haha\w{0,9}|hehe\w{0,9})\b", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"\b(?:(?:i'?m|am|was|were|just|only)\s(?:kidding|joking)|(?:it'?s|is|was)\sa\sjoke|jk)\b"
    r"|(?:^|[.!?,\n]\s{0,3})kidding\b",
    re.IGNORECASE,
)
_OTHERS_SPEAK = re.compile(
    r"\b(?:(?:they|people|some)\ssay|says|said|tells|told|claims|claimed|wrote|writes|insists?|insisted|reckons?|thinks|believes|announced"
    r"|according\sto|rumour|apparently|i\sread|i\sheard|article|character|novel\ssays|narrator|lyrics?|slogan|quote|quoted"
    r"|sentence|phrase|protagonist)\b",
    re.IGNORECASE,
)
_FOR_ONCE = re.compile(
    r"\b(?:today|tonight|tomorrow|right\snow|this\stime|for\snow|this\s(?:one|answer|idea|version|design|file|code|paragraph)|yet|so\sfar)\b",
    re.IGNORECASE,
)
_TASKS = re.compile(
    r"\s{0,9}(?:please\s|can\syou\s|could\syou\s|now\s)?(?:(?:translate|fix|correct|rewrite|rephrase"
    r"|paraphrase|proofread|summari[sz]e|write|compose|draft|pretend|imagine|act\sas|role-?play|repeat"
    r"|say|echo|print|run|execute|complete|continue|spell|explain|classify|parse|knock|test|ping"
    r"|heartbeat|your\s(?:role|task|job)\sis|you\sare\s(?:an?|the)|you're\san?|for\sexample|example)\b"
    r"|as\san?\s(?:user|customer|admin\w{0,9}|visitor|developer|tester|product\sowner|shopper),?\si\b"
    r"|\[heartbeat|system\s{0,3}:|e\.g\.)",
    re.IGNORECASE,
)

ENGLISH = Language(
    rules=RULES,
    separator=_SEPARATOR,
    own=_OWN,
    omissions=_OMISSIONS,
    carries=NEVER,
    filler=_FILLER,
    condition=_CONDITION,
    limit=_LIMIT,
    instead=_INSTEAD,
    orders=_ORDERS,
    asks=_ASKS,
    relative=re.compile(r"(?:who|which|whose|where|when|what|how|why)\b", re.IGNORECASE),
    confirms=_CONFIRMS,
    doubts=_DOUBTS,
    hedge=_HEDGE,
    leans=_LEANS,
    joins=re.compile(r"\s{1,3}(?:and|or)\s{1,3}", re.IGNORECASE),
    supposes=_SUPPOSES,
    turn=_TURN,
    jokes=_JOKES,
    takes_back=_TAKES_BACK,
    others_speak=_OTHERS_SPEAK,
    for_once=_FOR_ONCE,
    tasks=_TASKS,
)
