"""Accounts, their sessions, and what is kept against abuse. Apart from the corpus: no label refers to any of these."""

import re
import unicodedata
import uuid
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models, transaction
from django.utils import timezone

from arena_site.accounts.names import NAME_MAX, clean_name, fold_name
from governance.identifiers import random_id
from governance.models import Judge


class AccountManager(BaseUserManager["Account"]):
    def get_by_natural_key(self, username: str | None) -> "Account":
        return self.get(username=fold_name(username or ""))

    def create_user(self, username: str, password: str | None = None, **fields: Any) -> "Account":
        """Store an account.

        Raises:
            NameRefused: the name cannot be an account's.
        """
        account = self.model(username=clean_name(username), **fields)
        account.set_password(password)
        account.save(using=self._db)
        return account

    def create_superuser(self, username: str, password: str | None = None, **fields: Any) -> "Account":
        return self.create_user(username, password, is_staff=True, is_superuser=True, **fields)


class Account(AbstractBaseUser, PermissionsMixin):
    """A name and a password, and nothing else about a person.

    Its identifier is random and never used twice, so that a name that is free again is nobody's from before.
    """

    id = models.UUIDField(primary_key=True, default=random_id, editable=False)
    username = models.CharField("name", max_length=NAME_MAX, unique=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    #: When somebody was here is not kept.
    last_login = None

    objects = AccountManager()

    USERNAME_FIELD = "username"

    #: While a password that is right is hashed anew, dearer than before.
    _hashes_anew = False
    #: The stored hash from before a row is stored.
    _hash_before: str | None = None

    def set_password(self, raw_password: str | None) -> None:
        super().set_password(_same_on_every_keyboard(raw_password))

    def check_password(self, raw_password: str | None) -> bool:
        self._hashes_anew = True
        try:
            return super().check_password(_same_on_every_keyboard(raw_password))
        finally:
            self._hashes_anew = False

    @property
    def has_new_password(self) -> bool:
        """Whether another password, or none, was stored just now; the same one hashed anew is neither."""
        return not self._hashes_anew and self._stored_hash() != self._hash_before

    def save(self, *arguments: Any, **options: Any) -> None:
        """Store the account, and end what an earlier password opened (receivers.py), or do neither."""
        with transaction.atomic():
            self._hash_before = self._stored_hash()
            super().save(*arguments, **options)

    def _stored_hash(self) -> str | None:
        stored = type(self)._default_manager.select_for_update(no_key=True).filter(pk=self.pk)
        return stored.values_list("password", flat=True).first()

    @classmethod
    def normalize_username(cls, username: str) -> str:
        return fold_name(username)


def _same_on_every_keyboard(password: str | None) -> str | None:
    """One letter can be sent as one character or as two, depending on the device."""
    return None if password is None else unicodedata.normalize("NFKC", password)


class SignInSession(AbstractBaseSession):
    """A session that knows its account, so that it goes with it."""

    account = models.ForeignKey(Account, null=True, on_delete=models.CASCADE, related_name="sessions")

    @classmethod
    def get_session_store_class(cls) -> type["SessionStore"]:
        return SessionStore


class SessionStore(DatabaseSessions):
    """Named by ``SESSION_ENGINE``."""

    #: As Django draws them. A cookie can hold what no query takes.
    KEY = re.compile("[0-9a-z]{32}")

    def _validate_session_key(self, key: str | None) -> bool:
        """Whether a browser's key can be one of ours; nothing is looked up for another one."""
        return key is not None and self.KEY.fullmatch(key) is not None

    @classmethod
    def get_model_class(cls) -> type[SignInSession]:
        return SignInSession

    def create_model_instance(self, data: dict[str, Any]) -> SignInSession:
        session: Any = super().create_model_instance(data)
        known = data.get("_auth_user_id")
        session.account_id = uuid.UUID(known) if known else None
        found: SignInSession = session
        return found


class ProofRecord(models.Model):
    """What the check against machines said when a person gave something or made an account."""

    class State(models.TextChoices):
        VERIFIED = "verified"
        UNVERIFIED = "unverified"

    class Purpose(models.TextChoices):
        SIGN_UP = "sign-up"
        TASK = "task"

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="proofs")
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    state = models.CharField(max_length=10, choices=State.choices)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["judge", "at"], name="proofs_of_a_judge")]

    def __str__(self) -> str:
        return f"{self.purpose} {self.state} of judge {self.judge_id[:8]}"


class SpentProof(models.Model):
    """A proof of work that was used; kept until it would have expired anyway."""

    digest = models.CharField(primary_key=True, max_length=64)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"proof {self.digest[:8]}"


class Attempt(models.Model):
    """Something that may be done only so often, under a keyed hash of who did it; no address, no name."""

    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["kind", "key", "at"], name="attempts_by_key"),
            models.Index(fields=["at"], name="attempts_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key[:8]}"


class ApiToken(models.Model):
    """What a script of an account's owner shows instead of signing in. Only a digest of it is stored.

    When it was used is kept to the day: enough to see that a token is not needed any more.
    """

    id = models.UUIDField(primary_key=True, default=random_id, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="tokens")
    #: The part of the token that may be seen: it finds the row, and tells its owner which one it is.
    public_id = models.CharField(max_length=12, unique=True)
    #: SHA-256 of the whole token. It has 256 random bits, so that no key and no slow hash is needed.
    digest = models.CharField(max_length=64)
    label = models.CharField(max_length=60)
    scopes = ArrayField(models.CharField(max_length=10))
    made_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    last_used_on = models.DateField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"token {self.public_id}"


class KeptAnswer(models.Model):
    """What was answered to a request that came with a key, for whoever sends it again: nothing that a person typed.

    ``owner`` is the judge's identifier, which a browser has before there is a judge. Key and request are kept as keyed
    hashes, since a client may put words into either.
    """

    owner = models.CharField(max_length=32)
    key = models.CharField(max_length=64)
    request = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    #: As text, so that it comes again byte for byte.
    body = models.TextField(default="{}")
    location = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "key"], name="one_answer_a_key")]

    def __str__(self) -> str:
        return f"answer to {self.key[:8]}"
