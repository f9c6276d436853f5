"""Chains of snapshots: what was made instead of a snapshot, and instead of that one, to the last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

from governance.dataset_models import Snapshot, WithdrawalNotice


class Chains(NamedTuple):
    """Which snapshot was made instead of which, as of one reading. Each is replaced once at the most."""

    following: dict[UUID, UUID]

    def after(self, snapshot: UUID) -> Iterator[UUID]:
        """All that were made instead of it, one instead of the other."""
        while (following := self.following.get(snapshot)) is not None:
            yield following
            snapshot = following

    def end(self, snapshot: UUID) -> UUID:
        """The last of its chain; itself while nothing was made instead of it."""
        for following in self.after(snapshot):
            snapshot = following
        return snapshot


def read_chains() -> Chains:
    made = Snapshot.objects.values_list("replaces", "pk")
    return Chains({replaced: replacement for replaced, replacement in made if replaced is not None})


def latest_replacement(snapshot: Snapshot) -> Snapshot | None:
    """The last of its chain, if that is another one and no withdrawal touched it."""
    last = read_chains().end(snapshot.pk)
    return Snapshot.objects.filter(pk=last, recalls__isnull=True).exclude(pk=snapshot.pk).first()


def is_to_be_replaced(snapshot: Snapshot) -> bool:
    """Whether a withdrawal touched it and nothing was made instead of it yet."""
    return snapshot.recalls.exists() and not Snapshot.objects.filter(replaces=snapshot).exists()


def ends_of_untold() -> set[UUID]:
    """Where the chains end of what licensees have and were not told of yet."""
    chains = read_chains()
    return {chains.end(pk) for pk in WithdrawalNotice.objects.filter(sent_at=None).values_list("snapshot", flat=True)}
