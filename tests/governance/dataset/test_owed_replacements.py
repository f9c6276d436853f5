"""Whatever order withdrawals, builds, kills, failures and notices come in, nobody who is owed word waits for ever.

Builds are stood in for by the rows that they leave behind, so that many orders can be tried in a few seconds;
what a build writes is proved elsewhere.
"""

import contextlib
import itertools

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from governance.dataset import replacing
from governance.dataset.chains import latest_replacement
from governance.dataset.notices import NotYetReplaced, record_notice
from governance.dataset.replacing import owed, replace_snapshots
from governance.dataset_models import Delivery, Snapshot, SnapshotShare, WithdrawalNotice
from governance.licensing import deliver_snapshot, is_served, register_licensee, touched_deliveries
from governance.models import Judge, Withdrawal
from governance.withdrawals import act_on
from tests.battles.factories import make_judge, make_task
from tests.governance.dataset.boards import ACTOR

pytestmark = pytest.mark.django_db

PEOPLE, LICENSEES = 4, 3


class Killed(BaseException):
    """The process ends here, as by kill -9."""


class Arena:
    """People with a task each, snapshots of them, and licensees; the last one has no address to mail to."""

    def __init__(self) -> None:
        self.people = [make_judge() for _ in range(PEOPLE)]
        for judge in self.people:
            make_task(judge)
        self.licensees = [
            register_licensee(
                name=f"Licensee {number}",
                terms="For research.",
                address=f"licensee-{number}@example.org" if number < LICENSEES - 1 else "",
                actor=ACTOR,
            ).licensee
            for number in range(LICENSEES)
        ]
        self.numbers = itertools.count()
        self.build()

    # ---- what happens ----

    def build(self, *, replaces=None, **_):
        """The rows that a build leaves: a snapshot of everybody who has not withdrawn, and was in the replaced one."""
        number = next(self.numbers)
        of = Judge.objects.filter(pk__in=[judge.pk for judge in self.people], tasks__withdrawn_at=None)
        if replaces is not None:
            of = of.filter(snapshot_shares__snapshot=replaces)
        names = {"digest": f"{number:064}", "manifest": "{}", "path": f"nowhere-{number}"}
        snapshot = Snapshot.objects.create(**names, as_of="2026-01-01T00:00Z", replaces=replaces)
        SnapshotShare.objects.bulk_create(
            SnapshotShare(snapshot=snapshot, judge=judge, kind="task", labels=1) for judge in of.distinct()
        )
        return snapshot

    def deliver(self, which, whom):
        snapshots = [each for each in Snapshot.objects.order_by("pk") if is_served(each)]
        if snapshots:
            deliver_snapshot(snapshot=snapshots[which % len(snapshots)], licensee=self.licensees[whom], actor=ACTOR)

    def withdraw(self, who):
        judge = self.people[who]
        if not judge.withdrawals.exists():
            act_on(withdrawal=Withdrawal.objects.create(judge=judge), actor=ACTOR)

    def run(self, builds=()):
        """Make and tell what is owed. Each build ends as ``builds`` say, and well after that."""
        endings = iter(builds)

        def build(**about):
            how, who = next(endings, ("well", None))
            if how == "refused":
                raise OSError("The disk is full.")
            if how == "withdrawn":
                self.withdraw(who)
            snapshot = self.build(**about)
            if how == "killed":
                raise Killed
            return snapshot

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(replacing, "build_snapshot", build)
            patched.setattr("governance.dataset.notices.send_mail", self.send_mail)
            with contextlib.suppress(Killed, OSError):
                replace_snapshots()

    def send_mail(self, *_):
        if not self.mail_works:
            raise OSError("The mail server is away.")

    def mail(self, works):
        self.mail_works = works

    def tell(self, which):
        """An operator says that they told somebody."""
        waiting = list(unsent())
        if not waiting:
            return
        notice = waiting[which % len(waiting)]
        try:
            record_notice(notice=notice, actor=ACTOR, reason="By telephone.")
        except NotYetReplaced:
            assert end_of(notice.snapshot) in owed()

    # ---- what always holds ----

    def check(self):
        to_build = owed()
        for notice in unsent():
            replacement = latest_replacement(notice.snapshot)
            # A build is owed, or the notice can be told; never both, and never neither.
            assert (end_of(notice.snapshot) in to_build) != (replacement is not None)
            assert replacement is None or is_served(replacement)
        noticed = set(WithdrawalNotice.objects.values_list("snapshot", "licensee"))
        for delivery in Delivery.objects.filter(snapshot__recalls__isnull=False):
            assert (delivery.snapshot_id, delivery.licensee_id) in noticed
        for notice in WithdrawalNotice.objects.filter(sent_at__isnull=False):
            later = [each.pk for each in chain(notice.snapshot)[1:]]
            assert Delivery.objects.filter(licensee=notice.licensee, snapshot__in=later).exists()
        for withdrawal in Withdrawal.objects.filter(licensees_done_at__isnull=False):
            assert not unsent().filter(snapshot__shares__judge=withdrawal.judge).exists()

    def settle(self):
        """Left alone, everything that is owed is made, everybody is told, and every clock stops."""
        self.mail_works = True
        self.run()
        assert owed() == []
        assert list(touched_deliveries()) == []
        for notice in unsent():
            assert not notice.licensee.address
            record_notice(notice=notice, actor=ACTOR, reason="By telephone.")
        assert not unsent().exists()
        assert not Withdrawal.objects.filter(licensees_done_at=None).exists()


@pytest.fixture
def arena():
    return Arena()


def unsent():
    return WithdrawalNotice.objects.filter(sent_at=None).order_by("pk")


def chain(snapshot):
    """A snapshot and all that were made instead of it, one after the other."""
    found = [snapshot]
    while (following := Snapshot.objects.filter(replaces=found[-1]).first()) is not None:
        found.append(following)
    return found


def end_of(snapshot):
    return chain(snapshot)[-1]


def happens(name, *arguments):
    return st.tuples(st.just(name), *arguments)


PERSON, LICENSEE, ANY = st.integers(0, PEOPLE - 1), st.integers(0, LICENSEES - 1), st.integers(0, 3)
ENDINGS = st.tuples(st.sampled_from(["well", "refused", "withdrawn", "killed"]), PERSON)
STEPS = st.one_of(
    happens("deliver", ANY, LICENSEE),
    happens("deliver", ANY, LICENSEE),
    happens("withdraw", PERSON),
    happens("run", st.lists(ENDINGS, max_size=3)),
    happens("build"),
    happens("mail", st.booleans()),
    happens("tell", ANY),
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=9))
# Two snapshots are owed, and while the second is made somebody takes back what is in the replacement of the first.
@example(
    steps=[
        ("deliver", 0, 0),
        ("build",),
        ("deliver", 1, 0),
        ("withdraw", 0),
        ("run", [("well", 0), ("withdrawn", 1)]),
    ]
)
# The process ends before anybody is told, and then somebody takes back what is in the replacement.
@example(steps=[("deliver", 0, 0), ("withdraw", 0), ("run", [("killed", 0)]), ("withdraw", 1)])
# One that cannot be made keeps no other from being made.
@example(steps=[("deliver", 0, 0), ("build",), ("deliver", 1, 1), ("withdraw", 0), ("run", [("refused", 0)])])
def test_every_unsent_notice_is_owed_a_build_or_can_be_told(arena, steps):
    with transaction.atomic():
        arena.mail_works = True
        for name, *arguments in steps:
            getattr(arena, name)(*arguments)
            arena.check()
        arena.settle()
        arena.check()
        transaction.set_rollback(True)
