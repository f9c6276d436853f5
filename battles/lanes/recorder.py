"""The recorder: the only writer of a running battle. Every write is conditional on the attempt's token.

A write that the database broke off may have been kept or not: nobody heard. An event that is written again is looked
for first.
"""

import uuid
from typing import Any

from django.db import DatabaseError, InterfaceError, transaction
from django.utils import timezone

from battles.imagery.page_reading import NOTHING_FOUND, Found, read_page
from battles.lanes.events import FrameShot, LaneEnded, LaneEvent, LaneStarted, StepTaken
from battles.lanes.frame_store import store_frame
from battles.lanes.storable_text import storable
from battles.models import Attempt, Frame, Lane, Step
from battles.racing import AttemptLost
from governance.redaction.pictures import PictureReader


class Recorder:
    """Writes the events of one attempt, in the order in which they happened.

    Raises, from every ``write``:
        AttemptLost: the attempt no longer counts; nothing was written.
        FrameStoreFull: the screenshot could not be kept; nothing was written.
        DatabaseError, InterfaceError: nobody knows whether it was written; the same event may be written again.
    """

    def __init__(self, *, attempt_id: uuid.UUID, token: uuid.UUID) -> None:
        self._attempt_id = attempt_id
        self._token = token
        self._lanes = self._stored_lanes()
        self._readers = {slot: PictureReader() for slot in self._lanes}
        self._in_doubt = False

    def write(self, event: LaneEvent) -> None:
        try:
            if self._in_doubt:
                # What a broken transaction did to these objects was never stored.
                self._lanes = self._stored_lanes()
            if not (self._in_doubt and self._is_written(event)):
                self._write(event)
            self._in_doubt = False
        except (DatabaseError, InterfaceError):
            self._in_doubt = True
            raise

    def _stored_lanes(self) -> dict[str, Lane]:
        return {lane.slot: lane for lane in Lane.objects.filter(attempt_id=self._attempt_id)}

    def _is_written(self, event: LaneEvent) -> bool:
        lane = self._lanes[event.slot]
        if isinstance(event, LaneEnded):
            return lane.state == Lane.State.ENDED
        number = 0 if isinstance(event, LaneStarted) else event.number
        return Step.objects.filter(lane=lane, number=number).exists()

    def _write(self, event: LaneEvent) -> None:
        lane = self._lanes[event.slot]
        shot = None if isinstance(event, LaneEnded) else event.frame
        sha256 = store_frame(shot.image, shot.mime) if shot is not None else ""
        found = read_page(self._readers[event.slot], shot) if shot is not None else NOTHING_FOUND
        with transaction.atomic():
            self._hold_attempt()
            if isinstance(event, LaneEnded):
                self._end(lane, event)
                return
            frame = self._frame(lane, shot, sha256, found) if shot is not None else None
            if isinstance(event, LaneStarted):
                self._start(lane, event, frame)
            else:
                self._step(lane, event, frame)

    def _hold_attempt(self) -> None:
        held = Attempt.objects.select_for_update(no_key=True).filter(
            pk=self._attempt_id, token=self._token, outcome=Attempt.Outcome.RUNNING
        )
        if not held.exists():
            raise AttemptLost

    def _frame(self, lane: Lane, shot: FrameShot, sha256: str, found: Found) -> Frame:
        return Frame.objects.create(
            lane=lane,
            sha256=sha256,
            mime=shot.mime,
            width=shot.width,
            height=shot.height,
            size=len(shot.image),
            text_redaction=found.fact,
            text_boxes=[list(box) for box in found.boxes],
        )

    def _start(self, lane: Lane, event: LaneStarted, frame: Frame | None) -> None:
        lane.state = Lane.State.RUNNING
        lane.started_at = timezone.now()
        lane.start_digest = event.page_digest
        lane.sandboxed = event.sandboxed
        lane.isolated_network = event.isolated_network
        lane.save(update_fields=["state", "started_at", "start_digest", "sandboxed", "isolated_network"])
        Step.objects.create(
            lane=lane,
            number=0,
            charged=False,
            ok=True,
            result="The start page.",
            url_after=storable(event.url),
            title=storable(event.title),
            page_after=event.page_digest,
            overlay=event.overlay[:20],
            wall=event.wall[:80],
            frame=frame,
        )

    def _step(self, lane: Lane, event: StepTaken, frame: Frame | None) -> None:
        usage: dict[str, Any] = {}
        if event.usage is not None:
            usage = {
                "input_plain": event.usage.input_plain,
                "input_cache_read": event.usage.input_cache_read,
                "input_cache_write": event.usage.input_cache_write,
                "output": event.usage.output,
                "output_reasoning": event.usage.output_reasoning,
            }
        Step.objects.create(
            lane=lane,
            number=event.number,
            verb=storable(event.action.verb)[:20],
            arguments=storable(event.action.arguments),
            reasoning=storable(event.reasoning),
            charged=event.charged,
            ok=event.result.ok,
            code=event.result.code[:40],
            result=storable(event.result.message),
            page_text=storable(event.result.text),
            changes=storable(list(event.result.changes)),
            target=storable(event.target),
            refusals=storable(list(event.refusals)),
            url_before=storable(event.url_before),
            url_after=storable(event.url_after),
            title=storable(event.title),
            tabs=event.tabs,
            page_before=event.page_before,
            page_after=event.page_after,
            overlay=event.overlay[:20],
            wall=event.wall[:80],
            frame=frame,
            observe_ms=event.observe_ms,
            model_ms=event.model_ms,
            act_ms=event.act_ms,
            clock=event.clock,
            model_called=event.model_called,
            **usage,
        )
        if event.charged:
            lane.steps_charged += 1
            lane.save(update_fields=["steps_charged"])

    def _end(self, lane: Lane, event: LaneEnded) -> None:
        lane.state = Lane.State.ENDED
        lane.ended = event.ending
        lane.ended_at = timezone.now()
        lane.seconds = event.seconds
        lane.answer = storable(event.answer)
        lane.detail = storable(event.detail)
        lane.passed = event.passed
        lane.save(update_fields=["state", "ended", "ended_at", "seconds", "answer", "detail", "passed"])
