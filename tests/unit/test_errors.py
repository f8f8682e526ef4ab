"""The error tree: drawn as it is, each with a code and a way out."""

import inspect
import re

import pytest

from pinyon import errors
from pinyon.errors import PinyonError, errors_by_code

EXIT_CODES = {1, 2, 4, 5, 6, 7, 8}
STATUSES = {
    1: {500},
    2: {400},
    4: {401, 403},
    5: {404},
    6: {409, 422},
    7: {413, 422},
    8: {429, 503},
}
PERSONAL = "my PIN is 4471, " * 100


def derived():
    """Return every error class of ours with the name of the class it is derived from."""

    def walk(cls):
        for child in cls.__subclasses__():
            if child.__module__.startswith("pinyon."):
                yield child, cls.__name__
                yield from walk(child)

    return [(PinyonError, ""), *walk(PinyonError)]


def drawn():
    """Return the names that the module's docstring draws, each with the one above it."""
    above = [""]
    for branch, name in re.findall(r"^([│├└─ ]*)([A-Z]\w+)\s{2,}\S", errors.__doc__, re.MULTILINE):
        depth = len(branch) // 4
        del above[depth + 1 :]
        yield name, above[depth]
        above.append(name)


CLASSES = [cls for cls, _ in derived()]


def test_the_tree_is_drawn_as_the_classes_are_derived():
    assert sorted(drawn()) == sorted((cls.__name__, parent) for cls, parent in derived())


def test_every_error_lives_in_one_place():
    assert {cls.__module__ for cls in CLASSES} == {"pinyon.errors"}


def test_every_code_is_unique():
    codes = [cls.__dict__.get("code") for cls in CLASSES]

    assert None not in codes
    assert len(set(codes)) == len(codes)


def test_every_error_is_found_by_its_code():
    assert {errors_by_code()[cls.code] for cls in CLASSES} == set(CLASSES)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_error_has_an_exit_code(cls):
    assert cls.exit_code in EXIT_CODES


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_exit_code_goes_with_few_http_statuses(cls):
    assert cls.http_status in STATUSES[cls.exit_code]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_code_is_the_name_in_small_letters(cls):
    spelt = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    assert cls.code == {"pinyon_error": "internal"}.get(spelt, spelt)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_error_says_what_it_is(cls):
    assert inspect.getdoc(cls)


@pytest.mark.parametrize(
    "error",
    [
        errors.InvalidName("user", PERSONAL, "is too long"),
        errors.InvalidId(PERSONAL, prefix="mem"),
        errors.InvalidTime(PERSONAL),
        errors.InvalidValue("importance", PERSONAL, "a number"),
        errors.UnknownField(PERSONAL, ("kind",)),
        errors.UnsupportedFilter("kind", PERSONAL),
        errors.InvalidCursor(PERSONAL),
        errors.KeyReused(PERSONAL),
    ],
    ids=lambda error: error.code,
)
def test_a_message_does_not_spill_what_somebody_wrote(error):
    assert len(str(error)) < 300


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (errors.VersionConflict("mem_1", expected=1, actual=2), "is at version 2, not at 1"),
        (errors.VersionConflict("mem_1", expected=1, actual=None), "is gone"),
        (errors.InvalidFile("a.jsonl", "no JSON", line=7), "a.jsonl, line 7: no JSON"),
        (errors.InvalidFile("a.jsonl", "no JSON"), "a.jsonl: no JSON"),
        (
            errors.TooLarge("text", size=26_000, limit=25_600, unit="characters", hint="cut it"),
            "26,000 characters, at most 25,600 fit; cut it",
        ),
        (errors.NotEmpty("/tmp/x"), "does not exist yet"),  # noqa: S108
        (errors.Forbidden("acme/shared"), "acme/shared"),
        (errors.Unauthenticated(), "pinyon keys create"),
        (errors.NotAllowed("an auditor reads no memories"), "an auditor reads no memories"),
        (errors.RateLimited(3), "in 3 s"),
        (errors.ServerUnreachable("http://127.0.0.1:1", "refused"), "pinyon serve"),
        (errors.StoreBusy(4.6), "5 s"),
        (errors.StoreCorrupt("a.db", "no header"), "pinyon doctor"),
        (errors.StoreTooNew("a.db", found=9, known=1), "upgrade Pinyon"),
        (errors.StoreReadOnly("a.db", "disk full"), "free space"),
        (errors.InvalidSetting("PINYON_X", "is odd"), "PINYON_X"),
    ],
)
def test_a_message_says_what_was_found_and_what_to_do(error, says):
    assert says in str(error)
