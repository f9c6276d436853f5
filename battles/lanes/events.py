"""Plain values that cross the border between a lane's thread and the task that records it.

A lane runs in a thread that knows nothing of Django. It is given a :class:`LaneOrder`, and
puts :class:`LaneStarted`, :class:`StepTaken` and :class:`LaneEnded` on a queue; the task's
own thread writes them down. Times are seconds unless a name ends in ``_ms``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from battles.lanes.endings import Ending
from governance.redaction.pictures import PageWords

VIEWPORT_WIDTH = 1280
VIEWPORT_HEIGHT = 800


@dataclass(frozen=True, slots=True)
class Budget:
    """What both lanes of a battle are granted, written on their rows before they start."""

    steps: int = 30
    seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Element:
    """An interactive element of the page in view. Box in CSS px of the viewport."""

    ref: str
    role: str
    name: str
    x: int
    y: int
    width: int
    height: int
    value: str = ""
    #: What the DOM says beyond role and name: type, href, checked, disabled, options, expanded.
    state: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tab:
    tab_id: str
    title: str
    url: str
    active: bool


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What the executor says of one verb, the same words to every agent.

    ``ok`` is false with a ``code`` (``invalid_action``, ``bad_args``, ``not_found``, ``refused_url``,
    ``load_failed``, ``timed_out``, ...); ``message`` is one line of our own words. ``text`` is what a
    ``read`` brought back from the page; ``changes`` are things the page did by itself meanwhile.
    """

    ok: bool
    message: str
    code: str = ""
    text: str = ""
    #: For example ``{"kind": "tab_opened", "tab_id": "t2"}``, ``{"kind": "dialog", "type": "confirm", ...}``.
    changes: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """What every agent sees before it decides, the same for all."""

    screenshot: bytes
    screenshot_mime: str
    url: str
    title: str
    tabs: Sequence[Tab]
    elements: Sequence[Element]
    last_result: ActionResult | None
    steps_left: int
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Action:
    """One verb with its arguments, as an agent asked for it. Not yet validated."""

    verb: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; ``None`` is unknown and never zero.

    The three kinds of input add up to the prompt: a cache count of ``None`` says that the provider told no such tokens
    apart, and whatever there was of them is in ``input_plain``. ``output_reasoning`` is a part of ``output``, never
    beside it.
    """

    input_plain: int | None = None
    input_cache_read: int | None = None
    input_cache_write: int | None = None
    output: int | None = None
    output_reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class FrameShot:
    """One screenshot: encoded bytes, its type, its size in px, and what its page says of it for the masks.

    ``page`` is ``None`` where the page could not be asked. It is read while the shot is written down, and dropped.
    """

    image: bytes
    mime: str
    width: int = VIEWPORT_WIDTH
    height: int = VIEWPORT_HEIGHT
    page: PageWords | None = None


@dataclass(frozen=True, slots=True)
class LaneOrder:
    """All a lane needs to know to run, with nothing that names the other lane."""

    slot: str
    instruction: str
    start_url: str
    agent_key: str
    adapter: str
    agent_settings: Mapping[str, Any]
    budget: Budget
    practice_key: str = ""
    #: Private addresses the operator lets lanes reach: ``host:port`` as asked for to ``address:port`` as dialled.
    egress_allow: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LaneStarted:
    """The browser is up on the start page and the shared clock has begun."""

    slot: str
    frame: FrameShot
    url: str
    title: str
    page_digest: str
    sandboxed: bool
    isolated_network: bool
    #: As on :class:`StepTaken`.
    overlay: str = ""
    wall: str = ""


@dataclass(frozen=True, slots=True)
class StepTaken:
    """One executed verb and its effect."""

    slot: str
    number: int
    action: Action
    reasoning: str
    result: ActionResult
    charged: bool
    frame: FrameShot | None
    url_before: str
    url_after: str
    title: str
    tabs: int
    page_before: str
    page_after: str
    #: What the action was aimed at: ``{"x", "y", "ref", "role", "name", "box": [x, y, width, height]}``.
    target: Mapping[str, Any] | None
    #: Refusals of the egress proxy while the step ran: ``{"host", "port", "reason"}``.
    refusals: Sequence[Mapping[str, Any]]
    observe_ms: int
    model_ms: int
    act_ms: int
    #: Seconds on the lane's clock at the end of the step.
    clock: float
    model_called: bool
    usage: Usage | None
    #: What lies over the page afterwards: "dialog", "fixed" (the rule is in ``in_page/page.js``) or "".
    overlay: str = ""
    #: Key of the bot wall (``wall_signs.json``) that the page is afterwards, or "".
    wall: str = ""


@dataclass(frozen=True, slots=True)
class LaneEnded:
    """The lane is over and its browser is gone. ``passed`` is the practice check, when there is one."""

    slot: str
    ending: Ending
    answer: str
    detail: str
    seconds: float
    steps: int
    passed: bool | None = None


LaneEvent = LaneStarted | StepTaken | LaneEnded
