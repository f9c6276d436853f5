"""The board of ``bench.load``: a publication of a hundred agents, and battles that wait for judges with accounts.

The battles are written by PostgreSQL with triggers off, into a database that is thrown away. The race that is watched
goes through the use cases and the recorder, like any other.
"""

from __future__ import annotations

import io
import random
import threading
import time
import uuid
from dataclasses import dataclass

from django.core import signing
from django.db import connection, transaction
from PIL import Image, ImageDraw

from arena_site.seed import seed
from battles.finishing import finish_battle
from battles.lane_facts import complete_lane_facts
from battles.lanes.endings import Ending
from battles.lanes.events import Action, ActionResult, FrameShot, LaneEnded, LaneStarted, StepTaken
from battles.lanes.frame_store import store_frame
from battles.lanes.recorder import Recorder
from battles.practice import create_practice_battle
from battles.racing import renew_lease, start_attempt
from bench.ratings_rows import fill as fill_rated
from governance.consent import current_text
from governance.redaction.pictures import PageWords
from judging.identity import SALT
from ratings.models import Board
from ratings.refit import refit
from ratings.standings import board_in_force

#: Votes behind the publication that is fetched.
RATED_VOTES = 60_000
STEPS_A_LANE = 8
#: Battles that every judge practised on.
PRACTICE = 3
#: Of a race that is watched: steps of each lane, and seconds between those of one lane, as hosted models take them.
RACE_STEPS, STEP_SECONDS = 30, 4.0
#: A practice task that is posted for the races that are watched.
WATCHED_TASK = "library-author"
WIDTH, HEIGHT = 1280, 800
POSTER = "loadjudge000000"

STATEMENTS = (
    """INSERT INTO governance_judge (id, created_at)
    SELECT 'loadjudge' || lpad(n::text, 6, '0'), now() - interval '3 days' FROM generate_series(0, {judges}) n""",
    """INSERT INTO judging_judgeaccount (judge_id, account, bound_at)
    SELECT 'loadjudge' || lpad(n::text, 6, '0'), 'load-' || n, now() - interval '3 days'
    FROM generate_series(0, {judges}) n""",
    """INSERT INTO governance_consentreceipt (id, judge_id, text_id, language, rendered_sha256, given_at)
    SELECT md5('load' || n)::uuid, 'loadjudge' || lpad(n::text, 6, '0'), {text}, 'en', '', now() - interval '3 days'
    FROM generate_series(0, {judges}) n""",
    """INSERT INTO battles_task (id, judge_id, receipt_id, instruction, start_url, hosts, kind, category, overlap,
        overlap_match, practice_key, submission_key, created_at)
    SELECT md5('loadtask' || n)::uuid, '{poster}', md5('load0')::uuid, 'Find the opening hours of library ' || n,
        'https://site' || n % 50 || '.example/', ARRAY['site' || n % 50 || '.example'], 'answer', 'research', 'novel',
        '', '', '', now() - interval '1 day'
    FROM generate_series(1 - {practice}, {battles}) n""",
    """INSERT INTO battles_battle (id, task_id, kind, state, agent_a_id, agent_b_id, pair_probability, judges_needed,
        leak_scan, created_at, votable_at, void_reason)
    SELECT md5('loadbattle' || n)::uuid, md5('loadtask' || n)::uuid, CASE WHEN n < 1 THEN 'practice' ELSE 'live' END,
        'votable', 'agent-' || lpad((10 + n % 80)::text, 3, '0'), 'agent-' || lpad((11 + n % 80)::text, 3, '0'), 0.5,
        CASE WHEN n % 10 = 0 THEN 3 ELSE 1 END, 'clean', now() - interval '1 day', now() - interval '1 hour', ''
    FROM generate_series(1 - {practice}, {battles}) n""",
    """INSERT INTO battles_attempt (id, battle_id, number, token, worker, outcome, started_at, ended_at)
    SELECT md5('loadattempt' || n)::uuid, md5('loadbattle' || n)::uuid, 1, md5('loadtoken' || n)::uuid, 'bench',
        'finished', now() - interval '2 hours', now() - interval '2 hours'
    FROM generate_series(1 - {practice}, {battles}) n""",
    """INSERT INTO battles_lane (id, attempt_id, slot, agent_id, agent_version, budget_steps, budget_seconds, state,
        ended, started_at, ended_at, seconds, steps_charged, answer, detail, start_digest)
    SELECT md5('loadlane' || n || slot)::uuid, md5('loadattempt' || n)::uuid, slot,
        CASE slot WHEN 'A' THEN battle.agent_a_id ELSE battle.agent_b_id END, 'version-1', 30, 300, 'ended',
        'answered', now() - interval '2 hours', now() - interval '2 hours', 40, {steps},
        'Open until 17:30 on Saturdays, and **closed** on Sundays.', '', md5('d' || n)
    FROM generate_series(1 - {practice}, {battles}) n
    JOIN battles_battle battle ON battle.id = md5('loadbattle' || n)::uuid
    CROSS JOIN (VALUES ('A'), ('B')) AS slots(slot)""",
    """INSERT INTO battles_frame (id, lane_id, sha256, mime, width, height, size, taken_at, text_redaction,
        picture_redaction, text_boxes, picture_boxes)
    SELECT md5('loadframe' || n || slot || i)::uuid, md5('loadlane' || n || slot)::uuid,
        (ARRAY[{frames}])[1 + (n + i + {practice}) % {pictures}], 'image/webp', {width}, {height}, 30000,
        now() - interval '2 hours', 'clean', 'not_examined', '[]', '[]'
    FROM generate_series(1 - {practice}, {battles}) n CROSS JOIN (VALUES ('A'), ('B')) AS slots(slot)
    CROSS JOIN generate_series(0, {steps}) i""",
    """INSERT INTO battles_step (id, lane_id, number, verb, arguments, reasoning, charged, ok, code, result, page_text,
        changes, target, refusals, url_before, url_after, title, tabs, page_before, page_after, overlay, wall,
        observe_ms, model_ms, act_ms, clock, model_called, at, frame_id)
    SELECT md5('loadstep' || n || slot || i)::uuid, md5('loadlane' || n || slot)::uuid, i,
        CASE WHEN i = 0 THEN '' WHEN i = {steps} THEN 'answer' ELSE 'click' END,
        CASE WHEN i BETWEEN 1 AND {steps} - 1 THEN '{{"x": 300, "y": 200}}'::jsonb ELSE '{{}}' END,
        CASE WHEN i = 0 THEN '' ELSE 'The hours are on the page of the branch.' END, i > 0, TRUE, '', 'Clicked.', '',
        '[]', NULL, '[]', '', 'https://site' || n % 50 || '.example/', 'A library', 1, '', '', '', '', 50, 900, 40,
        3.5 * i, i > 0, now() - interval '2 hours', md5('loadframe' || n || slot || i)::uuid
    FROM generate_series(1 - {practice}, {battles}) n CROSS JOIN (VALUES ('A'), ('B')) AS slots(slot)
    CROSS JOIN generate_series(0, {steps}) i""",
    """INSERT INTO judging_offer (battle_id, judge_id, receipt_id, offered_at)
    SELECT md5('loadbattle' || n)::uuid, '{poster}', md5('load0')::uuid, now() - interval '1 hour'
    FROM generate_series(1, {battles}) n""",
    """INSERT INTO judging_vote (id, battle_id, judge_id, receipt_id, choice, winner_id, confidence, reasons, note,
        by_submitter, focus_ms, steps_opened, idempotency_key, cast_at, locked_at)
    SELECT md5('loadvote' || n || '-' || p)::uuid, md5('loadbattle' || p)::uuid, 'loadjudge' || lpad(n::text, 6, '0'),
        md5('load' || n)::uuid, 'tie', NULL, 'high', ARRAY[]::text[], '', FALSE, 8000, 5, '',
        now() - interval '2 days', now() - interval '2 days'
    FROM generate_series(1, {judges}) n CROSS JOIN generate_series(1 - {practice}, 0) p""",
)


@dataclass(frozen=True, slots=True)
class LoadBoard:
    """What the clients need: paths, and signed cookies of judges who may take from the pool."""

    publication: str
    document: str
    judges: list[str]


def signed(judge: str) -> str:
    """The cookie of a judge."""
    return signing.Signer(salt=SALT).sign(judge)


def make_board(*, battles: int, judges: int) -> LoadBoard:
    """Fill a migrated, empty database."""
    seed()
    fill_rated(RATED_VOTES)
    frames = [store_frame(picture(number), "image/webp") for number in range(12)]
    values = {
        "judges": judges,
        "battles": battles,
        "practice": PRACTICE,
        "poster": POSTER,
        "steps": STEPS_A_LANE,
        "text": current_text().pk,
        "frames": ", ".join(f"'{frame}'" for frame in frames),
        "pictures": len(frames),
        "width": WIDTH,
        "height": HEIGHT,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in STATEMENTS:
            cursor.execute(statement.format(**values))
    complete_lane_facts()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    refit(board=Board.HEADLINE, actor="system:bench")
    publication = board_in_force()
    assert publication is not None, "the refit published nothing"
    return LoadBoard(
        publication=publication.public_digest,
        document=publication.public_document,
        judges=[signed(f"loadjudge{number:06}") for number in range(1, judges + 1)],
    )


def picture(seed_of_it: int) -> bytes:
    """A screenshot of about the size of a page's, encoded as WebP."""
    chance = random.Random(seed_of_it)
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(image)
    for line in range(40):
        words = " ".join(f"{chance.randrange(10**6):06}" for _ in range(chance.randrange(4, 20)))
        draw.text((40, 20 + 19 * line), words, fill="black")
    file = io.BytesIO()
    image.save(file, "WEBP", quality=80)
    return file.getvalue()


class WatchedRaces(threading.Thread):
    """Races that follow each other, recorded at a steady pace; ``battle`` is the one that runs."""

    def __init__(self) -> None:
        super().__init__(name="watched races", daemon=True)
        self.battle: uuid.UUID | None = None
        self.failure: BaseException | None = None
        self._over = threading.Event()
        self._pictures = [picture(1000 + number) for number in range(2 * RACE_STEPS + 2)]

    def end(self) -> None:
        self._over.set()
        self.join(timeout=30)

    def run(self) -> None:
        try:
            while not self._over.is_set():
                self._race()
        except BaseException as failure:
            self.failure = failure
            raise
        finally:
            connection.close()

    def _race(self) -> None:
        battle = create_practice_battle(key=WATCHED_TASK, actor="system:bench")
        ticket = start_attempt(battle_id=battle.pk, worker="bench")
        assert ticket is not None, "somebody else races the battle that is watched"
        recorder = Recorder(attempt_id=ticket.attempt_id, token=ticket.token)
        for slot in "AB":
            recorder.write(started(slot, self._shot(0, slot)))
        self.battle = battle.pk
        due = time.monotonic()
        for number in range(1, RACE_STEPS + 1):
            for slot in "AB":
                due += STEP_SECONDS / 2
                self._over.wait(max(0.0, due - time.monotonic()))
                recorder.write(step(slot, number, self._shot(number, slot)))
            renew_lease(ticket.token)
        for slot in "AB":
            recorder.write(
                LaneEnded(
                    slot=slot,
                    ending=Ending.ANSWERED,
                    answer="Done.",
                    detail="",
                    seconds=30.0,
                    steps=RACE_STEPS,
                    passed=None,
                )
            )
        finish_battle(attempt_id=ticket.attempt_id, token=ticket.token)

    def _shot(self, number: int, slot: str) -> FrameShot:
        return FrameShot(image=self._pictures[2 * number + (slot == "B")], mime="image/webp", page=PageWords())


def started(slot: str, frame: FrameShot) -> LaneStarted:
    return LaneStarted(
        slot=slot,
        frame=frame,
        url="http://library.practice.test/",
        title="Library",
        page_digest="d" * 64,
        sandboxed=True,
        isolated_network=True,
    )


def step(slot: str, number: int, frame: FrameShot) -> StepTaken:
    return StepTaken(
        slot=slot,
        number=number,
        action=Action("click", {"x": 200, "y": 100}),
        reasoning="The catalogue is behind this link.",
        result=ActionResult(ok=True, message="Clicked."),
        charged=True,
        frame=frame,
        url_before="http://library.practice.test/",
        url_after="http://library.practice.test/catalogue",
        title="Catalogue",
        tabs=1,
        page_before="a" * 16,
        page_after="b" * 16,
        target={"x": 200, "y": 100, "role": "link", "name": "Catalogue"},
        refusals=(),
        observe_ms=50,
        model_ms=300,
        act_ms=40,
        clock=float(number),
        model_called=False,
        usage=None,
    )
