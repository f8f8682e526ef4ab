"""Reading a folder of documents, or one. All of it is read before anything is changed."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NoReturn

from pinyon.errors import InvalidFile, TooLarge
from pinyon.text.chunks import Chunk, chunks_of, chunks_of_text
from pinyon.text.normal import keep

MARKDOWN = frozenset({".md", ".markdown"})
PLAIN = frozenset({".txt"})
DOCUMENT_BYTES_MAX = 5 * 1024 * 1024

_KNOWN = ", ".join(sorted(MARKDOWN | PLAIN))


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Documents as they are written, before anything is cut.

    Attributes:
        name: What they are imported as: by default the name of their folder.
        texts: Each by its path in the folder.
        is_whole: They are all that there are under this name; a single file is not.
        skipped: How many files are no documents, or are links to somewhere else.
    """

    name: str
    texts: Mapping[str, str]
    is_whole: bool
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A document, by its path in the folder, and what it was cut into."""

    name: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """What was read and cut, sorted by name; see `Texts`, of which it was made."""

    name: str
    documents: tuple[Document, ...]
    is_whole: bool
    skipped: int = 0


def read_texts(path: Path, name: str | None = None) -> Texts:
    """Read `.md`, `.markdown` and `.txt` files, as UTF-8: those of a folder and below it, or one.

    What is hidden (its name begins with a dot) is passed over, and so are links to folders and
    links that lead out of the folder.

    Raises:
        InvalidFile: There is no such file or folder, it is no document, or one cannot be read.
        TooLarge: One has over `DOCUMENT_BYTES_MAX`.
    """
    whole = Path(os.path.abspath(path))
    if whole.is_dir():
        return _of_folder(path, name or whole.name)
    if not whole.is_file():
        raise InvalidFile(str(path), "there is no such file or folder")
    if not _is_document(whole):
        raise InvalidFile(str(path), f"it is no document; one ends in {_KNOWN}")
    only = {whole.name: _text_of(path)}
    return Texts(name=name or whole.parent.name, texts=only, is_whole=False)


def documents_of(read: Texts) -> Documents:
    """Return documents cut into chunks, Markdown by its headings.

    Raises:
        InvalidFile: The name of one does not end as a document's does.
        TooLarge: One has over `DOCUMENT_BYTES_MAX`.
    """
    documents = {keep(name): _chunks_in(name, text) for name, text in read.texts.items()}
    return Documents(
        name=keep(read.name),
        documents=tuple(Document(of, chunks) for of, chunks in sorted(documents.items())),
        is_whole=read.is_whole,
        skipped=read.skipped,
    )


def _of_folder(folder: Path, name: str) -> Texts:
    texts: dict[str, str] = {}
    skipped = 0
    for file in _files_below(folder):
        if _is_document(file) and file.resolve().is_relative_to(folder.resolve()):
            texts[file.relative_to(folder).as_posix()] = _text_of(file)
        else:
            skipped += 1
    return Texts(name=name, texts=texts, is_whole=True, skipped=skipped)


def _files_below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = [one for one in folders if not one.startswith(".")]
        yield from (Path(place, file) for file in files if not file.startswith("."))


def _refuse(error: OSError) -> NoReturn:
    # A folder that cannot be read must not look like one whose documents are gone.
    raise InvalidFile(str(error.filename), f"it cannot be read ({error.strerror})") from error


def _is_document(file: Path) -> bool:
    return file.suffix.lower() in MARKDOWN | PLAIN and file.is_file()


def _chunks_in(name: str, text: str) -> tuple[Chunk, ...]:
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in MARKDOWN | PLAIN:
        raise InvalidFile(name, f"it is no document; one ends in {_KNOWN}")
    _check_size(name, len(text.encode("utf-8", "replace")))
    return chunks_of(text) if suffix in MARKDOWN else chunks_of_text(text)


def _check_size(name: str, size: int) -> None:
    if size > DOCUMENT_BYTES_MAX:
        raise TooLarge(name, size=size, limit=DOCUMENT_BYTES_MAX, unit="bytes", hint="divide it")


def _text_of(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(DOCUMENT_BYTES_MAX + 1)
            size = os.fstat(opened.fileno()).st_size
    except OSError as error:
        _refuse(error)
    _check_size(str(file), max(size, len(content)))
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidFile(str(file), f"it is no UTF-8 ({error.reason} {error.start})") from None
