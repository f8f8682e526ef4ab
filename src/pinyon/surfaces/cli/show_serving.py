"""What serving a home takes, for a person to read."""

from rich.table import Table

from pinyon.evaluation.speed.serving import Phase, Served, Serving
from pinyon.surfaces.cli.terminal import out

_MB = 1_000_000


def show_serving(serving: Serving) -> None:
    """Print what was measured of a server by words, and of one by meaning."""
    filled = serving.filled
    vectors = f", vectors of {filled.model}" if filled.model else ""
    out().print(
        f"{filled.users:,} users with {filled.memories:,} memories each{vectors}: "
        f"{serving.home_bytes / _MB:,.0f} MB"
    )
    _show(serving.words)
    if serving.meaning is not None:
        _show(serving.meaning)


def _show(served: Served) -> None:
    how = "by meaning" if served.by_meaning else "by words"
    if served.servers > 1:
        how += f", {served.servers} servers"
    names = (how, "a second", "p50", "p95", "p99", "longest", "server's CPU", "client's", "failed")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(names):
        table.add_column(name, justify="left" if place == 0 else "right")
    _row(table, "the first question of each user", served.first)
    _row(table, "recall at full rate", served.recalls)
    _row(table, "recall at half of it", served.recalls_half)
    _row(table, "durable write at full rate", served.writes)
    _row(table, "remember at full rate", served.remembers)
    out().print(table)
    idle, probe = served.idle, served.probe
    out().print(
        f"ready after {served.ready_s:.2f} s, at most {served.ready_s_max:.2f} s; "
        f"{served.ready_bytes / _MB:,.0f} MB then, {served.full_bytes / _MB:,.0f} MB in the end; "
        f"{idle.connections:,} idle connections take "
        f"{(idle.with_bytes - idle.before_bytes) / _MB:,.1f} MB more\n"
        f"at half rate a request that touches nothing took {probe.p99_ms:.1f} ms at p99, "
        f"{probe.max_ms:.1f} ms at most; the loop stood still for "
        f"{served.recalls_half.loop_stalled_ms:.1f} ms at most"
    )


def _row(table: Table, name: str, phase: Phase) -> None:
    took = phase.took
    shown = (took.p50_ms, took.p95_ms, took.p99_ms, took.max_ms)
    table.add_row(
        name,
        f"{phase.per_s:,.0f}",
        *(f"{ms:,.1f} ms" for ms in shown),
        f"{phase.server_cpu_ms:.2f} ms",
        f"{phase.client_cpu_ms:.2f} ms",
        f"{took.failed:,}",
    )
