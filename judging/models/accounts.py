"""Which judge an account is. Apart from the corpus, and gone with a withdrawal."""

from django.db import models
from django.utils import timezone

from governance.models import Judge

#: What stands in place of an account whose owner asked to be forgotten while their labels stay.
FORGOTTEN = "forgotten:"


class JudgeAccount(models.Model):
    """An account is one judge, on however many devices."""

    judge = models.OneToOneField(Judge, primary_key=True, on_delete=models.PROTECT, related_name="account")
    #: Whatever the sign-in names an account by; no address and no name.
    account = models.CharField(max_length=80, unique=True)
    bound_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(account=""), name="a_binding_names_an_account")]

    def __str__(self) -> str:
        return f"account of judge {self.judge_id[:8]}"

    @classmethod
    def in_use(cls) -> models.QuerySet["JudgeAccount"]:
        """Bindings somebody can sign in with; those of forgotten accounts only say that their labels rate."""
        return cls.objects.exclude(account__startswith=FORGOTTEN)
