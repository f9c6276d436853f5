"""Getting somewhere: addresses, history and tabs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Response
from playwright.async_api import TimeoutError as PlaywrightTimeout

from battles.lanes.bounds import CallTimedOut, TabClosed, TabCrashed
from battles.lanes.browser import LaneBrowser
from battles.lanes.egress_wire import OWN_ANSWER_HEADER
from battles.lanes.load_errors import meaning
from battles.lanes.outcomes import Outcome, failed
from battles.lanes.tabs import Tab

#: ``name:`` that is a scheme and not a host before its port.
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|$))", re.IGNORECASE)
_LOOPBACK = re.compile(r"(?:localhost|[^/:]+\.localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)", re.IGNORECASE)

#: HTTP answers that are told, with what they mean; others pass in silence.
_FIRST_ERROR_STATUS = 400


async def navigate(browser: LaneBrowser, arguments: Mapping[str, Any]) -> Outcome:
    """Open an address in the tab in front, and wait for the commit only.

    Raises:
        TabClosed, TabCrashed, BrowserGone: as :meth:`Tab.call`.
    """
    url, refusal = choose_url(browser, arguments["url"].strip())
    if refusal:
        return failed("refused_url", refusal)
    tab = await browser.front()
    browser.note_refusals()
    tab.documents.begin()
    try:
        response = await tab.call(
            tab.page.goto(url, wait_until="commit", timeout=browser.bounds.commit * 1000),
            "loading",
            browser.bounds.commit + 1,
        )
    except (CallTimedOut, PlaywrightTimeout):
        return await _too_slow(tab)
    except PlaywrightError as error:
        return _refused_meanwhile(browser, url) or in_our_words(error)
    refused = (
        _refused_meanwhile(browser, url) if response is not None and response.status >= _FIRST_ERROR_STATUS else None
    )
    if not refused and response is not None and OWN_ANSWER_HEADER in response.headers:
        return failed("load_failed", "The site did not answer: nothing was reached at that address.")
    return refused or Outcome(f"Opened {tab.page.url[:200]}{_status(response)}.")


async def open_start_page(browser: LaneBrowser, url: str) -> Outcome:
    """Open the page that a lane begins on and let it come to rest; what is no page, or does not stay, is a failure.

    Raises:
        PageHung, BrowserGone: as :meth:`LaneBrowser.settle`.
    """
    try:
        outcome = await navigate(browser, {"url": url})
        await browser.settle()
    except TabClosed:
        return failed("load_failed", away_in_words(browser))
    except TabCrashed:
        return failed("tab_crashed", "It crashed the browser's tab.")
    tab = await browser.front()
    if outcome.ok and not tab.page.url.startswith(("http://", "https://")):
        opened = outcome.message.startswith("Opened")
        return failed("load_failed", away_in_words(browser) if opened else outcome.message)
    return outcome


def away_in_words(browser: LaneBrowser) -> str:
    """Why a start page is not there any more."""
    if browser.incidents.count("dialog_flood"):
        return "It opens dialogs without end."
    return "It led away from the web at once."


def choose_url(browser: LaneBrowser, wanted: str) -> tuple[str, str]:
    """The full address and "", or "" and why it may not be opened. A bare host gets the scheme it needs."""
    scheme = _SCHEME.match(wanted)
    if scheme and scheme[1].lower() not in {"http", "https"}:
        return "", f"Only http and https addresses can be opened, not {scheme[1].lower()}."
    if scheme:
        candidates = [wanted]
    else:
        host = wanted.lstrip("/")
        candidates = [f"https://{host}", f"http://{host}"]
        if _LOOPBACK.match(host):
            candidates.reverse()
    refusals = [browser.url_refusal(candidate) for candidate in candidates]
    for candidate, refusal in zip(candidates, refusals, strict=True):
        if refusal is None:
            return candidate, ""
    return "", str(refusals[0])


def _refused_meanwhile(browser: LaneBrowser, url: str) -> Outcome | None:
    host = url.partition("//")[2].partition("/")[0].lower()
    for refusal in browser.note_refusals():
        if refusal["host"].lower() in host:
            return failed("refused_url", f"The arena does not let its browsers there ({refusal['reason']}).")
    return None


def in_our_words(error: PlaywrightError) -> Outcome:
    """A failed load as a result."""
    code, words = meaning(str(error))
    return failed(code, words) if code else Outcome(words)


async def _too_slow(tab: Tab) -> Outcome:
    await tab.stop_loading()
    return failed("timed_out", "The site did not answer in time.")


def _status(response: Response | None) -> str:
    if response is None or response.status < _FIRST_ERROR_STATUS:
        return ""
    return f" (HTTP {response.status})"


async def history(browser: LaneBrowser, arguments: Mapping[str, Any]) -> Outcome:
    """Back, forward or reload. Raises as :func:`navigate`."""
    tab = await browser.front()
    page = tab.page
    milliseconds = browser.bounds.commit * 1000
    moves = {"back": page.go_back, "forward": page.go_forward, "reload": page.reload}
    go = arguments["go"]
    before = page.url
    tab.documents.begin()
    try:
        response = await tab.call(
            moves[go](wait_until="commit", timeout=milliseconds), "loading", browser.bounds.commit + 1
        )
    except (CallTimedOut, PlaywrightTimeout):
        return await _too_slow(tab)
    except PlaywrightError as error:
        return in_our_words(error)
    if go != "reload" and response is None and page.url == before:
        return failed("not_found", f"There is no page to go {go} to.")
    return Outcome(f"Went {go}." if go != "reload" else "Reloaded.")


async def tab(browser: LaneBrowser, arguments: Mapping[str, Any]) -> Outcome:
    """Open, switch to or close a tab. Raises as :func:`navigate`."""
    op, tab_id = arguments["op"], arguments.get("tab_id", "")
    if op == "new":
        opened = await browser.open_tab()
        if opened is None:
            return failed("not_usable", "There are too many tabs; close one first.")
        return Outcome(f"Opened {opened.tab_id}.")
    chosen = browser.tab(tab_id) if tab_id else await browser.front()
    if chosen is None:
        listed = ", ".join(each.tab_id for each in browser.tabs)
        return failed("not_found", f"There is no tab {tab_id!r}. The tabs are: {listed}.")
    if op == "close":
        await browser.close_tab(chosen)
        return Outcome(f"Closed {chosen.tab_id}.")
    await browser.bring_to_front(chosen)
    return Outcome(f"Switched to {chosen.tab_id}.")
