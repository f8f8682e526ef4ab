"""The reference store: the same promises as every other, in plain dictionaries.

It is not a mock. It passes the contract, and the property tests hold other stores against it.
"""

from pinyon.stores.in_memory.store import InMemoryStore

__all__ = ["InMemoryStore"]
