"""What judging is believed to do: who sees names, who may read a battle, and what becomes of a bad judge's labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from battles.models import Battle
from governance.asking import frozen, given
from governance.models import Judge
from governance.theses import Cited, CodeMutation, DatabaseMutation, Section, Thesis, thesis
from judging.calibration import Calibration, Call
from judging.models import TrustChange, Vote
from judging.trust_rule import CALLS_NEEDED, WINDOW
from judging.visibility import SHOWN_CLOSED, Visibility

VISIBILITY = "judging/visibility.py"
ACCESS = "judging/access.py"


# ---- Blindness -----------------------------------------------------------------------------------------------------


def _hides(decide: Callable[..., Visibility]) -> bool:
    """Names of a battle that can be judged are hidden from nobody, from a stranger, and from a judge without a vote."""
    names = [
        decide(Battle(state=state), viewer).names
        for state in (Battle.State.QUEUED, Battle.State.RACING, Battle.State.VOTABLE, Battle.State.RESOLVED)
        for viewer in (None, Judge())
    ]
    return not any(names) and decide(Battle(state=Battle.State.CLOSED), None).names


thesis(
    Thesis(
        section=Section.BLINDNESS,
        key="names-by-battle-and-viewer",
        belief="Names show to a viewer of a battle only when that viewer can no longer change a vote on it.",
        why="A judge who has looked up who raced does not judge the race.",
        mechanism="One function decides for pages, programs and exports alike; every branch but those for a final "
        "vote or a closed battle hides. A vote is final after {final.seconds} seconds, or when its judge says so.",
        cites=Cited("judging.visibility", "identity_visibility"),
        figures={"final": Cited("judging.models.votes", "REVISABLE_FOR")},
        predicate=_hides,
        broken=lambda battle, viewer, now=None: SHOWN_CLOSED,
        mutations=(
            CodeMutation(
                "the branch that hides from whoever has no vote",
                VISIBILITY,
                "        return HIDDEN_NO_VOTE\n",
                "        return SHOWN_CLOSED\n",
                red=("verify_claims", "verify_blindness"),
            ),
        ),
    )
)


# ---- People --------------------------------------------------------------------------------------------------------


def _branches(condition: Q) -> Iterable[dict[str, Any]]:
    """Each way to satisfy a condition, as the fields it needs; negations are left out, subqueries go by their type."""
    children: list[Any] = list(condition.children)
    if condition.connector == Q.OR and not condition.negated:
        for child in children:
            yield from _branches(child) if isinstance(child, Q) else [dict([child])]
        return
    ways: list[dict[str, Any]] = [{}]
    for child in children:
        if isinstance(child, Q):
            if not child.negated:
                ways = [way | more for way in ways for more in _branches(child)]
        elif isinstance(child, tuple):
            ways = [way | {child[0]: child[1]} for way in ways]
        else:
            ways = [way | {type(child).__name__: True} for way in ways]
    yield from ways


def _private(readable: Callable[[Judge | None], Q]) -> bool:
    """Whoever has given nothing reads practice battles only; of a live one, its poster or a judge it was handed to."""
    judge = Judge()
    public = all(way.get("kind") == Battle.Kind.PRACTICE for way in _branches(readable(None)))
    live = [way for way in _branches(readable(judge)) if way.get("kind") == Battle.Kind.LIVE]
    own = [way for way in live if way.get("task__judge") == judge]
    offered = [way for way in live if way.get("offer__isnull") is False and way.get("Exists")]
    return public and bool(own) and bool(offered) and len(own) + len(offered) == len(live)


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="private-until-offered",
        belief="A battle is private to whoever posted its task until they offer it, and then to judges it is handed "
        "to.",
        why="What people want done is their own business.",
        mechanism="One condition decides in one statement, so that a battle one may not read looks like one that "
        "does not exist; verify_battle_access compares the two byte for byte.",
        cites=Cited("judging.access", "readable_by"),
        predicate=_private,
        broken=lambda viewer: Q(kind=Battle.Kind.PRACTICE) | Q(kind=Battle.Kind.LIVE),
        mutations=(
            CodeMutation(
                "that a live battle must have been offered",
                ACCESS,
                "    shared = Q(kind=Battle.Kind.LIVE, offer__isnull=False) |",
                "    shared = Q(kind=Battle.Kind.LIVE) |",
            ),
            CodeMutation(
                "that only practice battles are public",
                ACCESS,
                "    public = Q(kind=Battle.Kind.PRACTICE) & ~Q(under_report())\n",
                "    public = ~Q(under_report())\n",
                red=("verify_claims", "verify_battle_access"),
            ),
            CodeMutation(
                "that a missing battle and a forbidden one are one answer",
                ACCESS,
                "    if battle is None:\n        raise NoSuchBattle\n",
                "    if battle is None:\n"
                "        if Battle.objects.filter(pk=battle_id).exists():\n"
                '            refusal = NotFound("It is private.")\n'
                "            refusal.status = 403\n"
                "            raise refusal\n"
                "        raise NoSuchBattle\n",
                red=("verify_battle_access",),
            ),
        ),
    )
)


def _receipts(model: type[Vote]) -> bool:
    """The column of the receipt cannot be empty, for Django and for the database."""
    column = next((field for field in model._meta.concrete_fields if field.name == "receipt"), None)
    if column is None:
        return False
    with connection.cursor() as cursor:
        stored = connection.introspection.get_table_description(cursor, model._meta.db_table)
    return not column.null and not any(each.null_ok for each in stored if each.name == column.column)


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="no-label-without-a-receipt",
        belief="No label is stored without the receipt of its judge’s consent.",
        why="What was given without being asked for cannot be kept.",
        mechanism="The receipt is a column that cannot be empty, filled with the one in force when the label is given.",
        cites=Cited("judging.models.votes", "Vote"),
        predicate=_receipts,
        broken=TrustChange,
        mutations=(
            CodeMutation(
                "that a vote must have a receipt",
                "judging/models/votes.py",
                'ConsentReceipt, on_delete=models.PROTECT, related_name="votes")',
                'ConsentReceipt, null=True, on_delete=models.PROTECT, related_name="votes")',
            ),
            DatabaseMutation(
                "the same in the database", ('ALTER TABLE "judging_vote" ALTER COLUMN "receipt_id" DROP NOT NULL',)
            ),
        ),
    )
)


def _shows_calls(calibrate: Callable[[Judge], Calibration]) -> bool:
    """Every scored call is there with what was said and what was expected, and the share of right ones with them."""
    now = timezone.now()
    calls = [Call(Battle().pk, "gold", said, "tie", now) for said in ("tie", "tie", "both_bad")]
    found = given(calibrate, scored_calls=lambda judge: calls)(Judge())
    nothing = given(calibrate, scored_calls=lambda judge: [])(Judge())
    whole = found.calls == tuple(calls) and found.right == 2 and found.accuracy is not None
    return whole and found.lower < found.accuracy < found.upper and nothing.accuracy is None


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="judges-see-their-calibration",
        belief="A judge sees every scored call of their own, what was expected, and how sure the share of right ones "
        "is.",
        why="A rule about people that they cannot look at is a verdict.",
        mechanism="The page of a judge shows the same calls that the rule of trust counts, once each is settled.",
        cites=Cited("judging.calibration", "calibration"),
        predicate=_shows_calls,
        broken=lambda judge: Calibration((), 0, 1.0, 1.0, 1.0),
        mutations=(
            CodeMutation(
                "the calls that a judge is shown",
                "judging/calibration.py",
                "    return Calibration(tuple(calls), right, right / len(calls), lower, upper)\n",
                "    return Calibration((), right, right / len(calls), lower, upper)\n",
            ),
        ),
    )
)


def _marks(rule: Callable[[list[bool]], bool | None]) -> bool:
    """Too few calls decide nothing, a coin is not marked, and whoever is worse than one is."""
    few, coin, worse = [False] * (CALLS_NEEDED - 1), [True, False] * WINDOW, [True, False, False] * WINDOW
    return rule(few) is None and rule(coin) is False and rule(worse) is True


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="distrust-follows-a-stated-rule",
        belief="A judge is distrusted by a stated rule, after {calls} scored calls at the least, or by an operator who "
        "says why.",
        why="A judge who is silently ignored is deceived, and one who is never ignored can decide a ranking.",
        mechanism="Of the last {window} scored calls, fewer than {worst:.0%} right mark a judge; every change is kept "
        "with its reason.",
        cites=Cited("judging.trust_rule", "speaks_against"),
        figures={
            "calls": Cited("judging.trust_rule", "CALLS_NEEDED"),
            "window": Cited("judging.trust_rule", "WINDOW"),
            "worst": Cited("judging.trust_rule", "WORST_ACCURACY"),
        },
        predicate=_marks,
        broken=lambda calls: False,
        mutations=(
            CodeMutation(
                "that bad calls speak against a judge",
                "judging/trust_rule.py",
                "    return sum(latest) < WORST_ACCURACY * len(latest)\n",
                "    return False\n",
            ),
            CodeMutation(
                "that too few calls decide nothing",
                "judging/trust_rule.py",
                "    if len(calls) < CALLS_NEEDED:\n        return None\n",
                "    if len(calls) < 1:\n        return None\n",
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.PEOPLE,
        key="trust-history-is-kept",
        belief="What was decided about a judge, and why, is kept and never rewritten.",
        why="A decision about a person that leaves no trace cannot be argued with.",
        mechanism="Changes of trust are append-only by triggers of the database; the newest row is the state.",
        cites=Cited("judging.models.trust", "TrustChange"),
        predicate=frozen,
        broken=Judge,
        mutations=(
            DatabaseMutation(
                "the trigger that keeps changes of trust",
                ('ALTER TABLE "judging_trustchange" DISABLE TRIGGER "judging_trustchange_no_change"',),
            ),
        ),
    )
)
