"""What a connection to somebody's endpoint trusts: the usual certificates, and no environment."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl


@cache
def trusted() -> "ssl.SSLContext":
    """Return the certificates that are trusted. Loading them takes longer than a loop may wait."""
    import httpx2  # noqa: PLC0415 - only where a model is used

    context: ssl.SSLContext = httpx2.create_ssl_context(trust_env=False)
    return context
