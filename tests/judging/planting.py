"""A middleware that plants a defect in the site's answers, for tests of the checks that must find it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

#: What is done to an answer, or nothing.
defect: Callable[[HttpRequest, HttpResponse], HttpResponse | None] | None = None


class PlantingMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        return (defect(request, response) if defect is not None else None) or response
