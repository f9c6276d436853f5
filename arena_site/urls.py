"""Every address of the site."""

from django.urls import include, path

from arena_site.views import battles, home, judges, judging, labels, status, tasks, verbs, withdraw
from ratings import views as ratings

handler400 = "arena_site.views.errors.bad_request"
handler500 = "arena_site.views.errors.server_error"

urlpatterns = [
    path("", home.home, name="home"),
    path("battles/new", tasks.new_battle, name="new_battle"),
    path("battles/<uuid:battle_id>", battles.battle_page, name="battle"),
    path("battles/<uuid:battle_id>/live", battles.live, name="battle_live"),
    path("battles/<uuid:battle_id>/frames/<uuid:frame_id>", battles.frame, name="frame"),
    path("battles/<uuid:battle_id>/vote", battles.vote, name="vote"),
    path("battles/<uuid:battle_id>/lock", battles.lock, name="lock"),
    path("battles/<uuid:battle_id>/offer", judging.offer, name="offer"),
    path("battles/<uuid:battle_id>/later", judging.later, name="later"),
    path("battles/<uuid:battle_id>/skip", judging.skip_battle, name="skip"),
    path("battles/<uuid:battle_id>/report", judging.report, name="report"),
    path("battles/<uuid:battle_id>/impossible", judging.impossible, name="impossible"),
    path("battles/<uuid:battle_id>/verdict", labels.step_verdict, name="step_verdict"),
    path("battles/<uuid:battle_id>/annotations", labels.annotations, name="annotations"),
    path("battles/<uuid:battle_id>/annotations/delete", labels.delete_mark, name="delete_mark"),
    path("battles/<uuid:battle_id>/clicks", labels.clicks, name="clicks"),
    path("judge", judging.judge_next, name="judge"),
    path("judge/ahead", judging.ahead, name="judge_ahead"),
    path("judge/me", judges.judge_me, name="judge_me"),
    path("judge/practice", judging.practice_next, name="practice_next"),
    path("judge/thanks/<slug:what>", judging.thanks, name="thanks"),
    path("standings", ratings.standings, name="standings"),
    path("standings/<slug:agent_key>", ratings.agent, name="agent"),
    path("publications/<slug:digest>", ratings.publication, name="publication"),
    path("publications/<slug:digest>.csv", ratings.publication_csv, name="publication_csv"),
    path("publications/<slug:digest>.json", ratings.publication_json, name="publication_json"),
    path("", include("arena_site.accounts.urls")),
    path("withdraw", withdraw.withdraw, name="withdraw"),
    path("methods", ratings.methods, name="methods"),
    path("methods/rubric", judges.rubric, name="rubric"),
    path("methods/rubric/<int:version>", judges.rubric, name="rubric_version"),
    path("methods/verbs", verbs.verbs, name="verbs"),
    path("status", status.status_page, name="status"),
    path("api/dataset/action-map", verbs.action_map_json, name="action_map"),
    path("api/health", status.health, name="health"),
]
