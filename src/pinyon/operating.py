"""The home as a whole: for whoever runs it, bound to no user."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import anyio.lowlevel

from pinyon.access.grants import is_shared
from pinyon.access.keys import Keyring, expiry_us
from pinyon.care.copies import Copies
from pinyon.care.reembedding import Reembedding
from pinyon.care.sessions import end_overdue
from pinyon.domain.answers import Reembedded, Verified
from pinyon.domain.credential import ApiKey, Holder
from pinyon.domain.draft import When
from pinyon.domain.grant import PERMISSIONS, Grant, Permission
from pinyon.domain.ids import KeyId, NewUuid, job_id, journalled_id, key_id
from pinyon.domain.job import Job, JobState
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space, checked_name
from pinyon.domain.times import show_instant
from pinyon.errors import (
    AlreadyThere,
    InvalidFile,
    InvalidValue,
    ModelUnavailable,
    NotFound,
    PinyonError,
    StoreCorrupt,
)
from pinyon.moving.backups import back_up
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.journal import Entry
from pinyon.ports.registry import SpaceInfo
from pinyon.ports.store import BacksUp, Finding, Health, Measured, Store, Verifies
from pinyon.write.copies import FOLLOW

AUDIT_LIMIT_MAX = 1_000
PLACE_MAX = 2**62
NOBODYS_KEY = KeyId("key_" + "0" * 32)

OPERATOR = Actor("operator", "operator")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """Whether questions can be answered, and what they are answered without."""

    is_ready: bool = True
    because: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """Return it in one word: `ready`, `degraded` or `unavailable`."""
        if not self.is_ready:
            return "unavailable"
        return "degraded" if self.because else "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What became of the temporary sessions that were due.

    Attributes:
        sessions: How many were ended.
        put_off: The codes of the errors of spaces in which they could not be ended now.
    """

    sessions: int = 0
    put_off: tuple[str, ...] = ()


class Operator:
    """What whoever may read the home can do with the whole of it; bound to no user."""

    def __init__(
        self, store: Store, *, clock: Clock, new_uuid: NewUuid, embedder: Embedder | None = None
    ) -> None:
        self._store, self._clock, self._embedder = store, clock, embedder
        self._new_uuid = new_uuid
        self._keyring = Keyring(store.keys, clock=clock, new_uuid=new_uuid)
        self._copies = Copies(store, clock=clock, new_uuid=new_uuid, embedder=embedder)

    async def spaces(self, *, tenant: str | None = None) -> tuple[SpaceInfo, ...]:
        """Return every space of a tenant, or of all, that can be read, and what it holds."""
        found: list[SpaceInfo] = []
        for space in await self._store.registry.spaces(tenant):
            try:
                info = await self._store.registry.info(space)
            except StoreCorrupt:
                continue  # `health` and `verify` name it
            found += [info] if info is not None else []
        return tuple(found)

    async def verify(
        self, *, fix: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> tuple[Verified, ...]:
        """Compare what is derived with the records of every space; with `fix`, set it right.

        A space whose file cannot be read is named, and does not keep the others from being checked.
        """
        store = self._store
        if not isinstance(store, Verifies):
            return ()
        try:
            spaces = await store.registry.spaces()
        except StoreCorrupt as error:
            return (Verified(space=None, findings=(str(error),), mended=()),)
        verified: list[Verified] = []
        for done, space in enumerate(spaces, start=1):
            try:
                findings = await store.verify(space, fix=fix)
                findings += await self._followed(space, fix=fix)
            except PinyonError as error:
                verified.append(Verified(space=space, findings=(str(error),), mended=()))
            else:
                open_ = tuple(f.what for f in findings if not f.mended)
                mended = tuple(f.what for f in findings if f.mended)
                verified.append(Verified(space=space, findings=open_, mended=mended))
            if progress is not None:
                progress(done, len(spaces))
        return tuple(verified)

    async def _followed(self, space: Space, *, fix: bool) -> list[Finding]:
        """Return what an act over several spaces still owes, and what files still hold."""
        if fix:
            await self._copies.run(space)
        behind = [
            f"{payload['copy']} in {payload['space']} has not followed {payload['memory']} yet"
            for payload in (dict(job.payload) for job in await self._copies.behind(space))
        ]
        await self._store.receipts.settle(space)
        behind += [
            f"{receipt.id} is not complete: a file is being read elsewhere, or a copy is behind"
            for receipt in await self._store.receipts.of_space(space)
            if not receipt.complete
        ]
        return [Finding(str(space), what) for what in behind]

    async def reembed(
        self, *, tenant: str | None = None, progress: Callable[[int, int], None] | None = None
    ) -> tuple[Reembedded, ...]:
        """Give the memories of every space the vectors of the model that is set now.

        While it runs, the old vectors answer for whoever has the old model still. It may be broken
        off and started again: what is there is not made twice.

        Args:
            tenant: Only that tenant's spaces.
            progress: Told how many memories were looked at, and how many there are.

        Raises:
            ModelUnavailable: There is no model, or it fails.
        """
        if self._embedder is None:
            why = "none is installed, or PINYON_MODELS is off; `pinyon models install` brings one"
            raise ModelUnavailable("embedder", why)
        infos = await self.spaces(tenant=tenant)
        total, before = sum(info.memories for info in infos), 0
        done: list[Reembedded] = []
        for info in infos:

            def report(seen: int, before: int = before) -> None:
                if progress is not None:
                    progress(before + seen, total)

            work = Reembedding(self._store, self._embedder, by=OPERATOR)
            made = await work.run(info.space, report)
            before += info.memories
            report(0, before)
            done.append(Reembedded(space=info.space, memories=info.memories, made=made))
        return tuple(done)

    async def grants(self, *, tenant: str | None = None) -> tuple[Grant, ...]:
        """Return who may read or write what is shared, of a tenant or of all.

        What is not named is open to its tenant.
        """
        grants = await self._store.registry.grants()
        return tuple(one for one in grants if tenant in (None, one.space.tenant))

    async def grant(self, space: Space, user: str, permission: Permission = "write") -> Grant:
        """Let a user read, or write, a project or shared space, which closes it to others.

        Raises:
            InvalidValue: The space is one user's own.
            InvalidName: The user is no name.
        """
        if not is_shared(space):
            raise InvalidValue("space", str(space), "a project or a shared space")
        if permission not in PERMISSIONS:
            raise InvalidValue("permission", permission, "one of " + ", ".join(PERMISSIONS))
        grant = Grant(space, checked_name("user", user), permission)
        await self._store.registry.grant(grant)
        return grant

    async def revoke(self, space: Space, user: str) -> None:
        """Take a user's grant back, at once.

        Raises:
            NotFound: There is none.
        """
        await self._store.registry.revoke(space, checked_name("user", user))

    async def create_key(
        self, holder: Holder, *, name: str = "", expires: When = None
    ) -> tuple[ApiKey, str]:
        """Make an API key; return it, and what its holder sends, which nobody can show again.

        Args:
            holder: For whom it speaks, and as what.
            name: What it is for.
            expires: When it opens nothing any more: an instant, or days from now, as `90d`.

        Raises:
            InvalidName: A name is none.
            InvalidTime: `expires` is no instant.
            InvalidValue: There can be no such holder, or the key would have expired by now.
        """
        expires_at_us = expiry_us(expires, self._clock.now_us())
        return await self._keyring.create(holder, name=name, expires_at_us=expires_at_us)

    async def list_keys(self, *, tenant: str | None = None) -> tuple[ApiKey, ...]:
        """Return the keys of a tenant, or of all, oldest first; those that were revoked too."""
        return tuple(await self._store.keys.list_keys(tenant))

    async def revoke_key(self, identifier: str, *, tenant: str | None = None) -> ApiKey:
        """Let a key open nothing any more, at once and in every process; return it.

        Args:
            identifier: Its id, as `list_keys` shows it. To revoke it twice is to revoke it once.
            tenant: Whose it must be, if that matters.

        Raises:
            InvalidId: It is no id of a key.
            NotFound: There is no such key, of that tenant.
        """
        keys, known = self._store.keys, key_id(identifier)
        found = await keys.find(known)
        if found is None or tenant not in (None, found[0].tenant):
            raise NotFound(known)
        await keys.revoke(known, self._clock.now_us())
        now = await keys.find(known)
        return found[0] if now is None else now[0]

    async def audit(
        self, space: Space, *, memory: str | None = None, after: int = 0, limit: int = 100
    ) -> tuple[Entry, ...]:
        """Return lines of a space's journal, oldest first: who did what to which memory, and when.

        Args:
            space: Whose journal.
            memory: Only of this memory, event, job or receipt.
            after: Only behind this place.
            limit: At most so many, up to 1,000.

        Raises:
            InvalidId: What `memory` names is no id.
            InvalidValue: `after` or `limit` is outside its range.
        """
        target = None if memory is None else journalled_id(memory)
        if not 1 <= limit <= AUDIT_LIMIT_MAX:
            raise InvalidValue("limit", limit, f"a whole number from 1 to {AUDIT_LIMIT_MAX}")
        if not 0 <= after <= PLACE_MAX:
            raise InvalidValue("after", after, "the place of an entry")
        entries = await self._store.journal.entries(space, target=target, after=after, limit=limit)
        return tuple(entries)

    async def jobs(self, space: Space, *, state: JobState | None = None) -> tuple[Job, ...]:
        """Return the background work of a space, oldest first."""
        return tuple(await self._store.jobs.list_jobs(space, state=state))

    async def cancel_job(self, space: Space, identifier: str) -> None:
        """Cancel a job that waits or runs.

        Raises:
            InvalidId: It is no id of a job.
            InvalidValue: It lets a published copy follow; without it the copy would stand for good.
            NotFound: No such job waits or runs there.
        """
        known = job_id(identifier)
        for job in await self._store.jobs.list_jobs(space):
            if job.id == known and job.task == FOLLOW:
                allowed = "another; this one lets a copy follow, and is tried until it has"
                raise InvalidValue("job", known, allowed)
        if not await self._store.jobs.cancel(space, known):
            raise NotFound(known)

    async def all_jobs(
        self, *, tenant: str | None = None, user: str | None = None, state: JobState | None = None
    ) -> tuple[tuple[Space, Job], ...]:
        """Return the background work of every space, with whose it is; in each, oldest first.

        Args:
            tenant: Only of this tenant's spaces.
            user: Only of this user's: the user's own, and those of the user's agents.
            state: Only what is in it.
        """
        found: list[tuple[Space, Job]] = []
        for space in await self._store.registry.spaces(tenant):
            if user is not None and (not space.is_personal or space.segments[1] != user):
                continue
            try:
                jobs = await self._store.jobs.list_jobs(space, state=state)
            except StoreCorrupt:
                continue  # `health` and `verify` name it
            found += [(space, job) for job in jobs]
        return tuple(found)

    async def find_job(self, identifier: str) -> tuple[Space, Job]:
        """Return a job of any space, and the space.

        Raises:
            InvalidId: It is no id of a job.
            NotFound: No space has such a job.
        """
        known = job_id(identifier)
        for space, job in await self.all_jobs():
            if job.id == known:
                return space, job
        raise NotFound(known)

    async def retry_job(self, space: Space, identifier: str) -> None:
        """Have a job that is dead, was cancelled, or waits for later tried now.

        It has all its attempts again. A worker takes it up within a second or two, if one runs.

        Raises:
            InvalidId: It is no id of a job.
            InvalidValue: It runs, or is done.
            AlreadyThere: Another job for the same waits or runs.
            NotFound: There is no such job there.
        """
        known = job_id(identifier)
        if await self._store.jobs.retry(space, known):
            return
        for job in await self._store.jobs.list_jobs(space):
            if job.id == known and job.state in ("leased", "done"):
                raise InvalidValue("job", known, "dead, cancelled, or one that waits")
            if job.id == known:
                raise AlreadyThere(f"another job for the same as {known}")
        raise NotFound(known)

    async def end_overdue(self) -> Ended:
        """End the temporary sessions that are due, of users whose space is open now.

        One that cannot be ended now keeps no other from its end.
        """
        if not isinstance(self._store, Measured):
            return Ended()
        count, put_off = 0, []
        for own in await self._store.open_spaces():
            if not own.is_own:
                continue
            # What is asked of a space may be answered at once: hundreds would hold up everybody.
            await anyio.lowlevel.checkpoint()
            try:
                count += await end_overdue(
                    self._store,
                    own,
                    clock=self._clock,
                    new_uuid=self._new_uuid,
                    embedder=self._embedder,
                )
            except PinyonError as error:
                put_off.append(error.code)
        return Ended(sessions=count, put_off=tuple(put_off))

    async def readiness(self) -> Readiness:
        """Return whether questions can be answered now, and what is missing; quick to ask."""
        try:
            # What every request begins with: the home's secret, and one read of the registry.
            await self._store.keys.hash_key()
            await self._store.keys.find(NOBODYS_KEY)
        except PinyonError as error:
            return Readiness(is_ready=False, because=(error.code,))
        if self._embedder is None:
            return Readiness(because=("no model: recall goes by words",))
        try:
            await self._embedder.embed_question("ready?")
        except ModelUnavailable:
            return Readiness(because=("the model fails: recall goes by words",))
        return Readiness()

    async def health(self) -> Health:
        """Return whether every file can be read, and what is not as it should be."""
        return await self._store.health()

    async def backup(
        self, target: Path, *, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Copy the home into a new folder while it is in use; return how many spaces it holds."""
        if not isinstance(self._store, BacksUp):
            raise InvalidFile(str(target), "this store has backups of its own")
        taken_at = show_instant(self._clock.now_us())
        report = progress or (lambda _done, _all: None)
        return await back_up(self._store, target, taken_at=taken_at, progress=report)

    async def close(self) -> None:
        """Let go of the home."""
        await self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
