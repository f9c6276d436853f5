"""Anthropic's Messages API as its server takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from battles.lanes.events import Usage
from tests.battles.agents.hosted.dialect import (
    MODEL,
    Transcript,
    Turn,
    check_image,
    check_transcript,
    is_text,
    need,
    new_id,
    only,
)

HIDDEN = {"type": "thinking", "thinking": "Where is it?", "signature": "c2lnbmVk"}


class AnthropicDialect:
    adapter = "anthropic"
    key_variable = "ANTHROPIC_API_KEY"
    base_path = ""
    malformed_kind = "invalid_request_error"
    usages: Sequence[tuple[Any, Usage | None]] = (
        ({"input_tokens": 10, "output_tokens": 5}, Usage(10, None, None, 5, None)),
        (
            {
                "input_tokens": 10,
                "cache_read_input_tokens": 90,
                "cache_creation_input_tokens": 7,
                "output_tokens": 50,
                "output_tokens_details": {"thinking_tokens": 40},
            },
            Usage(10, 90, 7, 50, 40),
        ),
        (
            {"input_tokens": 0, "cache_read_input_tokens": 0, "cache_creation_input_tokens": None, "output_tokens": 0},
            Usage(0, 0, None, 0, None),
        ),
        (
            {"input_tokens": -1, "cache_read_input_tokens": "9", "output_tokens": 5.5, "output_tokens_details": 3},
            Usage(None, None, None, None, None),
        ),
        (
            {"input_tokens": True, "output_tokens": 5, "output_tokens_details": {"thinking_tokens": 6}},
            Usage(None, None, None, 5, None),
        ),
        ({}, None),
        (None, None),
        ([1], None),
    )

    def authorized(self, headers: Mapping[str, str], key: str) -> bool:
        return headers.get("authorization") == f"Bearer {key}" or headers.get("x-api-key") == key

    def check(self, request: Any) -> None:
        need(request.path == "/v1/messages", f"no such path {request.path}")
        need(request.headers.get("anthropic-version") in {"2023-06-01", "2026-10-21"}, "no version of the API")
        check_transcript(self.read(request.body))

    def model_of(self, request: Any) -> str:
        return str(request.body["model"])

    def read(self, body: Any) -> Transcript:
        only(body, has="model max_tokens system tools messages", may="temperature thinking output_config")
        need(isinstance(body["max_tokens"], int) and body["max_tokens"] > 0, "max_tokens")
        tools = [only(tool, has="name description input_schema") for tool in body["tools"]]
        return Transcript(
            system="\n".join(only(block, has="type text", may="cache_control")["text"] for block in body["system"]),
            tools=[(tool["name"], tool["description"], tool["input_schema"]) for tool in tools],
            turns=[self._turn(message) for message in body["messages"]],
        )

    def _turn(self, message: Any) -> Turn:
        only(message, has="role content")
        need(message["role"] in {"user", "assistant"}, "role")
        turn = Turn("user" if message["role"] == "user" else "model")
        for block in message["content"]:
            getattr(self, f"_{block['type']}")(block, turn)
        return turn

    def _text(self, block: Any, turn: Turn) -> None:
        turn.words.append(is_text(only(block, has="type text", may="citations")["text"]))

    def _image(self, block: Any, turn: Turn) -> None:
        source = only(only(block, has="type source")["source"], has="type media_type data")
        need(source["type"] == "base64", "source")
        check_image(source["media_type"], source["data"])
        turn.images += 1

    def _thinking(self, block: Any, turn: Turn) -> None:
        only(block, has="type thinking signature")
        need(turn.role == "model", "a user does not think")

    def _tool_use(self, block: Any, turn: Turn) -> None:
        only(block, has="type id name input", may="caller")
        need(isinstance(block["input"], dict) and turn.role == "model", "tool_use")
        turn.calls.append((block["id"], block["name"]))

    def _tool_result(self, block: Any, turn: Turn) -> None:
        only(block, has="type tool_use_id content", may="is_error")
        need(turn.role == "user" and not turn.words, "results come first")
        turn.results.append((block["tool_use_id"], is_text(block["content"])))

    def sent_back(self, body: Any) -> Any:
        return [message["content"] for message in body["messages"] if message["role"] == "assistant"]

    def calls(self, *calls: tuple[str, Any], words: str = "", ids: Sequence[Any] = (), usage: Any = None) -> Any:
        blocks: list[Any] = [{"type": "text", "text": words, "citations": None}] if words else []
        for place, (name, arguments) in enumerate(calls):
            block = {"type": "tool_use", "id": new_id("toolu"), "name": name, "input": arguments}
            blocks.append(block | ({"id": ids[place]} if ids else {}))
        return self._message(blocks, "tool_use", usage)

    def _message(self, blocks: list[Any], reason: str, usage: Any = None) -> Any:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": blocks,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": usage if usage is not None else {"input_tokens": 10, "output_tokens": 5},
        }

    def says(self, words: str) -> Any:
        return self._message([{"type": "text", "text": words}], "end_turn")

    def with_hidden(self, body: Any) -> Any:
        return {**body, "content": [HIDDEN, *body["content"]]}

    def with_unknown(self, body: Any) -> Any:
        return {**body, "content": [{"type": "hologram", "beam": 1}, None, 7, *body["content"]]}

    def pieces_of(self, body: Any) -> Any:
        return [{name: value for name, value in block.items() if value is not None} for block in body["content"]]

    def cut_off(self, words: str) -> Any:
        return self._message([{"type": "text", "text": words}], "max_tokens")

    def refusals(self) -> Sequence[Any]:
        return [
            self._message([], "refusal"),
            self._message([{"type": "text", "text": "I would rather not."}], "refusal"),
        ]

    def native_call(self) -> tuple[Any, str]:
        block = {
            "type": "tool_use",
            "id": "toolu_9",
            "toolset_name": "browser",
            "name": "left_click",
            "input": {"target": {"type": "coordinate", "x": 1, "y": 2}},
        }
        return self._message([block], "tool_use"), "left_click"

    def hollow(self) -> Sequence[Any]:
        return [
            self._message([], "end_turn"),
            self._message([None, "x", 3], "end_turn"),
            self._message([{"type": "text", "text": None}], "end_turn"),
            self._message([{"type": "text", "text": "  "}], "end_turn"),
        ]

    def error(self, status: int, kind: str, message: str) -> tuple[Any, int]:
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}, status

    def wrong_key(self) -> tuple[Any, int]:
        return self.error(401, "authentication_error", "invalid x-api-key")

    def no_model(self) -> tuple[Any, int]:
        return self.error(404, "not_found_error", "model: nothing")

    def no_credit(self) -> tuple[Any, int]:
        return self.error(400, "billing_error", "Your credit balance is too low.")

    def too_long(self) -> Sequence[tuple[Any, int]]:
        return [
            self.error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
            self.error(413, "request_too_large", "Request exceeds the maximum size"),
            (self._message([], "model_context_window_exceeded"), 200),
        ]

    def rate_limited(self) -> tuple[Any, int]:
        return self.error(429, "rate_limit_error", "slow down")

    def declined(self) -> Sequence[tuple[Any, int]]:
        return [(body, 200) for body in self.refusals()]
