"""Licensing: who may have snapshots, which they got and under which terms."""

from __future__ import annotations

import hashlib
import secrets
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from governance.dataset.chains import read_chains
from governance.dataset.home import require_legal_name, take_turn
from governance.dataset_models import Delivery, Licensee, Snapshot
from governance.errors import ArenaError, Conflict, Gone
from governance.journal import record
from governance.ledger_kinds import DELIVERY

#: What holds for every delivery, whatever else was agreed.
STANDING_TERMS = (
    "Nobody tries to find out who posted a task or gave a judgment.",
    "When something is withdrawn, the snapshot that has it is deleted, with its copies, once the replacement is there.",
    "No claim is made that the manifest lists as one the corpus does not entitle anybody to.",
    "What is made from the data says which snapshot it was made from, by its digest.",
)
LONGEST_NAME = 200
#: Bytes of a licensee's token.
TOKEN_BYTES = 32


class LicenseeRefused(ArenaError):
    code = "licensee_refused"
    status = 422


class SnapshotGone(Gone):
    """A withdrawal touched it: it is not handed out any more."""

    code = "snapshot_gone"

    def __init__(self) -> None:
        super().__init__("This snapshot was withdrawn from and is not served any more. Ask for its replacement.")


class Registered(NamedTuple):
    """A new licensee, and the token that its programs show. The token is kept nowhere: it is told once."""

    licensee: Licensee
    token: str


@transaction.atomic
def register_licensee(
    *, name: str, terms: str, actor: str, provider: str = "", address: str = "", reason: str = ""
) -> Registered:
    """Register who may get snapshots under which terms.

    Args:
        provider: the provider of agents that it is tied to; public, and flagged, when one of its agents is rostered.
        address: where notices of withdrawals are mailed; without one an operator gives them.

    Raises:
        LicenseeRefused: no name or no terms, or one that cannot be kept.
        Conflict: ``licensee_known``.
    """
    name, provider = " ".join(name.split()), " ".join(provider.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise LicenseeRefused(f"Please give a name of at most {LONGEST_NAME} characters.", field="name")
    if not terms.strip() or "\0" in terms:
        raise LicenseeRefused("Please give the terms: they are kept verbatim with each delivery.", field="terms")
    if Licensee.objects.filter(name__iexact=name).exists():
        raise Conflict("A licensee of this name is registered already.", code="licensee_known")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    licensee = Licensee.objects.create(
        name=name, terms=terms, provider=provider, address=address, token_sha256=token_digest(token)
    )
    record(actor=actor, action="governance:licensee:register", subject=str(licensee.pk), reason=reason)
    return Registered(licensee, token)


@transaction.atomic
def end_licence(*, licensee: Licensee, actor: str, reason: str) -> Licensee:
    """Hand out nothing new to a licensee from now on. What a withdrawal owes it still goes to it.

    Its token opens what it has, and the replacements of that, as before.
    """
    licensee = Licensee.objects.select_for_update(no_key=True).get(pk=licensee.pk)
    if licensee.ended_at is None:
        licensee.ended_at = timezone.now()
        licensee.save(update_fields=["ended_at"])
        record(actor=actor, action="governance:licensee:end", subject=str(licensee.pk), reason=reason)
    return licensee


@transaction.atomic
def deliver_snapshot(*, snapshot: Snapshot, licensee: Licensee, actor: str, reason: str = "") -> Delivery:
    """Let a licensee have a snapshot, under its terms of now. Delivering twice is delivering once.

    Raises:
        ExportRefused: no legal name is set.
        SnapshotGone: a withdrawal touched it.
        Conflict: ``licence_ended``.
    """
    require_legal_name()
    # A withdrawal that comes meanwhile sees this delivery, or this sees the withdrawal.
    take_turn()
    licensee = Licensee.objects.get(pk=licensee.pk)
    if not is_served(snapshot):
        raise SnapshotGone
    if licensee.ended_at is not None:
        raise Conflict("The licence has ended.", code="licence_ended")
    return hand_over(snapshot=snapshot, licensee=licensee, terms=terms_of(licensee), actor=actor, reason=reason)


def terms_of(licensee: Licensee) -> str:
    """What a delivery is made under: what holds for all, and what was agreed with this licensee."""
    return "\n".join([*STANDING_TERMS, "", licensee.terms])


def hand_over(*, snapshot: Snapshot, licensee: Licensee, terms: str, actor: str, reason: str) -> Delivery:
    """Write down a delivery, in the caller's transaction."""
    delivery, new = Delivery.objects.get_or_create(snapshot=snapshot, licensee=licensee, defaults={"terms": terms})
    if new:
        record(actor=actor, action=DELIVERY, subject=str(delivery.pk), reason=reason, snapshot=snapshot.digest)
    return delivery


def is_served(snapshot: Snapshot) -> bool:
    """Whether no withdrawal touched it, and nothing replaced it."""
    return not snapshot.recalls.exists() and not Snapshot.objects.filter(replaces=snapshot).exists()


def newest_snapshot() -> Snapshot | None:
    """The newest one that is served."""
    return Snapshot.objects.filter(recalls__isnull=True, replaced_by__isnull=True).order_by("-made_at").first()


def touched_deliveries() -> list[Delivery]:
    """Deliveries of what a withdrawal touched, until the same licensee has a replacement; the oldest first."""
    chains = read_chains()
    had = set(Delivery.objects.values_list("snapshot", "licensee"))
    found = Delivery.objects.filter(snapshot__recalls__isnull=False).distinct().order_by("delivered_at")
    return [
        delivery
        for delivery in found.select_related("snapshot", "licensee")
        if not any((later, delivery.licensee_id) in had for later in chains.after(delivery.snapshot_id))
    ]


def licensee_of(token: str) -> Licensee | None:
    """Whose token it is. It opens what was delivered to them, also once the licence has ended."""
    return Licensee.objects.filter(token_sha256=token_digest(token)).first()


def token_digest(token: str) -> str:
    """SHA-256 of a token. It is random and long, so that nothing slower is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def tied_licensees() -> list[Licensee]:
    """Licensees that are tied to a provider of agents."""
    return list(Licensee.objects.exclude(provider="").order_by("name"))
