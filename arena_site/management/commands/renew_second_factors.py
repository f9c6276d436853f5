"""The second step of changing the secret key: what operators' apps share with us is put under the new one."""

from typing import Any

from cryptography.fernet import InvalidToken
from django.core.management.base import BaseCommand, CommandError

from arena_site.accounts.second_factor import renew_vault


class Command(BaseCommand):
    help = "Encrypt stored second factors by ARENA_SECRET_KEY, while earlier keys are in ARENA_SECRET_KEY_FALLBACKS."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            renewed = renew_vault()
        except InvalidToken:
            raise CommandError(
                "A second factor is under a key that is neither ARENA_SECRET_KEY nor in ARENA_SECRET_KEY_FALLBACKS. "
                "Add that key, or take the factor off: manage.py operators."
            ) from None
        self.stdout.write(f"{renewed} put under the new key.")
