"""Google's generateContent as its server takes it. Its JSON names may be written in two ways; both are taken."""

from __future__ import annotations

import re
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

_PATH = re.compile(r"/(?:v1|v1beta)/models/([^/:]+):generateContent")


def camel(value: Any) -> Any:
    """The same with every name in camelCase, but for what is inside a schema, arguments or a response."""
    if isinstance(value, list):
        return [camel(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {"parametersJsonSchema", "args", "response"}
    return {
        name: inner if name in kept else camel(inner)
        for name, inner in (
            (re.sub(r"_(\w)", lambda found: found[1].upper(), key), each) for key, each in value.items()
        )
    }


class GoogleDialect:
    adapter = "google"
    key_variable = "GEMINI_API_KEY"
    base_path = ""
    malformed_kind = "INVALID_ARGUMENT"
    usages: Sequence[tuple[Any, Usage | None]] = (
        ({"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}, Usage(10, None, None, 5, None)),
        (
            {
                "promptTokenCount": 100,
                "cachedContentTokenCount": 60,
                "candidatesTokenCount": 10,
                "thoughtsTokenCount": 40,
                "totalTokenCount": 150,
            },
            Usage(40, 60, None, 50, 40),
        ),
        ({"promptTokenCount": 7, "thoughtsTokenCount": 40, "totalTokenCount": 47}, Usage(7, None, None, 40, 40)),
        ({"promptTokenCount": 7}, Usage(7, None, None, None, None)),
        (
            {"promptTokenCount": 7, "cachedContentTokenCount": 8, "candidatesTokenCount": 1},
            Usage(None, None, None, 1, None),
        ),
        (
            {"promptTokenCount": -7, "candidatesTokenCount": "5", "thoughtsTokenCount": None, "totalTokenCount": 3},
            Usage(None, None, None, None, None),
        ),
        ({}, None),
        (None, None),
        (3, None),
    )

    def authorized(self, headers: Mapping[str, str], key: str) -> bool:
        return headers.get("x-goog-api-key") == key

    def check(self, request: Any) -> None:
        need(_PATH.fullmatch(request.path) is not None, f"no such path {request.path}")
        check_transcript(self.read(request.body))

    def model_of(self, request: Any) -> str:
        found = _PATH.fullmatch(request.path)
        return found[1] if found else ""

    def read(self, body: Any) -> Transcript:
        body = only(camel(body), has="contents systemInstruction tools generationConfig", may="toolConfig")
        only(body["generationConfig"], has="maxOutputTokens", may="temperature thinkingConfig")
        need(len(body["tools"]) == 1, "one tool")
        declared = only(body["tools"][0], has="functionDeclarations")["functionDeclarations"]
        tools = [only(tool, has="name description parametersJsonSchema") for tool in declared]
        return Transcript(
            system="\n".join(part["text"] for part in body["systemInstruction"]["parts"]),
            tools=[(tool["name"], tool["description"], tool["parametersJsonSchema"]) for tool in tools],
            turns=[self._turn(content) for content in body["contents"]],
            identifiers_differ=False,
        )

    def _turn(self, content: Any) -> Turn:
        only(content, has="role parts")
        need(content["role"] in {"user", "model"} and bool(content["parts"]), "role or parts")
        turn = Turn(content["role"])
        for part in content["parts"]:
            only(part, may="text thought thoughtSignature functionCall functionResponse inlineData hologram odd")
            if "functionCall" in part:
                call = only(part["functionCall"], has="name", may="id args")
                turn.calls.append((call.get("id") or "", call["name"]))
            elif "functionResponse" in part:
                response = only(part["functionResponse"], has="name response", may="id")
                need(not turn.words, "responses come first")
                turn.results.append(
                    (response.get("id", ""), is_text(only(response["response"], has="result")["result"]))
                )
            elif "inlineData" in part:
                data = only(part["inlineData"], has="mimeType data")
                check_image(data["mimeType"], data["data"])
                turn.images += 1
            elif "text" in part:
                turn.words.append(is_text(part["text"]))
        return turn

    def sent_back(self, body: Any) -> Any:
        return [content["parts"] for content in body["contents"] if content["role"] == "model"]

    def calls(self, *calls: tuple[str, Any], words: str = "", ids: Sequence[Any] = (), usage: Any = None) -> Any:
        parts: list[Any] = [{"text": words}] if words else []
        for place, (name, arguments) in enumerate(calls):
            call = {"id": ids[place] if ids else new_id("fc"), "name": name, "args": arguments}
            if call["id"] is None:
                del call["id"]
            parts.append({"functionCall": call, "thoughtSignature": "c2lnbmVk"})
        return self._response(parts, usage=usage)

    def _response(self, parts: Any, reason: str = "STOP", usage: Any = None) -> Any:
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0}
        counted = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        return {
            "candidates": [candidate],
            "usageMetadata": usage if usage is not None else counted,
            "modelVersion": MODEL,
            "responseId": "r1",
        }

    def says(self, words: str) -> Any:
        return self._response([{"text": words}])

    def _with(self, body: Any, *parts: Any) -> Any:
        (candidate,) = body["candidates"]
        content = {**candidate["content"], "parts": [*parts, *candidate["content"]["parts"]]}
        return {**body, "candidates": [{**candidate, "content": content}]}

    def with_hidden(self, body: Any) -> Any:
        return self._with(body, {"text": "Where is it?", "thought": True})

    def with_unknown(self, body: Any) -> Any:
        return self._with(body, {"hologram": {"beam": 1}})

    def pieces_of(self, body: Any) -> Any:
        return body["candidates"][0]["content"]["parts"]

    def cut_off(self, words: str) -> Any:
        return self._response([{"text": words}], "MAX_TOKENS")

    def refusals(self) -> Sequence[Any]:
        return [
            self._response([], "SAFETY"),
            {"candidates": [{"finishReason": "PROHIBITED_CONTENT", "index": 0}]},
            {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 3}},
        ]

    def native_call(self) -> tuple[Any, str]:
        return self.calls(("click_at", {"x": 500, "y": 250, "intent": "press"})), "click_at"

    def hollow(self) -> Sequence[Any]:
        return [
            self._response([]),
            {"candidates": [{"content": None, "finishReason": "STOP"}]},
            {"candidates": [{"content": {"role": "model"}, "finishReason": "OTHER"}]},
            {"candidates": [{"content": {"parts": [None, 3]}, "finishReason": None}]},
        ]

    def error(self, status: int, kind: str, message: str) -> tuple[Any, int]:
        return {"error": {"code": status, "message": message, "status": kind}}, status

    def wrong_key(self) -> tuple[Any, int]:
        body, status = self.error(400, "INVALID_ARGUMENT", "API key not valid.")
        body["error"]["details"] = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
        return body, status

    def no_model(self) -> tuple[Any, int]:
        return self.error(404, "NOT_FOUND", "models/nothing is not found")

    def no_credit(self) -> tuple[Any, int]:
        return self.error(400, "FAILED_PRECONDITION", "Enable billing")

    def too_long(self) -> Sequence[tuple[Any, int]]:
        words = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
        return [self.error(400, "INVALID_ARGUMENT", words)]

    def rate_limited(self) -> tuple[Any, int]:
        return self.error(429, "RESOURCE_EXHAUSTED", "slow down")

    def declined(self) -> Sequence[tuple[Any, int]]:
        return [(body, 200) for body in self.refusals()]
