"""What whoever runs Pinyon sees of it: metrics, spans and log lines, without a word of any memory.

Each module uses an optional package and is loaded by whoever asks for it. What a caller may see of
a memory never becomes a label, an attribute or a line here: see `pinyon.ports.watch`.
"""
