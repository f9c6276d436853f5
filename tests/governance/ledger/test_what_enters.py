"""The page about the ledger tells of everything that enters it, and of nothing else."""

import re

from arena_site.environment import CHECKOUT
from governance.ledger.kinds import ledger_kinds


def test_the_page_lists_every_kind_with_what_is_public_of_it():
    page = (CHECKOUT / "docs" / "ledger.md").read_text(encoding="utf-8")
    table = page.split("## What enters")[1].split("\n\n")[1].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    told = {kind: row for row in rows for kind in re.findall(r"`([a-z_:]+)`", row[0])}
    assert set(told) == set(ledger_kinds())
    for action, kind in ledger_kinds().items():
        _, _, subject, detail = told[action]
        assert bool(subject) is (kind.contents is not None), action
        assert bool(detail) >= bool(kind.detail), action
