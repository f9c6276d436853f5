"""How the vocabulary relates to the vendors' own computer-use APIs.

Published with the action map so that a reader can compare. Nothing runs from this table: every
model gets the arena's verbs as plain function tools. An entry without calls says in its note why
the vendor's vocabulary has no counterpart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

VENDORS: Mapping[str, str] = {
    "anthropic_browser": "Anthropic browser toolset (2026-08-01)",
    "anthropic_computer": "Anthropic computer toolset (2026-08-01) and computer_20251124",
    "openai_computer": "OpenAI computer tool (Responses)",
    "gemini": "Google Gemini computer use, 3.5 and later",
    "gemini_legacy": "Google Gemini computer use, 2.5 and 3 previews",
    "qwen3_vl": "Qwen3-VL computer_use",
    "ui_tars": "UI-TARS 1.5",
    "fara": "Fara-7B",
    "nova_act": "Amazon Nova Act",
}


@dataclass(frozen=True, slots=True)
class VendorEntry:
    """A vendor's calls that do what the verb does; without calls, ``note`` is the reason."""

    calls: tuple[str, ...]
    note: str = ""


def _does(*calls: str, note: str = "") -> VendorEntry:
    return VendorEntry(calls, note)


def _none(reason: str) -> VendorEntry:
    return VendorEntry((), reason)


_SCREEN_ONLY = "acts on a screen and knows no addresses or tabs"
_NO_LIST_TOOL = "drop-down lists are operated with clicks and keys"
_NO_FILES = "has no way to hand over a file"
_IMPLICIT = "a screenshot comes with every turn without being asked for"
_NO_CROP = "sees whole screenshots only"
_NO_TEXT = "sees screenshots only, no page text"
_ONE_PAGE = "knows one page and no tabs"

# The order is that of VENDORS.
_TABLE: Mapping[str, tuple[VendorEntry, ...]] = {
    "navigate": (
        _does("navigate"),
        _none(_SCREEN_ONLY),
        _none(_SCREEN_ONLY),
        _does("navigate"),
        _does("navigate", "search", note="search opens a search engine of the integrator's choice"),
        _none(_SCREEN_ONLY),
        _none(_SCREEN_ONLY),
        _does("visit_url", "web_search"),
        _does("goToUrl"),
    ),
    "history": (
        _does("navigate", note='url is "back", "forward" or "reload"'),
        _none(_SCREEN_ONLY),
        _does("click", note="button is back or forward; no reload"),
        _does("go_back", "go_forward", note="no reload"),
        _does("go_back", "go_forward", note="no reload"),
        _none(_SCREEN_ONLY),
        _none(_SCREEN_ONLY),
        _does("history_back", note="back only"),
        _none("goes to addresses only"),
    ),
    "click": (
        _does("left_click", "right_click", "middle_click", "double_click", "triple_click"),
        _does("left_click", "right_click", "middle_click", "double_click", "triple_click"),
        _does("click", "double_click", note="no triple click"),
        _does("click", "double_click", "triple_click", "middle_click", "right_click"),
        _does("click_at", note="single left click only"),
        _does("left_click", "right_click", "middle_click", "double_click", "triple_click"),
        _does("click", "left_double", "right_single", note="no middle or triple click"),
        _does("left_click", note="single left click only"),
        _does("agentClick", note="left, double left and right"),
    ),
    "hover": (
        _does("hover", "mouse_move"),
        _does("mouse_move"),
        _does("move"),
        _does("move"),
        _does("hover_at"),
        _does("mouse_move"),
        _does("hover"),
        _does("mouse_move"),
        _does("agentHover"),
    ),
    "drag": (
        _does("left_click_drag", "left_mouse_down", "mouse_move", "left_mouse_up"),
        _does("left_click_drag", "left_mouse_down", "mouse_move", "left_mouse_up"),
        _does("drag"),
        _does("drag_and_drop", "mouse_down", "move", "mouse_up"),
        _does("drag_and_drop"),
        _does("left_click_drag", note="starts at the pointer"),
        _does("drag"),
        _none("clicks, types and scrolls only"),
        _none("clicks, types and scrolls only"),
    ),
    "scroll": (
        _does("scroll", "scroll_to", note="counts notches; scroll_to takes a reference"),
        _does("scroll", note="counts notches"),
        _does("scroll", note="in px"),
        _does("scroll", note="direction and magnitude on a grid of 1,000"),
        _does("scroll_at", "scroll_document"),
        _does("scroll", "hscroll", note="in px, positive is up"),
        _does("scroll", note="a direction only"),
        _does("scroll", note="in px, positive is up"),
        _does("agentScroll"),
    ),
    "type": (
        _does("type", "form_input"),
        _does("type"),
        _does("type"),
        _does("type", note="press_enter"),
        _does("type_text_at", note="clicks, clears, types and presses Enter"),
        _does("type"),
        _does("type", note="a line break at the end submits"),
        _does("type", note="press_enter, delete_existing_text"),
        _does("agentType"),
    ),
    "press": (
        _does("key", "hold_key"),
        _does("key", "hold_key"),
        _does("keypress"),
        _does("press_key", "hotkey", "key_down", "key_up"),
        _does("key_combination"),
        _does("key"),
        _does("hotkey", "press"),
        _does("key"),
        _none("typing with pressEnter is its only key"),
    ),
    "select": (
        _does("form_input", note="on a drop-down list"),
        _none(_NO_LIST_TOOL),
        _none(_NO_LIST_TOOL),
        _none(_NO_LIST_TOOL),
        _none(_NO_LIST_TOOL),
        _none(_NO_LIST_TOOL),
        _none(_NO_LIST_TOOL),
        _none(_NO_LIST_TOOL),
        _does("agentType", note="on the list's box"),
    ),
    "upload": (
        _does("file_upload", note="off by default"),
        _none(_NO_FILES),
        _none(_NO_FILES),
        _none(_NO_FILES),
        _none(_NO_FILES),
        _none(_NO_FILES),
        _none(_NO_FILES),
        _none(_NO_FILES),
        _does("agentType", note="a path, on the input's box"),
    ),
    "wait": (
        _does("wait"),
        _does("wait"),
        _does("wait", note="takes no duration"),
        _does("wait"),
        _does("wait_5_seconds"),
        _does("wait"),
        _does("wait", note="takes no duration"),
        _does("wait"),
        _does("wait", "waitForPageToSettle"),
    ),
    "observe": (
        _does("screenshot", "list_tabs"),
        _does("screenshot", "cursor_position"),
        _does("screenshot"),
        _does("take_screenshot"),
        _does("open_web_browser", note="opens the browser and shows it"),
        _none(_IMPLICIT),
        _none(_IMPLICIT),
        _none(_IMPLICIT),
        _does("takeObservation"),
    ),
    "zoom": (
        _does("zoom"),
        _does("zoom", note="where enabled"),
        _none(_NO_CROP),
        _none(_NO_CROP),
        _none(_NO_CROP),
        _none(_NO_CROP),
        _none(_NO_CROP),
        _none(_NO_CROP),
        _none(_NO_CROP),
    ),
    "read": (
        _does("read_page", "find", "get_page_text"),
        _none(_NO_TEXT),
        _none(_NO_TEXT),
        _none(_NO_TEXT),
        _none(_NO_TEXT),
        _none(_NO_TEXT),
        _none(_NO_TEXT),
        _none("pause_and_memorize_fact keeps a note and reads nothing"),
        _none("the observation already holds the page's structure"),
    ),
    "tab": (
        _does("new_tab", "switch_tab", "close_tab"),
        _none(_SCREEN_ONLY),
        _none(_SCREEN_ONLY),
        _none(_ONE_PAGE),
        _none(_ONE_PAGE),
        _none(_SCREEN_ONLY),
        _none(_SCREEN_ONLY),
        _none(_ONE_PAGE),
        _none(_ONE_PAGE),
    ),
    "answer": (
        _does("end_turn", note="the final text"),
        _does("end_turn", note="the final text"),
        _does("message", note="the final text"),
        _does("text", note="text without a call"),
        _does("text", note="text without a call"),
        _does("answer", "terminate", note="status success"),
        _does("finished"),
        _does("terminate", note="status success"),
        _does("return"),
    ),
    "give_up": (
        _none("ends with text; failure has no call of its own"),
        _none("ends with text; failure has no call of its own"),
        _none("ends with text; failure has no call of its own"),
        _none("ends with text; failure has no call of its own"),
        _none("ends with text; failure has no call of its own"),
        _does("terminate", note="status failure"),
        _does("call_user"),
        _does("terminate", note="status failure"),
        _does("throw"),
    ),
}


def vendor_entries(verb: str) -> Mapping[str, VendorEntry]:
    """The verb's counterpart, or the reason there is none, for every vendor of :data:`VENDORS`."""
    return dict(zip(VENDORS, _TABLE[verb], strict=True))
