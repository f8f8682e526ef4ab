"""Pure text: normalising, tokens, passages, token counting. Knows nothing of stores or spaces."""
