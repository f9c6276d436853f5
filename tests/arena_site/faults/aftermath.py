"""What an arena holds after everything that was done to it, read from its database and its files."""

import hashlib
from collections import Counter
from pathlib import Path

from tests.arena_site.faults.ground import Ground
from tests.arena_site.faults.judges import Told

#: Commands that say whether the arena's promises hold on its own database.
CHECKS = (("verify_ledger",), ("verify_battle_access",), ("verify_fairness",), ("verify_consent",))

OPEN = {"votable", "resolved", "closed"}


def unfinished(ground: Ground) -> int:
    return int(ground.query("SELECT count(*) FROM battles_battle WHERE state IN ('queued', 'racing')")[0][0])


def check_votes(ground: Ground, told: Told) -> None:
    """Every vote that was answered well is there once, as it was last said; and no other is."""
    rows = ground.query(
        "SELECT judge_id, battle_id::text, CASE choice WHEN 'lane' THEN winner_id::text ELSE choice END, "
        "idempotency_key, locked_at IS NOT NULL FROM judging_vote"
    )
    stored = Counter((judge, battle) for judge, battle, *_ in rows)
    assert stored == Counter(told.votes.keys())
    last = {(judge, battle): choice for judge, battle, choice, *_ in rows}
    assert last == {pair: vote.choice for pair, vote in told.votes.items()}
    assert {key for *_, key, _ in rows} <= told.keys
    assert told.locked <= {(judge, battle) for judge, battle, *_, locked in rows if locked}


def check_tasks(ground: Ground, told: Told) -> None:
    """Every task that was answered well is one battle."""
    rows = ground.query(
        "SELECT task.submission_key, battle.id::text FROM battles_task task JOIN battles_battle battle "
        "ON battle.task_id = task.id WHERE task.submission_key <> ''"
    )
    assert sorted(rows) == sorted(told.tasks.items())


def check_battles(ground: Ground) -> None:
    """Every battle is whole, once, or void with its reason; nothing of a broken attempt is judged."""
    assert not ground.query("SELECT 1 FROM battles_attempt WHERE outcome = 'running'")
    finished = Counter(
        str(battle) for (battle,) in ground.query("SELECT battle_id FROM battles_attempt WHERE outcome = 'finished'")
    )
    for battle, state, reason in ground.query("SELECT id::text, state, void_reason FROM battles_battle"):
        if state in OPEN:
            assert finished[battle] == 1, (battle, state)
        else:
            assert state == "void", (battle, state)
            assert reason, battle
    assert not ground.query(
        "SELECT 1 FROM judging_vote vote JOIN battles_battle battle ON battle.id = vote.battle_id "
        "WHERE battle.state NOT IN ('votable', 'resolved', 'closed')"
    )
    assert not ground.query(
        "SELECT 1 FROM judging_vote vote JOIN battles_lane lane ON lane.id = vote.winner_id "
        "JOIN battles_attempt attempt ON attempt.id = lane.attempt_id WHERE attempt.outcome <> 'finished'"
    )
    check_recordings(ground)


def check_recordings(ground: Ground) -> None:
    """The lanes that people judge have every step from the first to the last, each with its picture whole."""
    lanes = ground.query(
        "SELECT lane.id, lane.ended, lane.steps_charged, array_agg(step.number ORDER BY step.number), "
        "count(*) FILTER (WHERE step.charged) FROM battles_lane lane "
        "JOIN battles_attempt attempt ON attempt.id = lane.attempt_id AND attempt.outcome = 'finished' "
        "JOIN battles_battle battle ON battle.id = attempt.battle_id AND battle.state <> 'void' "
        "JOIN battles_step step ON step.lane_id = lane.id GROUP BY lane.id"
    )
    for lane, ended, charged, numbers, counted in lanes:
        assert ended not in {"", "lost", "browser_error", "provider_error"}, lane
        assert numbers == list(range(len(numbers))), (lane, numbers)
        assert charged == counted, (lane, charged, counted)
    frames = ground.query(
        "SELECT DISTINCT frame.sha256 FROM battles_frame frame JOIN battles_step step ON step.frame_id = frame.id "
        "JOIN battles_lane lane ON lane.id = step.lane_id "
        "JOIN battles_attempt attempt ON attempt.id = lane.attempt_id WHERE attempt.outcome = 'finished'"
    )
    folder = ground.data / "frames"
    for (sha256,) in frames:
        [file] = (folder / sha256[:2] / sha256[2:4]).glob(f"{sha256}.*")
        assert hashlib.sha256(file.read_bytes()).hexdigest() == sha256


def drafts_of_frames(ground: Ground) -> list[Path]:
    """Pictures that were being written when their writer died; the sweep removes them after ten minutes."""
    return sorted((ground.data / "frames").rglob(".draft-*"))


def check_promises(ground: Ground) -> None:
    for words in CHECKS:
        done = ground.manage(*words)
        assert done.returncode == 0, f"{words}: {done.stdout[-2000:]} {done.stderr[-2000:]}"


def fates(ground: Ground) -> Counter[str]:
    """How battles and attempts ended, with the reasons of those that are void."""
    told: Counter[str] = Counter()
    for state, reason, attempts in ground.query(
        "SELECT battle.state, battle.void_reason, count(attempt.id) FROM battles_battle battle "
        "LEFT JOIN battles_attempt attempt ON attempt.battle_id = battle.id GROUP BY battle.id"
    ):
        told[f"void: {reason}" if state == "void" else "can be judged"] += 1
        told[f"battles with {attempts} attempts"] += 1
    return told
