"""What people read of a lane or a battle that came to nothing: sentences of ours, whatever a program said of it.

``detail`` of a lane and ``void_reason`` of a battle keep what was said, for operators. A page and the API show what of
it was written for people.
"""

from __future__ import annotations

import re

from battles.lanes.endings import NEVER_RAN, Ending

#: Why a battle with such a lane cannot be judged, in words for the person who posted it.
VOID_WORDS = {
    Ending.PROVIDER_ERROR: "A model's provider did not answer, so this race says nothing about the agents.",
    Ending.BROWSER_ERROR: "A browser could not do its part, so this race says nothing about the agents.",
    Ending.LOST: "A lane was lost on our side, so this race says nothing about the agents.",
}
#: Said of an agent that could not be made.
NOT_READY = "An agent could not be made ready. Whoever runs this arena can find out why with the check of the roster."
#: Said of a browser that could not be had, or of its only way out.
NO_BROWSER = (
    "A browser could not be had on our side. Whoever runs this arena finds the reason in the log of its workers."
)
OTHER_LANE_MISSING = "The other lane did not start."
TOLD_TO_STOP = "The lane was told to stop."
OUTLIVED = "The lane outlived its bounds."
#: Said of a picture that could not be kept, with what the disk or the object storage said.
NOT_STORED = "A screenshot could not be stored"
#: Said to whoever posted the task of a race that could not be kept.
TASK_KEPT = "The task is kept; please post it again when there is room."

_START_FAILED = "The start page could not be opened"
_NOT_THE_AGENT = "That is the site or our way to it, not the agent."
_START = re.compile(rf"{re.escape(_START_FAILED)}: (?P<why>.*?) ?{re.escape(_NOT_THE_AGENT)}", re.DOTALL)
_STORED = re.compile(rf"{re.escape(NOT_STORED)}: .*?(?= {re.escape(TASK_KEPT)}|$)", re.DOTALL)
#: What a browser calls a load that failed, where we have no words for it.
_BROWSERS_OWN = re.compile(r"\bERR_|net::")
_FOR_PEOPLE = (NOT_READY, NO_BROWSER, OTHER_LANE_MISSING, TOLD_TO_STOP, OUTLIVED)


def start_failed(why: str) -> str:
    """Said of a start page that cannot be had. ``why`` is a sentence."""
    return f"{_START_FAILED}: {why} {_NOT_THE_AGENT}"


def plain_detail(ending: str, detail: str) -> str:
    """The detail of a lane as people read it: whole where the lane ran, for it is its agent's or the page's doing then.

    Args:
        ending: how the lane ended; "" while it runs.
        detail: as it was kept.
    """
    return _said_for_people(detail) if ending in NEVER_RAN else detail


def plain_void_reason(reason: str) -> str:
    """Why a battle is void, as people read it. What a person or this code wrote is whole."""
    words = our_void_words(reason)
    if words:
        return " ".join(filter(None, [words, _said_for_people(reason.removeprefix(words))]))
    return _STORED.sub(f"{NOT_STORED} on our side.", reason)


def our_void_words(reason: str) -> str:
    """The sentence of ours that it begins with, and nothing that anybody said of one race; "" where there is none."""
    return next((words for words in VOID_WORDS.values() if reason.startswith(words)), "")


def _said_for_people(text: str) -> str:
    started = _START.search(text)
    said = [sentence for sentence in _FOR_PEOPLE if sentence in text]
    if started is None:
        return " ".join(said)
    known = not _BROWSERS_OWN.search(started["why"])
    return " ".join([start_failed(started["why"]) if known else f"{_START_FAILED}. {_NOT_THE_AGENT}", *said])
