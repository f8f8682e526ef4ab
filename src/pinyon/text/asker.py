"""Whether a question is about the one who asks: what is true of them nobody's catalog knows."""

import re

_ENGLISH = re.compile(
    r"\b(my|mine|our|ours)\b"
    r"|\b(i|we) (have|own|bought|used?|like|prefer|lived?|work(ed)?|said|told|am|was|were)\b"
    r"|\bi'(m|ve)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile("我的|我们的|我家|我有|我住|我喜欢|我用")


def is_about_asker(question: str) -> bool:
    """Return whether a question asks for what is the asker's own.

    "How do I pair it?" does not; "which hub do I have?" and "my hub" do.
    """
    return bool(_ENGLISH.search(question) or _CHINESE.search(question))
