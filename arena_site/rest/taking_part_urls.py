"""The addresses through which people take part: what each may read and do is their own."""

from django.urls import path

from arena_site.rest.battles import ABattle, AFrame, AnOffer, Battles
from arena_site.rest.judge import Next, OwnCalibration
from arena_site.rest.marks import Annotations, AVerdict, Clicks
from arena_site.rest.votes import ALock, AnImpossible, AReport, ASkip, AVote
from arena_site.rest.withdrawals import AWithdrawal, Withdrawals

TAKING_PART = [
    path("battles", Battles.as_view(), name="api_battles"),
    path("battles/<uuid:battle_id>", ABattle.as_view(), name="api_battle"),
    path("battles/<uuid:battle_id>/frames/<uuid:frame_id>", AFrame.as_view(), name="api_frame"),
    path("battles/<uuid:battle_id>/offer", AnOffer.as_view(), name="api_offer"),
    path("battles/<uuid:battle_id>/vote", AVote.as_view(), name="api_vote"),
    path("battles/<uuid:battle_id>/lock", ALock.as_view(), name="api_lock"),
    path("battles/<uuid:battle_id>/skip", ASkip.as_view(), name="api_skip"),
    path("battles/<uuid:battle_id>/report", AReport.as_view(), name="api_report"),
    path("battles/<uuid:battle_id>/impossible", AnImpossible.as_view(), name="api_impossible"),
    path("battles/<uuid:battle_id>/steps/<int:number>/verdict", AVerdict.as_view(), name="api_step_verdict"),
    path("battles/<uuid:battle_id>/annotations", Annotations.as_view(), name="api_annotations"),
    path("battles/<uuid:battle_id>/clicks", Clicks.as_view(), name="api_clicks"),
    path("judge/next", Next.as_view(), name="api_judge_next"),
    path("judge/calibration", OwnCalibration.as_view(), name="api_judge_calibration"),
    path("withdrawals", Withdrawals.as_view(), name="api_withdrawals"),
    path("withdrawals/<uuid:withdrawal_id>", AWithdrawal.as_view(), name="api_withdrawal"),
]
