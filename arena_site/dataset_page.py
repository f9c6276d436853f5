"""What of a snapshot's manifest is public, and the page that shows it.

Through the ratings' projection: no number of rows, labels, judges or files, and a key that nobody has decided about
stops it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from battles.models import Agent
from battles.roster import same_provider
from governance.dataset.manifest import canonical, digest_of
from governance.licensing import tied_licensees
from ratings.projection import DROP, Each, constant, number, project, text

#: Instead of a reason with a figure in it, which could be traced back to counts.
TOLD_TO_LICENSEES = "The figure is in the manifest that licensees get."


def as_shipped(value: Any) -> Any:
    """Figures about the cases that ship with the code: they are public there, and say nothing about the corpus."""
    return value


def without_figures(value: Any) -> str:
    """A sentence, or that it has a figure."""
    return TOLD_TO_LICENSEES if any(letter.isdigit() for letter in text(value)) else str(value)


PUBLIC: dict[str, Any] = {
    "format": text,
    "id": text,
    "as_of": text,
    "licensor": text,
    "software": Each(text),
    "notes": [text],
    "tables": [
        {
            "name": text,
            "words": text,
            "form": text,
            "rows": DROP,
            "columns": [{"name": text, "type": text, "words": text, "treatment": text}],
        }
    ],
    "consent": [
        {
            "version": constant,
            "language": text,
            "grantee": text,
            "scope": text,
            "sentence": text,
            "sha256": text,
            "effective_from": text,
        }
    ],
    "redaction": Each(as_shipped),
    "left_out": [{"of": text, "reason": text, "words": text, "rows": DROP}],
    "private": DROP,
    "replaces": {"id": text, "digest": text, "removed": DROP},
    "files": DROP,
    "ledger": {"size": constant, "root": text, "checkpoint": text},
    "overlap_screening": {
        "duplicate_cosine": number,
        "duplicate_containment": number,
        "near_cosine": number,
        "near_containment": number,
        "containment_min_words": constant,
        "measured": as_shipped,
    },
    "exclusion_reasons": Each(text),
    "ratings_publications": Each({"digest": text, "public_digest": text}),
    "not_entitled": {
        "board": text,
        "not_entitled": [{"key": text, "claim": text, "why": without_figures, "earned_by": text}],
    },
}


@functools.lru_cache(maxsize=8)
def public_manifest(manifest: str) -> dict[str, Any]:
    """The public form of a manifest, with the digest of the full one, which the ledger names.

    Raises:
        UnknownShape: it has something that nobody has decided about.
    """
    document: dict[str, Any] = project(json.loads(manifest), PUBLIC, "manifest")
    return {**document, "digest": digest_of(manifest)}


def public_text(manifest: str) -> str:
    """The same as canonical JSON."""
    return canonical(public_manifest(manifest))


def disclosed_licensees() -> list[Mapping[str, str]]:
    """Licensees tied to a provider that has, or had, an agent on the roster."""
    spellings = Agent.objects.order_by("provider").values_list("provider", flat=True).distinct()
    rostered = {same_provider(provider): provider for provider in spellings}
    return [
        {"name": licensee.name, "provider": rostered[tied]}
        for licensee in tied_licensees()
        if (tied := same_provider(licensee.provider)) in rostered
    ]
