"""Beliefs about what is published: exclusions, no sample sizes, and nothing that is taken back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from governance.asking import frozen, raises
from governance.models import Judge
from governance.theses import Cited, CodeMutation, DatabaseMutation, Section, Thesis, thesis
from ratings.eligibility import REASON_WORDS, Reason
from ratings.projection import AUDIT, DROP, UnknownShape, project
from ratings.publications import GateRefused

RANKS = "ratings/eligibility.py"


def _publishes_exclusions(shape: Mapping[str, Any]) -> bool:
    """Of what was left out, shares by reason and by agent are public, every reason has words, and counts stay in."""
    full = {
        "labels": {"identity_leaked": 7},
        "label_shares": {"identity_leaked": 0.07},
        "exclusions": {"somebody": {"excluded": {"identity_leaked": 7}, "rates": {"identity_leaked": 0.07}}},
    }
    public = {
        "label_shares": {"identity_leaked": 0.07},
        "exclusions": {"somebody": {"rates": {"identity_leaked": 0.07}}},
    }
    return project(full, shape, "audit") == public and set(REASON_WORDS) == set(Reason) - {Reason.RATED}


thesis(
    Thesis(
        section=Section.RATINGS,
        key="exclusions-are-published",
        belief="What is left out is never deleted, and is published by reason, for every agent.",
        why="An agent that names itself where it would lose erases its losses, unless somebody counts them.",
        mechanism="Each label has one reason, in a stated order; shares by reason and by agent are part of every "
        "publication, beside the rank it would have had with them lost.",
        cites=Cited("ratings.projection", "AUDIT"),
        predicate=_publishes_exclusions,
        broken={**AUDIT, "label_shares": DROP},
        mutations=(
            CodeMutation(
                "that exclusions are public",
                "ratings/projection.py",
                '    "label_shares": Each(share),\n',
                '    "label_shares": DROP,\n',
            ),
        ),
    )
)


def _outranks(rule: Callable[..., Any]) -> bool:
    """Of two labels on a battle the submitter's goes; a battle that nobody else judged keeps it."""
    reasons, battles = np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 2])
    found = rule(reasons, battles, np.array([True, False, True, False]))
    return [int(reason) for reason in found] == [int(Reason.OUTRANKED), 0, 0, 0]


thesis(
    Thesis(
        section=Section.RATINGS,
        key="independent-judges-outrank",
        belief="Where somebody else judged a battle, the label of whoever posted the task does not rate.",
        why="Whoever chose the task had a reason to.",
        mechanism="The rule is applied when the corpus is made, to all labels of a battle at once.",
        cites=Cited("ratings.eligibility", "outrank_submitters"),
        predicate=_outranks,
        broken=lambda reasons, battles, by_submitter: reasons,
        mutations=(
            CodeMutation(
                "the rule that outranks submitters",
                RANKS,
                "    return np.where(outranked, int(Reason.OUTRANKED), reasons)\n",
                "    return reasons.copy()\n",
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.RATINGS,
        key="every-number-can-be-made-again",
        belief="Every published number can be made again from its corpus, by anybody.",
        why="A number that only its author can compute is an opinion.",
        mechanism="A publication names the digest of its corpus; verify_publication fits it again and compares number "
        "by number, and rehearses that a changed one is found.",
        cites=Cited("ratings.rehearsal", "rehearse"),
        mutations=(
            CodeMutation(
                "the look at each value",
                "ratings/verification.py",
                "        yield Difference(path, published, refitted)\n",
                "        yield from ()\n",
                red=("verify_publication --rehearse",),
            ),
            CodeMutation(
                "the verdict on what differs",
                "ratings/verification.py",
                "        return not self.differences and not self.problems\n",
                "        return True\n",
                red=("verify_publication --rehearse",),
            ),
        ),
    )
)


def _knows_all(projects: Callable[..., Any]) -> bool:
    """What nobody has decided about stops it, at any depth; what is withheld does not come out."""
    shape = {"rating": lambda value: value, "battles": DROP, "rows": [{"votes": DROP}]}
    known = projects({"rating": 1.0, "battles": 9, "rows": [{"votes": 3}]}, shape, "document")
    new = ({"judges": 5}, {"rows": [{"judges": 5}]})
    return known == {"rating": 1.0, "rows": [{}]} and all(
        raises(UnknownShape, projects, each, shape, "document") for each in new
    )


thesis(
    Thesis(
        section=Section.MEASURES,
        key="sample-sizes-withheld",
        belief="No sample size is public, and no new number becomes public by being new.",
        why="Who knows how few votes decide knows how many to buy.",
        mechanism="Every public document passes one projection that names all it lets out, and stops at a key it does "
        "not know.",
        cites=Cited("ratings.projection", "project"),
        predicate=_knows_all,
        broken=lambda value, shape, path: dict(value),
        mutations=(
            CodeMutation(
                "that unknown keys stop the projection",
                "ratings/projection.py",
                '    if unknown:\n        raise UnknownShape(f"nobody has decided',
                '    if not unknown is unknown:\n        raise UnknownShape(f"nobody has decided',
            ),
            CodeMutation(
                "that withheld keys are dropped",
                "ratings/projection.py",
                "for key, each in value.items() if shape[key] is not DROP}",
                "for key, each in value.items() if shape[key] is not ...}",
            ),
        ),
    )
)


thesis(
    Thesis(
        section=Section.CONFLICT_OF_INTEREST,
        key="no-score-is-retracted",
        belief="No published score is changed or taken back; a later publication stands beside it.",
        why="Whoever may take back a bad day can publish good ones only.",
        mechanism="Publications are append-only by triggers of the database, each names the one before, and the ledger "
        "has its digest.",
        cites=Cited("ratings.models", "Publication"),
        predicate=frozen,
        broken=Judge,
        mutations=(
            DatabaseMutation(
                "the trigger that keeps publications",
                ('ALTER TABLE "ratings_publication" DISABLE TRIGGER "ratings_publication_no_change"',),
            ),
        ),
    )
)


def _lets_nobody_go(gate: Callable[..., None]) -> bool:
    """An agent that was published stays listed, unless it is not ranked any more or counts in another's row."""
    ended = {name: np.array([0]) for name in ("agent_a", "agent_b")}
    previous = SimpleNamespace(document=json.dumps({"ratings": [{"agent": "first"}, {"agent": "second"}]}))

    def leaves(reason: Reason, joined: Sequence[str] = ()) -> bool:
        rows = [SimpleNamespace(agent=agent) for agent in joined]
        corpus = SimpleNamespace(agents=("second",), reason=np.array([int(reason)]), joined=rows, **ended)
        return raises(GateRefused, gate, [{"agent": "first"}], corpus, previous)

    return leaves(Reason.RATED) and not leaves(Reason.NOT_RANKED) and not leaves(Reason.RATED, ["second"])


thesis(
    Thesis(
        section=Section.CONFLICT_OF_INTEREST,
        key="nothing-runs-privately",
        belief="Nobody runs an agent here in private: who was once published stays listed, with every battle counted "
        "or left out for a reason.",
        why="The best of many private tries looks better than it is.",
        mechanism="A publication that loses an agent without a reason does not pass the gate.",
        cites=Cited("ratings.publications", "_require_agents"),
        predicate=_lets_nobody_go,
        broken=lambda rows, corpus, previous: None,
        mutations=(
            CodeMutation(
                "the gate that keeps agents listed",
                "ratings/publications.py",
                "    missing = sorted(before - listed - excused)\n",
                "    missing = sorted(before - before)\n",
            ),
        ),
    )
)
