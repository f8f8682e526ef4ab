"""How much a message matters, by rule: told at write, before anybody knows what comes of it."""

from pinyon.text.asking.needed import is_greeting
from pinyon.text.outcomes import outcome_in
from pinyon.text.standing import standing_of

INSTRUCTION, FAILURE, SUCCESS, CHATTER, PLAIN = 0.9, 0.8, 0.7, 0.1, 0.5


def importance_of(text: str) -> float:
    """Return how much a message matters, 0-1.

    What lays something down for good matters most, then what failed, then what worked; a greeting
    or a word of thanks hardly does.
    """
    if standing_of(text) == "instruction":
        return INSTRUCTION
    match outcome_in(text):
        case "failed":
            return FAILURE
        case "worked":
            return SUCCESS
    return CHATTER if not text.strip() or is_greeting(text) else PLAIN
