"""Posting a task, from the form and from the API alike.

Whoever is not signed in sends a proof of work along. Without one, for want of scripts, the task is taken as unverified
and under a stricter limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest

from arena_site.accounts.devices import signed_in_account
from arena_site.accounts.limits import UNVERIFIED_TASKS, check_unverified_tasks, take_from_network
from arena_site.accounts.models import ProofRecord
from arena_site.accounts.proof import ProofRefused, check_proof
from battles.intake import clean_instruction, propose_task, submit_task
from battles.models import Battle, Task
from governance.models import Judge
from judging.identity import contribution, current_judge


@dataclass(frozen=True, slots=True)
class Posting:
    """A task as it was sent.

    Attributes:
        key: tells a retry from a new task; "" where there is none.
        proof: the solved challenge; "" where there is none.
    """

    instruction: str
    start_url: str
    kind: str = ""
    category: str = ""
    key: str = ""
    proof: str = ""


def post_task(request: HttpRequest, posting: Posting, *, agreeing: Callable[[], Judge]) -> Battle:
    """Post it for the judge of a request.

    Args:
        agreeing: the judge, once they agreed to the consent sentence; asked after the task was found to be one.

    Raises:
        ArenaError: as :func:`battles.intake.submit_task`; ``ProofRefused``; ``TooMany`` without the check.
    """
    # A task that cannot be raced is refused before anybody is asked for consent.
    propose_task(
        instruction=posting.instruction, start_url=posting.start_url, kind=posting.kind, category=posting.category
    )
    if signed_in_account(request) is not None or _was_posted(request, posting):
        return _post(posting, agreeing())
    try:
        return _post_checked(request, posting, agreeing)
    except ProofRefused:
        # A double click sends one proof twice: the second one is no new task.
        if not _was_posted(request, posting):
            raise
        return _post(posting, agreeing())


def _post_checked(request: HttpRequest, posting: Posting, agreeing: Callable[[], Judge]) -> Battle:
    """Post with the outcome of the check beside the judge; a refusal leaves nothing, and the proof unspent."""
    with contribution(request):
        outcome = check_proof(posting.proof, purpose=ProofRecord.Purpose.TASK)
        judge = agreeing()
        if outcome == ProofRecord.State.UNVERIFIED:
            check_unverified_tasks(judge)
            take_from_network(UNVERIFIED_TASKS, request)
        battle = _post(posting, judge)
        ProofRecord.objects.create(judge=judge, purpose=ProofRecord.Purpose.TASK, state=outcome)
    return battle


def _post(posting: Posting, judge: Judge) -> Battle:
    return submit_task(
        judge=judge,
        instruction=posting.instruction,
        start_url=posting.start_url,
        kind=posting.kind,
        category=posting.category,
        submission_key=posting.key,
    )


def _was_posted(request: HttpRequest, posting: Posting) -> bool:
    """Whether this very task was posted before, by this judge."""
    judge = current_judge(request)
    if judge is None or not posting.key:
        return False
    instruction = clean_instruction(posting.instruction)
    return Task.objects.filter(judge=judge, submission_key=posting.key, instruction=instruction).exists()
