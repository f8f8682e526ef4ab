"""What clauses in English state; see `rules` for the notation."""

from functools import partial

from pinyon.text.statements.english_words import (
    BODILY,
    CONDITIONS,
    FIELDS,
    GIVEN_UP,
    JOB,
    MEDICINES,
    MONTHS,
    NATIONALITIES,
    is_a_name,
    is_an_ability,
    is_consumed,
    is_employer,
    is_favourite,
    is_job,
    is_language,
    is_liked,
    is_named,
    is_new_home,
    is_origin,
    is_own,
    is_place,
    is_platform,
    is_product,
    is_spot,
    is_taste,
    is_thing,
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
    "ME": "(?:i|we|my_(?:partner|wife|husband)_and_i)",
    "AM": "(?:i'?m|i_am|we're|we_are)",
    "HAVE": """(?:(?:i|we)(?:'?ve|_have)_got|(?:i|we)_(?:have|own|got)
        |(?:i|we)'ve(?=_(?:an?|two|three|four)\\b))""",
    "DID": "(?:i|we)(?:'?ve|_have)?{ADV}",
    "DONT": "(?:do_not|don'?t)",
    "CANT": "(?:can_?not|can'?t)",
    "ADV": """(?:_(?:really|also|still|now|just|actually|currently|generally|usually|always
        |absolutely|truly|only|already|finally|recently|mostly|both|all|personally|particularly|do|since)){0,2}""",
    "W": r"(?:[^\s,.;:!?()\ufffc]|[,.:/](?=\w)){1,40}",
    # What is said of something: up to a mark, or to a word that begins something else.
    "V": r"(?P<value>{W}(?:_{W}){0,11}?){END}",
    "N": r"(?P<value>{W}(?:_{W}){0,7}?){BREAK}",
    "B": r"(?P<value>{W}(?:_{W}){0,7}?)(?:{MARK}|(?=_(?:{STOP}|for|from|to|on|with|at|via)\b))",
    "OLD": r"(?P<old>{W}(?:_{W}){0,5}?)",
    "MARK": r"(?=(?:_)?(?:$|[,.;:!?(]))",
    "END": r"(?:{MARK}|(?=_(?:{STOP})\b))",
    "BREAK": r"(?:{MARK}|(?=_(?:{STOP}|{PREPOSITION})\b))",
    "STOP": """because|since|so|but|although|though|when|whenever|while|unless|until|till|now
        |these_days|nowadays|at_the_moment|any_?more|today|yesterday|tonight|last_(?:night|week|weekend|month|year
        |summer|winter|spring|autumn)|already|too|as_well|either|instead|again|after_all|not|rather|more_than|for_good
        |this_(?:year|week|month|morning)|over_the_(?:weekend|summer|years|holidays)|with_(?:my|our)
        |for_(?:about_|over_|almost_)?\\w{1,9}_(?:years|months|weeks|decades|now)|in_(?:spring|summer|autumn|winter|{MONTH})
        |and_(?:i|we|my|our|the|it|he|she|they|work|live|have|am|love|like|hate|prefer|speak)""",
    "PREPOSITION": """that|which|who|with|from|in|on|for|at|to|since|and|off|out|by|under|behind|via
        |every|each|only|mostly|about|near|as""",
    "MONTH": MONTHS,
    "NAME": r"(?P<value>(?-i:[A-Z][\w'\-]{0,24}(?:_[A-Z][\w'\-]{1,24}){0,3})){BREAK}",
    "DATE": rf"""(?P<value>(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?_(?:the_)?)?(?:the_)?
        (?:\d{{1,2}}(?:st|nd|rd|th)?_(?:of_)?(?:{MONTHS})|(?:{MONTHS})\.?_\d{{1,2}}(?:st|nd|rd|th)?
        |(?:{MONTHS})|\d{{4}}-\d\d-\d\d)(?:,?_(?:19|20)\d\d)?
        |(?:next_|on_)?(?:mon|tues|wednes|thurs|fri|satur|sun)day
        |the_(?:first|second|third|last)_\w{{3,9}}_of_(?:the_)?\w{{3,9}})(?!\w)""",
    "AGE": r"""(?P<value>\d\d|\d{1,3}(?=_years?_old)|(?:twen|thir|for|fif|six|seven|eigh)ty
        (?:-\w{3,5})?|\w{3,5}teen)(?:_years?_old)?{BREAK}""",
    "YOUNG": """(?P<value>\\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve
        |(?:twenty|thirty|forty|fifty|sixty|seventy|eighty)(?:-\\w{3,5})?|\\w{3,5}teen)
        (?:_(?:years?|months)_old)?{BREAK}""",
    "MONEY": r"""(?P<value>[£$€¥]?\d[\d,.]{0,12}k?(?:_(?:euros?|pounds?|dollars?|francs?|crowns?|yen
        |yuan|eur|usd|gbp|bucks|quid))?){AMOUNT}""",
    "AMOUNT": "(?:{MARK}|(?=_(?:a|per|each|for|on|all|in|at|max|total|and|or|not)\\b))",
    "FAMILY": "(?:(?:my|our)_|(?=(?:dad|mum|mom)\\b))(?:(?:older|elder|younger|big|twin)_)?{KIN}",
    "KIN": f"(?P<of>{words_of(FAMILY)})",
    "KINDRED": words_of(FAMILY),
    "PET": f"(?:my|our)_(?P<of>{words_of(PETS)})",
    "THEIRS": f"(?:my|our)_(?P<of>{words_of(FAMILY, PETS)})",
    "DEVICE": rf"(?:my|our)_(?:{{W}}_){{0,2}}?(?P<of>{words_of(DEVICES)})",
    "THING": rf"(?:my|our|the)_(?:{{W}}_){{0,2}}?(?P<of>{words_of(DEVICES, OBJECTS)})s?",
    "EVENT": rf"(?:my|our|the)_(?:{{W}}_){{0,2}}?(?P<of>{words_of(EVENTS)})",
    "KIND": f"(?P<kind>{words_of(KINDS)})",
    "JOB": JOB,
    "FOOD": GIVEN_UP,
    "DEVICES": words_of(DEVICES),
}


_rules = Notation(_PIECES, r"[ \t]{1,3}").rules
_ended = partial(_rules, says="ended")
_never = partial(_rules, says="never")

_WHO = (
    *_rules(
        "name",
        "my_(?:full_|first_|real_|last_)?name(?:'s|_is)(?:_spell?ed|_spelt|_actually|_really)?_{NAME}",
        "{AM}_(?:called|named)_{NAME}",
        "(?:you_can|you_may|people|everyone|everybody|friends)_calls?_me_{NAME}",
        "(?:hi|hello|hey)(?:_there|_everyone)?[,!]?_(?:i'm|i_am|this_is)_{NAME}",
        "{THEIRS}(?:'s_name)?(?:_is|'s)(?:_called|_named)_{NAME}",
        "{THEIRS}'s_name(?:_is|'s)_{NAME}",
        "{THEIRS},?_(?P<value>(?-i:[A-Z][a-z]{1,20}))(?=_(?:was|[a-z]{1,12}s)\\b)",
    ),
    *_rules("name", "{THEIRS}_(?P<value>(?-i:[A-Z][a-z]{1,20}))$", means=is_a_name),
    *_rules(
        "age",
        "{AM}{ADV}_{AGE}",
        "{DID}_turned_{AGE}",
        "{THEIRS}(?:_(?-i:[A-Z]){W})?(?:_is|'s)(?:_now|_already)?_{YOUNG}",
    ),
    *_rules(
        "birthday",
        "my_birthday(?:'s|_is)(?:_on)?_{DATE}",
        "i_was_born_on_{DATE}",
        "{THEIRS}'s_birthday(?:_is|'s)(?:_on)?_{DATE}",
    ),
    *_rules("anniversary", "(?:my|our)_(?:wedding_)?anniversary(?:'s|_is)(?:_on)?_{DATE}"),
    *_rules("nationality", f"{{AM}}{{ADV}}_(?:an?_)?(?P<value>{NATIONALITIES}){{BREAK}}"),
    *_rules(
        "from",
        "{AM}{ADV}_(?:originally_)?from_{V}",
        "{ME}{ADV}_come_from_{V}",
        "i_was_born_in_{V}",
        means=is_origin,
    ),
    *_rules(
        "lives_in",
        "{DID}_(?:live|lived|been_living)_in_{V}",
        "{AM}{ADV}_(?:living|based)_in_{V}",
        "(?!.*\\b(?:for|this)_){AM}{ADV}_in_an?_(?:{W}_){0,2}?(?:flat|house|apartment|studio|cottage|bungalow)_in_{V}",
        means=is_place,
    ),
    *_rules("lives_in", "{DID}_moved(?:_house)?_from_{OLD}_to_{V}", means=is_new_home),
    *_rules("lives_in", "{DID}_(?:moved|relocated)_to_{V}", means=is_new_home),
    *_rules("lives_in", "{FAMILY}(?:_(?-i:[A-Z]){W})?_lives_in_{V}", means=is_place),
    *_ended(
        "lives_in",
        "{ME}_no_longer_live_in_{V}",
        "{ME}_{DONT}_live_in_{V}(?=_any_?more)",
        "{DID}_moved_(?:away_from|out_of)_{V}",
        "{ME}_used_to_live_in_{V}",
        means=is_place,
    ),
    *_rules(
        "job",
        "{AM}{ADV}_an?_(?P<value>(?:{W}_){0,3}?{JOB}){BREAK}",
        "{ME}{ADV}_work{ADV}_as_(?:an?_)?(?P<value>(?:{W}_){0,3}?{JOB}){BREAK}",
        "i{ADV}_(?P<value>teach_(?!(?:you|him|her|them|my|it|this|that|people|the|an?|on|at|in|from|for|to|with|online|every|twice)\\b){W}(?:_{W}){0,6}?){END}",
        "{FAMILY}(?:_(?-i:[A-Z]){W})?(?:_is|'s)_an?_(?P<value>(?:{W}_){0,3}?{JOB}){BREAK}",
        means=is_job,
    ),
    *_ended("job", "{AM}_no_longer_an?_(?P<value>(?:{W}_){0,3}?{JOB}){BREAK}"),
    *_rules(
        "works_at",
        "{AM}{ADV}_(?:working_at|working_for|employed_at|employed_by)_{N}",
        "i(?:'?ve|_have)_been_working_(?:at|for)_{N}",
        "i(?:'?ve|_have)_been_(?:at|with)_{N}(?=_(?:for|since)\\b)",
        "{ME}{ADV}_work{ADV}_as_(?:an?_)?(?:{W}_){0,3}?{JOB}_(?:at|for)_{N}",
        means=is_named,
    ),
    *_rules(
        "works_at",
        "{ME}{ADV}_work{ADV}(?:_nights|_full-time|_part-time|_remotely)?_(?:at|for)_{N}",
        means=is_employer,
    ),
    *_rules("works_at", "{FAMILY}(?:_(?-i:[A-Z]){W})?_works_(?:at|for)_{N}", means=is_named),
    *_ended(
        "works_at",
        "{ME}_no_longer_work_(?:at|for)_{N}",
        "{ME}_{DONT}_work_(?:at|for)_{N}(?=_any_?more)",
        "i_(?:quit|left)_my_job_(?:at|with)_{N}",
        "i_used_to_work_(?:at|for)_{N}",
    ),
    *_rules("studies", f"{{AM}}{{ADV}}_studying_(?P<value>{FIELDS}){{BREAK}}"),
    *_rules("studies", f"i{{ADV}}_study_(?P<value>{FIELDS}){{BREAK}}"),
    *_rules(
        "status",
        """{AM}{ADV}_(?:happily_)?(?P<value>married|divorced|single|widowed|engaged|retired|separated)
            (?:{MARK}|(?=_(?:with|and|now|since)\\b|_to_(?:(?-i:[A-Z])|an?_|my_(?!job|work))|_at_\\d\\d{MARK}))""",
        "i(?:'ve)?{ADV}_(?P<value>retired){END}",
        "{ME}{ADV}_got_(?P<value>married|divorced|engaged){END}",
    ),
    *_rules(
        "speaks",
        "(?P<value>(?-i:[A-Z][a-z]{2,20}))_is_my_(?:first|native|mother)_(?:language|tongue)",
        "my_(?:first|native|mother)_(?:language|tongue)_is_{V}",
        means=is_language,
    ),
    *_rules("speaks", "i{ADV}_speak_{V}", "i{ADV}_grew_up_speaking_{N}", means=is_language),
    *_rules("learns", "{AM}{ADV}_learning_{V}", means=is_named),
)
_THINGS = (
    *_rules(
        "has",
        "{HAVE}{ADV}_{N}",
        "{ME}{ADV}_(?:have|own)_{N}",
        "{DID}_(?:bought|purchased|adopted|inherited|got)(?:_myself|_ourselves)?_{N}",
        "(?!you_)(?:{W}_){1,3}(?:gave|bought|got)_me_{N}",
        "{AM}(?:_{W}){1,2}_with_(?P<value>(?:two|three|four|five|\\d)_(?:kids|children)){BREAK}",
        means=is_thing,
    ),
    *_rules(
        "has", f"(?:my|our)_(?P<value>{words_of(PETS)})_(?!(?:is|was|food|of)\\b)[a-z]{{3,12}}s\\b"
    ),
    *_ended(
        "has",
        "{DID}_(?:sold|got_rid_of|given_away|gave_away)_{N}",
        "{ME}_no_longer_(?:have|own)_{N}",
        "{ME}_{DONT}_(?:have|own)_{N}(?=_any_?more)",
        "(?:my|our)_{N}_(?:was|got)_(?:stolen|nicked|pinched)\\b",
        "(?:my|our)_(?P<value>{W}(?:_{W}){0,2}?)_(?:was|got|has_been)_(?:stolen|nicked|pinched)\\b",
        means=is_thing,
    ),
    *_never("has", "{ME}_never_(?:had|owned)_{N}", means=is_thing),
    *_rules("ordered", "{DID}_ordered_(?:myself_)?{N}", means=is_own),
    *_rules("booked", "{DID}_(?:booked|reserved)_{B}", means=is_own),
    *_rules(
        "uses",
        "{ME}{ADV}_use_{N}",
        "{AM}{ADV}_using_{N}",
        "(?:i|we)(?:'?ve|_have)_been_using_{N}",
        "{DID}_(?:switched|migrated|changed)_from_{OLD}_to_{N}",
        "{DID}_(?:switched|upgraded|migrated)_to_{N}",
        means=is_product,
    ),
    *_rules(
        "uses",
        "{ME}{ADV}_run_{N}",
        "{AM}{ADV}_on_(?=an?_){N}",
        means=is_platform,
    ),
    *_rules(
        "uses",
        """{DID}_(?:upgraded|updated|migrated)_(?:{W}_){0,2}?from_(?P<old>(?-i:[A-Z]){W}_\\d[\\d.]{0,8})
            _to_(?P<value>\\d[\\d.]{0,8})(?:{BREAK}|(?=_last\\b))""",
    ),
    *_rules(
        "uses",
        "{ME}{ADV}_use_(?:an?_)?(?P<value>wheelchair|hearing_aids?|screen_reader|walking_stick){BREAK}",
    ),
    *_rules(
        "version",
        "{DEVICE}(?:'s|_is)(?:_now|_actually|_only|_really)?_(?:version_|an?_)?{N}",
        "{DEVICE}{ADV}_(?:runs|uses|has)(?:_on)?_{N}",
        "(?:my|our|the)_(?P<of>{DEVICES})(?:'s|_is){ADV}_(?:on|running)_(?:firmware_|version_)?{N}",
        "{DID}_(?:upgraded|updated)_(?:my|our|the)_(?P<of>{DEVICES})_(?:from_{OLD}_)?to_{N}",
        means=is_version,
    ),
    *_never("version", "(?:my|our|the)_(?P<of>{DEVICES})_was_never_(?:an?_)?{N}", means=is_version),
    *_rules(
        "version",
        "(?:it's|it_is|that's)_(?:an?_)?(?P<value>(?:{W}_){0,2}?(?P<of>{DEVICES})_v?\\d[\\w.]{0,8}){END}",
        is_reply=True,
    ),
    *_rules(
        "place",
        """{DID}_(?:put|placed|stored|hid|hung|mounted)_{THING}_(?:in|on|under|behind|above
            |beside|next_to|inside)_{V}""",
        "{DID}_moved_{THING}_(?:to|into|onto)_{V}",
        "{ME}{ADV}_keep_{THING}_(?:in|on|under|behind|above|beside|next_to|inside)_{V}",
        """{THING}(?:_now)?_(?:sits|stands|lives|hangs|is_kept|is_now)(?:_now)?_(?:in|on|under|behind
            |above|beside|next_to|inside)_{V}""",
        means=is_spot,
    ),
)
_DATES = (
    *_rules(
        "date",
        """{EVENT}(?:'s|_is|_will_be|_comes|_takes_place|_is_set_for|(?:_has_been|'s_been|_got|_was)_(?:moved|changed|pushed|put_off|postponed|brought_forward)_to)
            (?:_on|_at)?_{DATE}""",
        "(?P<of>moving_day)(?:_is|_will_be)(?:_on)?_{DATE}",
        "(?:my|our)_(?P<of>flight)_(?:leaves|goes)(?:_on)?_{DATE}",
    ),
    *_rules(
        "date",
        "(?:{AM}|(?:my|our)_{KINDRED}(?:_(?-i:[A-Z]){W})?(?:'s|_is)){ADV}_getting_married(?:_(?:in|at)_{W}(?:_{W})?)?_on_{DATE}",
        subject="wedding",
    ),
    *_rules("date", "{ME}{ADV}_(?:fly|leave)(?:_out)?(?:_to_{W})?_on_{DATE}", subject="flight"),
    *_rules("date", "{ME}{ADV}_(?:come|fly|get)_(?:back_)?home_on_{DATE}", subject="return"),
    *_rules("goal", "my_(?:main_|big_)?(?:goal|resolution|aim)(?:_this_year)?_is_to_{V}"),
)
_TASTES = (
    *_rules(
        "likes",
        "{ME}{ADV}_(?:like|love|enjoy|adore)_{V}",
        "{AM}{ADV}_(?:an?_)?(?:(?:big|huge)_)?(?:fan_of|fond_of|keen_on|crazy_about|partial_to)_{V}",
        means=is_taste,
    ),
    *_rules(
        "dislikes",
        "{ME}{ADV}_(?:hate|dislike|detest|loathe|{CANT}_stand|{CANT}_bear)_{V}",
        "{ME}_{DONT}_(?:really_)?(?:like|enjoy)_{V}(?!_any_?more)",
        "{AM}_not_(?:an?_)?(?:(?:big|huge)_)?(?:fan_of|fond_of|keen_on)_{V}",
        means=is_liked,
    ),
    *_ended(
        "likes",
        "{ME}_no_longer_(?:like|enjoy|love)_{V}",
        "{ME}_{DONT}_(?:really_)?(?:like|enjoy)_{V}(?=_any_?more)",
        means=is_liked,
    ),
    *_rules(
        "prefers",
        "{ME}{ADV}_prefer_(?P<value>{W}(?:_{W}){0,9}?)(?:{END}|(?=_(?:to|over)\\b))",
        "(?:i|we)(?:'d|_would)_(?:always_)?rather_(?P<value>{W}(?:_{W}){0,9}?)_than\\b",
        means=is_liked,
    ),
    *_rules(
        "favourite_",
        "my_(?:all-time_)?favou?rite_{KIND}(?:_of_all_time)?(?:'s|_is)_{V}",
        means=is_favourite,
    ),
)
_LIMITS = (
    *_rules(
        "allergic_to",
        "{AM}{ADV}_(?:very_|severely_|highly_)?allergic_to_{V}",
        "{HAVE}_an?_(?P<value>{W})_allergy{BREAK}",
        "{AM}{ADV}_(?P<value>\\w{4,12})[-\\s]intolerant\\b",
        "{FAMILY}(?:_(?-i:[A-Z]){W})?(?:_is|'s){ADV}_allergic_to_{V}",
    ),
    *_ended("allergic_to", "{AM}_no_longer_allergic_to_{V}"),
    *_never(
        "allergic_to",
        "{AM}_not_(?:actually_)?allergic_to_{V}",
        "i_was_never_(?:actually_)?allergic_to_{V}",
    ),
    *_rules("condition", f"{{HAVE}}_(?:an?_)?(?P<value>{CONDITIONS}){{BREAK}}"),
    *_rules(
        "condition",
        """{AM}{ADV}_(?:an?_)?(?P<value>diabetic|asthmatic|colou?r[-\\s]blind|dyslexic|epileptic|deaf
            |pregnant|left-handed|short-sighted|coeliac|celiac)(?:{END}|(?=_in_))""",
        "(?:i_was|i've_been)_diagnosed_with_{N}",
        "{FAMILY}(?:'s_been|_has_been|_was)_diagnosed_with_{N}",
        "{AM}{ADV}_(?:a_)?(?P<value>type_[12]_diabetic){BREAK}",
        "{FAMILY}(?:_(?-i:[A-Z]){W})?(?:_is|'s){ADV}_(?P<value>diabetic|asthmatic|coeliac|celiac|deaf){BREAK}",
    ),
    *_rules("takes", f"{{AM}}_(?:on|taking)_(?P<value>{MEDICINES}){{BREAK}}"),
    *_rules("takes", f"{{ME}}{{ADV}}_take_(?P<value>{MEDICINES}){{BREAK}}"),
    *_rules(
        "diet",
        "(?:{AM}|i'?ve_been|i_have_been|we've_been){ADV}_(?:strictly_)?(?:an?_)?(?P<value>vegan|vegetarian|pescatarian|teetotal)(?:{BREAK}|(?=_(?:apart|except|but)\\b))",
        "{ME}{ADV}_eat_(?P<value>halal|kosher|vegan|vegetarian|gluten-free){BREAK}",
    ),
    *_ended(
        "diet",
        "{AM}_no_longer_(?:an?_)?(?P<value>vegan|vegetarian|pescatarian|teetotal){END}",
        "{AM}_not_(?:an?_)?(?P<value>vegan|vegetarian|pescatarian|teetotal)(?=_any_?more)",
    ),
    *_rules(
        "avoids",
        "{ME}_(?:{DONT}|never|no_longer)_(?:eat|drink)_{V}",
        "{DID}_(?:given_up|gave_up|quit|stopped)_(?:drinking_|eating_)?(?P<value>{FOOD}(?:_in_(?!(?:{MONTH})\\b){W})?){END}",
        "{AM}{ADV}_off_(?P<value>{FOOD}){END}",
        means=is_consumed,
    ),
    *_rules("avoids", "{ME}_(?:{DONT}|never)_(?P<value>fly|drink|smoke|drive){MARK}"),
    *_rules(
        "cannot",
        f"{{ME}}_{{CANT}}_(?P<value>{BODILY}_{{W}}(?:_{{W}}){{0,6}}?){{END}}",
        means=is_an_ability,
    ),
    *_rules(
        "budget",
        "(?:my|our)_(?:{W}_){0,2}?budget(?:_for_{W}(?:_{W}){0,3}?)?_(?:is|of)(?:_up_to|_about|_around)?_{MONEY}",
        "{HAVE}_a_budget_of_{MONEY}",
        "{ME}_(?:{CANT}|{DONT}_want_to)_spend_(?:more_than|over)_{MONEY}",
    ),
)

RULES = (*_WHO, *_THINGS, *_DATES, *_TASTES, *_LIMITS)
