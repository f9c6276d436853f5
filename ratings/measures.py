"""What a publication measures, in words: change one of these and it is another number under the same name."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import scipy

from ratings.estimators.arrays import different
from ratings.models import Board
from ratings.rated_corpus import Corpus

#: Changes when what judges see of a battle, or how they say who was better, changes in a way that could move votes.
INTERFACE_VERSION = "1"

TASK_POPULATION = {
    Board.HEADLINE: "tasks that people posted on this site for themselves, screened for overlap with public benchmarks",
    Board.DEMO: "practice tasks on the operator's own sites, and tasks that people posted, raced by any agents",
}
JUDGE_POOL = {
    Board.HEADLINE: "people with an account; whoever posted a task counts only where nobody else voted",
    Board.DEMO: "anybody, with an account or without; whoever posted a task counts only where nobody else voted",
}
#: Stands for labels whose judges' wording nobody recorded.
UNRECORDED = "unrecorded"


def measures_document(board: Board, corpus: Corpus) -> dict[str, Any]:
    """Task population, judge pool, and the versions of what judges saw and were told."""
    rubrics = different(corpus.integers("rubric")[corpus.rated]).tolist()
    return {
        "task_population": TASK_POPULATION[board],
        "judge_pool": JUDGE_POOL[board],
        "interface_version": INTERFACE_VERSION,
        "rubric_versions": [str(version) if version else UNRECORDED for version in rubrics],
    }


def libraries_document() -> dict[str, str]:
    """Versions of what computed the numbers: with others, last digits may differ and the digest with them."""
    return {"numpy": np.__version__, "python": platform.python_version(), "scipy": scipy.__version__}
