"""Why proposals are refused, in words: for a person, and for a model that may do better."""

from collections.abc import Mapping

BECAUSE: Mapping[str, str] = {
    "unknown_support": "they rest on a message that was not shown",
    "not_the_users": "they are not the user's words",
    "not_quoted": "what they quote was not said",
    "a_question": "they quote a question",
    "unsure": "too unsure",
    "forgotten": "forgotten before",
    "not_in_words": "their words stand in no message",
    "repeated": "said twice",
    "unknown_fact": "they end a fact that was not shown",
    "other_subject": "they end a fact about something else",
    "no_steps": "no trigger, or no steps",
    "unknown_playbook": "about a playbook that was not shown",
    "counted_before": "the outcome of a message that was read before",
    "bad_model_output": "the model's answer could not be read, so rules did it",
    "model_unavailable": "the model could not be asked, so rules did it",
    "budget_spent": "the day's budget for models is spent, so rules did it",
    "outdated": "they would change what was said later",
    "gives_orders": "they give orders to a model",
    "unknown_turn": "they rest on what was not done on this task",
    "it_failed": "a way that failed is no way",
    "paused": "the user paused memory",
    "session_off": "the session is off, or over",
    "topic": "it speaks of what is never kept",
    "recalled": "it is what memory itself had brought",
}
"""By code; the gate's own codes are not here."""


def told(refused: Mapping[str, int]) -> str:
    """Return why proposals were refused, and how many, in a line."""
    return "; ".join(f"{count} {BECAUSE.get(code, code)}" for code, count in refused.items())
