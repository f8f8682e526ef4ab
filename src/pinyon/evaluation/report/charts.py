"""The few charts of a report, as SVG: pure functions from numbers to text.

They are drawn here because they must stand in one file under a policy that allows no script and no
address; colours come from the page, so that they follow its light or dark dress.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 640
_LEFT, _RIGHT, _ROW = 190, 70, 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: its name, how long it is, and the whisker across its end, if any.

    Attributes:
        shown: What is written beside it.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    shown: str = ""


def bars(rows: Sequence[Bar], *, most: float, label: str) -> str:
    """Draw horizontal bars, from 0 to `most`, with whiskers where they have bounds."""
    room = WIDTH - _LEFT - _RIGHT
    scale = room / most if most > 0 else 0
    parts = []
    for place, row in enumerate(rows):
        top = place * _ROW + 4
        middle = top + 9
        parts.append(_text(_LEFT - 8, middle + 4, row.name, anchor="end"))
        parts.append(
            f'<rect class="bar" x="{_LEFT}" y="{top}" width="{row.value * scale:.1f}" height="18" '
            f'rx="3"><title>{escape(row.name)}: {escape(row.shown)}</title></rect>'
        )
        end = row.value
        if row.low is not None and row.high is not None:
            end = max(end, row.high)
            low, high = _LEFT + row.low * scale, _LEFT + row.high * scale
            parts.append(
                f'<path class="whisker" d="M{low:.1f} {middle}H{high:.1f}M{low:.1f} {middle - 4}v8'
                f'M{high:.1f} {middle - 4}v8"/>'
            )
        parts.append(_text(_LEFT + end * scale + 8, middle + 4, row.shown, style="value"))
    return _svg(len(rows) * _ROW + 8, parts, label)


def line(points: Mapping[str, float], *, label: str) -> str:
    """Draw shares (0-1) in order, joined by a line, each with its value."""
    height, top, bottom = 200, 24, 30
    room = height - top - bottom
    step = (WIDTH - 120) / max(1, len(points) - 1)
    places = [
        (60 + place * step, top + (1 - share) * room) for place, share in enumerate(points.values())
    ]
    parts = [
        f'<path class="grid" d="M40 {top + (1 - share) * room:.1f}H{WIDTH - 20}"/>'
        + _text(34, top + (1 - share) * room + 4, f"{share:.0%}", anchor="end", style="value")
        for share in (0, 0.5, 1)
    ]
    joined = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    parts.append(f'<path class="line" d="M{joined}"/>')
    for (name, share), (x, y) in zip(points.items(), places, strict=True):
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
        parts.append(_text(x, y - 9, f"{100 * share:.1f}", anchor="middle", style="value"))
        parts.append(_text(x, height - 8, name, anchor="middle"))
    return _svg(height, parts, label)


def histogram(
    groups: Mapping[str, Sequence[float]], *, floor: float | None, label: str, bins: int = 25
) -> str:
    """Draw how values from 0 to 1 are spread, one strip for each group, and a line for the floor.

    Each strip is scaled to its own largest bin: what is told is where a group lies, not how many
    it has.
    """
    strip, left = 64, 110
    room = WIDTH - left - 20
    wide = room / bins
    parts = []
    for place, (name, values) in enumerate(groups.items()):
        base = (place + 1) * strip - 8
        parts.append(_text(left - 8, base - 16, name, anchor="end"))
        parts.append(_text(left - 8, base, f"{len(values):,}", anchor="end", style="value"))
        counts = _counts(values, bins)
        tallest = max(counts, default=0) or 1
        for number, count in enumerate(counts):
            if count:
                tall = count / tallest * (strip - 20)
                parts.append(
                    f'<rect class="bar g{place}" x="{left + number * wide:.1f}" '
                    f'y="{base - tall:.1f}" width="{wide - 1:.1f}" height="{tall:.1f}">'
                    f"<title>{escape(name)}, {number / bins:.2f} to {(number + 1) / bins:.2f}: "
                    f"{count:,}</title></rect>"
                )
        parts.append(f'<path class="grid" d="M{left} {base}H{WIDTH - 20}"/>')
    height = len(groups) * strip + 22
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = left + share * room
        parts.append(_text(x, height - 6, f"{share:g}", anchor="middle", style="value"))
    if floor is not None:
        x = left + floor * room
        parts.append(f'<path class="floor" d="M{x:.1f} 4V{height - 20}"/>')
        parts.append(_text(x + 5, 14, f"floor {floor:.2f}", style="value"))
    return _svg(height, parts, label)


def _counts(values: Sequence[float], bins: int) -> list[int]:
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, max(0, int(value * bins)))] += 1
    return counts


def _text(x: float, y: float, text: str, *, anchor: str = "start", style: str = "name") -> str:
    return (
        f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def _svg(height: float, parts: Sequence[str], label: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )
