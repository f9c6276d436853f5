"""Operators: what each of their roles may do, and how the journal names them.

A role is a group of Django's with permissions of this module; both are made, and made true again, after every
migration. Which account has which role is the business of the app that has accounts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType

from governance.models import JournalEntry


class Ability(StrEnum):
    """Something that only some operators may do, as Django names a permission."""

    LOOK = "governance.look"
    MODERATE = "governance.moderate"
    STEWARD = "governance.steward_data"
    ADMINISTER = "governance.administer"


#: What each allows, as the list of permissions says it.
ABILITY_WORDS = {
    Ability.LOOK: "Can read the pages of operators",
    Ability.MODERATE: "Can decide reports, held labels, trust and exclusions",
    Ability.STEWARD: "Can act on withdrawals, snapshots, licensees and deliveries, and ask for refits",
    Ability.ADMINISTER: "Can change the roster and settle what other roles may not",
}


@dataclass(frozen=True, slots=True)
class Role:
    """A role of operators.

    Attributes:
        name: of the group.
        words: what somebody with it does.
        abilities: what it allows.
    """

    name: str
    words: str
    abilities: frozenset[Ability]


#: From the least to the most. Nobody is above a reason: the last one gives them too.
ROLES = (
    Role("viewer", "reads everything that operators see, and changes nothing", frozenset({Ability.LOOK})),
    Role(
        "moderator",
        "decides reports, held labels, the trust of judges and exclusions",
        frozenset({Ability.LOOK, Ability.MODERATE}),
    ),
    Role(
        "data steward",
        "keeps the promises about data: withdrawals, snapshots, deliveries; asks for refits and verifies them",
        frozenset({Ability.LOOK, Ability.STEWARD}),
    ),
    Role("administrator", "does all of this, and keeps the roster", frozenset(Ability)),
)


def may(account: Any, ability: Ability) -> bool:
    """Whether an account is an operator's whose role allows this. Visitors and closed accounts may nothing."""
    return bool(
        getattr(account, "is_active", False) and getattr(account, "is_staff", False) and account.has_perm(ability)
    )


def actor_of(account: Any) -> str:
    """How the journal names an operator: by the random identifier of the account, never by its name."""
    return f"operator:{account.pk}"


def keep_roles_true(**_: Any) -> None:
    """Make the groups with exactly their permissions, whatever was there. Runs after every migration."""
    holder = ContentType.objects.get_for_model(JournalEntry)
    permissions = {}
    for ability in Ability:
        codename = ability.value.partition(".")[2]
        permissions[ability], _made = Permission.objects.update_or_create(
            content_type=holder, codename=codename, defaults={"name": ABILITY_WORDS[ability]}
        )
    for role in ROLES:
        group, _made = Group.objects.get_or_create(name=role.name)
        group.permissions.set([permissions[ability] for ability in sorted(role.abilities)])
