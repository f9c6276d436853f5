"""What the numbers of the standings mean; the same text is in every publication and one click from every number."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Definition(TypedDict):
    name: str
    counted: str
    over: str
    unit: str
    direction: str
    caveat: str
    href: NotRequired[str]


DEFINITIONS: dict[str, Definition] = {
    "rating": {
        "name": "Rating",
        "counted": "Bradley-Terry strength times 400/ln 10, centred on 1000 in its component; a tie is half a win",
        "over": "rated votes in its component",
        "unit": "points",
        "direction": "higher",
        "caveat": "Preference of these judges on these tasks. Only gaps mean anything, and nothing across components.",
    },
    "interval": {
        "name": "95% interval",
        "counted": "where the rating would lie in 95 of 100 arenas like this one, with judges as clusters",
        "over": "judges of its component",
        "unit": "points",
        "direction": "neutral",
        "caveat": "Sampling noise only, no bias, steering or drift. The thin line holds for all agents at once.",
    },
    "rank_range": {
        "name": "Rank range",
        "counted": "1 + the agents surely above, to all agents - those surely below, by simultaneous gap intervals",
        "over": "agents of its component",
        "unit": "places",
        "direction": "lower",
        "caveat": "Two agents whose ranges overlap are not told apart by these votes.",
    },
    "status": {
        "name": "Status",
        "counted": "provisional under 30 battles, then settling; stable from 1000 with an interval and no drift",
        "over": "rated battles of the agent",
        "unit": "",
        "direction": "neutral",
        "caveat": "A status speaks of how much was measured, not of how good the agent is.",
    },
    "win_share": {
        "name": "Win share",
        "counted": "rated votes that prefer the agent of the row",
        "over": "rated votes on battles of the two that prefer one side",
        "unit": "share",
        "direction": "higher",
        "caveat": "Depends on whom it met; few votes make it jump.",
    },
    "ticker": {
        "name": "Ticker",
        "counted": "running Elo, moved by each locked vote: K falls from 48 to 12 as an agent's battles grow",
        "over": "locked votes in the order in which they came",
        "unit": "points",
        "direction": "higher",
        "caveat": "A ticker, not the rating: it depends on the order of the votes and never comes to rest.",
    },
    "gap": {
        "name": "Gap",
        "counted": "difference of two ratings with the full covariance",
        "over": "rated votes in their component",
        "unit": "points",
        "direction": "neutral",
        "caveat": "Overlapping intervals are not a test; the interval of the gap is.",
    },
    "simultaneous": {
        "name": "Interval for all at once",
        "counted": "where all ratings of the component lie together in 95 of 100 arenas like this one",
        "over": "judges of its component",
        "unit": "points",
        "direction": "neutral",
        "caveat": "Wider than an interval alone, and right for whoever looks at the whole table.",
    },
    "anytime": {
        "name": "Interval at every look",
        "counted": "an interval that holds at all looks together, however often people look (Waudby-Smith et al. 2024)",
        "over": "judges of its component, from the first 400 rated votes on",
        "unit": "points",
        "direction": "neutral",
        "caveat": "For large samples; wider than the interval of one look.",
    },
    "place": {
        "name": "Place",
        "counted": "1 + the agents whose lower end is above this one's upper end",
        "over": "rated agents of its component",
        "unit": "places",
        "direction": "lower",
        "caveat": "The cautious rule that a ruler can check; it tells fewer agents apart than gaps do.",
    },
    "adjusted_rank": {
        "name": "Rank with the schedule undone",
        "counted": "the rank range when every battle is weighted by the inverse of the probability of its pair",
        "over": "rated battles of pairs that were available in 30 draws or more",
        "unit": "places",
        "direction": "lower",
        "caveat": "A rank is claimed only where this and the rank range are the same; otherwise both show.",
    },
    "win_chance": {
        "name": "Chance to be preferred",
        "counted": "1/(1 + 10^(-gap/400)), a tie counting half",
        "over": "battles between the two",
        "unit": "share",
        "direction": "higher",
        "caveat": "What the fit expects, not what was counted.",
    },
    "control_effect": {
        "name": "Effect of what is held equal",
        "counted": "points that a difference of ordinary size in a style, or in the run, is worth to judges",
        "over": "rated votes in its component",
        "unit": "points",
        "direction": "neutral",
        "caveat": "Observational: where an answer is long because it is better, holding length equal takes too much.",
    },
    "position_advantage": {
        "name": "Advantage of slot A",
        "counted": "points that sitting in slot A is worth, with the agents' strengths accounted for",
        "over": "rated votes in its component",
        "unit": "points",
        "direction": "neutral",
        "caveat": "Slots are drawn at random, so that it favours no agent; it says how judges judge.",
    },
    "flip_share": {
        "name": "Share that decides a pair",
        "counted": "votes (or judges), chosen for it, whose removal turns two neighbours around",
        "over": "rated votes (or judges) of their component",
        "unit": "share",
        "direction": "higher",
        "caveat": "Found by trying, so an upper bound: a cleverer choice might need fewer.",
    },
    "exclusion_rate": {
        "name": "Exclusion rate",
        "counted": "battles that a rule excluded because of what a lane did",
        "over": "the agent's battles on this board that ended",
        "unit": "share",
        "direction": "lower",
        "caveat": "An agent can bring it about, so its rank with those battles as losses stands beside it.",
    },
    "self_judged_share": {
        "name": "Self-judged share",
        "counted": "battles that the label of the task's own poster decides, since nobody else voted",
        "over": "rated battles",
        "unit": "share",
        "direction": "lower",
        "caveat": "Their labels are blind too, but they know what they wanted.",
    },
    "top_judge_share": {
        "name": "Share of the busiest judge",
        "counted": "weight of the votes of the judge with most of it",
        "over": "weight of all rated votes",
        "unit": "share",
        "direction": "lower",
        "caveat": "Intervals allow for it; a taste shared by all judges they do not see.",
    },
    "tie_share": {
        "name": "Ties",
        "counted": "rated votes that call a battle a tie, by weight",
        "over": "weight of all rated votes",
        "unit": "share",
        "direction": "neutral",
        "caveat": "Both bad is counted apart, and is half a win in the headline as a tie is.",
    },
}


#: Numbers that only pages show: made from those of a publication, or told beside them.
ON_PAGES: dict[str, Definition] = {
    "history": {
        "name": "Points above the reference",
        "counted": "its rating less the mean rating of the agents that were rated beside it every time",
        "over": "rated votes in its component, in each publication",
        "unit": "points",
        "direction": "higher",
        "caveat": "Says how it moved against those agents. Where nobody was there every time, it is the rating itself.",
    },
    "joined": {
        "name": "Joined versions",
        "counted": "what several versions of a model raced, in one row",
        "over": "their rated battles; those of one against another are left out",
        "unit": "",
        "direction": "neutral",
        "caveat": "An operator decided it, for the reason that is shown. No vote tells whether they are one model.",
    },
    "variants_tried": {
        "name": "Entered by its provider",
        "counted": "agents that its provider has entered, retired ones included",
        "over": "all the time of this arena",
        "unit": "agents",
        "direction": "neutral",
        "caveat": "The best of several looks better than it is. What was tried elsewhere is not known here.",
        "href": "/methods/best-of",
    },
    "tied_licensee": {
        "name": "Tied licensee",
        "counted": "licensees of this arena's data that are tied to the provider of the agent",
        "over": "all licences, ended ones included",
        "unit": "",
        "direction": "neutral",
        "caveat": "Data of the arena helps in training. Whether it was used for this agent is not known here.",
        "href": "/governance#licensees",
    },
    "panel_rating": {
        "name": "Rating by a panel",
        "counted": "Bradley-Terry strength times 400/ln 10, centred on 1000; a tie is half a win",
        "over": "final admissible labels of the panel's own judges on its own battles",
        "unit": "points",
        "direction": "higher",
        "caveat": "What these experts prefer on tasks chosen for them; a point here is no point of the standings.",
    },
    "votes_to_settle": {
        "name": "Votes to settle a gap",
        "counted": "head-to-head votes, each by somebody else, that tell a gap of this size from none at 5%",
        "over": "a chance of 80% to do so",
        "unit": "votes",
        "direction": "neutral",
        "caveat": "From the size of the gap alone: it says nothing about how many votes there are.",
    },
    "rank_if_lost": {
        "name": "Order, and order if lost",
        "counted": "1 + the agents whose rating is above; if lost, with every excluded battle of the agent as a loss",
        "over": "agents of its component",
        "unit": "places",
        "direction": "lower",
        "caveat": "By the ratings alone, without their intervals: near neighbours change places by chance.",
    },
    "both_bad_share": {
        "name": "Both bad",
        "counted": "rated votes that call both runs bad, by weight",
        "over": "weight of all rated votes",
        "unit": "share",
        "direction": "lower",
        "caveat": "Blames both sides; one may be far worse than the other.",
    },
    "slot_a_share": {
        "name": "Slot A preferred",
        "counted": "rated votes that prefer slot A, by weight",
        "over": "weight of the rated votes that prefer a side",
        "unit": "share",
        "direction": "neutral",
        "caveat": "Half is expected only since slots are drawn at random; it says how judges judge, not how agents do.",
    },
    "nu": {
        "name": "Readiness to tie",
        "counted": "nu of Davidson's model: how often two equals tie, against how often either wins",
        "over": "rated votes in its component",
        "unit": "",
        "direction": "neutral",
        "caveat": "One figure for all pairs; agents that are alike may tie more often than it says.",
    },
}


def definitions_document() -> dict[str, Any]:
    """All definitions as plain JSON values, for a publication."""
    return {key: dict(definition) for key, definition in DEFINITIONS.items()}
