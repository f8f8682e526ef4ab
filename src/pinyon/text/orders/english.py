"""Orders to a model in English: lower case, single spaces, no quotation marks or emphasis."""

from pinyon.text.orders.rules import Rule, rule

_PIECES = {
    # Where an imperative may stand; after "we" or "he" the same word only tells.
    "BEGIN": r"""(?:^|[.!?;:,>)\]-]_?
        |\b(?:please|must|always|then|and|now|should|to|also|just|you)_)""",
    "NOT": "(?<!not_)(?<!never_)(?<!dont_)(?<!told_me_to_)",
    "AI": """(?:ai_assistant|ai_agent|ai|a\\.i\\.|llm|language_model|chat_?bot|assistant|gpt|copilot
        |claude|gemini)s?""",
    "WHOLE": """(?:all|any|every|each|everything|of|the|your|my|our|these|those|this|that|and|or
        |previous|prior|above|earlier|preceding|original|system|initial|existing|former|foregoing
        |current|other|past|developers?|safety|hidden|content|ethical|given|set|you|were|been|have
        |has)""",
    "TOLD": """(?:instructions?|prompts?|rules|directives?|guidelines?|guardrails?|programming
        |orders|commands|system_messages?|restrictions|constraints|directions|context)""",
    "MONEY": """(?:payments?|money|funds|refunds?|bitcoins?|btc|eth|crypto|usdt|deposits?|transfers?
        |tips)""",
    "DATA": """(?:passwords?|credentials|api_keys?|access_tokens?|auth_tokens?|tokens|secrets
        |cookies|chat_history|chat_log|conversations?|messages|memory|memories|private_keys?
        |emails|contacts|environment_variables|users?_\\w+|personal_data|system_prompt|files
        |documents)""",
    "TARGET": """(?:https?:|www\\.|\\S{1,40}@\\S|attacker
        |\\S{2,40}\\.(?:com|net|org|io|xyz|example|ru|cn)\\b)""",
    "RULELESS": "(?:rules|restrictions|filters?|limits)",
}

_SET_ASIDE = (
    (
        "instruction prompt rule directive guideline guardrail programming order command"
        " system_message restriction constraint direction context",
        r"""{NOT}\b(?:ignore|disregard|forget|override|bypass|discard|overrule|do_not_follow
            |dont_follow|stop_following|pay_no_attention_to|neglect|drop|abandon)
            _(?!the_{TOLD}\b)(?:{WHOLE}_){1,6}{TOLD}\b
            (?!_(?:(?:from|by)_|(?:from|on|in|for|about|by|at)_(?:my|his|her|our|their|the|a)_)
            (?!(?:the_|your_|this_)?(?:system|developer|prompt|user|assistant|admin|context
            |conversation|above|memory|openai)))""",
    ),
    (
        "ignore disregard forget the_following this_",
        r"""{NOT}\b(?:ignore|disregard|forget)_(?:
            (?:all|everything|anything)(?:_that)?_
            (?:(?:you_)?(?:were|have_been|ve_been|was)_(?:told|instructed|taught|given|said)
            |(?:said_)?above\b|(?:that_)?(?:came_|you_(?:know|learned)_)?before(?:_this)?\b)
            |the_above_and_)
            |\b(?:the_following|this(?:_message|_text)?)_(?:overrides|replaces|supersedes)_
            (?:{WHOLE}_){1,6}{TOLD}\b""",
    ),
)

_BE_ANOTHER = (
    (
        "you_are youre act_as pretend roleplay behave",
        r"""\b(?:(?:you_are|youre)_(?:now|no_longer|henceforth)
            |pretend_(?:to_be|you_are|that_you_are)|(?:act|behave|roleplay|respond)_as)\b.{0,50}?\b
            (?:{AI}|dan|persona|unrestricted|jailbroken|uncensored|unfiltered|hacker|developer_mode
            |no_{RULELESS}|without_(?:any_)?{RULELESS}|bound_by|evil|admin_mode|root_mode)\b""",
    ),
    ("mode", r"\b(?:dan|god|jailbreak|unrestricted|do_anything_now)_mode\b"),
    (
        "from_now_on henceforth from_this_point",
        r"""\b(?:from_now_on|henceforth|from_this_point_(?:on|forward|onwards?)),?_(?:you_|please_)?
            (?:must|will|shall|are_to|have_to|always|never|respond|answer|reply|obey|comply|act_as)
            \b""",
    ),
)

_KEEP_FROM_THE_USER = (
    (
        "user human operator",
        r"""\b(?:do_not|dont|never|without|avoid|must_not|should_not|cannot)_(?:ever_)?
            (?:(?:tell|inform|alert)(?:ing)?
            |(?:mention|reveal|disclos|say|report)(?:e|ing)?(?:_(?:this|it|that|anything))?_to
            |let(?=.{0,20}_know))
            _(?:the_|your_|any_)?(?:user|human|operator)\b
            (?!_(?:which|how|whether|what|when|where|why))""",
    ),
    (
        "user human",
        r"""\b(?:keep|hide|conceal)_(?:this|it|that|these).{0,30}\bfrom_(?:the_|your_)?(?:users?
            |human)\b""",
    ),
)

_SPOKEN_TO = (
    (
        "system imstart imend inst sys instruction",
        r"""<\|?(?:imstart|imend|system|sys)\|?>|<\|im(?:start|end)|<<sys>>|\[/?inst\]|\[/?system\]
            |</?system>|\#{2,}_?(?:system|instructions?)_?:""",
    ),
    (
        "system",
        r"""(?:^|[.!]_?)system(?:_(?:message|override|prompt|notice))?_?:_?.{0,40}?\b
            (?:you_(?:are|must|should|will|shall)|ignore|always|never|do_not|from_now|override
            |disregard|new_instructions|the_assistant|reveal|send)\b""",
    ),
    (
        "ai llm model assistant bot gpt copilot claude gemini a.i.",
        r"""\b(?:if_you_are|as)_an?_(?:helpful_)?(?:large_)?{AI}(?:_reading|_processing)?\b.{0,20}?
            (?:reading_this|processing_this|you_(?:must|should|shall|need|have)
            |please_(?:do|also|send|add)
            |,_(?:always|never|do|send|add|include|recommend|ignore|say|answer|reply))
            |\b(?:note|message|attention|instructions?|notice|important)(?:_to|_for)?,?
            _(?:the_|all_|any_)?(?:reading_)?{AI}(?:_models?|_agents?)?_?[:,!-]
            |(?:^|[.!?]_){AI}(?:,|_(?:reading|processing)_this,?)_
            (?:must|you_must|ignore|disregard|always|never|do_not
            |please_(?:ignore|send|disregard))\b""",
    ),
    (
        "instructions your_",
        r"""\b(?:your_)?(?:new|updated|real|actual|revised)_(?:system_)?instructions(?:_are)?_?:
            |\byour_(?:new|real|actual)_(?:task|goal|objective|purpose|instructions)_(?:is|are)\b""",
    ),
)

_SHOW_WHAT_IT_WAS_TOLD = (
    (
        "prompt instructions",
        r"""{BEGIN}(?:reveal|print|show|output|repeat|display|leak|share|tell|give|disclose|dump
            |expose|recite|paste|write_out|copy)(?:_me|_us)?(?:_out)?(?:_back)?_
            (?:(?:all|the|of|whole|full|entire|exact|verbatim|everything_in)_){0,3}
            (?:your_(?:\w+_){0,3}(?:prompt|system_message
            |(?:(?<=system_)|(?<=hidden_)|(?<=initial_)|(?<=original_)|(?<=secret_))instructions)
            |(?:the_)?(?:system|hidden|initial|secret|developer)_(?:prompt|instructions)
            (?=_(?:above|verbatim|word|you|to_me|in_full|and|as|,)|[.!]|$)
            |instructions_above)""",
    ),
)

_MOVE_MONEY_OR_DATA = (
    (
        "_to_",
        r"""(?<!we_)(?<!i_)(?<!they_)\b(?:always|automatically|silently|secretly|immediately|you_must
            |instead|quietly|you_should|now)_
            (?:send|make|transfer|wire|forward|pay|route|deposit|redirect|direct)_
            (?:(?:all|any|the|every|your|their|future|customer|users?)_){0,4}{MONEY}\b.{0,30}?_to\b""",
    ),
    (
        "_to_",
        r"""{BEGIN}(?:send|transfer|wire|forward|pay|deposit|redirect)_.{0,30}?\b{MONEY}\b.{0,20}?
            _to_(?:(?:this|the_following|my|wallet|bitcoin|iban|account)_){0,3}
            (?:wallet|address_[0-9b]|bc1|0x|account_(?:number_)?[0-9]|iban)""",
    ),
    (
        "send forward post upload email exfiltrate transmit leak copy bcc",
        r"""{BEGIN}(?:(?:secretly|silently|quietly|also)_)?
            (?:send|forward|post|upload|e?mail|exfiltrate|transmit|leak|copy|bcc)_
            .{0,40}?\b{DATA}\b.{0,40}?\bto_.{0,20}?{TARGET}""",
    ),
    (
        "append encode embed include put add insert",
        r"""\b(?:append|encode|embed|include|put|add|insert)_.{0,30}?
            \b(?:conversation|chat_history|secrets?|api_keys?|passwords?|users?_\w+|system_prompt
            |memory|memories)\b.{0,30}?\b(?:in|into|to|as)_.{0,20}?
            \b(?:url|link|image|markdown|query_string|query_parameter)\b""",
    ),
    (
        "tool function",
        r"""{BEGIN}(?:use|call|invoke)_(?:the_|your_)(?:\w+_){0,3}(?:tool|function)_(?:to|and)_
            (?:send|delete|transfer|read|exfiltrate|forward|post|upload|pay|buy)\b""",
    ),
    ("memor", r"\b(?:erase|delete|wipe|clear)_(?:all_)?(?:of_)?your_(?:\w+_)?memor(?:y|ies)\b"),
)

_FAVOUR = (
    (
        "remember",
        r"""\bremember_to_(?:always|only|never)_(?:recommend|promote|suggest|mention|advertise|cite
            |endorse|say|claim|prefer|send|trust)\b""",
    ),
    (
        "source authority expert provider",
        r"""\b(?:remember|treat|keep|save|store|regard)_.{1,60}?_(?:as|is)_(?:a|the|an|your)_
            (?:most_)?(?:trusted|authoritative|preferred|go-to|best)_
            (?:source|authority|expert|provider)\b""",
    ),
    ("you_must", r"\byou_must_(?:always_|only_)?(?:recommend|promote|suggest|advertise|endorse)\b"),
    (
        "ask mention",
        r"""\b(?:when|whenever|if|every_time)_
            (?:(?:the_|a_|any_)?users?_(?:asks?|mentions?)|you_are_asked|asked)\b.{0,50}?
            \b(?:always|must|only|never|instead)_(?:recommend|say|answer|reply|respond|tell|claim
            |suggest|promote|mention|direct|link)\b""",
    ),
)

RULES: tuple[Rule, ...] = tuple(
    rule(hints, pattern, _PIECES)
    for group in (
        _SET_ASIDE,
        _BE_ANOTHER,
        _KEEP_FROM_THE_USER,
        _SPOKEN_TO,
        _SHOW_WHAT_IT_WAS_TOLD,
        _MOVE_MONEY_OR_DATA,
        _FAVOUR,
    )
    for hints, pattern in group
)
