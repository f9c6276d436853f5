"""The datasheet of a snapshot: Markdown with a YAML header, in the form that dataset hubs and their loaders read.

Written from the manifest alone, so that it cannot say anything else. Its sections are those of Gebru et al. 2021,
Datasheets for datasets. The header names no language: nothing records in which one people, pages and agents wrote.
Knows no Django.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from governance.withdrawal_clocks import LICENSEES_WITHIN

#: Where a size of the hubs' size_categories begins.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_MANY = "n>1M"


def datasheet(manifest: Mapping[str, Any]) -> str:
    """The datasheet of a manifest."""
    sections = (
        _header(manifest),
        _motivation(manifest),
        _composition(manifest),
        _collection(manifest),
        _preprocessing(manifest),
        _uses(manifest),
        _distribution(manifest),
        _maintenance(manifest),
    )
    return "\n\n".join(sections) + "\n"


def _header(manifest: Mapping[str, Any]) -> str:
    rows = sum(table["rows"] for table in manifest["tables"])
    size = next((name for limit, name in _SIZES if rows < limit), _MANY)
    lines = [
        "---",
        f"pretty_name: {json.dumps('Ringside dataset of ' + manifest['licensor'], ensure_ascii=False)}",
        "license: other",
        'license_name: "as-delivered"',
        "tags: [computer-use-agents, human-preferences, trajectories]",
        f"size_categories: [{json.dumps(size)}]",
        "configs:",
    ]
    for table in manifest["tables"]:
        # Loaders refuse a table without a row, and read all tables of one header as the format of the first.
        if table["rows"]:
            pattern = f"{table['name']}/*.parquet"
            lines += [f"- config_name: {table['name']}", f"  data_files: {json.dumps(pattern)}"]
    return "\n".join([*lines, "---", "", f"# Ringside dataset of {_line(manifest['licensor'])}"])


def _motivation(manifest: Mapping[str, Any]) -> str:
    return (
        "## Motivation\n\n"
        "People posted tasks for a web browser; two computer-use agents raced each task, and people judged the two "
        "runs without knowing whose they were. This snapshot holds the tasks, the runs and the judgments.\n\n"
        f"Made by {_line(manifest['licensor'])}, as of {manifest['as_of']}. Identifier `{manifest['id']}`."
    )


def _composition(manifest: Mapping[str, Any]) -> str:
    lines = ["## Composition", "", "| table | a row is | rows |", "|---|---|---|"]
    lines += [f"| {table['name']} | {_cell(table['words'])} | {table['rows']} |" for table in manifest["tables"]]
    for table in manifest["tables"]:
        lines += ["", f"### {table['name']}", "", "| column | type | treatment | meaning |", "|---|---|---|---|"]
        lines += [
            f"| {column['name']} | {column['type']} | {column['treatment'].replace('_', ' ')} "
            f"| {_cell(column['words'])} |"
            for column in table["columns"]
        ]
    lines += ["", _languages(manifest)]
    lines += ["", "Votes that rate nobody are in the table `exclusions`, with the reason:", ""]
    lines += [f"- `{reason}`: {words}" for reason, words in manifest.get("exclusion_reasons", {}).items()]
    return "\n".join(lines)


def _languages(manifest: Mapping[str, Any]) -> str:
    asked = sorted({text["language"] for text in manifest["consent"]})
    shown = f" Consent was asked in: {', '.join(f'`{language}`' for language in asked)}." if asked else ""
    return "In which language a task, a page or a remark is written is not recorded; it may be any." + shown


def _collection(manifest: Mapping[str, Any]) -> str:
    lines = ["## Collection", "", "Everything here was given under one of these sentences, kept verbatim:", ""]
    lines += [
        f"- version {text['version']}, scope {text['scope']}, SHA-256 `{text['sha256']}`: {_line(text['sentence'])}"
        for text in manifest["consent"]
    ] or ["- none: there is nothing in it that a person gave."]
    lines += ["", "Held back:", ""]
    lines += [f"- {each['rows']} {each['of']}: {each['words']}" for each in manifest["left_out"]] or ["- nothing."]
    screened = manifest.get("overlap_screening")
    if screened:
        lines += [
            "",
            "Tasks were screened against public benchmarks when they were posted: duplicates were refused, and what "
            "is near to an item says so in the column `overlap`. Measured figures are in the manifest.",
        ]
    return "\n".join(lines)


def _preprocessing(manifest: Mapping[str, Any]) -> str:
    text = manifest["redaction"]["text"]
    lines = ["## Preprocessing", "", *manifest["notes"], "", "| kind of detail | what is found |", "|---|---|"]
    lines += [
        f"| {kind['kind']}{' *' if kind['best_effort'] else ''} | {_cell(kind['detects'])} |" for kind in text["kinds"]
    ]
    lines += ["", "\\* best effort.", ""]
    if text["measured"] is None:
        lines.append(f"How much is found has no figure that is up to date ({text['state']}).")
    else:
        lines.append(
            f"On the shipped labelled cases the recall is {text['measured']['recall']:.3f}, and "
            f"{text['measured']['structured_recall']:.3f} on kinds with a structure."
        )
    lines += ["", "Not looked for, or not found:", "", *(f"- {line}" for line in text["out_of_scope"])]
    imagery = manifest["redaction"]["imagery"]
    lines += ["", "An image leaves only where both of these have read the frame:", ""]
    lines += [f"- {each['name']}, {each['when']}: {' '.join(each['detects'])}" for each in imagery["detectors"]]
    if imagery["measured"] is None:
        lines += ["", f"How much they find has no figure that is up to date ({imagery['state']})."]
    else:
        found = imagery["measured"]
        lines += [
            "",
            f"Of {found['strings']} strings drawn for it the page's detector covered {found['by_page']} whole, "
            f"and the picture's {found['by_picture']}.",
        ]
    lines += ["", "Not looked for in images:", "", *(f"- {line}" for line in imagery["out_of_scope"])]
    return "\n".join(lines)


def _uses(manifest: Mapping[str, Any]) -> str:
    claims = manifest["not_entitled"]["not_entitled"] if "not_entitled" in manifest else []
    lines = ["## Uses", "", "What this corpus does not entitle anybody to claim:", ""]
    lines += [
        f"- **{_line(each['claim'])}.** {_line(each['why'])} To earn it: {_line(each['earned_by'])}" for each in claims
    ] or ["- every claim that is checked could be made when it was made."]
    lines += ["", "Beside each label stands how often its judge was right where that could be scored."]
    return "\n".join(lines)


def _distribution(manifest: Mapping[str, Any]) -> str:
    return (
        "## Distribution\n\n"
        "Delivered to licensees under the terms they agreed to. `manifest.json` has the SHA-256 of every file, and "
        "its own SHA-256 is the snapshot's digest, which stands in the public ledger. "
        "`manage.py snapshot verify FOLDER` computes all of it again."
    )


def _maintenance(manifest: Mapping[str, Any]) -> str:
    lines = [
        "## Maintenance",
        "",
        "When somebody withdraws what is in it, this snapshot is served no more, and whoever has it gets a replacement "
        f"within {LICENSEES_WITHIN.days} days of the request and is asked to delete this one.",
    ]
    if manifest["replaces"]:
        replaced = manifest["replaces"]
        lines += ["", f"It replaces `{replaced['id']}` (digest `{replaced['digest']}`). Rows that are gone:", ""]
        lines += [f"- {name}: {count}" for name, count in replaced["removed"].items() if count] or ["- none."]
    return "\n".join(lines)


def _line(text: str) -> str:
    """Text of a person on one line of Markdown, where it is nothing but text."""
    return _escape(" ".join(text.split()), "\\`*_[]<>#|")


def _cell(text: str) -> str:
    return _escape(" ".join(text.split()), "|")


def _escape(text: str, signs: Iterable[str]) -> str:
    special = set(signs)
    return "".join(f"\\{sign}" if sign in special else sign for sign in text)
