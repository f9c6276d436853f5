"""``docs/redaction.md``, written from the postures of texts and of pictures."""

from __future__ import annotations

from pathlib import Path

from governance.redaction.imagery_posture import IMAGERY_POSTURE, TO_REACH, imagery_figures, imagery_state
from governance.redaction.measuring import CLEAN_FLAGGED, RECALL, STRUCTURED_RECALL
from governance.redaction.posture import TEXT_POSTURE, KindPosture, measured_figures, posture_state

PAGE = Path(__file__).parents[2] / "docs" / "redaction.md"

_HEAD = """# Redaction

Before anything leaves the building, personal details in it are replaced by the name of their kind: `[e-mail]`,
`[card]`. What judges see is masked too; only the person who submitted a task sees what was recorded.

`governance.redaction.redact` redacts a text and says where details stood; `redact_value` the data of a step, with
every field, key and parameter of an address in it; `battles.redacted_texts.redacted_step` a whole step of any verb.
Details that overlap go as one, named by the longest. Authorization and cookie headers are not replaced: they are never
stored, and left out of whatever holds some.

A text is read in one spelling: full-width letters, digits of other scripts, invisible characters, look-alike letters,
character references and percent-encoding are undone first, and what is found is cut out of the original.

What a task states, its start address too, and what was typed into a field that asks for something personal, is known
(`known_details`) and is replaced wherever else it comes again in the words of the task and of the lane, whatever its
case, accents and encoding. Words, names and numbers go where they stand by themselves; eight characters or more of
letters mixed with digits or signs go inside words too. Of a secret in an address only what pages do not say as well is
known: not a word of up to seven letters, and behind a parameter with many uses (`code`, `key`, `state`, `session`,
`sig`) only what looks drawn at random; in the address itself these are replaced all the same. Placeholders, and schemes
and hosts of addresses, are left as they are by this, so a detail that stands where an address has its host stays. Not
undone are percent-encoded Latin-1 (`%FC`), bytes of UTF-8 as escapes (`\\xc3\\xbc`) and what is written out three times
over.

This page is written by `manage.py measure_redaction --record` and `manage.py measure_imagery --record`.

# Texts

"""

_TAIL = """
## Measuring

`manage.py measure_redaction` redacts the shipped cases (`governance/redaction/cases/text.jsonl`, invented by us) and
prints recall, the share of clean texts flagged, and both by kind; `--cases FILE` takes others, `--json` prints a
document, `--record` keeps the figures of the shipped cases with the digest of the cases and of the detectors. A
labelled detail counts only when it is covered whole. The command ends with 1 when a figure is missed and with 2 when
the cases cannot be read. No database is needed.

The shipped cases were written together with the detectors, so their figures show that nothing broke rather than what to
expect of texts by other people. Keys among them begin with a JSON escape, so that scanners for leaked keys pass by.

"""

_PICTURES = """# Pictures

Each frame carries two facts, one for each detector, and they are never put together: `masked` (something was found),
`clean` (it looked and found nothing), `detector_failed`, `not_examined`. An export takes a frame only when both are
`masked` or `clean`. Beside a fact stand the boxes to mask and their kinds, never the words. The mask of an image is the
union over all frames that show it.

Pictures are masked by what is examined on the page and read in the picture, frame by frame. What is known from the task
or from another step is not looked for in them: a password that a page shows without saying that it is one stays.

Judges are shown the boxes that are known when they look. A frame that neither detector has read is shown to them in
coarse squares, without words, until one has. Names and postal addresses stay readable for judges, in texts and in
pictures: pages are full of authors and shops, which are often what a task asks for. Exports mask them.
"""

_KEEPING = """
## Reading pictures

`rapidocr` brings its models in its wheel and needs no network, but some 300 MB with what it requires, so it is an
extra: `pip install -r requirements-ocr.txt`. Without it the fact of the picture detector stays `not_examined`, and
exports leave such frames out. With it, the task `battles.read_pictures` reads each distinct image once, a few seconds
of CPU apiece, for two minutes at a time and never while anybody races. A worker holds some 450 MB while it reads.

## How long things are kept

| what | how long | then |
|---|---|---|
| original pictures, for the submitter only | 30 days after the last frame of it | the masked one takes its place |
| masked pictures | 730 days | deleted; the row stays, with a size of 0 |
| logs of the services and the site | 30 days at most | deleted |
| what a withdrawal covers | see [judging](judging.md) | erased by its own clock |

The tasks `battles.retain_frames` and `arena.retain_logs` do this every night and write a row to the journal each time,
also when nothing was due (`battles:frames:retain`, `arena:logs:retain`).

**Backups are yours to make, and to end**: keep a copy of the database and of the folder `frames` for 30 days at most.
A backup that is older brings originals back that were to be gone; after restoring any backup run the two tasks once,
and the withdrawals that were done since it was made.

## Measuring pictures

`manage.py measure_imagery` has Chromium draw the shipped lines (`governance/redaction/cases/pictures.jsonl`, invented
by us) and counts the details that each detector by itself covers whole; `--record` keeps the figures with the date,
the versions and the digests. Other detectors, other lines or another version of `rapidocr` make them stale.
"""


def posture_markdown() -> str:
    """The page in Markdown; figures only when they were measured on today's cases and detectors."""
    figures = measured_figures()
    lines = [_HEAD, "## What is found", "", "| kind | what | basis | recall | precision |", "|---|---|---|---|---|"]
    lines.extend(_row(posture, figures["by_kind"] if figures else {}) for posture in TEXT_POSTURE.kinds)
    lines += ["", "* best effort: no form, number or list can find them all.", ""]
    if figures is None:
        lines.append(f"**There are no figures** ({posture_state().value}): run `manage.py measure_redaction --record`.")
    else:
        libraries = ", ".join(f"{name} {number}" for name, number in figures["libraries"].items())
        lines += [
            f"Measured on {figures['on']} on {figures['cases']} shipped cases, {figures['clean_cases']} of them clean, "
            f"with {libraries}:",
            "",
            "| figure | measured | to reach |",
            "|---|---|---|",
            f"| recall, structured kinds | {figures['structured_recall']:.3f} | at least {STRUCTURED_RECALL} |",
            f"| recall, all kinds | {figures['recall']:.3f} | at least {RECALL} |",
            f"| clean texts flagged | {figures['clean_flagged']:.3f} | at most {CLEAN_FLAGGED} |",
        ]
    lines += ["", "## What is not", "", *(f"- {line}" for line in TEXT_POSTURE.out_of_scope)]
    return "\n".join(lines) + "\n" + _TAIL + _PICTURES + _pictures() + _KEEPING


def _pictures() -> str:
    figures = imagery_figures()
    lines = ["", "## What is found in them", "", "| detector | when | what | basis |", "|---|---|---|---|"]
    lines += [
        f"| {detector.name} | {detector.when} | {' '.join(detector.detects)} | {', '.join(detector.basis)} |"
        for detector in IMAGERY_POSTURE.detectors
    ]
    lines.append("")
    if figures is None:
        lines.append(f"**There are no figures** ({imagery_state().value}): run `manage.py measure_imagery --record`.")
    else:
        versions = ", ".join(f"{name} {number}" for name, number in figures["libraries"].items())
        lines += [
            f"Measured on {figures['on']} on {figures['strings']} strings of 11 to 14 px and {figures['clean']} clean "
            f"lines, drawn by {figures['browser']}, with {versions}. To reach: {TO_REACH[0]} of {TO_REACH[1]} strings.",
            "",
            "| kind | strings | found by the page | found by the picture |",
            "|---|---|---|---|",
            *(
                f"| {label} | {one['strings']} | {one['by_page']} | {one['by_picture']} |"
                for label, one in figures["by_kind"].items()
            ),
            f"| all | {figures['strings']} | {figures['by_page']} | {figures['by_picture']} |",
            f"| clean, touched | {figures['clean']} | {figures['clean_by_page']} | {figures['clean_by_picture']} |",
        ]
    lines += ["", "## What is not found in them", "", *(f"- {line}" for line in IMAGERY_POSTURE.out_of_scope)]
    return "\n".join(lines) + "\n"


def _row(posture: KindPosture, by_kind: dict[str, dict[str, float]]) -> str:
    measured = [by_kind[label] for label in posture.labels if label in by_kind]
    spans = sum(one["spans"] for one in measured)
    recall = f"{sum(one['recall'] * one['spans'] for one in measured) / spans:.3f}" if spans else "-"
    precision = f"{measured[0]['precision']:.3f}" if measured and measured[0]["precision"] is not None else "-"
    kind = f"{posture.kind.value}{'*' if posture.best_effort else ''}"
    return f"| {kind} | {posture.detects} | {', '.join(posture.basis)} | {recall} | {precision} |"
