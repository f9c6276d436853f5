"""Real votes with reference results that other programs computed (see ``data/SOURCES.md``)."""

from __future__ import annotations

import csv
import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ratings.estimators.arrays import Floats
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons

DATA = Path(__file__).parent / "data"
OUTCOMES = {"a": A_WINS, "tie": TIE, "b": B_WINS}


@cache
def reference() -> dict[str, Any]:
    """The reference results; arrays follow ``models``."""
    return dict(json.loads((DATA / "llmfao_crowd.reference.json").read_text()))


@cache
def _rows() -> list[dict[str, str]]:
    with gzip.open(DATA / "llmfao_crowd.csv.gz", "rt", newline="") as file:
        return list(csv.DictReader(file))


@cache
def crowd_votes() -> Comparisons:
    """8,931 votes by 124 judges on 59 models."""
    agents = {name: index for index, name in enumerate(reference()["models"])}
    judges: dict[str, int] = {}
    columns = [
        (
            judges.setdefault(row["judge"], len(judges)),
            agents[row["model_a"]],
            agents[row["model_b"]],
            OUTCOMES[row["outcome"]],
        )
        for row in _rows()
    ]
    return Comparisons(len(agents), *(np.array(column) for column in zip(*columns, strict=True)))


@cache
def crowd_style() -> Floats:
    """(4, n) standardised differences of style, in the order of the reference's features."""
    features = reference()["style"]["features"]
    return np.array([[float(row[name]) for row in _rows()] for name in features])
