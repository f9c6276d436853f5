"""What the checks visit: every address under a battle, those included from elsewhere too."""

import uuid

import pytest
from django.http import HttpResponse
from django.urls import include, path

from judging.site_visits import battle_addresses

BATTLE, FRAME = uuid.uuid4(), uuid.uuid4()


def view(request, **parts):
    return HttpResponse()


urlpatterns = [
    path("", view, name="home"),
    path("battles/<uuid:battle_id>", view, name="battle"),
    path("battles/<uuid:battle_id>/frames/<uuid:frame_id>", view, name="frame"),
    path("api/", include([path("battles/<uuid:battle_id>/steps/<int:n>/verdict", view, name="api_verdict")])),
]


@pytest.mark.urls(__name__)
def test_every_address_that_names_a_battle_is_found_and_filled_in():
    paths = {address.name: address.path(BATTLE, FRAME) for address in battle_addresses()}
    assert paths == {
        "battle": f"/battles/{BATTLE}",
        "frame": f"/battles/{BATTLE}/frames/{FRAME}",
        "api_verdict": f"/api/battles/{BATTLE}/steps/1/verdict",
    }


def test_the_sites_own_addresses_are_among_them():
    assert {"battle", "battle_live", "frame", "vote", "lock"} <= {address.name for address in battle_addresses()}
