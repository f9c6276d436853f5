"""Computations of the arena over battles, second looks, assignments, withdrawals and the ratings' publication."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from governance.withdrawal_clocks import CORPUS_WITHIN, LICENSEES_WITHIN
from judging.models.votes import REVISABLE_FOR
from judging.visibility import REPEAT_WITHIN
from metrics.arithmetic import Sums
from metrics.computation import Computation, Needs, Readings
from metrics.lane_measures import reading_of_share
from metrics.population import BATTLES, OF_THE_BOARD
from metrics.reading import NO_DATA, Reading, Why

if TYPE_CHECKING:
    from metrics.source import Source


#: What a statement has to give of each cluster, and how its rows are summed up.
_SUMS = """SELECT coalesce(sum(x), 0)::float8, coalesce(sum(n), 0)::float8, coalesce(sum(x * x), 0)::float8,
    coalesce(sum(x * n), 0)::float8, coalesce(sum(n * n), 0)::float8, count(*) FILTER (WHERE n > 0)
    FROM (SELECT count(*) FILTER (WHERE counted) AS x, count(*) AS n FROM ({rows}) AS item GROUP BY {cluster})
    AS cluster"""


NO_COLUMNS = Needs()


def counted_rows(rows: str, *, cluster: str, needs: Needs = NO_COLUMNS, **values: Any) -> Computation:
    """A share of rows: those that are ``counted``, over all of them.

    Args:
        rows: a SELECT of a column ``counted`` and the column ``cluster``.
        cluster: rows of one cluster resemble each other.
        needs: columns of the counted lanes that it reads.
        values: its parameters, beside those of the board and ``at``.
    """
    statement = _SUMS.format(rows=rows, cluster=cluster)

    def run(source: Source) -> Readings:
        if needs.lane_columns:
            source.counted_lanes()
        found = source.ask(statement, {**source.values, "at": source.at, **values})[0]
        sums = Sums(*found)
        return {None: reading_of_share(sums, size=sums.n)}

    return Computation(run, needs)


#: Battles whose lanes ran, by whether just one of them met a wall or a refusal.
ONE_SIDED = counted_rows(
    "SELECT battle, sum(hindered) = 1 AS counted FROM counted_lanes GROUP BY battle",
    cluster="battle",
    needs=Needs(columns=("hindered",)),
)
#: Lanes that were started, by whether they or their attempt broke through no fault of the agent.
VOID = counted_rows(
    f"""SELECT battle.id AS battle, attempt.outcome = 'broken' OR lane.ended = ANY(%(never_ran)s) AS counted
    FROM {BATTLES}
    JOIN battles_attempt attempt ON attempt.battle_id = battle.id AND attempt.outcome <> 'running'
    JOIN battles_lane lane ON lane.attempt_id = attempt.id
    WHERE lane.started_at IS NOT NULL AND {OF_THE_BOARD}""",  # noqa: S608
    cluster="battle",
)
LEAKS = counted_rows(
    f"""SELECT battle.id AS battle, battle.leak_scan <> 'clean' AS counted FROM {BATTLES}
    WHERE battle.leak_scan <> '' AND {OF_THE_BOARD}""",  # noqa: S608
    cluster="battle",
)
#: Battles drawn to be judged by several, once their submitters had time to offer them, by whether none was asked.
NEVER_OFFERED = counted_rows(
    """SELECT battle.id, offer.battle_id IS NULL AS counted FROM battles_battle battle
    LEFT JOIN judging_offer offer ON offer.battle_id = battle.id
    WHERE battle.kind = 'live' AND battle.judges_needed > 1 AND battle.votable_at <= %(at)s - %(time_to_offer)s""",
    cluster="id",
    time_to_offer=REPEAT_WITHIN,
)
#: Second looks that count: final, and not taken back, as the first one is not.
_FINAL = "least(vote.locked_at, vote.cast_at + %(revisable)s) <= %(at)s AND vote.withdrawn_at IS NULL"
FLIPS = counted_rows(
    f"""SELECT vote.judge_id AS judge,
           coalesce(vote.winner_id <> first.winner_id, FALSE) AS counted
    FROM judging_repeatvote vote
    JOIN judging_vote first ON first.battle_id = vote.battle_id AND first.judge_id = vote.judge_id
        AND first.withdrawn_at IS NULL
    WHERE {_FINAL}""",  # noqa: S608
    cluster="judge",
    revisable=REVISABLE_FOR,
)
SKIPS = counted_rows(
    """SELECT judge_id AS judge, outcome = 'skipped' AS counted FROM judging_assignment
    WHERE outcome <> 'open' AND NOT swapped""",
    cluster="judge",
)
GOLD = counted_rows(
    f"""SELECT vote.judge_id AS judge, coalesce(vote.winner_id = right_one.id, FALSE) AS counted
    FROM judging_vote vote
    JOIN battles_battle battle ON battle.id = vote.battle_id AND battle.kind = 'gold'
    JOIN battles_attempt attempt ON attempt.battle_id = battle.id AND attempt.outcome = 'finished'
    JOIN battles_lane right_one ON right_one.attempt_id = attempt.id AND right_one.passed
    JOIN battles_lane wrong_one ON wrong_one.attempt_id = attempt.id AND NOT wrong_one.passed
    WHERE {_FINAL}""",  # noqa: S608
    cluster="judge",
    revisable=REVISABLE_FOR,
)
#: Withdrawals whose first deadline has passed, by whether every deadline that has passed was kept.
WITHDRAWALS = counted_rows(
    """SELECT id,
           coalesce(corpus_done_at < received_at + %(within)s, FALSE)
           AND (received_at + %(told_within)s > %(at)s
                OR coalesce(licensees_done_at < received_at + %(told_within)s, FALSE)) AS counted
    FROM governance_withdrawal WHERE received_at + %(within)s <= %(at)s AND called_off_at IS NULL""",
    cluster="id",
    within=CORPUS_WITHIN,
    told_within=LICENSEES_WITHIN,
)


def largest_provider() -> Computation:
    """Battle sides of the provider with most, over all sides."""

    def run(source: Source) -> Readings:
        rows = source.ask(
            f"""SELECT agent.provider, count(*) FROM {BATTLES}
            JOIN battles_agent agent ON agent.key IN (battle.agent_a_id, battle.agent_b_id)
            WHERE {OF_THE_BOARD} GROUP BY agent.provider""",  # noqa: S608
            source.values,
        )
        sides = sum(count for _, count in rows)
        if not sides:
            return {None: NO_DATA}
        most = max(count for _, count in rows)
        return {None: Reading(most / sides, counted=most, over=sides, size=sides / 2)}

    return Computation(run)


def offer_ratio() -> Computation:
    """Battles of the least-offered active agent over those of the most-offered, since all of them could be drawn."""

    def run(source: Source) -> Readings:
        active = [version for version in source.versions if version.active]
        if len(active) < 2:
            return {None: NO_DATA}
        rows = source.ask(
            f"""SELECT agent.key, count(*) FROM {BATTLES}
            JOIN battles_agent agent ON agent.key IN (battle.agent_a_id, battle.agent_b_id)
            WHERE battle.created_at >= %(since)s AND {OF_THE_BOARD} GROUP BY agent.key""",  # noqa: S608
            {**source.values, "since": max(version.joined for version in active)},
        )
        battles: dict[str, int] = dict(rows)
        offered = [battles.get(version.key, 0) for version in active]
        if not max(offered):
            return {None: NO_DATA}
        size = sum(offered) / 2
        return {None: Reading(min(offered) / max(offered), counted=min(offered), over=max(offered), size=size)}

    return Computation(run)


#: Reasons of the ratings that go by another name here.
_WHY = {"all_excluded": Why.NO_DATA, "not_converged": Why.NOT_IDENTIFIED}


def _why(reason: str | None) -> Why | None:
    return None if reason is None else _WHY.get(reason) or Why(reason)


def of_the_ratings(read: Callable[[Mapping[str, Any]], Reading]) -> Computation:
    """What the newest publication of the ratings says of each agent.

    Args:
        read: from a row of it to a reading.
    """

    def run(source: Source) -> Readings:
        rows: list[Mapping[str, Any]] = source.ratings["ratings"] if source.ratings else []
        return source.of_agents({row["agent"]: read(row) for row in rows})

    return Computation(run)


def rating(row: Mapping[str, Any]) -> Reading:
    return Reading(row["rating"], row["lower"], row["upper"], size=row["battles"], reason=_why(row["reason"]))


def half_width(row: Mapping[str, Any]) -> Reading:
    if row["lower"] is None or row["upper"] is None:
        return Reading(reason=_why(row["reason"]) or Why.NOT_IDENTIFIED, size=row["battles"])
    return Reading((row["upper"] - row["lower"]) / 2, size=row["battles"])


def votes_that_decide() -> Computation:
    """The smallest share of votes found whose removal changes place 1, in the component with most rated battles."""

    def run(source: Source) -> Readings:
        if not source.ratings:
            return {None: NO_DATA}
        pairs = source.ratings["robustness"]
        below = {pair["lower"] for pair in pairs}
        leading = [pair for pair in pairs if pair["upper"] not in below]
        if not leading:
            return {None: Reading(reason=Why.NOT_IDENTIFIED)}
        votes = max((pair["votes"] for pair in leading), key=lambda flip: flip["of"])
        if votes["to_flip"] is None:
            return {None: Reading(reason=Why.UNBOUNDED, size=votes["of"])}
        flipped, of = votes["to_flip"], votes["of"]
        return {None: Reading(flipped / of, counted=flipped, over=of, size=of)}

    return Computation(run)
