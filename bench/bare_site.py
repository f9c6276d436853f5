"""The floor of ``bench.load``: the bare framework, one view without middleware, apps or a database.

``/dumped`` makes the JSON anew for every request, as a view that returns a ``JsonResponse`` does; ``/stored`` sends the
same bytes as they are. The document is the file named by ``BENCH_DOCUMENT``.
"""

import json
import os
from pathlib import Path

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"],
    DEBUG=False,
    MIDDLEWARE=[],
    ROOT_URLCONF=__name__,
    SECRET_KEY="bench",  # signs nothing here
)

TEXT = Path(os.environ["BENCH_DOCUMENT"]).read_text()
DOCUMENT = json.loads(TEXT)


def dumped(request: HttpRequest) -> HttpResponse:
    return JsonResponse(DOCUMENT)


def stored(request: HttpRequest) -> HttpResponse:
    return HttpResponse(TEXT, content_type="application/json")


def small(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


urlpatterns = [path("dumped", dumped), path("stored", stored), path("small", small)]
application = get_wsgi_application()
