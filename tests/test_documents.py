"""What the documents point at is there, and what they say to type exists."""

import io
import re
from contextlib import redirect_stdout
from urllib.parse import unquote

import pytest
from django.conf import settings
from django.core.management import get_commands

from arena_site.accounts.limits import KEPT_FOR
from arena_site.environment import CHECKOUT
from battles.draw_shares import LOOKED_BACK
from battles.imagery.retention import FRAMES_KEPT, ORIGINALS_KEPT
from governance.withdrawal_clocks import LICENSEES_WITHIN

PAGES = sorted([CHECKOUT / "README.md", CHECKOUT / "bench" / "README.md", *(CHECKOUT / "docs").rglob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
COMMAND = re.compile(r"manage\.py ([a-z][a-z_]+)")
TARGET = re.compile(r"(?:^|`|\s)make ([a-z][a-z-]+)(?=[`\s]|$)", re.MULTILINE)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
#: Where a document says for how long, in days, and what decides it.
SPANS = [
    ("dataset.md", "both within {} days of the request", LICENSEES_WITHIN.days),
    ("withdrawal.md", "with a replacement | {} days after", LICENSEES_WITHIN.days),
    ("redaction.md", "for the submitter only | {} days after the last frame", ORIGINALS_KEPT.days),
    ("redaction.md", "masked pictures | {} days |", FRAMES_KEPT.days),
    ("submitting.md", "personal details unmasked | you, for {0} days | you, for {0} days |", ORIGINALS_KEPT.days),
    ("operating.md", "what somebody typed before signing in | {} days;", settings.SESSION_COOKIE_AGE // (24 * 60 * 60)),
    ("operating.md", "under keyed hashes | {} days |", KEPT_FOR.days),
    ("operating.md", "draws in {} days against what was expected", LOOKED_BACK.days),
    ("agents.md", "over {} days are published", LOOKED_BACK.days),
]


def named(page):
    return str(page.relative_to(CHECKOUT))


def anchors(page):
    """The names that headings of a page are reached by."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    words = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings)
    return {re.sub(r"\s", "-", heading.strip()) for heading in words}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_relative_link_leads_somewhere(page):
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{named(page)} links to {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{named(page)} links to {link}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_and_target_that_is_named_exists(page):
    text = page.read_text()
    known = set(get_commands())
    assert set(COMMAND.findall(text)) <= known
    makefile = (CHECKOUT / "Makefile").read_text()
    code = "\n".join([*CODE.findall(text), *(block for _, block in FENCE.findall(text))])
    for target in TARGET.findall(code):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{named(page)} says make {target}"


@pytest.mark.parametrize(("page", "sentence", "days"), SPANS)
def test_spans_are_those_that_the_code_keeps(page, sentence, days):
    text = " ".join((CHECKOUT / "docs" / page).read_text().split())
    assert sentence.format(days) in text


def test_the_example_for_analysts_prints_what_the_page_says():
    blocks = FENCE.findall((CHECKOUT / "docs" / "analysts.md").read_text())
    (number, code), printed = next((i, b[1]) for i, b in enumerate(blocks) if b[0] == "python"), io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "docs/analysts.md", "exec"), {})
    assert printed.getvalue() == blocks[number + 1][1]
