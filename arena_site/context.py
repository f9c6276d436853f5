"""What every page knows."""

from typing import Any

from django.http import HttpRequest

from arena_site.accounts.devices import signed_in_account
from judging.identity import current_judge
from ratings.definitions import DEFINITIONS, ON_PAGES

#: The main navigation: pages that exist.
NAV = (
    {"key": "new", "label": "Post a task", "href": "/battles/new"},
    {"key": "judge", "label": "Judge", "href": "/judge"},
    {"key": "standings", "label": "Standings", "href": "/standings"},
    {"key": "benchmark", "label": "Benchmark", "href": "/benchmark"},
    {"key": "methods", "label": "Methods", "href": "/methods"},
)
FOOT_NAV = (
    {"label": "Mission", "href": "/mission"},
    {"label": "Governance", "href": "/governance"},
    {"label": "Dataset", "href": "/dataset"},
    {"label": "API", "href": "/api/docs"},
    {"label": "Withdraw", "href": "/withdraw"},
    {"label": "Status", "href": "/status"},
)
#: At the foot of every page for operators.
OPERATORS_NAV = ({"label": "Quality", "href": "/quality"},)


def site(request: HttpRequest) -> dict[str, Any]:
    """Navigation, definitions, whether this browser has contributed, and who is signed in."""
    account = signed_in_account(request)
    operator = account is not None and account.is_staff
    return {
        "nav": NAV,
        "foot_nav": (*FOOT_NAV, *OPERATORS_NAV) if operator else FOOT_NAV,
        "judge_known": current_judge(request) is not None,
        "signed_in": account is not None,
        "operator": operator,
        "definitions": {
            key: {**definition, "href": f"/methods#{key}"} for key, definition in (DEFINITIONS | ON_PAGES).items()
        },
    }
