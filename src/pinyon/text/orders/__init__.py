"""Texts that give orders to a model: what a page or a tool may have slipped into a memory.

An order is addressed to an assistant, or sets aside what it was told, or moves money, secrets or
data. Advice to people stays what it is, however firm. By wording alone: who says it decides what
becomes of it, and that is not decided here.
"""

import re

from pinyon.text.normal import fold
from pinyon.text.orders.chinese import RULES as CHINESE
from pinyon.text.orders.english import RULES as ENGLISH
from pinyon.text.sensitive.view import HIDDEN

_DECORATION = re.compile("[*_~`\"'“”‘’「」『』]+")
_HAN_SPACE = re.compile("(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff]) (?=[,:])")


def gives_orders(text: str) -> bool:
    """Return whether a text gives orders to a model; see the module for what that means."""
    is_ascii = text.isascii()
    folded = fold(text if is_ascii else HIDDEN.sub("", text))
    plain = " ".join(_DECORATION.sub("", folded).split())
    if any(rule.fires(plain) for rule in ENGLISH):
        return True
    if is_ascii:
        return False
    closed = _HAN_SPACE.sub("", plain)
    return any(rule.fires(closed) for rule in CHINESE)
