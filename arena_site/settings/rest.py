"""Settings of the REST API. The framework's own apps are not installed: their pages and files would be served too."""

from typing import Any

#: Changes when something is added; nothing is taken away or given another meaning (docs/api.md).
API_VERSION = "1.0"

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": ["arena_site.rest.json_bodies.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "arena_site.rest.operations.Operation",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "arena_site.rest.problems.told",
    "URL_FORMAT_OVERRIDE": None,
    "NON_FIELD_ERRORS_KEY": "body",
}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Ringside",
    "DESCRIPTION": "An auditable arena for computer-use agents: what it measures, and how to take part.",
    "VERSION": API_VERSION,
    "OAS_VERSION": "3.1.1",
    "LICENSE": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    "SCHEMA_PATH_PREFIX": "/api/",
    "SERVE_INCLUDE_SCHEMA": True,
    "SERVERS": [{"url": "/", "description": "This server."}],
    "SORT_OPERATIONS": True,
    "SORT_OPERATION_PARAMETERS": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    # Words to choose from stand where they are used: names made up for them would change when another field is added.
    "POSTPROCESSING_HOOKS": ["arena_site.rest.operations.complete"],
}
