"""Words that mean the same to a tenant: what its products, teams and rooms are called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

GROUPS_MAX = 2_000
PER_GROUP_MAX = 20
CHARS_MAX = 100
TENANTS = "tenants"
"""The key under which single tenants have groups of their own, beside everybody's."""

Group = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Groups of words or short phrases; who asks for one of a group is also told of the others."""

    usual: tuple[Group, ...] = ()
    tenants: Mapping[str, tuple[Group, ...]] = field(default_factory=dict)

    def of(self, tenant: str) -> tuple[Group, ...]:
        """Return the groups that hold for a tenant."""
        return self.usual + self.tenants.get(tenant, ())


def synonyms_of(written: object) -> Synonyms:
    """Return synonyms from their written form.

    Args:
        written: Groups as `[["hub", "bridge"]]`; or a mapping of `usual` to groups and `tenants` to
            groups by tenant.

    Raises:
        ValueError: It is neither, or too much.
    """
    if not isinstance(written, Mapping):
        return Synonyms(_groups(written))
    unknown = sorted(set(map(str, written)) - {"usual", TENANTS})
    if unknown:
        raise ValueError(f"{unknown[0]!r} is neither 'usual' nor '{TENANTS}'")
    tenants = written.get(TENANTS, {})
    if not isinstance(tenants, Mapping):
        raise ValueError(f"'{TENANTS}' is no mapping of tenants to groups")  # noqa: TRY004 - pydantic reads ValueError
    return Synonyms(
        _groups(written.get("usual", [])),
        {str(tenant): _groups(groups) for tenant, groups in tenants.items()},
    )


def _groups(written: object) -> tuple[Group, ...]:
    listed = _listed(written, "a list of groups", GROUPS_MAX)
    return tuple(_group(one) for one in listed)


def _group(written: object) -> Group:
    words = _listed(written, "a list of words", PER_GROUP_MAX)
    for word in words:
        if not isinstance(word, str) or not word.strip() or len(word) > CHARS_MAX:
            raise ValueError(f"{word!r} is no word of at most {CHARS_MAX} characters")
    if len(set(words)) < 2:
        raise ValueError("a group takes two words or more")
    return tuple(str(word) for word in words)


def _listed(written: object, what: str, most: int) -> Sequence[object]:
    if not isinstance(written, list | tuple):
        raise ValueError(f"{written!r} is not {what}")  # noqa: TRY004 - pydantic reads ValueError
    if len(written) > most:
        raise ValueError(f"{what} takes at most {most}")
    return written
