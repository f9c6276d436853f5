"""The records that measures are read from, by the names their definitions use."""

from __future__ import annotations

#: Name in a definition: table in the database.
TABLES = {
    "agent": "battles_agent",
    "joined version": "battles_agentmerge",
    "task": "battles_task",
    "battle": "battles_battle",
    "attempt": "battles_attempt",
    "lane": "battles_lane",
    "step": "battles_step",
    "price table": "battles_price",
    "vote": "judging_vote",
    "completion": "judging_completion",
    "repeat vote": "judging_repeatvote",
    "offer": "judging_offer",
    "assignment": "judging_assignment",
    "judge": "governance_judge",
    "trust": "judging_trustchange",
    "held label": "judging_heldlabel",
    "exclusion": "judging_exclusion",
    "account": "judging_judgeaccount",
    "withdrawal": "governance_withdrawal",
    "publication": "ratings_publication",
}

#: Which battles count on a board: those that nobody judges blind any more.
BATTLES = ("battle", "agent", "vote", "offer")
#: Where an agent's lanes come from: the race and who ran in it.
LANES = ("lane", "attempt", "joined version", *BATTLES)
#: The same with what happened in them.
STEPS = ("step", *LANES)
#: What decides whether a vote rates, and so is read with every rated vote.
RATED_VOTES = (
    "vote",
    "battle",
    "task",
    "lane",
    "attempt",
    "step",
    "agent",
    "joined version",
    "judge",
    "trust",
    "held label",
    "exclusion",
    "account",
    "offer",
    "assignment",
)
