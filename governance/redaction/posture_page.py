"""``docs/redaction.md``, written from the posture."""

from __future__ import annotations

from pathlib import Path

from governance.redaction.measuring import CLEAN_FLAGGED, RECALL, STRUCTURED_RECALL
from governance.redaction.posture import TEXT_POSTURE, KindPosture, measured_figures, posture_state

PAGE = Path(__file__).parents[2] / "docs" / "redaction.md"

_HEAD = """# Redaction of text

Before anything leaves the building, personal details in it are replaced by the name of their kind: `[e-mail]`,
`[card]`. `governance.redaction.redact` does it for a text and says where they stood; `redact_value` does it for the
data of a step, with every field, key and parameter of an address in it. Details that overlap go as one, named by the
longest. Authorization and cookie headers are not replaced but left out.

A text is read in one spelling: full-width letters, digits of other scripts, invisible characters, look-alike letters,
character references and percent-encoding are undone first, and what is found is cut out of the original.

This page is written by `manage.py measure_redaction --record`.
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
            f"On {figures['cases']} shipped cases, {figures['clean_cases']} of them clean, with {libraries}:",
            "",
            "| figure | measured | to reach |",
            "|---|---|---|",
            f"| recall, structured kinds | {figures['structured_recall']:.3f} | at least {STRUCTURED_RECALL} |",
            f"| recall, all kinds | {figures['recall']:.3f} | at least {RECALL} |",
            f"| clean texts flagged | {figures['clean_flagged']:.3f} | at most {CLEAN_FLAGGED} |",
        ]
    lines += ["", "## What is not", "", *(f"- {line}" for line in TEXT_POSTURE.out_of_scope)]
    return "\n".join(lines) + "\n" + _TAIL


def _row(posture: KindPosture, by_kind: dict[str, dict[str, float]]) -> str:
    measured = [by_kind[label] for label in posture.labels if label in by_kind]
    spans = sum(one["spans"] for one in measured)
    recall = f"{sum(one['recall'] * one['spans'] for one in measured) / spans:.3f}" if spans else "-"
    precision = f"{measured[0]['precision']:.3f}" if measured and measured[0]["precision"] is not None else "-"
    kind = f"{posture.kind.value}{'*' if posture.best_effort else ''}"
    return f"| {kind} | {posture.detects} | {', '.join(posture.basis)} | {recall} | {precision} |"
