"""Settings: what is given, else what the environment says, else the defaults."""

import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from pinyon.errors import InvalidSetting
from pinyon.ranking.weights import Weights
from pinyon.settings import PREFIX, Settings, default_home, read_settings


def test_what_is_given_wins_over_the_environment():
    environ = {"PINYON_HOME": "/from/environment", "PINYON_TENANT": "acme"}

    settings = read_settings(environ, home="/given")

    assert (settings.home, settings.tenant) == (Path("/given"), "acme")


def test_nothing_given_is_as_good_as_not_given():
    assert read_settings({"PINYON_HOME": "/from/environment"}, home=None).home == Path(
        "/from/environment"
    )


def test_without_any_setting_there_are_defaults():
    settings = read_settings({"HOME": "/home/ann"})

    assert (settings.tenant, settings.user, settings.durable) == ("default", "", True)


def test_the_process_environment_is_read_when_no_other_is_given(monkeypatch):
    monkeypatch.setenv("PINYON_USER", "sarah")

    assert read_settings().user == "sarah"


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_described(name):
    assert Settings.model_fields[name].description


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"PINYON_SPACES_OPEN_MAX": "0"}, "SPACES_OPEN_MAX"),
        ({"PINYON_SPACES_OPEN_MAX": "many"}, "SPACES_OPEN_MAX"),
        ({"PINYON_DURABLE": "perhaps"}, "DURABLE"),
    ],
)
def test_a_setting_outside_its_range_is_refused_by_name(environ, name):
    with pytest.raises(InvalidSetting, match=PREFIX + name):
        read_settings({"HOME": "/home/ann", **environ})


def test_a_setting_that_there_is_not_is_refused():
    with pytest.raises(InvalidSetting, match="PINYON_COLOUR"):
        read_settings({}, colour="red")


def test_settings_do_not_change():
    settings = read_settings({"HOME": "/home/ann"})

    with pytest.raises(ValidationError):
        settings.tenant = "acme"


@pytest.mark.parametrize(
    ("platform", "environ", "home"),
    [
        ("linux", {"HOME": "/home/ann"}, "/home/ann/.local/share/pinyon"),
        ("linux", {"HOME": "/home/ann", "XDG_DATA_HOME": "/data"}, "/data/pinyon"),
        ("darwin", {"HOME": "/Users/ann"}, "/Users/ann/Library/Application Support/pinyon"),
        ("win32", {"HOME": "/c/ann", "LOCALAPPDATA": "/c/ann/local"}, "/c/ann/local/pinyon"),
        ("win32", {"HOME": "/c/ann"}, "/c/ann/AppData/Local/pinyon"),
    ],
)
def test_memories_are_kept_in_the_data_folder_of_the_platform(monkeypatch, platform, environ, home):
    monkeypatch.setattr(sys, "platform", platform)

    assert default_home(environ) == Path(home)


def test_without_a_home_variable_the_account_says_where_home_is():
    assert default_home({}).is_absolute()


def test_weights_are_what_differs_from_the_defaults():
    settings = read_settings({"PINYON_WEIGHTS": '{"catalog": 0.9, "off": ["age"]}'})

    assert (settings.weights.catalog, settings.weights.off) == (0.9, ("age",))
    assert settings.weights.use == Weights().use


@pytest.mark.parametrize(
    "written", ["{", "[1]", '{"charm": 2}', '{"catalog": "much"}', '{"off": ["aeg"]}']
)
def test_weights_that_say_nothing_are_refused(written):
    with pytest.raises(InvalidSetting) as raised:
        read_settings({"PINYON_WEIGHTS": written})

    assert raised.value.name == "PINYON_WEIGHTS"


@pytest.mark.parametrize("name", ["EMBEDDINGS_KEY", "CHAT_KEY"])
def test_a_key_is_not_shown(name):
    settings = read_settings({PREFIX + name: "sk-secret"})

    assert "sk-secret" not in repr(settings)


@pytest.mark.parametrize(
    ("written", "remembered"),
    [
        ("assistant", {"assistant"}),
        (" user , assistant,", {"user", "assistant"}),
        ('["user", "thought"]', {"user", "thought"}),
        ({"user", "tool"}, {"user", "tool"}),
    ],
)
def test_what_is_remembered_is_named_between_commas_or_as_json(written, remembered):
    settings = read_settings({"HOME": "/home/ann"}, remembered=written)

    assert settings.remembered == remembered


def test_by_default_what_users_say_is_remembered():
    assert read_settings({"HOME": "/home/ann"}).remembered == {"user"}


@pytest.mark.parametrize("written", ["", " , ", "[]", "[1]", "[", '["a"', 7])
def test_nobody_is_no_value_of_what_is_remembered(written):
    with pytest.raises(InvalidSetting, match="REMEMBERED"):
        read_settings({"HOME": "/home/ann"}, remembered=written)


@pytest.mark.parametrize("written", ["off", "openai:gpt-5-mini", "anthropic:x", "openai:qwen3:8b"])
def test_a_chat_model_is_named_with_its_vendor(written):
    assert read_settings({"PINYON_CHAT": written}).chat == written


@pytest.mark.parametrize("written", ["", "on", "openai", "openai:", "openai: ", "other:model"])
def test_a_chat_model_without_a_vendor_or_a_name_is_refused(written):
    with pytest.raises(InvalidSetting, match="PINYON_CHAT: "):
        read_settings({"PINYON_CHAT": written})
