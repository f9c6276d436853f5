"""C07: joining two versions is an operator's decision, with a reason, on record, and undone by another one only."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from battles.affiliation import affiliate_agent
from battles.draws import drawable_agents
from battles.merges import MergeRefused, merge_agents, merges_in_force, unmerge_agents
from battles.models import AgentMerge
from battles.roster import NoSuchAgent, RosterRefused
from governance.errors import Conflict
from governance.ledger.changelog import changelog
from tests.battles.factories import make_agent

pytestmark = pytest.mark.django_db

WHO = {"actor": "operator:1"}
WHY = {"reason": "The provider says that only its address changed.", **WHO}


@pytest.fixture
def versions():
    """Three versions by one provider."""
    return [make_agent(f"gpt-x-{number}", name=f"GPT X {number}").pk for number in (1, 2, 3)]


def test_a_join_holds_from_its_instant_until_it_is_undone_and_both_are_in_the_changelog(versions):
    first, second, _ = versions
    before = timezone.now()
    merge = merge_agents(agent_key=first, into_key=second, **WHY)
    assert merges_in_force(before) == {}
    assert {key: row.into_id for key, row in merges_in_force().items()} == {first: second}
    assert changelog(newest=1)[0].words == (
        'Agent "gpt-x-1" counts in the row of "gpt-x-2" from now on. The provider says that only its address changed.'
    )
    parted = unmerge_agents(agent_key=first, reason="It changed after all.", **WHO)
    assert merges_in_force() == {}
    assert merges_in_force(merge.at) == {first: merge}
    assert changelog(newest=1)[0].words.endswith('counts apart from "gpt-x-2" again. It changed after all.')
    assert list(AgentMerge.objects.all()) == [parted, merge]
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AgentMerge.objects.update(holds=False)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AgentMerge.objects.all().delete()


def test_joins_make_no_chain_and_each_needs_a_reason(versions):
    first, second, third = versions
    with pytest.raises(MergeRefused) as refusal:
        merge_agents(agent_key=first, into_key=second, reason=" ", **WHO)
    assert refusal.value.field == "reason"
    merge_agents(agent_key=first, into_key=second, **WHY)
    for agent, into in ((first, third), (second, third), (third, first), (first, second)):
        with pytest.raises(Conflict) as conflict:
            merge_agents(agent_key=agent, into_key=into, **WHY)
        assert conflict.value.code == "is_merged"
    merge_agents(agent_key=third, into_key=second, **WHY)
    assert set(merges_in_force()) == {first, third}
    with pytest.raises(Conflict, match="its own row"):
        unmerge_agents(agent_key=second, **WHY)


def test_only_ranked_versions_by_one_provider_are_joined(versions):
    first, second, third = versions
    others = [make_agent(provider="Others").pk, make_agent(kind="baseline").pk, first]
    affiliate_agent(key=third, reason="We bought shares of its provider.", **WHO)
    for other in [*others, third]:
        with pytest.raises(MergeRefused):
            merge_agents(agent_key=first, into_key=other, **WHY)
    with pytest.raises(NoSuchAgent):
        merge_agents(agent_key=first, into_key="nobody", **WHY)
    merge_agents(agent_key=first, into_key=second, **WHY)
    with pytest.raises(Conflict, match="joined with another version"):
        affiliate_agent(key=second, reason="We bought shares of its provider.", **WHO)
    with pytest.raises(IntegrityError, match="no_agent_is_joined_to_itself"), transaction.atomic():
        AgentMerge.objects.create(agent_id=first, into_id=first, holds=True, reason="itself")


def test_a_stake_counts_from_its_instant_on_and_not_before(versions):
    first, second, third = versions
    with pytest.raises(RosterRefused) as refusal:
        affiliate_agent(key=first, reason="Shares.", affiliated_from=timezone.now() - timedelta(days=1), **WHO)
    assert refusal.value.code == "instant_is_past"
    later = timezone.now() + timedelta(days=1)
    agent = affiliate_agent(key=first, reason="We buy shares tomorrow.", affiliated_from=later, **WHO)
    assert agent.races()
    assert not agent.races(later)
    affiliate_agent(key=second, reason="We bought shares today.", **WHO)
    assert sorted(drawable_agents()) == [first, third]
    assert changelog(newest=1)[0].words.endswith("on. We bought shares today.")
    with pytest.raises(Conflict, match="marked already"):
        affiliate_agent(key=second, reason="Again.", **WHO)
    with pytest.raises(RosterRefused):
        affiliate_agent(key=third, reason=" ", **WHO)
