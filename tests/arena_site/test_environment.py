"""The environment is the only place settings come from, and a typo there is never silently the default."""

import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from arena_site.celery import app
from arena_site.environment import (
    CHECKOUT,
    PARSERS,
    SETTINGS_TABLE,
    ArenaConfigurationError,
    read_environment,
    secret_key,
    settings_markdown,
)
from tests.arena_site.production_processes import lines


def test_nothing_set_gives_every_default():
    values = read_environment({"PATH": "/usr/bin"})
    assert set(values) == {variable.name for variable in SETTINGS_TABLE}
    assert values["ARENA_DATABASE_URL"] is None
    assert values["ARENA_DATA_DIR"] == CHECKOUT / ".arena"
    assert values["ARENA_PORT"] == 8000
    assert values["ARENA_ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert values["ARENA_LANE_SLOTS"] >= 1


def test_the_lanes_race_as_many_battles_at_once_as_the_setting_says():
    """The Procfile gives them no number of its own, and Celery's would be all of the cores."""
    assert app.conf.worker_concurrency == read_environment(os.environ)["ARENA_LANE_SLOTS"]
    workers = {name: line for name, line in lines().items() if "celery worker" in line}
    assert [name for name, line in workers.items() if "--concurrency" not in line] == ["lanes"]
    assert len(workers) == 2


def test_defaults_are_not_shared_between_readers():
    read_environment({})["ARENA_ALLOWED_HOSTS"].append("example.org")
    assert "example.org" not in read_environment({})["ARENA_ALLOWED_HOSTS"]


def test_an_empty_value_counts_as_unset():
    assert read_environment({"ARENA_PORT": " ", "ARENA_DEBUG": ""})["ARENA_PORT"] == 8000


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("ARENA_DEBUG", "Yes", True),
        ("ARENA_DEBUG", "off", False),
        ("ARENA_PORT", "65535", 65535),
        ("ARENA_LANE_SLOTS", "3", 3),
        ("ARENA_ALLOWED_HOSTS", "a.example, b.example,", ["a.example", "b.example"]),
        ("ARENA_DATA_DIR", "/srv/arena", Path("/srv/arena")),
        ("ARENA_DATA_DIR", "var", CHECKOUT / "var"),
        ("ARENA_LOG_LEVEL", "warning", "WARNING"),
        ("ARENA_DATABASE_URL", "postgres://u:p@db:5432/arena", "postgres://u:p@db:5432/arena"),
        ("ARENA_REDIS_URL", "unix:///run/redis.sock?db=2", "unix:///run/redis.sock?db=2"),
        (
            "ARENA_EGRESS_ALLOW",
            "Shop.test:80=10.0.0.7:8080, api.test:443=[fd00::1]:443",
            {("shop.test", 80): ("10.0.0.7", 8080), ("api.test", 443): ("fd00::1", 443)},
        ),
    ],
)
def test_values_are_read_by_their_kind(name, text, value):
    assert read_environment({name: text})[name] == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ARENA_DEBUG", "maybe"),
        ("ARENA_PORT", "0"),
        ("ARENA_PORT", "65536"),
        ("ARENA_PORT", "eighty"),
        ("ARENA_LANE_SLOTS", "0"),
        ("ARENA_LANE_SLOTS", "-1"),
        ("ARENA_LOG_LEVEL", "LOUD"),
        ("ARENA_HTTPS", "perhaps"),
        ("ARENA_DATABASE_URL", "mysql://db/arena"),
        ("ARENA_REDIS_URL", "localhost:6379"),
        ("ARENA_EGRESS_ALLOW", "shop.test:80"),
        ("ARENA_EGRESS_ALLOW", "shop.test=10.0.0.7:80"),
        ("ARENA_EGRESS_ALLOW", "fd00::1:80=10.0.0.7:80"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_by_name(name, text):
    with pytest.raises(ArenaConfigurationError, match=name):
        read_environment({name: text})


def test_an_unknown_name_is_refused_with_the_nearest_one():
    with pytest.raises(ArenaConfigurationError, match=r"Did you mean ARENA_DATABASE_URL\?"):
        read_environment({"ARENA_DATABSE_URL": "postgres://db/arena"})


def test_all_problems_are_listed_at_once():
    with pytest.raises(ArenaConfigurationError) as refusal:
        read_environment({"ARENA_PORT": "x", "ARENA_DEBUG": "x", "ARENA_NOTHING_LIKE_IT_AT_ALL": "x"})
    for name in ("ARENA_PORT", "ARENA_DEBUG", "ARENA_NOTHING_LIKE_IT_AT_ALL"):
        assert name in refusal.value.message


def test_every_row_has_a_parser_and_says_what_it_does():
    for variable in SETTINGS_TABLE:
        assert variable.name.startswith("ARENA_")
        assert variable.kind in PARSERS
        assert variable.help.endswith(".")


def test_the_documentation_holds_the_table():
    assert (CHECKOUT / "docs" / "settings.md").read_text(encoding="utf-8") == settings_markdown(), "run make docs"


def test_the_secret_key_that_is_set_wins(tmp_path):
    assert secret_key({"ARENA_SECRET_KEY": "chosen", "ARENA_DATA_DIR": tmp_path}) == "chosen"
    assert not list(tmp_path.iterdir())


def test_a_secret_key_is_made_once_for_its_owner_only(tmp_path):
    values = {"ARENA_SECRET_KEY": None, "ARENA_DATA_DIR": tmp_path / "data"}
    key = secret_key(values)
    assert len(key) > 50
    assert secret_key(values) == key
    assert stat.S_IMODE((tmp_path / "data" / "secret_key").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret_key"]


def test_processes_that_start_together_end_with_one_secret_key(tmp_path):
    values = {"ARENA_SECRET_KEY": None, "ARENA_DATA_DIR": tmp_path / "data"}
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        keys = pool.map(secret_key, [values] * 16, chunksize=1)
    assert len(set(keys)) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_a_secret_key_that_others_can_read_is_refused(tmp_path, mode):
    values = {"ARENA_SECRET_KEY": None, "ARENA_DATA_DIR": tmp_path}
    secret_key(values)
    (tmp_path / "secret_key").chmod(mode)
    with pytest.raises(ArenaConfigurationError, match="chmod 600"):
        secret_key(values)


def test_an_empty_secret_key_is_refused(tmp_path):
    (tmp_path / "secret_key").touch(mode=0o600)
    with pytest.raises(ArenaConfigurationError, match="empty"):
        secret_key({"ARENA_SECRET_KEY": None, "ARENA_DATA_DIR": tmp_path})
