"""How well consolidation does: what it makes of conversations, held against what is expected."""
