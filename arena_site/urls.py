"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path, re_path

from arena_site.views import battles, dataset, home, judges, judging, labels, monitoring, status, tasks, verbs, withdraw
from arena_site.views import governance_pages as governance
from metrics import quality_views as quality
from metrics import views as metrics
from ratings import chart_views as charts
from ratings import method_pages
from ratings import views as ratings

handler400 = "arena_site.views.errors.bad_request"
handler404 = "arena_site.views.errors.not_found"
handler500 = "arena_site.views.errors.server_error"

#: A publication's charts, as specification or as picture.
CHARTS = r"^publications/(?P<digest>[0-9a-f]{64})/charts"
CHART = r"(?P<name>[-a-z]+)\.(?P<form>json|svg)"

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
    path("gaps", ratings.gap, name="gap"),
    path("publications/<slug:digest>", ratings.publication, name="publication"),
    path("publications/<slug:digest>.csv", ratings.publication_csv, name="publication_csv"),
    path("publications/<slug:digest>.json", ratings.publication_json, name="publication_json"),
    re_path(f"{CHARTS}/{CHART}$", charts.chart, name="chart"),
    re_path(f"{CHARTS}/(?P<agent_key>[-a-zA-Z0-9_]+)/{CHART}$", charts.chart, name="agent_chart"),
    path("", include("arena_site.accounts.urls")),
    path("admin/", admin.site.urls),
    path("withdraw", withdraw.withdraw, name="withdraw"),
    path("withdraw/<uuid:withdrawal_id>", withdraw.withdrawal_page, name="withdrawal"),
    path("methods", method_pages.methods, name="methods"),
    path("methods/elo", method_pages.elo, name="methods_elo"),
    path("methods/planner", method_pages.planner, name="methods_planner"),
    path("methods/best-of", method_pages.best_of, name="methods_best_of"),
    path("methods/schedule", method_pages.schedule, name="methods_schedule"),
    path("methods/overlap", method_pages.overlap, name="methods_overlap"),
    path("methods/rubric", judges.rubric, name="rubric"),
    path("methods/rubric/<int:version>", judges.rubric, name="rubric_version"),
    path("methods/verbs", verbs.verbs, name="verbs"),
    path("status", status.status_page, name="status"),
    path("live", monitoring.live, name="live"),
    path("ready", monitoring.ready, name="ready"),
    path("metrics", monitoring.figures, name="figures"),
    path("api/", include("arena_site.rest.urls")),
    path("dataset", dataset.dataset, name="dataset"),
    path("mission", governance.mission, name="mission"),
    path("governance", governance.governance, name="governance"),
    path("benchmark", metrics.benchmark, name="benchmark"),
    path("quality", quality.quality_page, name="quality"),
]
