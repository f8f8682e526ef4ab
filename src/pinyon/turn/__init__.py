"""The turn: what memory brings to a conversation, and to an agent's loop."""
