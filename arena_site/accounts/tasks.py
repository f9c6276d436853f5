"""Celery entry points of accounts."""

from arena_site.accounts.sweeping import sweep_accounts
from governance.background import background_task


@background_task(name="accounts.sweep")
def sweep() -> None:
    sweep_accounts()
