"""Dataset snapshots from the terminal: make, list, hand over, replace and check them."""

import json
import os
import re
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand
from django.db import models

from governance.dataset.building import build_snapshot
from governance.dataset.notices import record_notice
from governance.dataset.replacing import replace_snapshots
from governance.dataset.stores import snapshot_store
from governance.dataset.verifying import FolderReport, verify_folder
from governance.dataset_models import Licensee, Snapshot, WithdrawalNotice
from governance.errors import ArenaError, NotFound
from governance.licensing import deliver_snapshot, end_licence, is_served, newest_snapshot, register_licensee

ACTOR = "operator:terminal"

_IDENTIFIER = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Row = TypeVar("Row", bound=models.Model)


class Command(BaseCommand):
    help = (
        "Dataset snapshots: folders of Parquet and JSONL files with a manifest, for licensees. "
        "Exit status 1 when a check finds a difference, 2 when a request is refused."
    )
    #: verify needs no database, and the others say what is wrong with theirs.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        build = actions.add_parser("build", help="Make a snapshot; one that was interrupted is gone on with.")
        build.add_argument("--reason", default="", help="Why; kept in the journal.")
        replace = actions.add_parser("replace", help="Make, hand over and tell what withdrawals owe.")
        for each in (build, replace):
            each.add_argument(
                "--processes",
                type=int,
                default=os.cpu_count() or 1,
                help="How many redact texts at once; as many as there are processors without it.",
            )
        actions.add_parser("list", help="Show snapshots, licensees, deliveries and open notices.")
        register = actions.add_parser("register", help="Register a licensee; prints its token, which is kept nowhere.")
        register.add_argument("name")
        register.add_argument("--terms", type=Path, required=True, help="File with the terms, kept verbatim.")
        register.add_argument("--provider", default="", help="Provider of agents that it is tied to; public.")
        register.add_argument("--address", default="", help="Where notices of withdrawals are mailed.")
        register.add_argument("--reason", default="", help="Why; kept in the journal.")
        end = actions.add_parser("end", help="Hand out nothing new to a licensee from now on.")
        end.add_argument("licensee", help="Its name.")
        end.add_argument("--reason", required=True, help="Why; kept in the journal.")
        deliver = actions.add_parser("deliver", help="Let a licensee have a snapshot, under its terms of now.")
        deliver.add_argument("licensee", help="Its name.")
        deliver.add_argument("snapshot", nargs="?", help="Identifier; the newest without it.")
        deliver.add_argument("--reason", default="", help="Why; kept in the journal.")
        told = actions.add_parser("told", help="Write down that you told a licensee of a withdrawal yourself.")
        told.add_argument("notice", help="Identifier of the notice, as list shows it.")
        told.add_argument("--reason", required=True, help="How you told it; kept in the journal.")
        verify = actions.add_parser("verify", help="Check a folder by itself, without a database; or one that is kept.")
        verify.add_argument("folder", type=Path, help="A folder, or the identifier of a snapshot of this arena.")
        verify.add_argument("--digest", default="", help="The digest that it must have, as the ledger names it.")
        actions.metavar = "|".join(actions.choices)
        for action in actions.choices.values():
            action.add_argument("--json", action="store_true", help="Print the answer as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['action']}")(options)
        except ArenaError as refusal:
            self.stderr.write(f"{refusal.message} [{refusal.code}]")
            sys.exit(2)
        except OSError as problem:
            self.stderr.write(f"A file cannot be read or written: {problem}")
            sys.exit(2)

    def _build(self, options: dict[str, Any]) -> None:
        snapshot = build_snapshot(
            actor=ACTOR, reason=options["reason"], processes=options["processes"], say=self._progress()
        )
        self._tell(options, _document(snapshot), f"Snapshot {snapshot.pk}\nDigest   {snapshot.digest}")

    def _replace(self, options: dict[str, Any]) -> None:
        made = replace_snapshots(actor=ACTOR, processes=options["processes"], say=self._progress())
        lines = [f"Snapshot {each.pk} replaces {each.replaces_id}" for each in made] or ["Nothing was owed."]
        open_notices = WithdrawalNotice.objects.filter(sent_at=None).count()
        if open_notices:
            lines.append(f"{open_notices} notices could not be mailed: see list, and use told.")
        self._tell(options, [_document(each) for each in made], "\n".join(lines))

    def _list(self, options: dict[str, Any]) -> None:
        document = {
            "snapshots": [_document(each) for each in Snapshot.objects.select_related("replaces")],
            "licensees": [_licensee(each) for each in Licensee.objects.prefetch_related("deliveries")],
            "open_notices": [
                {
                    "notice": str(each.pk),
                    "licensee": each.licensee.name,
                    "snapshot": str(each.snapshot_id),
                    "due_at": each.due_at.isoformat(),
                }
                for each in WithdrawalNotice.objects.filter(sent_at=None).select_related("licensee").order_by("due_at")
            ],
        }
        lines = [f"{each['id']}  {each['state']:<10} {each['made_at'][:16]}" for each in document["snapshots"]]
        lines += [
            f"{each['name']}: {', '.join(each['deliveries']) or 'nothing delivered'}" for each in document["licensees"]
        ]
        lines += [
            f"Owed: notice {each['notice']} to {each['licensee']}, due {each['due_at'][:16]}"
            for each in document["open_notices"]
        ]
        self._tell(options, document, "\n".join(lines) or "There is no snapshot yet.")

    def _register(self, options: dict[str, Any]) -> None:
        registered = register_licensee(
            name=options["name"],
            terms=options["terms"].read_text(encoding="utf-8"),
            provider=options["provider"],
            address=options["address"],
            actor=ACTOR,
            reason=options["reason"],
        )
        told = {"licensee": registered.licensee.name, "token": registered.token}
        self._tell(
            options, told, f"{registered.licensee.name} has the token\n{registered.token}\nIt is not shown again."
        )

    def _end(self, options: dict[str, Any]) -> None:
        licensee = end_licence(licensee=_named(options["licensee"]), actor=ACTOR, reason=options["reason"])
        self._tell(options, _licensee(licensee), f"{licensee.name} gets nothing new.")

    def _deliver(self, options: dict[str, Any]) -> None:
        snapshot = _snapshot(options["snapshot"])
        delivery = deliver_snapshot(
            snapshot=snapshot, licensee=_named(options["licensee"]), actor=ACTOR, reason=options["reason"]
        )
        told = {"delivery": str(delivery.pk), "snapshot": str(snapshot.pk), "licensee": delivery.licensee.name}
        self._tell(options, told, f"{delivery.licensee.name} has snapshot {snapshot.pk}.")

    def _told(self, options: dict[str, Any]) -> None:
        notice = _found(WithdrawalNotice, options["notice"], "notice")
        notice = record_notice(notice=notice, actor=ACTOR, reason=options["reason"])
        self._tell(options, {"notice": str(notice.pk), "sent_at": notice.sent_at}, "It is written down.")

    def _verify(self, options: dict[str, Any]) -> None:
        report = self._report(options["folder"], options["digest"])
        told = {
            "digest": report.digest,
            "files": report.files,
            "bytes": report.bytes,
            "rows": report.rows,
            "problems": report.problems,
        }
        lines = [*report.problems, f"Digest {report.digest}: {report.files} files, {report.rows:,} rows."]
        self._tell(options, told, "\n".join([*lines, "It is whole." if report.whole else "It is not whole."]))
        if not report.whole:
            sys.exit(1)

    def _report(self, named: Path, digest: str) -> FolderReport:
        if named.exists() or not _IDENTIFIER.fullmatch(str(named)):
            return verify_folder(named, digest=digest)
        snapshot = _snapshot(str(named))
        with snapshot_store().folder_of(snapshot.path) as folder:
            return verify_folder(folder, digest=digest or snapshot.digest)

    def _progress(self) -> Any:
        begun = time.monotonic()
        return lambda words: self.stderr.write(f"{time.monotonic() - begun:7.1f} s  {words}")

    def _tell(self, options: dict[str, Any], document: Any, words: str) -> None:
        self.stdout.write(json.dumps(document, ensure_ascii=False, default=str) if options["json"] else words)


def _document(snapshot: Snapshot) -> dict[str, Any]:
    if is_served(snapshot):
        state = "served"
    else:
        state = "replaced" if Snapshot.objects.filter(replaces=snapshot).exists() else "recalled"
    return {
        "id": str(snapshot.pk),
        "digest": snapshot.digest,
        "state": state,
        "as_of": snapshot.as_of.isoformat(),
        "made_at": snapshot.made_at.isoformat(),
        "replaces": str(snapshot.replaces_id) if snapshot.replaces_id else None,
        "path": snapshot.path,
    }


def _licensee(licensee: Licensee) -> dict[str, Any]:
    return {
        "name": licensee.name,
        "provider": licensee.provider,
        "ended": licensee.ended_at is not None,
        "deliveries": [str(delivery.snapshot_id) for delivery in licensee.deliveries.all()],
    }


def _named(name: str) -> Licensee:
    found = Licensee.objects.filter(name__iexact=name).first()
    if found is None:
        raise NotFound("There is no licensee of this name.", code="no_such_licensee", field="licensee")
    return found


def _snapshot(identifier: str | None) -> Snapshot:
    if identifier is not None:
        return _found(Snapshot, identifier, "snapshot")
    newest = newest_snapshot()
    if newest is None:
        raise NotFound("There is no snapshot yet: make one with manage.py snapshot build.", code="no_such_snapshot")
    return newest


def _found(model: type[Row], identifier: str, what: str) -> Row:
    try:
        found = model._default_manager.filter(pk=identifier).first()
    except ValidationError:
        found = None
    if found is None:
        raise NotFound(f"There is no {what} of this identifier.", code=f"no_such_{what}", field=what)
    return found
