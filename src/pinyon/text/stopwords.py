"""Words that carry a question's grammar and none of its subject.

They are dropped from questions only: texts are indexed whole, so a quoted phrase may hold any of
them. On a space of 100,000 memories a question with its stop words costs ten times one without.
"""

import re

ENGLISH = frozenset(
    """
    a about all also am an and any anybody anyone anything are aren't as at be been being but by can
    can't could couldn't did didn't do does doesn't doing don't done else ever for from get gets
    getting give go going gonna got had hadn't has hasn't have haven't having he he'd he'll her here
    hers herself him himself his how i i'd i'll i'm i've if in into is isn't it its itself just let
    let's like me mine my myself no nor not now of off ok okay on or our ours ourselves out over
    please say says said she she'd she'll should shouldn't so some somebody someone something such
    tell than thank thanks that that's the their theirs them themselves then there there's these
    they they'd they'll they're they've thing things this those to too up us very was wasn't we we'd
    we'll we're we've were weren't what what's when where where's which who who's whom whose why
    will with won't would wouldn't yes you you'd you'll you're you've your yours yourself
    """.split()
)

_CHINESE = (
    "什么时候 可不可以 是不是 有没有 能不能 会不会 为什么 怎么样 什么样 哪一个 告诉我 请问 什么 "
    "怎么 哪里 哪儿 哪个 哪些 多少 如何 是否 谁的 我们 你们 他们 她们 它们 这个 那个 这些 那些 "
    "的 了 吗 呢 吧 啊 呀 么 谁 哪 是 在 我 你 他 她 它 有 和 与 "
    "及 或 被 把 从 对 于 这 那 也 都 就 还 请"
)
CHINESE = re.compile("|".join(map(re.escape, _CHINESE.split())))
"""Question and function words, longest first; matched inside a run of Chinese."""
