"""One file for each peer: its public API as a `stores.Store`.

In a package of their own because some are called like what they import: beside `peer.py`, a
`mem0.py` would be found in place of mem0.
"""
