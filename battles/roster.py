"""The roster: adding agents, and retiring them for good."""

import re
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.utils import timezone

from battles.agent_names import has_unseen, look_alike, normalise_name
from battles.agents.hosted.settings import SettingsRefused
from battles.agents.registry import UnknownAdapter, check_settings
from battles.blindness.lexicon import roster_spelling
from battles.blindness.lexicon_table import sync_lexicon
from battles.blindness.normalise import folded
from battles.models import Agent, AgentAlias
from battles.operator_text import clean_line
from governance.errors import ArenaError, Conflict, NotFound
from governance.journal import record

#: What a key looks like: it stands in addresses.
KEY_PATTERN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

#: Longest key, name, provider and version, in characters: what their columns hold.
LONGEST = {"key": 80, "name": 120, "provider": 80, "model_version": 120}


LONGEST_REASON = 300

#: What the arena's conflict-of-interest rule allows: nobody fills the roster with variants and keeps the best.
ACTIVE_PER_PROVIDER = 3
#: Between the notice and the last draw of an agent: time to look, and none in which it vanishes silently.
NOTICE = timedelta(days=14)

#: A name of so few letters and no digit is an article or a pronoun somewhere.
SHORTEST_WORD = 3

TAKEN = '"{name}" is on the roster already. A changed model is a new agent with a new name.'


class RosterRefused(ArenaError):
    code = "roster_refused"


class NoSuchAgent(NotFound):
    code = "no_such_agent"

    def __init__(self, key: str) -> None:
        super().__init__(f'There is no agent "{key}" on the roster.', field="key")


def settings_of(agent: Agent) -> dict[str, Any]:
    """What the agent's adapter is made with."""
    return {
        "model_version": agent.model_version,
        "base_url": agent.base_url,
        "key_variable": agent.key_variable,
        "parameters": agent.parameters,
    }


@transaction.atomic
def roster_agent(
    *,
    key: str,
    name: str,
    provider: str,
    adapter: str,
    model_version: str,
    kind: str,
    actor: str,
    base_url: str = "",
    key_variable: str = "",
    parameters: Mapping[str, Any] | None = None,
    operator_affiliated: bool = False,
    looks_alike_confirmed: bool = False,
    reason: str = "",
) -> Agent:
    """Put an agent on the roster; its names join the lexicon of what must be scrubbed.

    Args:
        operator_affiliated: the operator has a stake in it from the start, so that it is never drawn.
        looks_alike_confirmed: an operator has seen that the name looks like another one, and wants it all the same.
        reason: why it joins, for the journal.

    Raises:
        RosterRefused: something is blank or taken, the name looks like another one or is an everyday word, or the
            adapter cannot use the row.
        TextRefused: a text is too long or holds what cannot be seen.
    """
    typed = {"key": key, "name": normalise_name(name), "provider": provider, "model_version": model_version}
    fields = {field: clean_line(text, field=field, longest=LONGEST[field]) for field, text in typed.items()}
    _check_fields(fields)
    name = fields["name"]
    if not operator_affiliated:
        _check_provider(fields["provider"])
    if Agent.objects.filter(key=key).exists() or Agent.objects.filter(name=name).exists():
        raise RosterRefused(TAKEN.format(name=name))
    if AgentAlias.objects.filter(alias=name).exists():
        raise RosterRefused(
            f'"{name}" is a moving name: it stands for one version after the other. An agent needs a name of its own.',
            code="moving_name",
            field="name",
        )
    twin = look_alike(name, list(Agent.objects.values_list("name", flat=True)))
    if twin is not None and not looks_alike_confirmed:
        raise RosterRefused(
            f'"{name}" looks like "{twin}". Choose a name that nobody takes for it, or confirm that you want this one.',
            code="looks_alike",
            field="name",
        )
    agent = Agent(
        **fields,
        adapter=adapter,
        kind=kind,
        base_url=base_url.strip(),
        key_variable=key_variable.strip(),
        parameters=dict(parameters or {}),
    )
    if operator_affiliated:
        agent.affiliated_from = agent.created_at
    try:
        check_settings(adapter, settings_of(agent))
    except (UnknownAdapter, SettingsRefused) as problem:
        raise RosterRefused(str(problem)) from problem
    try:
        with transaction.atomic():
            agent.save(force_insert=True)
    except IntegrityError as taken:
        # Somebody else was a moment faster.
        raise RosterRefused(TAKEN.format(name=name)) from taken
    sync_lexicon(roster_names())
    record(actor=actor, action="battles:agent:roster", subject=key, reason=reason, version=agent.model_version)
    return agent


def _check_fields(fields: Mapping[str, str]) -> None:
    words = {"key": "a key", "name": "a name", "provider": "a provider", "model_version": "a pinned version"}
    for field, value in fields.items():
        if not value:
            why = " Without one a lane does not start." if field == "model_version" else ""
            raise RosterRefused(f"An agent needs {words[field]}.{why}", field=field)
    if has_unseen(fields["name"]):
        raise RosterRefused("The name holds characters that cannot be seen. Please type it anew.", field="name")
    if not _can_be_withheld(fields["name"]):
        raise RosterRefused(
            "An everyday word cannot be withheld from judges without being given away. Choose a name of its own.",
            code="cannot_be_withheld",
            field="name",
        )
    if not KEY_PATTERN.fullmatch(fields["key"]):
        raise RosterRefused('A key has small letters, digits and "-" only, for example "acme-surfer-2".', field="key")


def _check_provider(provider: str) -> None:
    """No more than three of a provider's agents race at once; the caller's transaction holds the turn.

    Raises:
        RosterRefused: ``provider_is_full``.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"provider {same_provider(provider)}"])
    theirs = [other for other in Agent.racing() if same_provider(other.provider) == same_provider(provider)]
    if len(theirs) >= ACTIVE_PER_PROVIDER:
        raise RosterRefused(
            f'{len(theirs)} agents of "{provider}" race, and {ACTIVE_PER_PROVIDER} are the most at once. Retire one '
            "whose version was withdrawn or superseded first; it leaves after its notice.",
            code="provider_is_full",
            field="provider",
        )


def same_provider(provider: str) -> str:
    """One spelling for all of a provider's: case, spacing and look-alike letters are seen through."""
    return "".join(folded(provider).casefold().split())


def variants_by_provider() -> Counter[str]:
    """How many agents each provider has ever had here, those that left included: shown beside each of them.

    By :func:`same_provider`. The operator's own from the start never raced, and are not counted.
    """
    raced = Agent.objects.exclude(affiliated_from__lte=F("created_at"))
    return Counter(map(same_provider, raced.values_list("provider", flat=True)))


def variants_tried(provider: str) -> int:
    """The same of one provider."""
    return variants_by_provider()[same_provider(provider)]


def _can_be_withheld(name: str) -> bool:
    """Whether the scrubbers can look for the name without blanking ordinary words."""
    letters = sum(character.isalpha() for character in name)
    return any(map(str.isdigit, name)) or (letters > SHORTEST_WORD and bool(roster_spelling(name)))


@transaction.atomic
def retire_agent(*, key: str, cause: str, reason: str, actor: str) -> Agent:
    """Give notice that an agent leaves the draw for good in 14 days. What it raced stays, with votes, rating and date.

    Args:
        cause: its version was withdrawn or superseded. A provider's own request counts as withdrawn, and is disclosed.
        reason: published beside it.

    Raises:
        NoSuchAgent: it is not on the roster.
        RosterRefused: no cause or no reason was given.
        Conflict: it was given notice before.
    """
    reason = clean_line(reason, field="reason", longest=LONGEST_REASON)
    if not reason:
        raise RosterRefused("Say why the agent is retired; the reason is published.", field="reason")
    if cause not in Agent.Cause:
        raise RosterRefused(
            "An agent retires only when its version was withdrawn or superseded, or its provider asks for it.",
            code="no_cause",
            field="cause",
        )
    known = KEY_PATTERN.fullmatch(key) is not None
    agent = Agent.objects.select_for_update(no_key=True).filter(pk=key).first() if known else None
    if agent is None:
        raise NoSuchAgent(key)
    if agent.state == Agent.State.RETIRED:
        raise Conflict(f'"{agent.name}" is retired already.', code="already_retired")
    agent.state = Agent.State.RETIRED
    agent.retirement_noticed_at = timezone.now()
    agent.retired_at = agent.retirement_noticed_at + NOTICE
    agent.retirement_cause = cause
    agent.retirement_reason = reason
    agent.save(update_fields=["state", "retirement_noticed_at", "retired_at", "retirement_cause", "retirement_reason"])
    record(actor=actor, action="battles:agent:retire", subject=key, reason=reason, cause=cause)
    return agent


def roster_names() -> list[str]:
    """Everything that names a rostered agent: names, keys, versions, providers, and moving names that stood for it."""
    names: set[str] = set(AgentAlias.objects.values_list("alias", flat=True))
    for agent in Agent.objects.all():
        names.update((agent.name, agent.key, agent.model_version, agent.provider))
    return sorted(name for name in names if name)
