"""The two settings of the ledger are read, or refused in words that do not give the key away."""

import base64

import pytest

from arena_site.environment import ArenaConfigurationError, read_environment

KEY = bytes(range(32))


def test_a_name_and_a_key_are_read():
    written = base64.b64encode(KEY).decode()
    values = read_environment({"ARENA_LEDGER_ORIGIN": "arena.example/ledger", "ARENA_LEDGER_KEY": written})
    assert (values["ARENA_LEDGER_ORIGIN"], values["ARENA_LEDGER_KEY"]) == ("arena.example/ledger", KEY)


def test_without_them_the_ledger_is_a_local_one():
    values = read_environment({})
    assert (values["ARENA_LEDGER_ORIGIN"], values["ARENA_LEDGER_KEY"]) == ("localhost/ringside", None)


@pytest.mark.parametrize("name", ["two words", "a+b", "line\nbreak", "x" * 201])
def test_a_name_that_no_note_can_have_is_refused(name):
    with pytest.raises(ArenaConfigurationError, match="without spaces"):
        read_environment({"ARENA_LEDGER_ORIGIN": name})


@pytest.mark.parametrize("key", ["secretsecret", base64.b64encode(KEY[:31]).decode(), "é" * 44])
def test_a_key_that_is_none_is_refused_and_not_repeated(key):
    with pytest.raises(ArenaConfigurationError, match="32 random bytes in base64") as refusal:
        read_environment({"ARENA_LEDGER_KEY": key})
    assert key not in str(refusal.value)
