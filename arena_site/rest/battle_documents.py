"""A battle as one viewer may see it, as JSON values: what the battle's page shows, from the same decisions.

Who raced is in it only where :func:`judging.visibility.identity_visibility` shows it; otherwise it says why not.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from arena_site.battle_page import OfferView, page_context
from arena_site.rest.taking_part import address_of
from arena_site.vote_bar import LeaseView
from battles.models import Battle, Lane
from battles.presentation import LaneView, StepView, shown_lanes
from governance.models import Judge
from judging.models import RepeatVote, Vote
from judging.presentation import VoteView, own_vote
from judging.repeats import second_look
from judging.rubric import current_rubric
from judging.visibility import HIDDEN_NO_VOTE, HIDDEN_NOT_LOCKED, Visibility, identity_visibility

#: Values of a step that its page shows and the document repeats as they are.
STEP_VALUES = ("number", "verb", "summary", "ok", "message", "changed", "seconds", "point", "box", "typed")


def battle_document(battle: Battle, viewer: Judge | None) -> dict[str, Any]:
    """Everything about one battle that this viewer may read."""
    page = page_context(battle, viewer)
    shown = page["battle"]
    lanes = shown_lanes(battle)
    visible = shown_visibility(battle, viewer)
    reveal: Mapping[str, Any] | None = page["reveal"] if visible.names else None
    agents = _agents(lanes, reveal) if reveal else {}
    return {
        "id": shown.id,
        "url": address_of(battle.pk),
        "page": f"/battles/{shown.id}",
        "kind": shown.kind,
        "state": shown.state,
        "instruction": shown.instruction,
        "start_url": shown.start_url,
        "category": shown.category,
        "closed_at": shown.closed_at,
        "void_reason": shown.void_reason,
        "starts_differ": page["starts_differ"],
        "identity": {"visible": bool(reveal), "reason": visible.reason},
        "lanes": [_lane(view, agents.get(view.id)) for view in page["lanes"]],
        "vote": _vote(page["vote"], battle, viewer),
        "others": list(reveal["others"]) if reveal else [],
        "marks": [_mark(mark) for mark in page["marks"]],
        "lease": _lease(page["lease"]),
        "offer": _offer(page["offer"]),
        "practice": page["practice"],
        "may": _may(page),
        "consent": _consent(page["consent"]),
        "rubric": current_rubric().version,
    }


def shown_visibility(battle: Battle, viewer: Judge | None) -> Visibility:
    """Whether names show, with a reason that does not tell a second look from a first one while it lasts."""
    visible = identity_visibility(battle, viewer)
    again = second_look(battle, viewer)
    if visible.names or again is None:
        return visible
    return HIDDEN_NOT_LOCKED if RepeatVote.objects.filter(assignment=again).exists() else HIDDEN_NO_VOTE


def _agents(lanes: list[Lane], reveal: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Who raced, by lane."""
    told = {side["agent_key"]: side for side in reveal["lanes"]}
    return {
        str(lane.pk): {
            "key": lane.agent_id,
            "name": lane.agent.name,
            "version": lane.agent_version,
            "ticker_change": told[lane.agent_id]["ticker_change"],
        }
        for lane in lanes
    }


def _lane(view: LaneView, agent: dict[str, Any] | None) -> dict[str, Any]:
    document = {
        "id": view.id or None,
        "slot": view.slot,
        "state": view.state,
        "seconds": view.seconds,
        "budget_seconds": view.budget_seconds,
        "steps_used": view.steps_used,
        "budget_steps": view.budget_steps,
        "ended": view.ended_words,
        "detail": view.detail,
        "answer": view.answer,
        "answer_parts": [
            {"text": part.text, "step": part.step, "frame": _address(part.href)} for part in view.answer_parts
        ],
        "start_frame": _address(view.start_frame_url),
        "newest_frame": _address(view.frame_url),
        "steps": [_step(step) for step in view.steps],
        "my_completion": view.my_completion or None,
    }
    return document if agent is None else document | {"agent": agent}


def _step(step: StepView) -> dict[str, Any]:
    said = {name: getattr(step, name) for name in STEP_VALUES}
    return said | {
        "path": [list(point) for point in step.path],
        "scroll": step.scroll,
        "reasoning": step.reasoning,
        "url": step.url,
        "frame": _address(step.frame_url),
        "my_verdict": step.my_verdict or None,
    }


def _address(frame_url: str | None) -> str | None:
    """The API's address of a frame, which takes a token."""
    return f"/api{frame_url}" if frame_url else None


def vote_document(vote: Vote | RepeatVote) -> dict[str, Any]:
    """A vote without what its judge typed."""
    return {
        "id": str(vote.pk),
        "battle": str(vote.battle_id),
        "choice": str(vote.winner_id) if vote.winner_id else vote.choice,
        "locked": vote.is_locked(),
        "locks_at": vote.locks_at.isoformat(),
    }


def _vote(view: VoteView | None, battle: Battle, viewer: Judge | None) -> dict[str, Any] | None:
    cast = own_vote(battle, viewer)
    if view is None or cast is None:
        return None
    return vote_document(cast) | {
        "words": view.words,
        "confidence": view.confidence,
        "reasons": view.reasons,
        "note": view.note,
    }


def _mark(mark: Any) -> dict[str, Any]:
    x, y, width, height = mark.box
    said = {name: getattr(mark, name) for name in ("id", "frame", "lane", "tag", "note")}
    return said | {"x": x, "y": y, "width": width, "height": height}


def _lease(view: LeaseView | None) -> dict[str, Any] | None:
    return None if view is None else {"state": view.state, "until": view.until}


def _offer(view: OfferView | None) -> dict[str, Any] | None:
    return None if view is None else {"offered": view.offered, "refusal": view.refusal}


def _may(page: Mapping[str, Any]) -> dict[str, bool]:
    """What this viewer can send, so that a client need not try."""
    instead = page["objections"]
    return {
        "vote": bool(page["may_vote"]),
        "mark": page["battle"].state not in {Battle.State.QUEUED, Battle.State.RACING, Battle.State.VOID},
        "offer": page["offer"] is not None and not page["offer"].offered and not page["offer"].refusal,
        "skip": bool(instead and instead["skip"]),
        "impossible": bool(instead and instead["impossible"]),
        "report": instead is not None,
    }


def _consent(view: Mapping[str, Any]) -> dict[str, Any]:
    return {name: view[name] for name in ("version", "sentence", "sha256", "given")}


def named(battle_id: uuid.UUID) -> dict[str, str]:
    """A battle by its addresses."""
    return {"id": str(battle_id), "url": address_of(battle_id), "page": f"/battles/{battle_id}"}
