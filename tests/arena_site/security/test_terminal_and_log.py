"""Text from pages, models and people gives no orders to a terminal, and forges no line of a log."""

import io
import json
import logging
import logging.config

import pytest
from django.core.management.base import BaseCommand, OutputWrapper

from arena_site.control_characters import escaped, one_line, speak_plainly
from arena_site.management.commands.battle import Command as BattleCommand
from battles.lanes.endings import Ending
from battles.lanes.storable_text import storable
from manage import CommandLine
from tests.battles.factories import ended, started, step

#: Colours, a new title for the window, the one-byte form of the same, a line over the last, the screen cleared, a line
#: turned around, half a character.
ORDERS = "\x1b[31m\x1b]0;owned\x07\x9b2J\rOK\x08\x00\u202egpj.exe\u2066\u2028\ud800\x7f"
FORGED = "\n2026-11-30 12:00:00,000 INFO django.request everything is fine\r\nagain"


def is_plain(text):
    return all(character in "\n\t" or character.isprintable() or character == "\u00a0" for character in text)


def said_by(write):
    out = io.StringIO()

    class Command(BaseCommand):
        def handle(self, *args, **options):
            write(self)

    command = speak_plainly(Command(stdout=OutputWrapper(out), stderr=OutputWrapper(out)))
    command.handle()
    return out.getvalue()


def test_a_command_says_nothing_that_a_terminal_obeys():
    told = said_by(lambda command: (command.stdout.write(f"said: {ORDERS}"), command.stderr.write(ORDERS)))
    assert is_plain(told)
    assert told.startswith(r"said: \u001b[31m\u001b]0;owned\u0007\u009b2J\u000dOK")
    assert told.count("\n") == 2


def test_a_battle_in_the_terminal_is_watched_through_the_same():
    out = io.StringIO()
    command = speak_plainly(BattleCommand(stdout=OutputWrapper(out)))
    command._quiet = False
    for event in (started("A"), step("A", target={"name": ORDERS}), ended("A", ending=Ending.ANSWERED, answer=ORDERS)):
        command._show(event)
    assert is_plain(out.getvalue())
    assert "owned" in out.getvalue()


def test_json_stays_the_same_json():
    value = {"said": ORDERS.replace("\ud800", ""), "name": "Zażółć 你好 😀"}
    text = json.dumps(value, ensure_ascii=False)
    assert json.loads(escaped(text)) == value
    assert "Zażółć 你好 😀" in escaped(text)


@pytest.mark.parametrize("name", ["battle", "reports", "judges", "withdrawals", "fit", "measures", "verify_ledger"])
def test_the_command_line_hands_out_plain_commands_only(name):
    command = CommandLine(["manage.py", name]).fetch_command(name)
    assert type(command.stdout).__name__ == type(command.stderr).__name__ == "PlainOutput"


def logged(settings, tell):
    """What the log of this site says."""
    handler = logging.StreamHandler(io.StringIO())
    configured = logging.config.DictConfigurator(settings.LOGGING)
    [formatter] = settings.LOGGING["formatters"].values()
    handler.setFormatter(configured.configure_formatter(dict(formatter)))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    tell(logger)
    return handler.stream.getvalue()


def test_what_is_told_is_one_line(settings):
    told = logged(settings, lambda logger: logger.warning("a page said %s", f"{ORDERS}{FORGED}"))
    assert told.count("\n") == 1
    assert is_plain(told)


def test_a_trace_forges_no_line(settings):
    def tell(logger):
        try:
            raise ValueError(f"{ORDERS}{FORGED}")
        except ValueError:
            logger.exception("it failed")

    first, *lines = logged(settings, tell).splitlines()
    assert first.endswith("ERROR test it failed")
    assert any("everything is fine" in line for line in lines)
    assert all(line.startswith("    ") and is_plain(line) for line in lines)


@pytest.mark.django_db
def test_a_refused_path_is_one_line_of_the_log(client, caplog, settings):
    with caplog.at_level(logging.WARNING, logger="django.request"):
        client.get("/nowhere%0d%0a2026-11-30%2012:00:00,000%20INFO%20forged%1b[2J")
    [record] = [each for each in caplog.records if each.name == "django.request"]
    assert logged(settings, lambda logger: logger.handle(record)).count("\n") == 1


def test_what_no_column_can_hold_is_replaced_where_a_lane_is_written_down():
    assert storable({"a\0": [f"x{ORDERS}", 1]}) == {
        "a\ufffd": [f"x{ORDERS}".replace("\0", "\ufffd").replace("\ud800", "\ufffd"), 1]
    }


def test_the_ends_of_lines_are_written_out_too():
    assert one_line("a\nb\r\nc\rd") == r"a\nb\nc\u000dd"
