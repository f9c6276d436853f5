"""Battles that may leave, and what is in a snapshot of them."""

import json

import pyarrow.parquet as pq
from django.utils import timezone

from battles.models import Battle
from governance.dataset.home import snapshots_home
from governance.models import Withdrawal
from governance.withdrawals import act_on
from judging.models import Offer, Vote
from tests.battles.factories import ended, make_battle, make_judge, make_task, race, started, step

ACTOR = "operator:test"


def rows(snapshot, table):
    """Rows of a table of a snapshot, in the form that its manifest says."""
    found = []
    [form] = [each["form"] for each in manifest(snapshot)["tables"] if each["name"] == table]
    for path in sorted((snapshots_home() / snapshot.path / table).glob(f"*.{form}")):
        if path.suffix == ".parquet":
            found += pq.read_table(path).to_pylist()
        else:
            found += [json.loads(line) for line in path.read_text().splitlines()]
    return found


def manifest(snapshot):
    return json.loads(snapshot.manifest)


def left_out(snapshot):
    return [(each["of"], each["reason"], each["rows"]) for each in manifest(snapshot)["left_out"]]


def closed_battle(judge=None, *, offered=True, task=None, **texts):
    """A battle that nobody judges any more, on a task of a judge."""
    judge = judge or make_judge()
    task = task or make_task(judge)
    events = [
        event
        for slot in "AB"
        for event in (started(slot), step(slot, **texts), ended(slot, answer=texts.get("reasoning", "Done.")))
    ]
    battle = race(make_battle(task=task), events=events)
    if offered:
        Offer.objects.create(battle=battle, judge=judge, receipt=judge.receipts.first())
    Battle.objects.filter(pk=battle.pk).update(state="closed", closed_at=timezone.now())
    battle.refresh_from_db()
    return battle


def vote(battle, judge=None, **fields):
    judge = judge or make_judge()
    values = {"choice": "tie", "by_submitter": False, "locked_at": timezone.now()} | fields
    return Vote.objects.create(battle=battle, judge=judge, receipt=judge.receipts.get(), **values)


def take_back(judge, **about):
    """A withdrawal that was received and acted on."""
    return act_on(withdrawal=Withdrawal.objects.create(judge=judge, **about), actor=ACTOR)
