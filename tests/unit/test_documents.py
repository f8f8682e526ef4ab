"""A catalog of documents: read whole, kept once, and equal to its folder after every import."""

import os
from dataclasses import replace

import pytest

from pinyon.domain.change import Erase, Link, Put
from pinyon.domain.filter import Eq
from pinyon.domain.memory import CatalogEntry
from pinyon.domain.space import Space
from pinyon.errors import Forbidden, InvalidFile, TooLarge
from pinyon.moving import cataloguing, documents
from pinyon.moving.cataloguing import difference
from pinyon.moving.documents import documents_of, read_texts
from pinyon.ports import records
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import memory_of
from pinyon.write.gate import TITLE_CHARS_MAX

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True

SHARED = Space.shared("acme")
MANUAL = """# Hub

The hub speaks Zigbee,
and lives in the hall.

## Reset

Hold the button for ten seconds.
The light turns red.

## Pair

Open the app,
then press the button once.
"""
WORDS = "A bulb is a lamp that listens.\n\nA scene is a set of colours.\n"


def read_documents(path):
    return documents_of(read_texts(path))


@pytest.fixture
def folder(tmp_path):
    """Return a folder of two documents and of what is none."""
    place = tmp_path / "manual"
    (place / "more").mkdir(parents=True)
    (place / "hub.md").write_text(MANUAL, "utf-8")
    (place / "more" / "words.txt").write_text(WORDS, "utf-8")
    (place / "picture.png").write_bytes(b"\x89PNG")
    return place


@pytest.fixture
def held(store):
    """Return a function that gives the chunks of a document (or of all), in order."""

    async def find(document=None, space=SHARED):
        page = await store.records.scan(space, Eq("kind", "catalog"), order="oldest")
        of = [m for m in page.memories if document in (None, m.catalog.document)]
        return sorted(of, key=lambda m: (m.catalog.document, m.catalog.position))

    return find


@pytest.fixture
def seq(store):
    async def of_the_space():
        return (await store.registry.info(SHARED)).seq

    return of_the_space


def numbers(imported):
    return (imported.documents, imported.created, imported.kept, imported.removed, imported.skipped)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def test_a_folder_is_read_in_order_and_by_name(folder):
    (folder / "More.MARKDOWN").write_text("More.", "utf-8")

    read = read_documents(folder)

    assert (read.name, read.is_whole, read.skipped) == ("manual", True, 1)
    assert [one.name for one in read.documents] == ["More.MARKDOWN", "hub.md", "more/words.txt"]


def test_a_file_is_named_by_itself_and_its_folder_is_what_it_is_imported_as(folder):
    read = read_documents(folder / "hub.md")

    assert (read.name, read.is_whole) == ("manual", False)
    assert [one.name for one in read.documents] == ["hub.md"]


def test_the_folder_one_stands_in_has_a_name(folder, monkeypatch):
    monkeypatch.chdir(folder / "more")

    assert read_documents(documents.Path()).name == "more"


def test_markdown_has_headings_and_plain_text_has_none(folder):
    hub, words = read_documents(folder).documents

    assert hub.chunks[1].headings == ("Hub", "Reset")
    assert words.chunks[0].headings == ()


def test_what_is_hidden_is_passed_over(folder):
    (folder / ".git").mkdir()
    (folder / ".git" / "a.md").write_text("Hidden.", "utf-8")
    (folder / ".b.md").write_text("Hidden.", "utf-8")

    read = read_documents(folder)

    assert (len(read.documents), read.skipped) == (2, 1)


def test_links_that_lead_out_of_the_folder_are_skipped(folder, tmp_path):
    (tmp_path / "secret.md").write_text("Secret.", "utf-8")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (folder / "in.md").symlink_to(folder / "hub.md")
    (folder / "round").symlink_to(folder)

    read = read_documents(folder)

    assert [one.name for one in read.documents] == ["hub.md", "in.md", "more/words.txt"]
    assert read.skipped == 3


def test_a_file_is_not_waited_for_that_never_ends(folder):
    os.mkfifo(folder / "pipe.md")

    assert read_documents(folder).skipped == 2


def test_a_document_that_is_no_utf_8_is_named(folder):
    (folder / "latin.md").write_bytes("Käse".encode("latin-1"))

    with pytest.raises(InvalidFile, match=r"latin\.md: it is no UTF-8"):
        read_documents(folder)


def test_a_document_that_is_too_large_is_named(folder, monkeypatch):
    monkeypatch.setattr(documents, "DOCUMENT_BYTES_MAX", 300)
    (folder / "large.txt").write_text("x" * 301, "utf-8")

    with pytest.raises(TooLarge, match=r"large\.txt has 301 bytes, at most 300 fit; divide it"):
        read_documents(folder)


@pytest.mark.parametrize(
    ("name", "why"),
    [("nothing.md", "no such file or folder"), ("picture.png", "ends in .markdown, .md, .txt")],
)
def test_what_is_no_document_is_refused(folder, name, why):
    with pytest.raises(InvalidFile, match=why):
        read_documents(folder / name)


def test_what_cannot_be_read_does_not_look_like_what_is_gone(folder, monkeypatch):
    def refuse(place, onerror):
        onerror(PermissionError(13, "Permission denied", str(folder / "more")))

    monkeypatch.setattr(documents.os, "walk", refuse)

    with pytest.raises(InvalidFile, match=r"more: it cannot be read \(Permission denied\)"):
        read_documents(folder)


def test_a_file_that_cannot_be_read_is_named(folder, monkeypatch):
    def refuse(file, mode):
        raise PermissionError(13, "Permission denied", str(file))

    monkeypatch.setattr(documents.Path, "open", refuse)

    with pytest.raises(InvalidFile, match=r"hub\.md: it cannot be read"):
        read_documents(folder / "hub.md")


# ── what differs ─────────────────────────────────────────────────────────────────────────────────


def chunk(number, text, position=0, before=None, after=None, **fields):
    ids = [None if one is None else memory_of(one).id for one in (before, after)]
    entry = CatalogEntry(document="d", position=position, before=ids[0], after=ids[1])
    return memory_of(number, text, kind="catalog", catalog=entry, **fields)


def test_what_is_the_same_needs_nothing():
    held = [chunk(2, "b", 1, before=1), chunk(1, "a", 0, after=2)]

    assert difference(held, [chunk(8, "a"), chunk(9, "b")]).changes() == []


def test_what_is_new_is_put_between_its_neighbours():
    held = [chunk(1, "a", 0, after=2), chunk(2, "b", 1, before=1)]

    found = difference(held, [chunk(7, "a"), chunk(8, "new"), chunk(9, "b")])

    assert found.new == (chunk(8, "new", 1, before=1, after=2),)
    assert found.gone == ()
    assert {link.id: link.catalog for link in found.moved} == {
        memory_of(1).id: chunk(0, "", 0, after=8).catalog,
        memory_of(2).id: chunk(0, "", 2, before=8).catalog,
    }


def test_what_is_gone_is_erased():
    held = [chunk(1, "a", 0, after=2), chunk(2, "b", 1, before=1)]

    assert difference(held, [chunk(9, "b")]).changes() == [
        Erase(memory_of(1).id),
        Link(id=memory_of(2).id, catalog=chunk(0, "", 0).catalog),
    ]


def test_equal_chunks_stay_as_many_as_they_are():
    twice = [chunk(1, "same", 0, after=2), chunk(2, "same", 1, before=1)]

    assert difference(twice, [chunk(8, "same"), chunk(9, "same")]).changes() == []
    assert [one.id for one in difference(twice, [chunk(9, "same")]).gone] == [memory_of(2).id]
    assert [one.id for one in difference([], twice).new] == [one.id for one in twice]


def test_another_heading_makes_another_chunk():
    found = difference([chunk(1, "a", title="Old")], [chunk(9, "a", title="New")])

    assert [type(change) for change in found.changes()] == [Erase, Put]


def test_a_chunk_without_a_place_comes_first():
    bare = replace(chunk(1, "a"), catalog=None)

    assert difference([bare], [chunk(9, "a")]).moved[0].catalog.position == 0


# ── importing ────────────────────────────────────────────────────────────────────────────────────


async def test_a_folder_becomes_a_catalog(client, folder, held):
    imported = await client.import_catalog(folder)

    assert numbers(imported) == (2, 4, 0, 0, 1)
    hub, reset, pair = await held("hub.md")
    assert [one.title for one in (hub, reset, pair)] == ["Hub", "Hub › Reset", "Hub › Pair"]
    assert reset.text == "Hold the button for ten seconds.\nThe light turns red."
    assert (reset.kind, reset.trust, dict(reset.metadata)) == (
        "catalog",
        "document",
        {"import": "manual"},
    )
    assert reset.catalog == CatalogEntry(
        document="hub.md", position=1, before=hub.id, after=pair.id
    )
    (words,) = await held("more/words.txt")
    assert words.title == "more/words.txt"


async def test_importing_twice_changes_nothing(client, folder, held, seq):
    await client.import_catalog(folder)
    before, at = await held(), await seq()

    assert numbers(await client.import_catalog(str(folder))) == (2, 0, 4, 0, 1)
    assert (await held(), await seq()) == (before, at)


async def test_only_what_changed_changes(client, folder, held):
    await client.import_catalog(folder)
    before = await held("hub.md")
    changed = MANUAL.replace("ten seconds", "five seconds")
    (folder / "hub.md").write_text(changed, "utf-8")

    assert numbers(await client.import_catalog(folder))[1:4] == (1, 3, 1)
    after = await held("hub.md")
    assert [old.id == new.id for old, new in zip(before, after, strict=True)] == [True, False, True]
    assert after[0].catalog.after == after[1].id == after[2].catalog.before
    assert after[1].version == 1
    assert "five seconds" in after[1].text


async def test_a_document_that_is_gone_is_removed(client, folder, held):
    await client.import_catalog(folder)
    (folder / "more" / "words.txt").unlink()

    assert numbers(await client.import_catalog(folder)) == (1, 0, 3, 1, 1)
    assert await held("more/words.txt") == []


async def test_a_document_that_is_empty_now_has_no_chunks(client, folder, held):
    await client.import_catalog(folder)
    (folder / "hub.md").write_text("", "utf-8")

    assert numbers(await client.import_catalog(folder)) == (2, 0, 1, 3, 1)
    assert await held("hub.md") == []


async def test_a_file_removes_no_other(client, folder, held):
    await client.import_catalog(folder)

    assert numbers(await client.import_catalog(folder / "hub.md")) == (1, 0, 3, 0, 0)
    assert len(await held()) == 4


async def test_another_import_and_what_was_written_by_hand_stay(client, folder, held, tmp_path):
    await client.write("By hand", kind="catalog", document="hub.md", scope="shared")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "hub.md").write_text("Another hub.", "utf-8")
    await client.import_catalog(folder)
    await client.import_catalog(tmp_path / "other")
    assert len(await held("hub.md")) == 5

    await client.import_catalog(folder)
    (tmp_path / "other" / "hub.md").unlink()
    imported = await client.import_catalog(tmp_path / "other")

    assert numbers(imported) == (0, 0, 0, 1, 0)
    assert "By hand" in [one.text for one in await held("hub.md")]


async def test_two_folders_of_one_name_can_be_told_apart(client, folder, held, tmp_path):
    other = tmp_path / "v2" / "manual"
    other.mkdir(parents=True)
    (other / "hub.md").write_text("The second hub.", "utf-8")

    await client.import_catalog(folder)
    imported = await client.import_catalog(other, name="manual v2")

    assert imported.removed == 0
    assert len(await held("hub.md")) == 4


async def test_a_catalog_goes_where_it_is_said_to(client, folder, held):
    await client.import_catalog(folder, scope="own")

    assert len(await held(space=client.principal.space("own"))) == 4
    assert await held() == []


async def test_who_has_no_such_space_cannot_import_into_it(client, folder):
    with pytest.raises(Forbidden):
        await client.import_catalog(folder, scope="project")


async def test_progress_counts_documents(client, folder):
    told = []
    await client.import_catalog(folder, progress=told.append)

    assert told == [1, 2]


async def test_many_changes_go_in_parts(client, folder, held, monkeypatch):
    monkeypatch.setattr(cataloguing, "CHANGES_AT_ONCE", 2)
    monkeypatch.setattr(records, "PAGE", 2)
    await client.import_catalog(folder)
    (folder / "hub.md").write_text("# New\n\n" + MANUAL.replace("# ", "## "), "utf-8")

    assert numbers(await client.import_catalog(folder))[1:4] == (3, 1, 3)
    assert [one.catalog.position for one in await held("hub.md")] == [0, 1, 2]


@pytest.mark.looks_inside
async def test_a_chunk_that_is_refused_names_its_document(client, folder):
    long = "x" * (TITLE_CHARS_MAX + 1)
    document = documents.Document(long, documents.chunks_of("Text."))
    read = documents.Documents(name="manual", documents=(document,), is_whole=False)
    importer = cataloguing.DocumentImporter(
        client._store.records,
        client._keeper,
        space=SHARED,
        by=client._by,
        clock=client._clock,
        new_uuid=client._new_uuid,
    )

    with pytest.raises(InvalidFile, match="document has 501 characters"):
        await importer.run(read)


async def test_a_long_path_of_headings_keeps_its_end(client, tmp_path, held):
    (tmp_path / "long.md").write_text(f"# {'far ' * 200}\n\n## Near\n\nText.", "utf-8")
    await client.import_catalog(tmp_path / "long.md")

    (only,) = await held("long.md")
    assert len(only.title) == TITLE_CHARS_MAX
    assert (only.title[0], only.title[-7:]) == ("…", " › Near")


async def test_chunks_have_vectors(client_of, store, folder, held):
    model = HashEmbedder()
    await client_of(models=Models(embedder=model)).import_catalog(folder)

    assert await store.records.pending(SHARED, "vectors") == []
    assert all("vectors" not in one.awaits for one in await held())


# ── listing ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_catalog_is_listed_by_document(client, folder, clock):
    await client.write("By hand", kind="catalog", document="a.md", scope="shared")
    await client.write("Without one", kind="catalog", scope="shared")
    await client.write(
        "A number", kind="catalog", document="n", scope="shared", metadata={"import": 3}
    )
    await client.import_catalog(folder)

    listed = await client.list_catalog()

    assert [(one.imported_as, one.name, one.chunks) for one in listed] == [
        ("", "a.md", 1),
        ("", "n", 1),
        ("manual", "hub.md", 3),
        ("manual", "more/words.txt", 1),
    ]
    assert {one.updated_at_us for one in listed} == {clock.now_us()}


async def test_an_empty_catalog_has_no_documents(client):
    assert await client.list_catalog() == ()
