"""C33: wherever operators read an actor who was erased, they read since when the key names nobody."""

import re

import pytest
from django.contrib import admin
from django.urls import reverse
from django.utils import timezone

from battles.affiliation import affiliate_agent
from battles.aliases import enter_alias
from battles.merges import merge_agents
from battles.models import Agent, Battle
from governance.journal import record
from governance.models import Judge
from judging.models import Exclusion, HeldLabel, Report, TrustChange, Vote
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_agent, make_judge
from tests.judging.handing import make_signed_in
from tests.ratings.published import make_pair, published

pytestmark = pytest.mark.django_db

#: Pages that must show an actor, so that it cannot be that none of them does.
SHOWING = {
    "agent",
    "battle",
    "heldlabel",
    "journalentry",
    "judge",
    "publication",
    "report",
    "trustchange",
    "vote",
}
ROWS = 3


@pytest.fixture
def erased():
    """A judge who acted wherever anybody can, and was erased."""
    judge = make_signed_in()
    actor, now = f"judge:{judge.pk}", timezone.now()
    publication = published(make_pair())
    make_agent("other")
    Agent.objects.update(provider="Maker")
    merge_agents(agent_key="ada", into_key="bob", reason="They are one.", actor=actor)
    affiliate_agent(key="other", reason="Shares.", actor=actor)
    enter_alias(alias="moving-1", agent_key="bob", effective_from=None, source="notes", actor=actor)
    vote, battle = Vote.objects.first(), Battle.objects.first()
    TrustChange.objects.create(judge=make_judge(), before="new", state="suspended", actor=actor, reason="Why.")
    TrustChange.objects.create(judge=vote.judge, before="new", state="suspended", actor=actor, reason="Why.")
    Exclusion.objects.create(vote=vote, excluded=True, reason="Why.", actor=actor)
    Exclusion.objects.create(battle=battle, excluded=True, reason="Why.", actor=actor)
    decided = {"decision": "released", "decided_at": now, "decided_by": actor, "decided_reason": "Why."}
    HeldLabel.objects.create(vote=vote, reason="Why.", held_by=actor, held_at=now, due_at=now, **decided)
    resolved = {"resolution": "restored", "resolved_at": now, "resolved_by": actor, "resolved_reason": "Why."}
    Report.objects.create(battle=battle, judge=vote.judge, kind="private", opened_at=now, due_at=now, **resolved)
    for page in admin.site._registry.values():
        for row in page.model._default_manager.all()[:ROWS]:
            record(actor=actor, action="system:test:touch", subject=str(row.pk))
    assert publication.pk
    Judge.objects.filter(pk=judge.pk).update(erased_at=now)
    return judge


def shown(text, judge):
    """What follows each mention of the actor in a text."""
    return re.findall(rf"judge:{judge.pk}(.{{8}})", text, re.DOTALL)


def test_every_page_of_operators_says_since_when_an_actor_is_nobody(client, erased):
    sign_in_operator(client)
    showing = set()
    for page in admin.site._registry.values():
        name = f"admin:{page.opts.app_label}_{page.opts.model_name}"
        rows = page.model._default_manager.all()[:ROWS]
        paths = [f"{reverse(f'{name}_changelist')}{asked}" for asked in ("", "?all=yes")]
        paths += [reverse(f"{name}_change", args=[row.pk]) for row in rows]
        for path in paths:
            text = client.get(path, follow=True).content.decode()
            after = shown(text, erased)
            assert set(after) <= {" (erased"}, (path, after)
            if after:
                showing.add(page.opts.model_name)
    assert showing >= SHOWING
    dashboard = client.get("/admin/").content.decode()
    assert set(shown(dashboard, erased)) <= {" (erased"}
