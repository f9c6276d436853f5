"""Characters that give orders to whatever shows a text: to a terminal, and to whoever reads a log line by line."""

import re
from typing import Any

from django.core.management.base import BaseCommand, OutputWrapper

#: Controls of C0 and C1 but for tab and line feed, and what turns the direction of a line or ends it for some readers.
#: A carriage return may stand before a line feed only: alone it writes over what was said.
ORDERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)")
LINE_ENDS = re.compile("\r?\n")


def escaped(text: str) -> str:
    """The text with those characters written out, as JSON writes them: what is JSON stays the same JSON."""
    return ORDERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """The same, with the ends of lines written out too."""
    return escaped(LINE_ENDS.sub(r"\\n", text))


class PlainOutput(OutputWrapper):
    """What a command says, without the power to command the terminal: pages, models and people wrote some of it."""

    def write(self, msg: str = "", style_func: Any = None, ending: str | None = None) -> None:  # type: ignore[override]
        """Write a text, with its line end; the library's own class differs from a stream in the same way."""
        super().write(escaped(msg), style_func, ending)


def speak_plainly(command: BaseCommand) -> BaseCommand:
    """The command, whose output and errors are plain from now on."""
    for name in ("stdout", "stderr"):
        given = getattr(command, name)
        plain = PlainOutput(given._out, given.ending)
        plain.style_func = given.style_func
        setattr(command, name, plain)
    return command
