"""What a person states about themselves and what is theirs, read off a message without a model.

Precision before recall: what is asked, supposed, wished, quoted, said by or of others, or meant for
this one answer states nothing, and neither does what has no word in the `vocabulary`.
"""

from pinyon.text.statements.reading import CHARS_MAX, statements_in

__all__ = ["CHARS_MAX", "statements_in"]
