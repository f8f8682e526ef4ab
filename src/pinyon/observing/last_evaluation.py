"""What the last evaluation of a home came to: figures in a file, and no word of any memory."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from pinyon.domain.times import read_instant, show_instant
from pinyon.errors import InvalidFile, InvalidTime

FILE = "evaluation.json"
FORMAT = "pinyon-evaluation/1"
MEASURES_MAX = 64
_MEASURE = re.compile(r"[a-z0-9_@.()-]{1,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LastEvaluation:
    """The figures of an evaluation.

    Attributes:
        corpus: What it was measured on, by name.
        at_us: When.
        measures: Figures by name: small letters, digits and `_@.()-`; at most 64 of them.
    """

    corpus: str
    at_us: int
    measures: Mapping[str, float]


def write_last(home: Path, evaluation: LastEvaluation) -> Path:
    """Put the figures into a home that is there, in the place of earlier ones; return the file.

    Raises:
        InvalidFile: The home is not there, or cannot be written to.
    """
    path = home / FILE
    written = {
        "format": FORMAT,
        "corpus": evaluation.corpus,
        "at": show_instant(evaluation.at_us),
        "measures": dict(evaluation.measures),
    }
    said = json.dumps(written, ensure_ascii=False, indent=2) + "\n"
    try:
        # Made beside its place, 0600, and moved: nobody reads half a file.
        with NamedTemporaryFile(prefix=f".{FILE}.", dir=home, delete=False) as draft:
            draft.write(said.encode())
        Path(draft.name).replace(path)
    except OSError as error:
        raise InvalidFile(str(path), f"it cannot be written: {error.strerror}") from error
    return path


def read_last(home: Path) -> LastEvaluation | None:
    """Return the figures in a home, or `None` where none were ever put there.

    Raises:
        InvalidFile: The file is no such figures.
    """
    path = home / FILE
    try:
        read = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InvalidFile(
            str(path), "it cannot be read; `pinyon eval --record` makes it"
        ) from error
    match read:
        case {
            "format": str(written),
            "corpus": str(corpus),
            "at": str(at),
            "measures": dict(measures),
        } if written == FORMAT and _are_measures(measures):
            try:
                at_us, _ = read_instant(at)
            except InvalidTime as error:
                raise InvalidFile(str(path), "it does not say when it was made") from error
            return LastEvaluation(corpus=corpus, at_us=at_us, measures=measures)
        case _:
            raise InvalidFile(
                str(path), "it holds no figures; `pinyon eval --record` makes it anew"
            )


def _are_measures(read: Mapping[object, object]) -> bool:
    return len(read) <= MEASURES_MAX and all(
        isinstance(name, str)
        and _MEASURE.fullmatch(name) is not None
        and isinstance(figure, int | float)
        and not isinstance(figure, bool)
        for name, figure in read.items()
    )
