"""Where spaces live. A store is a folder; `in_memory` is the reference that the others equal."""
