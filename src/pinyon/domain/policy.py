"""What is sensitive in a text, and what the gate does about it, for each tenant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Category = Literal[
    "secret",
    "credit_card",
    "iban_code",
    "us_ssn",
    "cn_identity",
    "cn_mobile",
    "email_address",
    "phone_number",
    "address",
]
CATEGORIES: tuple[Category, ...] = get_args(Category)
"""The strongest first: where two findings overlap, the earlier category stands."""

Action = Literal["keep", "tag", "redact", "refuse"]
ACTIONS: tuple[Action, ...] = get_args(Action)

TENANTS = "tenants"
"""The key under which a written policy says what differs for single tenants."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A place in a text that holds something sensitive: `text[start:end]`."""

    category: Category
    start: int
    end: int


def _usual() -> dict[Category, Action]:
    return {
        "secret": "redact",
        "credit_card": "redact",
        "iban_code": "redact",
        "us_ssn": "redact",
        "cn_identity": "redact",
        "cn_mobile": "redact",
        "email_address": "tag",
        "phone_number": "tag",
        "address": "tag",
    }


@dataclass(frozen=True, slots=True)
class Policy:
    """What happens to each category: kept, kept and tagged, redacted, or the memory is refused.

    What opens a door or an account is redacted. What one needs to reach somebody is what a memory
    is asked for, so it is kept, and tagged.
    """

    actions: Mapping[Category, Action] = field(default_factory=_usual)

    def action(self, category: Category) -> Action:
        """Return what happens to a category."""
        return self.actions[category]

    def but(self, changes: Mapping[str, object]) -> "Policy":
        """Return this policy with some categories changed.

        Raises:
            ValueError: A category or an action is none; the message lists what there is.
        """
        return Policy({**self.actions, **dict(_pair(*pair) for pair in changes.items())})


@dataclass(frozen=True, slots=True)
class Policies:
    """The policy of everybody, and those of tenants that want another."""

    usual: Policy = field(default_factory=Policy)
    tenants: Mapping[str, Policy] = field(default_factory=dict)

    def of(self, tenant: str) -> Policy:
        """Return the policy of a tenant."""
        return self.tenants.get(tenant, self.usual)


def policies_of(written: object) -> Policies:
    """Return policies from what differs from the defaults.

    Args:
        written: Actions by category and, under `tenants`, by tenant what differs from them.

    Raises:
        ValueError: It is no such mapping, or a category or an action is none.
    """
    changes = dict(_mapping("a policy", written))
    tenants = _mapping(TENANTS, changes.pop(TENANTS, {}))
    usual = Policy().but(changes)
    return Policies(
        usual,
        {tenant: usual.but(_mapping(tenant, theirs)) for tenant, theirs in tenants.items()},
    )


def _pair(category: str, action: object) -> tuple[Category, Action]:
    if category not in CATEGORIES:
        raise ValueError(f"{category!r} is no category; there are {', '.join(CATEGORIES)}")
    if action not in ACTIONS:
        raise ValueError(f"{category} cannot be {action!r}; there are {', '.join(ACTIONS)}")
    return category, action


def _mapping(what: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is no mapping of categories to {', '.join(ACTIONS)}")  # noqa: TRY004 - pydantic reads ValueError
    return value
