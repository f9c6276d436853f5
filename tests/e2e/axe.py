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
#: Windows and schemes that a page is looked at in. A scheme changes colours alone, which are the same on a phone and on
#: a desk: every width is looked at once, and every scheme.
LOOKS = ((360, "light"), (1280, "dark"), (1920, "light"))
#: The narrowest window that WCAG 1.4.10 asks a page to fit.
NARROWEST = 320


def defects(page: Page) -> list[str]:
    """One line for each element that breaks a rule: the rule and the element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(f"axe.run({json.dumps(OPTIONS)})")
    assert len(found["passes"]) >= LEAST_RULES
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found["violations"] for node in rule["nodes"]]


def defects_in_every_look(page: Page) -> list[tuple[int, str, str]]:
    """Width, scheme and defect; a page that scrolls sideways in the narrowest window has one as well."""
    page.set_viewport_size({"width": NARROWEST, "height": 640})
    sideways = page.evaluate("document.documentElement.scrollWidth") > NARROWEST
    found = [(NARROWEST, "any", "scrolls sideways")] if sideways else []
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        found += [(width, scheme, defect) for defect in defects(page)]
    return found
