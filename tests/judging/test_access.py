"""Who may read a battle: every kind and state with every kind of viewer, by a table written out here."""

import itertools

import pytest
from django.utils import timezone

from battles.models import Battle
from judging.access import NoSuchBattle, may_read, readable_battle
from judging.models import JudgeAccount, Offer, Report
from tests.battles.factories import make_judge, make_votable, unknown_id
from tests.judging.handing import hand_to, make_signed_in, offer, sign_in

pytestmark = pytest.mark.django_db

KINDS = list(Battle.Kind)
STATES = list(Battle.State)
VIEWERS = ["nobody", "device", "signed in", "submitter", "holds", "held", "skipped", "held, signed out", "voted"]
#: A battle that was handed to one of these opens for them.
WITH_A_LEASE = {"holds", "held", "skipped", "voted"}


def expected(kind, offered, reported, viewer):
    if kind == Battle.Kind.PRACTICE:
        return not reported
    if kind == Battle.Kind.LIVE and viewer == "submitter":
        return True
    if viewer not in WITH_A_LEASE or reported:
        return False
    return offered if kind == Battle.Kind.LIVE else True


def viewers_of(battle):
    """One viewer of each kind. Leases are rows, so that a table of states needs no clock."""
    viewers = {"nobody": None, "device": make_judge(), "signed in": make_signed_in(), "submitter": battle.task.judge}
    for kind in ("holds", "held", "skipped", "held, signed out", "voted"):
        viewers[kind] = make_signed_in()
    hand_to(battle, viewers["holds"])
    hand_to(battle, viewers["held"], minutes=-1)
    now = timezone.now()
    hand_to(battle, viewers["skipped"], outcome="skipped", skip_reason="other", ended_at=now)
    hand_to(battle, viewers["voted"], outcome="voted", ended_at=now)
    hand_to(battle, viewers["held, signed out"])
    JudgeAccount.objects.filter(judge=viewers["held, signed out"]).delete()
    return viewers


@pytest.mark.parametrize("kind", KINDS)
def test_every_state_and_viewer_by_the_table(kind):
    battle = make_votable()
    viewers = viewers_of(battle)
    Battle.objects.filter(pk=battle.pk).update(kind=kind)
    report = {"battle": battle, "judge": make_judge(), "kind": "other", "due_at": timezone.now()}
    for offered, reported in itertools.product((False, True), repeat=2):
        Offer.objects.filter(battle=battle).delete()
        Report.objects.filter(battle=battle).delete()
        if offered:
            offer(battle)
        if reported:
            Report.objects.create(**report)
        for state, (name, viewer) in itertools.product(STATES, viewers.items()):
            Battle.objects.filter(pk=battle.pk).update(
                state=state, voided_at=timezone.now() if state == Battle.State.VOID else None
            )
            case = (kind, state, offered, reported, name)
            wanted = expected(kind, offered, reported, name)
            assert may_read(battle, viewer) is wanted, case
            if wanted:
                assert readable_battle(battle.pk, viewer) == battle
            else:
                with pytest.raises(NoSuchBattle):
                    readable_battle(battle.pk, viewer)


def test_a_resolved_report_hides_nothing():
    battle = offer(make_votable())
    judge = make_signed_in()
    hand_to(battle, judge)
    Report.objects.create(
        battle=battle,
        judge=judge,
        kind="other",
        due_at=timezone.now(),
        resolved_at=timezone.now(),
        resolution="restored",
        resolved_by="operator:1",
        resolved_reason="Nothing is wrong.",
    )
    assert may_read(battle, judge)


def test_a_lease_on_another_battle_opens_only_that_one():
    mine, other = offer(make_votable()), offer(make_votable())
    judge = make_signed_in()
    hand_to(mine, judge)
    assert (may_read(mine, judge), may_read(other, judge)) == (True, False)


def test_signing_in_again_opens_what_was_held():
    battle, judge = offer(make_votable()), make_signed_in()
    hand_to(battle, judge)
    JudgeAccount.objects.filter(judge=judge).delete()
    assert not may_read(battle, judge)
    sign_in(judge)
    assert may_read(battle, judge)


@pytest.mark.parametrize("viewer", [None, "device", "signed in"])
def test_missing_and_forbidden_are_the_same_one_statement(viewer, django_assert_num_queries):
    battle = make_votable()
    who = {None: lambda: None, "device": make_judge, "signed in": make_signed_in}[viewer]()
    refusals = []
    for battle_id in (battle.pk, unknown_id()):
        with django_assert_num_queries(1), pytest.raises(NoSuchBattle) as refusal:
            readable_battle(battle_id, who)
        refusals.append((refusal.value.code, refusal.value.status, refusal.value.message))
    assert refusals[0] == refusals[1]
