from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.module_loading import autodiscover_modules


class GovernanceConfig(AppConfig):
    name = "governance"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import governance.dataset.receivers  # noqa: F401  # snapshots follow withdrawals
        from governance.ledger.receivers import enter_what_is_missing
        from governance.operators import keep_roles_true

        autodiscover_modules("ledger_kinds")
        autodiscover_modules("due")
        post_migrate.connect(enter_what_is_missing, sender=self, dispatch_uid="ledger")
        post_migrate.connect(keep_roles_true, sender=self, dispatch_uid="roles")
