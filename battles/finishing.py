"""What happens when both lanes have ended: the facts are stored and the battle becomes votable, or void."""

import uuid

from django.db import transaction
from django.utils import timezone

from battles.blindness.leak_scan import scan_battle_texts
from battles.lane_facts import store_lane_facts
from battles.lanes.ending_words import VOID_WORDS
from battles.lanes.endings import NEVER_RAN, Ending
from battles.models import Attempt, Battle, Lane
from battles.racing import AttemptLost
from battles.signals import battle_votable
from governance.journal import record


@transaction.atomic
def finish_battle(*, attempt_id: uuid.UUID, token: uuid.UUID) -> Battle:
    """Store the facts of an ended attempt, scan it for leaks, and open the battle to its first judge.

    Raises:
        AttemptLost: another attempt took over, or a lane has not ended.
    """
    # The battle before its attempt, as everybody does who locks both.
    battle = Battle.objects.select_for_update(no_key=True).get(attempts__pk=attempt_id)
    attempt = Attempt.objects.select_for_update(no_key=True).filter(pk=attempt_id, token=token).first()
    if attempt is None or attempt.outcome != Attempt.Outcome.RUNNING:
        raise AttemptLost
    lanes = list(attempt.lanes.order_by("slot"))
    if any(lane.state != Lane.State.ENDED for lane in lanes):
        raise AttemptLost
    now = timezone.now()
    attempt.outcome = Attempt.Outcome.FINISHED
    attempt.ended_at = now
    attempt.save(update_fields=["outcome", "ended_at"])
    store_lane_facts(attempt.pk)
    battle.lease_token = None
    battle.lease_until = None
    digests = {lane.start_digest for lane in lanes}
    battle.starts_differ = None if "" in digests else len(digests) > 1
    faults = [lane for lane in lanes if lane.ended in NEVER_RAN]
    if faults:
        battle.state = Battle.State.VOID
        battle.voided_at = now
        battle.void_reason = _void_words(faults)
    else:
        battle.leak_scan = scan_battle_texts(lanes)
        battle.state = Battle.State.VOTABLE
        battle.votable_at = now
    battle.save()
    record(
        actor="system:finish",
        action=f"battles:battle:{battle.state}",
        subject=str(battle.pk),
        endings={lane.slot: lane.ended for lane in lanes},
        leak_scan=battle.leak_scan,
    )
    if battle.state == Battle.State.VOTABLE:
        transaction.on_commit(lambda: battle_votable.send(sender=Battle, battle_id=battle.pk))
    return battle


def _void_words(faults: list[Lane]) -> str:
    words = VOID_WORDS[Ending(faults[0].ended)]
    details = {lane.detail for lane in faults if lane.detail}
    return " ".join([words, *sorted(details)])
