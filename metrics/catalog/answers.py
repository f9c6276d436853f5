"""Answers: what agents said at the end."""

from metrics.lane_measures import lane_median, lane_share
from metrics.measure import (
    BY_LANE,
    OF_A_MEDIAN,
    Direction,
    Measure,
    Scope,
    Section,
    Unit,
)
from metrics.reading import Floor
from metrics.records import LANES, STEPS

ANSWERS = (
    Measure(
        key="answer_share",
        name="Answer given",
        section=Section.ANSWERS,
        counted="lanes with a final text that is not empty",
        over="ended lanes of tasks that ask for an answer",
        unit=Unit.SHARE,
        direction=Direction.HIGHER,
        caveat="Says nothing about truth.",
        records=(*LANES, "task"),
        scope=Scope.AGENT,
        interval=BY_LANE,
        floor=Floor.LANES,
        computation=lane_share("answers", "asks"),
    ),
    Measure(
        key="answer_words",
        name="Answer length",
        section=Section.ANSWERS,
        counted="median words of the final text",
        over="lanes with an answer",
        unit=Unit.WORDS,
        direction=Direction.NEUTRAL,
        caveat="Longer answers draw votes; the style-controlled ratings say how much.",
        records=LANES,
        scope=Scope.AGENT,
        interval=OF_A_MEDIAN,
        floor=Floor.LANES,
        computation=lane_median("words"),
    ),
    Measure(
        key="evidence_share",
        name="Values found in the record",
        section=Section.ANSWERS,
        counted="numbers, dates, prices and names in the answer that stand, as written, in text captured in the lane",
        over="such values in the answer",
        unit=Unit.SHARE,
        direction=Direction.HIGHER,
        caveat="Found is not right; pictures are not read, and other ways to write a value are not known.",
        records=STEPS,
        scope=Scope.AGENT,
        interval=BY_LANE,
        floor=Floor.LANES,
        computation=lane_share("found", "parts"),
    ),
)
