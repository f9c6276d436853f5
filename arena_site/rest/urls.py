"""Every address of the API. Each is in the schema."""

from django.urls import path

from arena_site.rest.schema_document import Schema

urlpatterns = [
    path("schema", Schema.as_view(), name="api_schema"),
]
