"""Calls that a model wrote out as text, because its server does not turn them into calls.

Two ways are common: ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``, and lines such as
``Action: click(x=10, y=20)``. They are read, never translated: a vocabulary other than ours is refused like any
other verb that does not exist.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from battles.agents.hosted.bodies import Unreadable, is_tool_name, read_json
from battles.agents.hosted.conversation import ToolCall

#: The verb of a call in which no name could be found; there is none such, so it is refused.
NAMELESS = "unreadable"

#: Longest call that is read, in characters: above the longest text of a verb.
LONGEST_CALL = 20_000

#: Calls of one reply that are read. A lane has fewer steps.
MOST_CALLS = 100

_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_ACTIONS = re.compile(r"^[ \t]*Action:[ \t]*", re.MULTILINE)
_ACTION = re.compile(r"[ \t]*([A-Za-z_][A-Za-z0-9_]{0,63})\((.*)\)[ \t;.]*")
_NAME = re.compile(r'"name"\s*:\s*"([^"]{1,64})"')


def written_calls(words: str, *, key: str) -> tuple[ToolCall, ...]:
    """The calls in a reply's text, in order. Those that cannot be read are calls that validation refuses."""
    calls = (*_tagged(words, key), *_actions(words, key))
    return tuple(calls[:MOST_CALLS])


def _tagged(words: str, key: str) -> Iterator[ToolCall]:
    for found in _TAGGED.finditer(words):
        written = found[1].strip()
        try:
            read = read_json(written[:LONGEST_CALL], key=key)
        except Unreadable:
            read = None
        if isinstance(read, dict) and is_tool_name(read.get("name")):
            arguments = read.get("arguments", read.get("parameters"))
            yield _call(read["name"], {} if arguments is None else arguments)
        else:
            name = _NAME.search(written)
            yield _call(name[1] if name else NAMELESS, written)


def _actions(words: str, key: str) -> Iterator[ToolCall]:
    """What follows the last ``Action:``; each line of it that looks like a call is one."""
    begins = [found.end() for found in _ACTIONS.finditer(words)]
    if not begins:
        return
    for line in words[begins[-1] :].splitlines():
        found = _ACTION.fullmatch(line[:LONGEST_CALL])
        if found:
            yield _call(found[1], _named_values(found[0].strip(" \t;.")))


def _named_values(call: str) -> Any:
    """The arguments of ``verb(name=value, ...)`` as an object; the text itself where it is written otherwise."""
    try:
        tree = ast.parse(call, mode="eval").body
        if isinstance(tree, ast.Call) and not tree.args and all(each.arg for each in tree.keywords):
            return {str(each.arg): ast.literal_eval(each.value) for each in tree.keywords}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        pass
    return call


def _call(name: str, arguments: Any) -> ToolCall:
    return ToolCall("", name, arguments, answerable=False)
