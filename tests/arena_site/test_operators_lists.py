"""Operators' lists stay usable when they are long: as many questions whatever their length, and none that scans."""

import json
import re

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from governance.bounded_pages import REACHED
from governance.identifiers import time_ordered_id
from governance.models import JournalEntry, Judge
from judging.models import TrustChange
from judging.trust import hold_label
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_judge, make_votable
from tests.ratings.test_trust_reaches_the_ranking import judged

pytestmark = pytest.mark.django_db

ROWS = 20_000


@pytest.fixture
def long_tables():
    Judge.objects.bulk_create([Judge() for _ in range(ROWS)])
    JournalEntry.objects.bulk_create(
        [
            JournalEntry(id=time_ordered_id(), actor="system:test", action="test:row:write", subject=str(number))
            for number in range(ROWS)
        ]
    )
    judge = Judge.objects.first()
    TrustChange.objects.bulk_create(
        [TrustChange(judge=judge, before="new", state="trusted", actor="system:test", reason="x") for _ in range(ROWS)]
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE governance_judge, governance_journalentry, judging_trustchange")


def lists():
    for page in admin.site._registry.values():
        yield reverse(f"admin:{page.opts.app_label}_{page.opts.model_name}_changelist")


def questions(client, path):
    with CaptureQueriesContext(
        connection,
    ) as asked:
        answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode(), [query["sql"] for query in asked.captured_queries]


def plan(sql):
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}")
        return json.dumps(cursor.fetchone()[0])


def test_no_list_counts_its_rows_nor_reads_a_long_table_whole(client, long_tables):
    sign_in_operator(client)
    for path in lists():
        page, asked = questions(client, path)
        assert not any("COUNT(" in sql.upper() for sql in asked), path
        for sql in asked:
            for table in ("governance_judge", "governance_journalentry", "judging_trustchange"):
                if re.search(rf'FROM "{table}"', sql):
                    _holds_no_scan(plan(sql), table, path)
    page, _ = questions(client, "/admin/governance/journalentry/")
    assert "about 20," in page
    assert f"p={REACHED // 50}" in page


def _holds_no_scan(found, table, path):
    """A whole reading of a long table ends with the rows of a page, or it is no part of the plan."""
    node = json.loads(found)[0]["Plan"]
    if node["Node Type"] == "Limit":
        assert node["Plans"][0]["Node Type"] != "Sort", f"{path} sorts {table}"
        return
    scanned = [part["Relation Name"] for part in _parts(node) if part["Node Type"] == "Seq Scan"]
    assert table not in scanned, f"{path} reads {table} whole"


def _parts(node):
    yield node
    for part in node.get("Plans", ()):
        yield from _parts(part)


def test_searches_use_an_index(client, long_tables):
    sign_in_operator(client)
    for path, term in (
        ("/admin/governance/judge/", Judge.objects.last().pk),
        ("/admin/governance/journalentry/", "77"),
        ("/admin/judging/trustchange/", Judge.objects.last().pk),
    ):
        _, asked = questions(client, f"{path}?q={term}")
        searched = [sql for sql in asked if term in sql and "account" not in sql]
        assert searched
        assert not any("Seq Scan" in plan(sql) for sql in searched), path


def _number(client, path):
    # The names that are withheld are remembered for some seconds, so that now and then a page reads them.
    return sum("battles_lexiconname" not in sql for sql in questions(client, path)[1])


def test_as_many_questions_whatever_is_listed(client):
    agents = make_votable().agent_a, make_votable().agent_b

    def fill():
        vote = judged(agents, agents[0].key, make_judge())
        hold_label(vote=vote, actor="system:sequence", reason="Improbable.")

    sign_in_operator(client)
    fill()
    # An operator's first page makes them a judge as well.
    questions(client, "/admin/")
    few = {path: _number(client, path) for path in [*lists(), "/admin/"]}
    for _ in range(7):
        fill()
    more = {path: (_number(client, path), number) for path, number in few.items()}
    assert {path: numbers for path, numbers in more.items() if numbers[0] > numbers[1]} == {}
