"""A publication of simulated votes, verified from its files: verification works where nobody has voted yet."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from ratings.canonical import canonical
from ratings.corpus import corpus_from_file
from ratings.corpus_file import COLUMNS, PROCESS, STYLE
from ratings.documents import Provenance
from ratings.estimators.seeded import SeededDraws
from ratings.models import Board
from ratings.publications import document_of_corpus
from ratings.rated_corpus import Corpus, EndedBattles, make_corpus
from ratings.verification import Verdict, verify_document

#: Strengths of the simulated agents, in nats, and how many votes of how many judges there are.
STRENGTHS = (0.6, 0.2, -0.2, -0.6)
LABELS, JUDGES, SEED = 600, 40, 1


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What verification said of the document, and of the same document with one number changed."""

    honest: Verdict
    changed: Verdict

    @property
    def passed(self) -> bool:
        """Whether the first was verified to the byte, and the one changed number was found and nothing else."""
        found = [difference.path for difference in self.changed.differences]
        refused = not self.changed.verified and found == ["ratings[0].rating"]
        return self.honest.verified and self.honest.same_bytes and refused


def rehearse() -> Rehearsal:
    """Publish simulated votes, and verify the document as it is and with one number changed."""
    corpus = corpus_from_file(simulated_corpus().encoded())
    text = document_of_corpus(Board.DEMO, corpus, Provenance()).public_text
    changed = json.loads(text)
    changed["ratings"][0]["rating"] = round(changed["ratings"][0]["rating"] + 0.01, 2)
    return Rehearsal(verify_document(text, corpus), verify_document(canonical(changed), corpus))


def simulated_corpus() -> Corpus:
    """The same votes on every machine: each pair as often as any other, every judge as busy as any other."""
    chance, agents = SeededDraws(SEED), len(STRENGTHS)
    row = np.arange(LABELS)
    a = row % agents
    b = (a + 1 + row // agents % (agents - 1)) % agents
    strength = np.array(STRENGTHS)
    won = chance.uniforms(LABELS) < 1 / (1 + np.exp(strength[b] - strength[a]))
    pairs = agents * (agents - 1) // 2
    columns: dict[str, np.ndarray] = {name: np.zeros(LABELS, dtype=kind) for name, kind in COLUMNS}
    columns |= {
        "battle": row,
        "judge": row * 7 % JUDGES,
        "agent_a": a,
        "agent_b": b,
        "outcome": np.where(row % 5 == 0, 1, np.where(won, 2, 0)),
        "pairs": np.full(LABELS, pairs),
        "probability": np.full(LABELS, 1 / pairs),
    }
    columns |= {
        f"{name}_{side}": np.floor(1 + 40 * chance.uniforms(LABELS)) for name in (*STYLE, *PROCESS) for side in "ab"
    }
    return make_corpus(
        agents=tuple(f"simulated-{number}" for number in range(agents)),
        categories=("other",),
        columns=columns,
        draws=(LABELS * (1 - np.eye(agents))).astype(np.int64),
        ended=EndedBattles(*np.empty((4, 0), dtype=np.int64)),
    )
