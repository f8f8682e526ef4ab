"""The composition root: the only place that knows both a setting and a class."""

import os
import random
import shutil
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import assert_never

from pinyon.access.authenticating import Authenticator
from pinyon.access.keys import Keyring
from pinyon.access.tokens import Tokens
from pinyon.blocking import start_loop
from pinyon.care.budget import Budget
from pinyon.care.handlers import consolidating, reflecting, summarising, usual_tasks
from pinyon.care.lessons_by_rule import REFLECTS
from pinyon.care.model_proposer import ModelProposer
from pinyon.care.model_reflector import ModelReflector
from pinyon.care.model_summaries import ModelSummaries
from pinyon.care.rules import RULES
from pinyon.care.summarising import SUMMARISE, Summariser
from pinyon.care.tasks import Every, Task, Tasks
from pinyon.care.worker import USUAL_PACE, Pace, Worker
from pinyon.client import MemoryClient
from pinyon.domain.ids import NewUuid, uuid7_hex
from pinyon.domain.job import Attempted
from pinyon.domain.principal import Actor, Principal
from pinyon.domain.space import Space
from pinyon.errors import InvalidFile, InvalidSetting
from pinyon.models.anthropic_chat import AnthropicChat
from pinyon.models.chat_judge import ChatJudge
from pinyon.models.cross_encoder import CrossEncoder
from pinyon.models.endpoint import EndpointEmbedder
from pinyon.models.late_interaction import LateInteractionModel
from pinyon.models.locate import find_cross_encoder, find_late_interaction
from pinyon.models.mixed import MixedModel
from pinyon.models.multilingual import MultilingualModel
from pinyon.models.openai_chat import OpenAIChat
from pinyon.models.presidio import PresidioDetector
from pinyon.moving.backups import restore as restore_files
from pinyon.moving.backups import taken_at_us
from pinyon.moving.forgetting_again import forget_again, revoke_again
from pinyon.operating import Operator
from pinyon.ports.allowance import Allowance
from pinyon.ports.chat import Chat
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.models import NO_MODELS, Models
from pinyon.ports.reranker import Reranker
from pinyon.ports.store import Store
from pinyon.ports.watch import NO_WATCH, Watch, joined
from pinyon.recall.recaller import Recaller, Tuning
from pinyon.remote.client import RemoteMemoryClient
from pinyon.remote.speaking import Speaking
from pinyon.settings import Settings, read_settings
from pinyon.stores.sqlite import SqliteStore
from pinyon.text.counting import estimated_tokens
from pinyon.turn.packing import CountTokens
from pinyon.write.eraser import Eraser
from pinyon.write.gate import Gate
from pinyon.write.keeper import CONSOLIDATE, REFLECT, Keeper
from pinyon.write.keeping import keeper_of
from pinyon.write.vectors import EMBED


class SystemClock:
    """Tells the time of the machine."""

    def now_us(self) -> int:
        """Return microseconds since 1970, UTC."""
        return time.time_ns() // 1000


def new_uuid() -> str:
    """Return 32 hex digits of a fresh UUIDv7."""
    return uuid7_hex(time.time_ns() // 1000, os.urandom(8))


def open(  # noqa: A001 - `pinyon.open` is its name
    home: str | Path | None = None,
    *,
    user: str,
    tenant: str = "default",
    agent: str | None = None,
    project: str | None = None,
    watch: Watch = NO_WATCH,
    count_tokens: CountTokens = estimated_tokens,
) -> MemoryClient:
    """Open a home directory and return the memory of one user in it.

    Nothing is made before the first write. Use the client as `async with`, or as plain `with` for a
    blocking one.

    Args:
        home: The directory; by default `PINYON_HOME`, else the platform's data folder.
        user: Whose memory it is; any text but a blank one.
        tenant: To which tenant the user belongs.
        agent: Which of the user's agents asks; gives it a space of its own for notes.
        project: Which project is worked on; gives its members a space together.
        watch: Told of each call: `pinyon.observing` has one that counts.
        count_tokens: Counts what a text takes in a prompt, for budgets; by default an estimate on
            the safe side. Whoever has the model's own tokenizer passes it here.

    Raises:
        InvalidName: A name is no text, blank, too long, or has controls.
        InvalidSetting: A setting in the environment is outside its range.
    """
    principal = Principal.of_home(tenant=tenant, user=user, agent=agent, project=project)
    return open_client(read_settings(home=home), principal, watch=watch, count_tokens=count_tokens)


def connect(
    url: str,
    key: str,
    *,
    user: str | None = None,
    agent: str | None = None,
    project: str | None = None,
) -> RemoteMemoryClient:
    """Return the memory of one user at a server: the client that `open` gives, over the network.

    Nothing is sent before it is entered, as `async with` or as plain `with`.

    Args:
        url: Where the server is: `http://127.0.0.1:7469`.
        key: The credential: a key (`pyn_…`), or a token of the issuer that the server trusts.
        user: For whom a service's key acts; any other key speaks for its own user.
        agent: Which of the user's agents asks, where the key does not say.
        project: Which project is worked on, where the key does not say.
    """
    names = {"user": user, "agent": agent, "project": project}
    return RemoteMemoryClient(Speaking(url, key, names=names))


def operate(home: str | Path | None = None) -> Operator:
    """Open a home directory as a whole: its spaces, its health, its backups."""
    settings = read_settings(home=home)
    clock = SystemClock()
    return Operator(
        _store(settings, clock), clock=clock, new_uuid=new_uuid, embedder=embedder_of(settings)
    )


def restore(
    source: str | Path,
    home: str | Path | None = None,
    *,
    forgotten_in: str | Path | None = None,
) -> int:
    """Make a home of a backup; return how many spaces it holds.

    Args:
        source: The folder that `backup` made.
        home: Where to; it must not exist yet.
        forgotten_in: The home as it was until now: what was forgotten there since the backup is
            forgotten in the new one too, before anybody can read it.

    Raises:
        InvalidFile: The backup is not whole, or that home is not the one it was made of.
        NotEmpty: The home is there already.
    """
    settings = read_settings(home=home)
    if forgotten_in is None:
        return restore_files(Path(source), settings.home)
    # Made beside its place: what is to be forgotten must not lie there for a moment.
    unfinished = settings.home.with_name(f".{settings.home.name}.{new_uuid()}")
    try:
        count = restore_files(Path(source), unfinished, under=settings.home)
        _check_is_of(Path(forgotten_in), unfinished)
        portal = start_loop()
        portal.call(_forget_again, unfinished, Path(forgotten_in), Path(source))
        portal.call(portal.stop)
        settings.home.parent.mkdir(parents=True, exist_ok=True)
        unfinished.replace(settings.home)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return count


def _check_is_of(folder: Path, restored: Path) -> None:
    """Refuse a folder that knows nothing of what was forgotten: all of it would come back."""
    secret = folder / "secret.key"
    if not secret.is_file():
        raise InvalidFile(str(folder), "it is no home; name the one that was in use until now")
    if secret.read_bytes() != (restored / "secret.key").read_bytes():
        raise InvalidFile(str(folder), "the backup was made of another home")


async def _forget_again(home: Path, forgotten_in: Path, source: Path) -> None:
    restored, current = open_store(home), open_store(forgotten_in)
    clock = SystemClock()
    eraser = Eraser(restored.records, restored.exposures, clock=clock, new_uuid=new_uuid)
    try:
        since_us = taken_at_us(source)
        await forget_again(restored, current, eraser, since_us=since_us)
        await revoke_again(restored, current, now_us=clock.now_us())
    finally:
        await restored.close()
        await current.close()


def open_client(
    settings: Settings,
    principal: Principal,
    *,
    surface: str = "python",
    clock: Clock | None = None,
    watch: Watch = NO_WATCH,
    count_tokens: CountTokens = estimated_tokens,
) -> MemoryClient:
    """Return a client for a principal, on what the settings name.

    Args:
        settings: Which home, and how.
        principal: Whom the client speaks for.
        surface: What the journal calls where its operations come from.
        clock: The machine's by default.
        watch: Surrounds every operation, beside what the settings ask for.
        count_tokens: Counts what a text takes in a prompt.
    """
    clock = clock or SystemClock()
    parts = Parts(
        store=_store(settings, clock), models=models_of(settings), count_tokens=count_tokens
    )
    return _client_on(parts, settings, principal, surface=surface, clock=clock, watch=watch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a client is put together from.

    Attributes:
        tuning: How recall is set; by default as the settings say.
    """

    store: Store
    models: Models
    tuning: Tuning | None = None
    new_uuid: NewUuid = new_uuid
    count_tokens: CountTokens = estimated_tokens

    def recaller(self, settings: Settings, *, clock: Clock) -> Recaller:
        """Return what recalls, set as the settings say unless `tuning` does."""
        tuning = self.tuning or Tuning(weights=settings.weights, synonyms=settings.synonyms)
        budget = budget_of(settings, self.store, clock=clock)
        return Recaller(
            self.store.records,
            self.store.search,
            self.store.sessions,
            replace(self.models, judge=self.models.judge or judge_of(settings, budget)),
            tuning,
            changes=self.store.changes,
            log=self.store.event_log,
        )


def _client_on(
    parts: Parts,
    settings: Settings,
    principal: Principal,
    *,
    surface: str,
    clock: Clock,
    watch: Watch,
    recaller: Recaller | None = None,
) -> MemoryClient:
    return MemoryClient(
        parts.store,
        principal,
        clock=clock,
        new_uuid=parts.new_uuid,
        surface=surface,
        models=parts.models,
        gate=gate_of(settings),
        recaller=recaller or parts.recaller(settings, clock=clock),
        remembered=settings.remembered,
        count_tokens=parts.count_tokens,
        proposer=model_proposer_of(settings, parts.store, clock=clock) or RULES,
        reflector=model_reflector_of(settings, parts.store, clock=clock) or REFLECTS,
        watch=joined(watch, watch_of(settings)),
    )


DAY_S = 24 * 3600.0
JUDGE_TIMEOUT_S = 30.0
"""For a model that judges what was found, where no deadline says otherwise: somebody waits."""
RESTS_BESIDE_REQUESTS = 9.0
"""A long job takes a tenth of the time of a process that answers requests too."""


def schedules_of(settings: Settings) -> Sequence[Every]:
    """Return what a worker does again and again.

    `embed` makes up for processes that had no model; `summarise` tells conversations in short that
    nobody ended; `consolidate` looks at what was said.
    """
    embed = Every(task=EMBED, every_s=DAY_S)
    summarise = Every(task=SUMMARISE, every_s=DAY_S / 4, spaces="own")
    if not settings.consolidate_every:
        return (embed, summarise)
    consolidate = Every(
        task=CONSOLIDATE,
        every_s=DAY_S,
        spaces="own",
        priority="normal",
        at_once_from=settings.consolidate_every,
    )
    return (embed, summarise, consolidate)


def tasks_of(parts: Parts, settings: Settings, *, clock: Clock, rests: float = 0.0) -> Tasks:
    """Return what a worker can do: by the name of a job's task, its handler."""
    tasks = dict(
        usual_tasks(
            parts.store, clock=clock, new_uuid=parts.new_uuid, embedder=parts.models.embedder
        )
    )
    tasks[REFLECT] = reflecting(_clients_for_work(parts, settings, clock))
    tasks[SUMMARISE] = _summarising(parts, settings, clock)
    if settings.consolidate_every:
        tasks[CONSOLIDATE] = consolidating(
            _clients_for_work(parts, settings, clock), clock=clock, rests=rests
        )
    return tasks


def _summarising(parts: Parts, settings: Settings, clock: Clock) -> Task:
    """Return how a worker tells in short what was said and what is long."""
    by = Actor("pinyon", SUMMARISE)

    def keeper_for(space: Space) -> Keeper:
        return keeper_of(
            parts.store,
            space,
            clock=clock,
            new_uuid=parts.new_uuid,
            models=parts.models,
            gate=gate_of(settings),
        )

    def summariser_of(space: Space) -> Summariser:
        keeper = keeper_for(space)
        return Summariser(parts.store, keeper, clock=clock, new_uuid=parts.new_uuid, by=by)

    chat = chat_of(settings)
    if chat is None:
        return summarising(summariser_of, clock=clock)
    budget = budget_of(settings, parts.store, clock=clock)
    asks = partial(ModelSummaries, chat=chat, budget=budget, timeout_s=settings.chat_timeout_s)

    def model_of(space: Space) -> ModelSummaries:
        return asks(parts.store, keeper_for(space), clock=clock, by=by)

    return summarising(summariser_of, model_of, clock=clock)


def _clients_for_work(
    parts: Parts, settings: Settings, clock: Clock
) -> Callable[[Space], MemoryClient]:
    """Return what gives a worker the client of the user whose own space it is."""

    def client_of(space: Space) -> MemoryClient:
        principal = Principal.of_home(tenant=space.tenant, user=space.segments[1])
        return _client_on(parts, settings, principal, surface="worker", clock=clock, watch=NO_WATCH)

    return client_of


def budget_of(settings: Settings, store: Store, *, clock: Clock) -> Budget:
    """Return what may be spent on chat models."""
    return Budget(store.budgets, settings.budget, clock=clock)


def worker_on(
    parts: Parts,
    settings: Settings,
    *,
    clock: Clock,
    told: Callable[[Attempted], None] = lambda _attempted: None,
    pace: Pace = USUAL_PACE,
    rests: float = 0.0,
) -> Worker:
    """Return what does the background work of a store.

    Args:
        parts: What it works with.
        settings: Which of it, and how often.
        clock: Tells what is due.
        told: Hears of each attempt that has ended.
        pace: How fast it goes.
        rests: How much longer than a part of a long job took it rests before the next one.
    """
    return Worker(
        parts.store,
        tasks_of(parts, settings, clock=clock, rests=rests),
        schedules=schedules_of(settings),
        clock=clock,
        new_uuid=parts.new_uuid,
        chance=random.random,
        told=told,
        pace=pace,
    )


def open_worker(
    settings: Settings, *, told: Callable[[Attempted], None] = lambda _attempted: None
) -> tuple[Worker, Store]:
    """Return what does the background work of the home that the settings name, and its store.

    The store is to be closed when the worker has ended.
    """
    clock = SystemClock()
    parts = Parts(store=_store(settings, clock), models=models_of(settings))
    return worker_on(parts, settings, clock=clock, told=told), parts.store


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What a server needs of a home, all of it on one store.

    Attributes:
        store: On which all of it is.
        base: Bound to nobody; `bound_to` gives the clients of those who ask.
        operator: For the home as a whole.
        authenticator: Tells who asks.
        keyring: Makes keys, and is to be flushed at the end.
        recaller: Of all its clients; it keeps answers.
        worker: Does the background work beside the requests; `None` where the settings say that
            another process does.
    """

    store: Store
    base: MemoryClient
    operator: Operator
    authenticator: Authenticator
    keyring: Keyring
    recaller: Recaller
    worker: Worker | None


def serve_home(
    settings: Settings,
    *,
    surface: str = "rest",
    clock: Clock | None = None,
    watch: Watch = NO_WATCH,
    parts: Parts | None = None,
    told: Callable[[Attempted], None] = lambda _attempted: None,
) -> Served:
    """Open what a server needs of the home that the settings name.

    Args:
        settings: Which home, and how.
        surface: What the journal calls it.
        clock: The machine's by default.
        watch: Surrounds every operation.
        parts: In the place of those that the settings name.
        told: Hears of each attempt at a job.
    """
    clock = clock or SystemClock()
    parts = parts or Parts(store=_store(settings, clock), models=models_of(settings))
    store = parts.store
    authenticator, keyring = authenticator_of(settings, store, clock=clock, new_uuid=parts.new_uuid)
    nobody = Principal(
        tenant=settings.tenant, user="nobody", agent=None, project=None, reads=(), writes=()
    )
    recaller = parts.recaller(settings, clock=clock)
    base = _client_on(
        parts, settings, nobody, surface=surface, clock=clock, watch=watch, recaller=recaller
    )
    embedder = parts.models.embedder
    operator = Operator(store, clock=clock, new_uuid=parts.new_uuid, embedder=embedder)
    worker = None
    if settings.worker == "on":
        worker = worker_on(parts, settings, clock=clock, told=told, rests=RESTS_BESIDE_REQUESTS)
    return Served(
        store=store,
        base=base,
        operator=operator,
        authenticator=authenticator,
        keyring=keyring,
        recaller=recaller,
        worker=worker,
    )


def authenticator_of(
    settings: Settings,
    store: Store,
    *,
    clock: Clock | None = None,
    new_uuid: NewUuid = new_uuid,
) -> tuple[Authenticator, Keyring]:
    """Return what tells who asks of a store, and its keyring, which is to be flushed at the end.

    Raises:
        InvalidSetting: An issuer is set whose tokens cannot be checked.
    """
    clock = clock or SystemClock()
    keyring = Keyring(store.keys, clock=clock, new_uuid=new_uuid)
    return Authenticator(keyring, tokens_of(settings, clock), settings.tenant), keyring


def tokens_of(settings: Settings, clock: Clock) -> Tokens | None:
    """Return what looks at an issuer's tokens, or `None` where no issuer is set."""
    if not settings.jwt_issuer:
        return None
    return Tokens(settings.jwt_issuer, settings.jwt_audience, settings.jwt_jwks_url, clock=clock)


def watch_of(settings: Settings) -> Watch:
    """Return what watches every client because a setting asks for it.

    Raises:
        InvalidSetting: Spans are asked for, and what makes them is not installed.
    """
    if settings.otel == "off":
        return NO_WATCH
    try:
        from pinyon.observing.spans import Spans, exported  # noqa: PLC0415 - loads an extra

        return Spans(exported())
    except ImportError as error:
        why = "`on` needs the extra `otel`: pip install 'pinyon[otel]'"
        raise InvalidSetting("PINYON_OTEL", why) from error


def gate_of(settings: Settings) -> Gate:
    """Return what is done about what is sensitive, what else looks for it, and synonyms."""
    detectors = (PresidioDetector(),) if settings.detector == "presidio" else ()
    return Gate(settings.gate, detectors, settings.synonyms)


def models_of(settings: Settings) -> Models:
    """Return the models that the settings name, as far as they are there; none is loaded yet."""
    return Models(embedder=embedder_of(settings), reranker=reranker_of(settings))


def embedder_of(settings: Settings) -> Embedder | None:
    """Return the model that gives vectors, or `None` where there is none or it is switched off."""
    if settings.models == "off":
        return None
    match settings.embedder:
        case "local":
            return _local(settings)
        case "mixed":
            local = _local(settings)
            return None if local is None else MixedModel(local, MultilingualModel())
        case "multilingual":
            # Asked for by name, it says what is missing rather than leave all to words.
            return MultilingualModel()
        case "endpoint":
            if not settings.embeddings_url or not settings.embeddings_model:
                raise InvalidSetting(
                    "PINYON_EMBEDDER",
                    "`endpoint` needs PINYON_EMBEDDINGS_URL and PINYON_EMBEDDINGS_MODEL",
                )
            key = settings.embeddings_key.get_secret_value()
            return EndpointEmbedder(settings.embeddings_url, settings.embeddings_model, key)
        case _:
            assert_never(settings.embedder)


def _local(settings: Settings) -> Embedder | None:
    weights = find_late_interaction(models_folder(settings))
    return None if weights is None else LateInteractionModel(weights)


def reranker_of(settings: Settings) -> Reranker | None:
    """Return the cross-encoder, or `None` where there is none or models are switched off."""
    if settings.models == "off":
        return None
    weights = find_cross_encoder(models_folder(settings))
    return None if weights is None else CrossEncoder(weights)


def chat_of(settings: Settings) -> Chat | None:
    """Return the chat model that is set, or `None` where it is off; nothing is loaded or asked."""
    if settings.chat == "off":
        return None
    vendor, _, model = settings.chat.partition(":")
    speaks = OpenAIChat if vendor == "openai" else AnthropicChat
    return speaks(model, url=settings.chat_url, key=settings.chat_key.get_secret_value())


def model_reflector_of(settings: Settings, store: Store, *, clock: Clock) -> ModelReflector | None:
    """Return what asks the chat model what a task teaches, or `None` where there is none."""
    chat = chat_of(settings)
    if chat is None:
        return None
    budget = budget_of(settings, store, clock=clock)
    return ModelReflector(chat, budget=budget, timeout_s=settings.chat_timeout_s)


def model_proposer_of(settings: Settings, store: Store, *, clock: Clock) -> ModelProposer | None:
    """Return what asks the chat model what to make of episodes, or `None` where there is none."""
    chat = chat_of(settings)
    if chat is None:
        return None
    budget = budget_of(settings, store, clock=clock)
    return ModelProposer(chat, budget=budget, timeout_s=settings.chat_timeout_s)


def judge_of(settings: Settings, allowance: Allowance | None = None) -> ChatJudge | None:
    """Return what has the chat model judge what was found, or `None` where there is none.

    Args:
        settings: Which model.
        allowance: What may be spent on it; all of it where `None`.
    """
    chat = chat_of(settings)
    if chat is None:
        return None
    timeout_s = min(settings.chat_timeout_s, JUDGE_TIMEOUT_S)
    return ChatJudge(chat, timeout_s=timeout_s, allowance=allowance)


def models_folder(settings: Settings) -> Path | None:
    """Return the folder that holds the models, or `None` for the companion package."""
    return None if settings.models in ("auto", "off") else Path(settings.models)


def open_to_evaluate(
    settings: Settings,
    home: Path,
    *,
    clock: Clock,
    new_uuid: NewUuid,
    models: Models,
    without: Collection[str] = (),
) -> MemoryClient:
    """Return a client on a home of its own, for measuring how good recall and consolidation are.

    Time, ids and models come from whoever measures: a measurement can be repeated to the digit.
    """
    settings = settings.model_copy(update={"home": home, "durable": False})
    store = _store(settings, clock)
    tuning = Tuning(weights=settings.weights, synonyms=settings.synonyms, without=tuple(without))
    judged = replace(models, judge=models.judge or judge_of(settings))
    return MemoryClient(
        store,
        Principal.of_home(tenant="evaluation", user="nobody"),
        clock=clock,
        new_uuid=new_uuid,
        surface="evaluation",
        models=models,
        gate=gate_of(settings),
        recaller=Recaller(
            store.records, store.search, store.sessions, judged, tuning, log=store.event_log
        ),
        remembered=settings.remembered,
        proposer=model_proposer_of(settings, store, clock=clock) or RULES,
    )


def open_store(home: Path, *, durable: bool = True) -> SqliteStore:
    """Return the store of a home directory, for what works below a client."""
    return _store(read_settings({}, home=home, durable=durable), SystemClock())


def open_parts(
    home: Path, *, durable: bool = True, models: Models = NO_MODELS
) -> tuple[SqliteStore, MemoryClient]:
    """Return a client and the store below it, for measuring each by itself."""
    store = open_store(home, durable=durable)
    client = MemoryClient(
        store,
        Principal.of_home(tenant="bench", user="bench"),
        clock=SystemClock(),
        new_uuid=new_uuid,
        surface="bench",
        models=models,
    )
    return store, client


def _store(settings: Settings, clock: Clock) -> SqliteStore:
    return SqliteStore(
        settings.home,
        clock=clock,
        durable=settings.durable,
        spaces_open_max=settings.spaces_open_max,
    )
