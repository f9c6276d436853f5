"""Tables of judging: labels, the pool, repeats, trust, accounts, rubrics, rounds, panels, readings of blindness."""

from judging.models.accounts import FORGOTTEN, JudgeAccount
from judging.models.blindness import StylometryReading
from judging.models.exclusions import Exclusion
from judging.models.labels import Annotation, Click, StepVerdict
from judging.models.pool import Assignment, Attention, ImpossibleMark, Offer, Report, StepOpened
from judging.models.repeats import RepeatCompletion, RepeatVote
from judging.models.rounds import (
    CalibrationRound,
    Panel,
    PanelBattle,
    PanelJudge,
    PanelTask,
    RoundBattle,
    RoundJudge,
    Rubric,
)
from judging.models.trust import HeldLabel, TrustChange
from judging.models.votes import REVISABLE_FOR, Completion, RefusedVote, Vote, VoteRevision

__all__ = [
    "FORGOTTEN",
    "REVISABLE_FOR",
    "Annotation",
    "Assignment",
    "Attention",
    "CalibrationRound",
    "Click",
    "Completion",
    "Exclusion",
    "HeldLabel",
    "ImpossibleMark",
    "JudgeAccount",
    "Offer",
    "Panel",
    "PanelBattle",
    "PanelJudge",
    "PanelTask",
    "RefusedVote",
    "RepeatCompletion",
    "RepeatVote",
    "Report",
    "RoundBattle",
    "RoundJudge",
    "Rubric",
    "StepOpened",
    "StepVerdict",
    "StylometryReading",
    "TrustChange",
    "Vote",
    "VoteRevision",
]
