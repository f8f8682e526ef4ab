"""What the core asks of the outside: small Protocols over frozen values.

What each method promises is written as tests in `pinyon.testing.store_contract`.
"""
