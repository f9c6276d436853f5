"""What the constitution itself discloses: the sentences, withdrawals, and what redaction finds and misses."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from governance import licensing
from governance.disclosures import Cell, Disclosure, Sheet, register_disclosure
from governance.models import ConsentText, Withdrawal
from governance.redaction.imagery_posture import IMAGERY_POSTURE, imagery_figures, imagery_state
from governance.redaction.posture import (
    TEXT_POSTURE,
    KindPosture,
    MeasurementState,
    measured_figures,
    posture_state,
)
from governance.withdrawal_clocks import ACTS_BEFORE, CORPUS_WITHIN, LICENSEES_WITHIN


def consent_versions() -> Sheet:
    """Every sentence that was ever shown, newest first, with its digest."""
    texts = list(ConsentText.objects.order_by("-version"))
    return Sheet(
        says=(
            "People agree to one sentence before anything of theirs is kept. Every wording is archived, word for word, "
            "and a new one asks again.",
        ),
        columns=("Version", "Sentence", "In force from", "SHA-256"),
        rows=tuple(
            (
                Cell(f"{text.version}"),
                Cell(text.sentence),
                Cell(f"{text.effective_from:%Y-%m-%d}"),
                Cell(text.sha256, code=True),
            )
            for text in texts
        ),
        none="Nobody has been asked yet, so no sentence is in the archive.",
    )


def redaction_of_text() -> Sheet:
    """What is looked for in texts, on what basis, how much of it is found, and what is out of scope."""
    figures = measured_figures()
    measured = f"Measured on {figures['on']}." if figures else _no_figures(posture_state())
    by_kind = figures["by_kind"] if figures else {}
    return Sheet(
        says=(
            "Before a text leaves, personal details in it are replaced by the name of their kind. Recall is the share "
            "of them that was found in cases of our own, precision the share of findings that were right.",
            measured,
        ),
        columns=("Kind", "What is found", "Basis", "Recall", "Precision"),
        rows=tuple(_kind_row(posture, by_kind) for posture in TEXT_POSTURE.kinds),
        more=("Not looked for: " + " ".join(TEXT_POSTURE.out_of_scope),),
    )


def redaction_of_pictures() -> Sheet:
    """The same of pictures: which detector looks when, at what, and how much each finds by itself."""
    figures = imagery_figures()
    measured = f"Measured on {figures['on']}." if figures else _no_figures(imagery_state())

    def recall(detector: str) -> str:
        return f"{figures[f'by_{detector}'] / figures['strings']:.3f}" if figures else "not measured"

    return Sheet(
        says=(
            "Two detectors look at each picture, and what either finds is masked. An export takes a picture only when "
            "both have looked. Recall is the share of details, drawn into pictures of our own, that one covers whole.",
            measured,
        ),
        columns=("Detector", "When", "What is found", "Basis", "Recall"),
        rows=tuple(
            (
                Cell(detector.name),
                Cell(detector.when),
                Cell(" ".join(detector.detects)),
                Cell(", ".join(detector.basis)),
                Cell(recall(detector.name)),
            )
            for detector in IMAGERY_POSTURE.detectors
        ),
        more=("Not looked for: " + " ".join(IMAGERY_POSTURE.out_of_scope),),
    )


def _no_figures(state: MeasurementState) -> str:
    return f"There are no figures at present: {state.value.replace('_', ' ')}."


def _kind_row(posture: KindPosture, by_kind: dict[str, dict[str, float]]) -> tuple[Cell, ...]:
    measured = [by_kind[label] for label in posture.labels if label in by_kind]
    whole = sum(one["spans"] for one in measured)
    recall = f"{sum(one['recall'] * one['spans'] for one in measured) / whole:.3f}" if whole else "not measured"
    precision = measured[0]["precision"] if measured else None
    name = f"{posture.kind.value}{', best effort' if posture.best_effort else ''}"
    return (
        Cell(name),
        Cell(posture.detects),
        Cell(", ".join(posture.basis)),
        Cell(recall),
        Cell("not measured" if precision is None else f"{precision:.3f}"),
    )


def withdrawal_clocks() -> Sheet:
    """Both clocks, and whether they were kept; how many withdrawals there were is nobody’s business."""
    return Sheet(
        says=(
            "Whoever gave something can take it back: everything, all of one kind, one task, the labels on one battle, "
            "or only who they are.",
        ),
        columns=("Clock", "Within", "Kept so far"),
        rows=(
            (
                Cell("Out of the ratings and erased"),
                Cell(f"{CORPUS_WITHIN.days} days"),
                Cell(_kept("corpus_done_at", CORPUS_WITHIN)),
            ),
            (
                Cell("Holders of delivered data told, with a replacement"),
                Cell(f"{LICENSEES_WITHIN.days} days"),
                Cell(_kept("licensees_done_at", LICENSEES_WITHIN)),
            ),
        ),
        more=(
            f"What operators leave undone is done by a task {ACTS_BEFORE.days} day before it is due. Numbers that "
            "were published before stay as they were published.",
        ),
    )


def _kept(done: str, within: timedelta) -> str:
    """Whether a clock was kept by all withdrawals, in words without a number."""
    due = F("received_at") + within
    asked = Withdrawal.objects.filter(called_off_at__isnull=True)
    if asked.filter(**{f"{done}__isnull": True}, received_at__lte=timezone.now() - within).exists():
        return "no: at least one is overdue now"
    if asked.filter(**{f"{done}__gt": due}).exists():
        return "not always: at least one was late"
    return "yes, every time" if asked.filter(**{f"{done}__isnull": False}).exists() else "none has come due"


def tied_licensees() -> Sheet:
    """Licensees that belong to a provider of agents, beside that provider."""
    return Sheet(
        says=("What people prefer is an advantage in training. So whoever gets it and makes agents is named here.",),
        columns=("Licensee", "Tied to"),
        rows=tuple((Cell(licensee.name), Cell(licensee.provider)) for licensee in licensing.tied_licensees()),
        none="No licensee is tied to a provider of agents.",
    )


register_disclosure(Disclosure("consent", "Consent", place=10, read=consent_versions))
register_disclosure(Disclosure("redaction", "Redaction of texts", place=30, read=redaction_of_text))
register_disclosure(Disclosure("imagery", "Redaction of pictures", place=31, read=redaction_of_pictures))
register_disclosure(Disclosure("withdrawals", "Withdrawals", place=20, read=withdrawal_clocks))
register_disclosure(Disclosure("licensees", "Licensees", place=55, read=tied_licensees))
