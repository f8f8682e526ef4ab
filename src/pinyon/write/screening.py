"""Looking through everything that a writer can put into a memory, for what is sensitive.

It comes before the gate looks at types and lengths: what is of a wrong type passes through as it
is, and so does what is longer than any field may be, because the gate refuses both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from pinyon.domain.draft import Draft
from pinyon.domain.policy import CATEGORIES, Category, Finding, Policy
from pinyon.errors import Sensitive
from pinyon.ports.detector import Detector
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.text.sensitive import find_sensitive, settle
from pinyon.write.limits import (
    LIST_MAX,
    METADATA_CHARS_MAX,
    METADATA_KEYS_MAX,
    NAME_CHARS_MAX,
    STEP_CHARS_MAX,
    STEPS_MAX,
    TITLE_CHARS_MAX,
)

CHARS_MAX: Mapping[str, int] = {
    "text": TEXT_CHARS_MAX,
    "quote": TEXT_CHARS_MAX,
    "title": TITLE_CHARS_MAX,
    "category": NAME_CHARS_MAX,
    "project": NAME_CHARS_MAX,
    "module": NAME_CHARS_MAX,
    "session": NAME_CHARS_MAX,
    "task": NAME_CHARS_MAX,
    "agent": NAME_CHARS_MAX,
    "event_type": NAME_CHARS_MAX,
    "role": NAME_CHARS_MAX,
    "speaker": NAME_CHARS_MAX,
    "parent_event": NAME_CHARS_MAX,
    "message_id": NAME_CHARS_MAX,
    "trigger": TITLE_CHARS_MAX,
    "document": TITLE_CHARS_MAX,
}
"""Fields of one text each, and how long each may be."""

LIST_CHARS_MAX: Mapping[str, int] = {
    "keywords": NAME_CHARS_MAX,
    "scenarios": TITLE_CHARS_MAX,
    "tags": NAME_CHARS_MAX,
    "steps": STEP_CHARS_MAX,
    "tools": NAME_CHARS_MAX,
}
"""Fields of several texts each, and how long each of those may be."""

TAG = "pii:"

ROUNDS_MAX = 4
"""How often a text is looked through: what one thing covered shows once that is taken out."""


@dataclass(frozen=True, slots=True)
class Screened:
    """A draft without what may not be kept.

    Attributes:
        draft: The draft; the same one where nothing had to be changed.
        redacted: The categories of which something was taken out.
        tags: The tags that say what was kept; they are among the draft's own.
    """

    draft: Draft
    redacted: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScreenedText:
    """A text without what may not be kept; see `Screened`."""

    text: str
    redacted: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScreenedAnnotations:
    """Annotations without what may not be kept; see `Screened`.

    Where they set no tags, whoever knows the memory's own has to add `tags` to them.
    """

    annotations: Mapping[str, object]
    redacted: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def screen(draft: Draft, policy: Policy, detectors: Sequence[Detector] = ()) -> Screened:
    """Return a draft as it may be kept under a policy. Doing so twice changes nothing more.

    Raises:
        Sensitive: It holds what the policy refuses.
        ModelUnavailable: A detector fails.
    """
    look = _Look(policy, detectors)
    changes = look.through({name: getattr(draft, name) for name in _FIELDS})
    if changes:
        draft = replace(draft, **changes)  # type: ignore[arg-type]
    return Screened(draft, look.redacted(), look.tags())


def screen_text(
    text: str, policy: Policy, detectors: Sequence[Detector] = (), *, name: str = "text"
) -> ScreenedText:
    """Return a text as it may be kept; `name` is what an error calls it.

    Raises:
        Sensitive: It holds what the policy refuses.
        ModelUnavailable: A detector fails.
    """
    look = _Look(policy, detectors)
    return ScreenedText(look.text(name, text, TEXT_CHARS_MAX), look.redacted(), look.tags())


def screen_annotations(
    annotations: Mapping[str, object], policy: Policy, detectors: Sequence[Detector] = ()
) -> ScreenedAnnotations:
    """Return annotations as they may be kept.

    Raises:
        Sensitive: They hold what the policy refuses.
        ModelUnavailable: A detector fails.
    """
    look = _Look(policy, detectors)
    changes = look.through(annotations)
    return ScreenedAnnotations({**annotations, **changes}, look.redacted(), look.tags())


_FIELDS = (*CHARS_MAX, *LIST_CHARS_MAX, "metadata")


@dataclass(slots=True)
class _Look:
    """One look through a draft: what it met on its way."""

    policy: Policy
    detectors: Sequence[Detector]
    taken: set[Category] = field(default_factory=set)
    kept: set[Category] = field(default_factory=set)

    def redacted(self) -> tuple[str, ...]:
        return tuple(category for category in CATEGORIES if category in self.taken)

    def tags(self) -> tuple[str, ...]:
        return tuple(TAG + category for category in CATEGORIES if category in self.kept)

    def through(self, values: Mapping[str, object]) -> dict[str, object]:
        """Return what has to be changed in the fields of a draft."""
        screened = {name: self._field(name, value) for name, value in values.items()}
        if self.kept and "tags" in screened:
            screened["tags"] = _with_tags(screened["tags"], self.tags())
        return {name: value for name, value in screened.items() if value is not values[name]}

    def _field(self, name: str, value: object) -> object:
        if name in CHARS_MAX:
            return self.text(name, value, CHARS_MAX[name]) if isinstance(value, str) else value
        if name in LIST_CHARS_MAX:
            return self._list(name, value, LIST_CHARS_MAX[name])
        return self._metadata(value) if name == "metadata" else value

    def text(self, name: str, text: str, chars_max: int) -> str:
        """Return a text without what may not be kept."""
        if not text or len(text) > TEXT_CHARS_MAX:
            return text
        for _ in range(ROUNDS_MAX):
            gone = self._redacted(name, self._found(text))
            if not gone:
                break
            text = _without(text, gone, chars_max)
        return text

    def _found(self, text: str) -> Sequence[Finding]:
        found = find_sensitive(text)
        if not self.detectors:
            return found
        others = [one for detector in self.detectors for one in detector.find(text)]
        return settle(text, [*found, *others])

    def _redacted(self, name: str, found: Sequence[Finding]) -> list[Finding]:
        """Return the findings that have to go, and remember the others."""
        gone = []
        for finding in found:
            action = self.policy.action(finding.category)
            if action == "refuse":
                raise Sensitive(name, finding.category)
            if action == "redact":
                gone.append(finding)
                self.taken.add(finding.category)
            elif action == "tag":
                self.kept.add(finding.category)
        return gone

    def _list(self, name: str, values: object, chars_max: int) -> object:
        if not isinstance(values, Sequence) or isinstance(values, str | bytes):
            return values
        if len(values) > STEPS_MAX:
            return values
        screened = tuple(
            self.text(name, value, chars_max) if isinstance(value, str) else value
            for value in values
        )
        changed = any(new is not old for new, old in zip(screened, values, strict=True))
        return screened if changed else values

    def _metadata(self, mapping: object) -> object:
        if not isinstance(mapping, Mapping) or len(mapping) > METADATA_KEYS_MAX:
            return mapping
        screened: dict[object, object] = {}
        for key, value in mapping.items():
            new = self._key(key)
            while new is not key and (new in screened or new in mapping):
                new = f"{new}-"
            screened[new] = self._value(key, value) if isinstance(key, str) else value
        changed = any(
            new is not old
            for pair, was in zip(screened.items(), mapping.items(), strict=True)
            for new, old in zip(pair, was, strict=True)
        )
        return screened if changed else mapping

    def _key(self, key: object) -> object:
        """Return a key of metadata; one that holds a secret becomes a name of what it held."""
        if not isinstance(key, str) or len(key) > TEXT_CHARS_MAX:
            return key
        findings = self._redacted("metadata key", self._found(key))
        return f"redacted-{findings[0].category}" if findings else key

    def _value(self, key: str, value: object) -> object:
        """Return a value of metadata, read with its key before it: `password` says what it is."""
        text = _written(value)
        if text is None or len(key) + len(text) > TEXT_CHARS_MAX:
            return value
        before = f"{key}: "
        for _ in range(ROUNDS_MAX):
            found = [
                Finding(one.category, max(0, one.start - len(before)), one.end - len(before))
                for one in self._found(before + text)
                if one.end > len(before)
            ]
            gone = self._redacted(f"metadata {key}"[:NAME_CHARS_MAX], found)
            if not gone:
                break
            text = value = _without(text, gone, METADATA_CHARS_MAX)
        return value


def _written(value: object) -> str | None:
    """Return a value of metadata as text, `None` where it can hide nothing."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else None
    return str(value) if abs(value) < 1 << 63 else None


def _without(text: str, findings: Sequence[Finding], chars_max: int) -> str:
    """Return a text with marks in place of findings.

    A mark may be longer than what it stands for. Where that makes a text too long that was not, its
    end is cut: nobody's memory is refused for what the gate wrote into it.
    """
    parts = []
    place = 0
    for finding in findings:
        parts += [text[place : finding.start], f"[redacted:{finding.category}]"]
        place = finding.end
    redacted = "".join([*parts, text[place:]])
    return redacted[: max(chars_max, len(text))]


def _with_tags(tags: object, added: Sequence[str]) -> object:
    """Return tags with ours after them, as far as they fit."""
    if not isinstance(tags, Sequence) or isinstance(tags, str | bytes):
        return tags
    new = [tag for tag in added if tag not in tags][: max(0, LIST_MAX - len(tags))]
    return (*cast(Sequence[object], tags), *new) if new else tags
