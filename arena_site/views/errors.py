"""Error pages that need nothing of the request: its body may be what is wrong, or the database away."""

import sys

from django.db import Error, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import page_not_found
from psycopg.errors import ReadOnlySqlTransaction

from arena_site.log_lines import request_identifier
from arena_site.rest.problems import NoSuchAddress, asked_of_the_api
from arena_site.rest.taking_part import keep_where_ones_own
from governance.public_answers import problem, problem_json

#: A database that restarts is back within seconds.
RETRY_SECONDS = "5"
UNAVAILABLE = "The database is away for a moment. Nothing was kept; please try again."
OUR_FAULT = "Something went wrong here, and it is not your fault. The operator's log has it."


def is_away(trouble: BaseException | None) -> bool:
    """Whether the database is not there, or, while another one takes over, does not take anything yet."""
    not_yet = isinstance(trouble, Error) and isinstance(trouble.__cause__, ReadOnlySqlTransaction)
    return not_yet or isinstance(trouble, OperationalError | InterfaceError)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """A request that cannot be read."""
    if asked_of_the_api(request):
        return keep_where_ones_own(request, problem(400, "request_refused", "The request cannot be read."))
    return HttpResponse(render_to_string("400.html"), status=400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Nothing is there, or nothing that the visitor may know of."""
    if asked_of_the_api(request):
        return problem_json(NoSuchAddress())
    return page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """503 with a time to come back while the database is away; else our own fault."""
    away = is_away(sys.exc_info()[1])
    if asked_of_the_api(request):
        response = problem(503, "unavailable", UNAVAILABLE) if away else problem(500, "server_error", OUR_FAULT)
        # The view did not come to answer, and would have kept it so.
        keep_where_ones_own(request, response)
    else:
        status = 503 if away else 500
        context = {"request_id": request_identifier()}
        response = HttpResponse(render_to_string(f"{status}.html", context), status=status)
    if away:
        response["Retry-After"] = RETRY_SECONDS
    return response
