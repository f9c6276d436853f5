"""Every address of the API. Each is in the schema."""

from django.urls import path

from arena_site.rest.dataset_api import Manifest, SnapshotFile
from arena_site.rest.health_api import Health
from arena_site.rest.reference import Reference
from arena_site.rest.schema_document import Schema
from arena_site.rest.taking_part_urls import TAKING_PART
from battles.api import ActionMap, Agents, OneAgent
from governance import ledger_api as ledger
from governance.api import Claims, Consent
from metrics.api import Metric, Metrics, Quality
from ratings.api import Gaps, Matrix, Plan, Ratings
from ratings.publications_api import History, OnePublication, Publications

urlpatterns = [
    path("metrics", Metrics.as_view(), name="api_metrics"),
    path("metrics/<slug:key>", Metric.as_view(), name="api_metric"),
    path("ratings", Ratings.as_view(), name="api_ratings"),
    path("ratings/history", History.as_view(), name="api_ratings_history"),
    path("ratings/gaps", Gaps.as_view(), name="api_gap"),
    path("matrix", Matrix.as_view(), name="api_matrix"),
    path("agents", Agents.as_view(), name="api_agents"),
    path("agents/<slug:key>", OneAgent.as_view(), name="api_agent"),
    path("publications", Publications.as_view(), name="api_publications"),
    path("publications/<slug:digest>", OnePublication.as_view(), name="api_publication"),
    path("plan", Plan.as_view(), name="plan_json"),
    path("dataset/action-map", ActionMap.as_view(), name="action_map"),
    path("dataset/manifest", Manifest.as_view(), name="dataset_manifest"),
    path("dataset/snapshots/<str:snapshot_id>/<path:path>", SnapshotFile.as_view(), name="snapshot_file"),
    path("consent", Consent.as_view(), name="api_consent"),
    path("governance/claims", Claims.as_view(), name="api_claims"),
    path("ledger/checkpoint", ledger.Checkpoint.as_view(), name="ledger_checkpoint"),
    path("ledger/entries", ledger.Entries.as_view(), name="ledger_entries"),
    path("ledger/inclusion", ledger.InclusionProof.as_view(), name="ledger_inclusion"),
    path("ledger/consistency", ledger.ConsistencyProof.as_view(), name="ledger_consistency"),
    path("ledger/keys", ledger.Keys.as_view(), name="ledger_keys"),
    path("admin/quality", Quality.as_view(), name="api_quality"),
    path("health", Health.as_view(), name="health"),
    path("schema", Schema.as_view(), name="api_schema"),
    path("docs", Reference.as_view(), name="api_docs"),
]

urlpatterns += TAKING_PART
