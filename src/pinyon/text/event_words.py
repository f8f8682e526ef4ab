"""What of an event is searched for: the tokens by which it is found."""

from pinyon.domain.event import Event
from pinyon.text.orders import gives_orders
from pinyon.text.tokens import BREAK, tokenize


def event_words(event: Event) -> str | None:
    """Return the tokens of an event's text and speaker, set apart by spaces.

    `None` for one that gives orders to a model: no index may hold it, so that no recall hands it
    over. It stays in the log, where a person can read it.
    """
    said = (value for _, value in event.metadata if isinstance(value, str))
    if any(gives_orders(text) for text in (event.text, event.speaker, *said) if text):
        return None
    words = str(tokenize(event.text))
    return f"{words} {BREAK} {tokenize(event.speaker)}" if event.speaker else words
