from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "arena_site.accounts"
    label = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        import arena_site.accounts.receivers  # noqa: F401  # subscribes to signing in and out and to withdrawals
