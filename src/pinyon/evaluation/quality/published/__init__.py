"""Published sets, read from the files that their projects publish, at a path of the user's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pinyon.evaluation.quality.corpus import Corpus
from pinyon.evaluation.quality.published import beam, locomo, longmemeval, memdaily


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published set.

    Attributes:
        load: Reads it.
        what: Which file or folder is meant.
        source: Where it comes from, and under which licence.
    """

    load: Callable[[Path], Corpus]
    what: str
    source: str


PUBLISHED: Mapping[str, Published] = {
    "locomo": Published(
        load=locomo.load,
        what="the file locomo10.json",
        source="https://github.com/snap-research/locomo, folder data (CC BY-NC 4.0)",
    ),
    "longmemeval": Published(
        load=longmemeval.load,
        what="a file longmemeval_s_cleaned.json, longmemeval_m_cleaned.json or "
        "longmemeval_oracle.json",
        source="https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned (MIT)",
    ),
    "beam": Published(
        load=beam.load,
        what="the folder chats/100K, chats/500K or chats/1M, or one conversation of it",
        source="https://github.com/mohammadtavakoli78/BEAM (CC BY-SA 4.0)",
    ),
    "memdaily": Published(
        load=memdaily.load,
        what="the file memdaily.json or the folder messages_and_QAs",
        source="https://github.com/nuster1128/MemSim, folder data_generation/final_dataset "
        "(no licence stated)",
    ),
}
