"""OpenAI's Responses API as its server takes it, without state of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from battles.lanes.events import Usage
from tests.battles.agents.hosted.dialect import (
    MODEL,
    Malformed,
    Transcript,
    Turn,
    check_data_url,
    check_transcript,
    is_text,
    need,
    new_id,
    only,
)

HIDDEN = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0"}


class OpenAIDialect:
    adapter = "openai"
    key_variable = "OPENAI_API_KEY"
    base_path = "/v1"
    malformed_kind = "invalid_request_error"
    usages: Sequence[tuple[Any, Usage | None]] = (
        ({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}, Usage(10, None, None, 5, None)),
        (
            {
                "input_tokens": 100,
                "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
                "output_tokens": 50,
                "output_tokens_details": {"reasoning_tokens": 40},
            },
            Usage(10, 60, 30, 50, 40),
        ),
        (
            {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 0},
            Usage(9, 0, None, 0, None),
        ),
        (
            {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 11}, "output_tokens": 5},
            Usage(None, None, None, 5, None),
        ),
        (
            {"input_tokens": "10", "input_tokens_details": [], "output_tokens": -5, "output_tokens_details": "x"},
            Usage(None, None, None, None, None),
        ),
        (
            {"input_tokens": 1, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 6}},
            Usage(1, None, None, 5, None),
        ),
        ({}, None),
        (None, None),
        ("many", None),
    )

    def authorized(self, headers: Mapping[str, str], key: str) -> bool:
        return headers.get("authorization") == f"Bearer {key}"

    def check(self, request: Any) -> None:
        need(request.path == "/v1/responses", f"no such path {request.path}")
        need(request.body.get("store") is False, "it would be stored")
        need("reasoning.encrypted_content" in request.body.get("include", []), "hidden reasoning is not asked for")
        check_transcript(self.read(request.body))

    def model_of(self, request: Any) -> str:
        return str(request.body["model"])

    def read(self, body: Any) -> Transcript:
        only(body, has="model instructions input tools max_output_tokens store", may="include temperature reasoning")
        tools = [only(tool, has="type name description parameters strict") for tool in body["tools"]]
        need(all(tool["type"] == "function" and tool["strict"] is False for tool in tools), "tools")
        turns: list[Turn] = []
        for item, following in zip(body["input"], [*body["input"][1:], {}], strict=True):
            lonely = item.get("type") == "reasoning" and following.get("type") not in {
                "message",
                "reasoning",
                "function_call",
            }
            need(not lonely, "reasoning without what came of it")
            self._item(item, turns)
        return Transcript(
            system=body["instructions"],
            tools=[(tool["name"], tool["description"], tool["parameters"]) for tool in tools],
            turns=turns,
        )

    def _item(self, item: Any, turns: list[Turn]) -> None:
        kind = item.get("type", "message")
        role = "user" if kind == "function_call_output" or item.get("role") == "user" else "model"
        if not turns or turns[-1].role != role or (role == "user" and turns[-1].words):
            turns.append(Turn(role))
        turn = turns[-1]
        if kind == "message":
            self._message(item, turn)
        elif kind == "function_call":
            only(item, has="type call_id name arguments", may="id status")
            is_text(item["arguments"])
            turn.calls.append((item["call_id"], item["name"]))
        elif kind == "function_call_output":
            only(item, has="type call_id output")
            turn.results.append((item["call_id"], is_text(item["output"])))
        elif kind == "reasoning":
            only(item, has="type id summary encrypted_content")
        else:
            raise Malformed(f"unknown item {kind}")

    def _message(self, item: Any, turn: Turn) -> None:
        if turn.role == "model":
            only(item, has="role content", may="type id status")
            parts = item["content"]
            need(bool(parts), "a message without content")
            turn.words += (
                [parts]
                if isinstance(parts, str)
                else [only(part, has="type text", may="annotations")["text"] for part in parts]
            )
            return
        only(item, has="role content")
        for part in item["content"]:
            if part["type"] == "input_text":
                turn.words.append(is_text(only(part, has="type text")["text"]))
            else:
                only(part, has="type image_url detail")
                need(part["detail"] in {"high", "original", "auto"}, "detail")
                check_data_url(part["image_url"])
                turn.images += 1

    def sent_back(self, body: Any) -> Any:
        groups: list[list[Any]] = [[]]
        for item in body["input"]:
            ours = item.get("role") == "user" or item.get("type") == "function_call_output"
            if not ours:
                groups[-1].append(item)
            elif groups[-1]:
                groups.append([])
        return [group for group in groups if group]

    def calls(self, *calls: tuple[str, Any], words: str = "", ids: Sequence[Any] = (), usage: Any = None) -> Any:
        items: list[Any] = [self._said(words)] if words else []
        for place, (name, arguments) in enumerate(calls):
            item = {
                "type": "function_call",
                "id": new_id("fc"),
                "call_id": ids[place] if ids else new_id("call"),
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                "status": "completed",
            }
            items.append(item)
        return self._response(items, usage=usage)

    def _said(self, words: Any) -> Any:
        content = [{"type": "output_text", "text": words, "annotations": []}]
        return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}

    def _response(self, output: Any, *, status: str = "completed", usage: Any = None, **more: Any) -> Any:
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1795000000,
            "status": status,
            "model": MODEL,
            "output": output,
            "error": None,
            "incomplete_details": None,
            "usage": usage if usage is not None else {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
            **more,
        }

    def says(self, words: str) -> Any:
        return self._response([self._said(words)])

    def with_hidden(self, body: Any) -> Any:
        return {**body, "output": [{**HIDDEN, "id": new_id("rs")}, *body["output"]]}

    def with_unknown(self, body: Any) -> Any:
        return {**body, "output": [{"type": "hologram", "beam": 1}, None, 7, *body["output"]]}

    def pieces_of(self, body: Any) -> Any:
        return body["output"]

    def cut_off(self, words: str) -> Any:
        details = {"reason": "max_output_tokens"}
        return self._response([self._said(words)], status="incomplete", incomplete_details=details)

    def refusals(self) -> Sequence[Any]:
        refusal = {**self._said(""), "content": [{"type": "refusal", "refusal": "I would rather not."}]}
        stopped = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
        return [self._response([refusal]), self._response([], **stopped)]

    def native_call(self) -> tuple[Any, str]:
        item = {
            "type": "computer_call",
            "id": "cu_1",
            "call_id": "call_9",
            "status": "completed",
            "pending_safety_checks": [],
            "actions": [{"type": "click", "button": "left", "x": 1, "y": 2}],
        }
        return self._response([HIDDEN, item]), "computer_call"

    def hollow(self) -> Sequence[Any]:
        return [
            self._response([]),
            self._response([None, 3, {"type": "message", "content": None}]),
            self._response([self._said(None)]),
            self._response([{"type": "reasoning", "id": "rs_2", "summary": None, "encrypted_content": "eA=="}]),
        ]

    def error(self, status: int, kind: str, message: str) -> tuple[Any, int]:
        return {"error": {"message": message, "type": kind, "param": None, "code": None}}, status

    def _coded(self, status: int, code: str, message: str) -> tuple[Any, int]:
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}, status

    def wrong_key(self) -> tuple[Any, int]:
        return self._coded(401, "invalid_api_key", "Incorrect API key provided")

    def no_model(self) -> tuple[Any, int]:
        return self._coded(404, "model_not_found", "The model does not exist")

    def no_credit(self) -> tuple[Any, int]:
        return self._coded(429, "insufficient_quota", "You exceeded your current quota")

    def too_long(self) -> Sequence[tuple[Any, int]]:
        return [self._coded(400, "context_length_exceeded", "Your input exceeds the context window of this model.")]

    def rate_limited(self) -> tuple[Any, int]:
        return self._coded(429, "rate_limit_exceeded", "slow down")

    def declined(self) -> Sequence[tuple[Any, int]]:
        failed = self._response([], status="failed", error={"code": "invalid_prompt", "message": "flagged"})
        return [(body, 200) for body in self.refusals()] + [
            self._coded(400, "invalid_prompt", "Invalid prompt: your prompt was flagged"),
            (failed, 200),
        ]
