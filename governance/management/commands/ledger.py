"""The ledger from the terminal: its head, its keys and its witnesses."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from governance.errors import ArenaError
from governance.ledger.checkpoints import (
    accept_cosignatures,
    add_witness,
    rotate_key,
    sign_head,
    signed_note,
    verifier_key,
)
from governance.ledger.entries import enter_missing
from governance.ledger.signing_keys import read_key
from governance.models import LedgerKey

ACTOR = "operator:terminal"


class Command(BaseCommand):
    help = (
        "The ledger: sign its head, change its key, name witnesses and keep what they signed. "
        "Exit status 2 when a request is refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("checkpoint", help="Sign the head, if it was not yet, and print the signed note.")
        actions.add_parser("keys", help="Show the public keys of the ledger and of its witnesses.")
        rotate = actions.add_parser(
            "rotate-key", help="Change to a new key; the head with the change in it is signed by both."
        )
        rotate.add_argument("--reason", required=True, help="Why; kept in the journal.")
        old = rotate.add_mutually_exclusive_group()
        old.add_argument("--old", type=Path, help="File with the old key, once ARENA_LEDGER_KEY is set to the new one.")
        old.add_argument("--lost", action="store_true", help="Nobody has the old key: the new one signs alone.")
        witness = actions.add_parser("witness", help="Accept cosignatures of a witness from now on.")
        witness.add_argument("key", help="Its key as it publishes it: name+id+key.")
        witness.add_argument("--reason", required=True, help="Who it is; kept in the journal.")
        cosign = actions.add_parser("cosign", help="Keep the cosignatures under a checkpoint in a file.")
        cosign.add_argument("file", type=Path, help="The signed note.")
        actions.add_parser("catch-up", help="Enter, marked as late, what happened before its kind entered the ledger.")
        actions.metavar = "|".join(actions.choices)
        for action in actions.choices.values():
            action.add_argument("--json", action="store_true", help="Print the answer as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['action'].replace('-', '_')}")(options)
        except ArenaError as refusal:
            self.stderr.write(f"{refusal.message} [{refusal.code}]")
            sys.exit(2)
        except (OSError, UnicodeDecodeError) as problem:
            self.stderr.write(f"The file cannot be read: {problem}")
            sys.exit(2)

    def _checkpoint(self, options: dict[str, Any]) -> None:
        checkpoint = sign_head()
        note = str(signed_note(checkpoint))
        self._tell(options, {"size": checkpoint.size, "note": note}, note.rstrip("\n"))

    def _keys(self, options: dict[str, Any]) -> None:
        keys = list(LedgerKey.objects.order_by("role", "id"))
        rows = [{"key": str(verifier_key(key)), "role": key.get_role_display()} for key in keys]
        lines = [f"{row['key']}  {row['role']}" for row in rows]
        self._tell(options, rows, "\n".join(lines) or "There is no key yet; the first checkpoint makes one.")

    def _rotate_key(self, options: dict[str, Any]) -> None:
        old = read_key(options["old"]) if options["old"] else None
        key = rotate_key(actor=ACTOR, reason=options["reason"], old=old, lost=options["lost"])
        told = str(verifier_key(key))
        self._tell(options, {"key": told}, f"The key in force is now\n{told}\nPublish it where the old one was.")

    def _witness(self, options: dict[str, Any]) -> None:
        added = add_witness(key=options["key"], actor=ACTOR, reason=options["reason"])
        self._tell(options, {"name": added.name, "id": added.key_id}, f"{added.name} is a witness from now on.")

    def _cosign(self, options: dict[str, Any]) -> None:
        came = accept_cosignatures(note=options["file"].read_text(encoding="utf-8"), actor=ACTOR)
        answer = {"size": came.size, "added": came.added, "known": came.known_before, "unknown": came.unknown}
        lines = [f"Checkpoint {came.size}: {len(came.added)} cosignatures kept."]
        lines += [f"{name} had cosigned it before." for name in came.known_before]
        lines += [f"{name} is not known here and was left out." for name in came.unknown]
        self._tell(options, answer, "\n".join(lines))

    def _catch_up(self, options: dict[str, Any]) -> None:
        late = [entry.index for entry in enter_missing()]
        words = f"{len(late)} entries were made late." if late else "Nothing was missing."
        self._tell(options, {"entered": late}, words)

    def _tell(self, options: dict[str, Any], answer: object, words: str) -> None:
        self.stdout.write(json.dumps(answer, ensure_ascii=False) if options["json"] else words)
