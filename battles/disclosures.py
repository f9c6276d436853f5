"""What is disclosed of the roster: agents in which the operator has a stake, and agents that were retired."""

import battles.roster_disclosures  # noqa: F401  # parts of their own
from battles.models import Agent
from battles.roster import NOTICE
from governance.disclosures import Cell, Disclosure, Sheet, register_disclosure


def own_agents() -> Sheet:
    """The operator's own agents. Whether they have raced is told, not how often."""
    own = Agent.objects.exclude(affiliated_from=None).order_by("name")
    return Sheet(
        says=(
            "From the instant at which the operator has a stake in an agent it is not drawn and rates nobody. Its past "
            "battles stay in the corpus, and every fit from then on leaves them out for that reason.",
        ),
        columns=("Agent", "Provider", "On the roster since", "Stake since", "Past battles"),
        rows=tuple(
            (
                Cell(agent.name),
                Cell(agent.provider),
                Cell(f"{agent.created_at:%Y-%m-%d}"),
                Cell(f"{agent.affiliated_from:%Y-%m-%d}"),
                Cell("some, none of them rated" if agent.has_battles() else "none"),
            )
            for agent in own
        ),
        none="The operator has a stake in no agent of this roster.",
    )


def retirements() -> Sheet:
    """Agents that left the draw for good, newest first."""
    retired = Agent.objects.filter(state=Agent.State.RETIRED).order_by("-retired_at", "name")
    return Sheet(
        says=(
            f"An agent retires when its version was withdrawn or superseded, after {NOTICE.days} days' notice. A "
            "provider's own request counts as withdrawn. Battles, votes and ratings stay, with the date.",
        ),
        columns=("Agent", "In the draw until", "Cause", "Why"),
        rows=tuple(
            (
                Cell(agent.name),
                Cell(f"{agent.retired_at:%Y-%m-%d}{', without having raced' if agent.left_unraced() else ''}"),
                Cell(agent.get_retirement_cause_display()),
                Cell(agent.retirement_reason),
            )
            for agent in retired
        ),
        none="No agent has been retired.",
    )


register_disclosure(
    Disclosure(
        key="own-agents",
        title="Agents of the operator’s own",
        place=40,
        read=own_agents,
    )
)
register_disclosure(Disclosure(key="retirements", title="Retirements", place=50, read=retirements))
