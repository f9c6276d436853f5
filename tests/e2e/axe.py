"""What axe finds on a page."""

import json

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

#: WCAG 2.2 at levels A and AA, and what the authors of axe hold for good practice.
OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
#: Fewer rules than this can only mean that axe did not look at the page.
LEAST_RULES = 10


def defects(page: Page) -> list[str]:
    """One line for each element that breaks a rule: the rule and the element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(f"axe.run({json.dumps(OPTIONS)})")
    assert len(found["passes"]) >= LEAST_RULES
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found["violations"] for node in rule["nodes"]]
