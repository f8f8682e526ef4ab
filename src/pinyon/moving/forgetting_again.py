"""Forgetting in a restored home what was forgotten since its backup was made, and its keys too."""

from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.principal import Actor
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space
from pinyon.ports.store import Store
from pinyon.write.eraser import Eraser

RESTORER = Actor("operator", "restore")


async def forget_again(restored: Store, current: Store, eraser: Eraser, *, since_us: int) -> int:
    """Do to a restored store what was done to the current one since; return how many receipts.

    What users let memory keep is as it is in the current one.

    What hangs on a memory is found anew in the restored records, so that it goes as far as it did.

    Args:
        restored: What was made of the backup.
        current: The store whose receipts count.
        eraser: Forgets in the restored one.
        since_us: When the backup was made.
    """
    count = 0
    for space in await restored.registry.spaces():
        if space.owner is not None:
            now = await current.registry.consent(space.owner)
            if now != await restored.registry.consent(space.owner):
                await restored.registry.put_consent(space.owner, paused=now.paused, never=now.never)
        for receipt in await current.receipts.of_space(space):
            if receipt.at_us < since_us:
                continue
            count += 1
            if receipt.whole:
                await restored.erase(space, receipt)
            else:
                await _forget(restored, eraser, space, receipt)
    return count


async def revoke_again(restored: Store, current: Store, *, now_us: int) -> int:
    """Let no key open a restored store that opens nothing in the current one; return how many."""
    held = {key.id: key for key in await current.keys.list_keys()}
    count = 0
    for key in await restored.keys.list_keys():
        revoked_at_us = held[key.id].revoked_at_us if key.id in held else now_us
        if revoked_at_us is not None:
            count += await restored.keys.revoke(key.id, revoked_at_us)
    return count


async def _forget(restored: Store, eraser: Eraser, space: Space, receipt: Receipt) -> None:
    ids = [MemoryId(one) for one in receipt.ids if one.startswith("mem_")]
    held = [memory.id for memory in await restored.records.get(space, ids)]
    events = [EventId(one) for one in receipt.ids if one.startswith("evt_")]
    there = [one for one in events if await restored.records.turn_text(space, one) is not None]
    if held or there:
        await eraser.forget(space, held, there, by=RESTORER)
