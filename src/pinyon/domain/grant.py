"""Who may read, or write to, a space that several users share."""

from dataclasses import dataclass
from typing import Literal

from pinyon.domain.space import Space

Permission = Literal["read", "write"]
PERMISSIONS: tuple[Permission, ...] = ("read", "write")
"""Whoever may write may read."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a user of the tenant may do in a space."""

    space: Space
    user: str
    permission: Permission
