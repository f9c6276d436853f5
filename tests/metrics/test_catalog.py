"""The catalogue itself: every definition is whole, and no computation reads what its definition does not name."""

import re
from dataclasses import fields

import pytest
from django.db import connection
from django.utils import timezone

from arena_site.environment import CHECKOUT
from battles.lane_facts import FACTS, PARTS, complete_lane_facts
from metrics.catalog import BY_KEY, CATALOG
from metrics.computing import compute
from metrics.measure import DECIMALS, Direction, Scope, Section, Unit
from metrics.records import TABLES
from metrics.reference import reference
from ratings.models import Board
from ratings.refit import refit
from tests.metrics.rows import baselines, ran, step, vote

#: Tables of the apps that keep records; counted lanes are no record.
TABLE = re.compile(r"\b(?:battles|judging|ratings|governance|metrics|accounts)_[a-z]+\b")
FACT = re.compile(r"\bfacts\.([a-z_]+)\b")


def test_there_are_at_least_65_measures_with_keys_of_their_own():
    assert len(CATALOG) >= 65
    assert len(BY_KEY) == len(CATALOG)
    assert {measure.section for measure in CATALOG} == set(Section)


@pytest.mark.parametrize("measure", CATALOG, ids=lambda measure: measure.key)
def test_no_definition_has_an_empty_field(measure):
    assert all(getattr(measure, field.name) for field in fields(measure))
    assert re.fullmatch(r"[a-z0-9_]{3,40}", measure.key)
    assert measure.caveat.endswith(".")
    assert set(measure.records) <= set(TABLES)
    assert len(set(measure.records)) == len(measure.records)
    assert callable(measure.computation.run)


def test_every_direction_scope_and_unit_is_said_and_has_decimals():
    assert {measure.direction for measure in CATALOG} == set(Direction)
    assert {measure.scope for measure in CATALOG} == set(Scope)
    assert {measure.unit for measure in CATALOG} == set(Unit) == set(DECIMALS)


def test_what_says_how_and_not_how_well_ranks_nothing():
    neutral = {measure.key for measure in CATALOG if measure.direction == Direction.NEUTRAL}
    assert neutral == {
        *("tie_share", "claimed_done_share", "gave_up_share", "steps_per_lane", "action_entropy", "backtrack_share"),
        *(f"{kind}_share" for kind in ("click", "type", "scroll", "navigate", "wait", "read", "tab", "offsite")),
        *("bot_wall_share", "bot_wall_left_share", "egress_blocked_share", "model_time_share", "answer_words"),
        *("alpha_outcome", "raw_agreement", "a_side_win_share", "judge_seconds", "skip_share", "rated_share"),
    }


@pytest.fixture
def board(db):
    """Something of everything."""
    pair = baselines()
    for choice in "AB":
        vote(ran(pair, [step(), step("navigate")]), choice, marks={"A": "done"})
    refit(board=Board.DEMO, actor="system:test")
    complete_lane_facts()


def read_for(sql):
    """Tables that a statement reads. A fact of a lane stands for what it was counted from."""
    counted_from = [PARTS[part] for name in FACT.findall(sql) if name in FACTS for part in FACTS[name].parts]
    return {table for text in (sql, *counted_from) for table in TABLE.findall(text)} - {"battles_lanefacts"}


def read_tables(measures):
    """Tables that computing these measures reads."""
    statements = []

    def listen(execute, sql, *rest):
        statements.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(listen):
        compute(Board.DEMO, measures, at=timezone.now())
    return {table for sql in statements for table in read_for(sql)}


@pytest.mark.parametrize("measure", CATALOG, ids=lambda measure: measure.key)
def test_a_computation_reads_the_records_that_its_definition_names_and_no_other(board, measure):
    # Which agents there are is read for every measure that has a value for each.
    agents = {TABLES["agent"]} if measure.scope == Scope.AGENT else set()
    assert read_tables([measure]) | agents == {TABLES[name] for name in measure.records}


def test_all_together_read_no_more_than_one_by_one(board):
    assert read_tables(CATALOG) == {TABLES[name] for measure in CATALOG for name in measure.records}


def test_the_page_of_the_documentation_is_the_catalogues():
    assert (CHECKOUT / "docs" / "measures.md").read_text(encoding="utf-8") == reference()
