"""Puts ``request.judge`` on every request, and the cookie on the answer that made one or found an old signature."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from judging.identity import judge_of_cookie, remember_identity, sign_again


class JudgeMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.judge = judge_of_cookie(request)  # type: ignore[attr-defined]  # our own addition
        sign_again(request)
        response = self._get_response(request)
        remember_identity(request, response)
        return response
