"""Intake: a person's task becomes a battle, or a refusal that says what to change."""

import unicodedata
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db import transaction

from battles.dispatch import ring
from battles.draws import pick_battle_pair, pick_judges_needed
from battles.lanes.allowlist import startable_hosts
from battles.lanes.egress import policy_refusal
from battles.models import Agent, Battle, Task
from battles.screening.category import CATEGORIES, guess_category
from battles.screening.overlap import Tier, screen_overlap
from battles.screening.task_kind import guess_task_kind
from battles.screening.task_safety import task_safety_refusal
from battles.seen_text import seen_length, seen_text
from battles.spending import check_spending
from battles.start_address import UnseenInHost, seen_address
from governance.consent import receipt_in_force
from governance.errors import ArenaError
from governance.journal import record
from governance.limits import check_label_limit
from governance.models import Judge

#: Fewer characters cannot say what to do and when it is done.
INSTRUCTION_MIN = 10
#: More is a manual, not a task, and no judge would read it.
INSTRUCTION_MAX = 2000
#: What comes with more unseen than this is not read through for what is seen.
LONGEST_TYPED = 10 * INSTRUCTION_MAX
#: No address anybody types is longer; browsers cut far above it.
URL_MAX = 2000


class TaskRefused(ArenaError):
    """The task cannot be raced as it stands."""

    code = "task_refused"
    status = 422


class OverlapRefused(TaskRefused):
    """The task is a copy of a public benchmark item."""

    code = "benchmark_overlap"

    def __init__(self, benchmark: str, item: str) -> None:
        super().__init__(
            f"This task matches {benchmark}, item {item}, a public benchmark that models may have trained on. "
            "Please post a task of your own: something you would really want done.",
            field="instruction",
        )
        self.benchmark = benchmark
        self.item = item


@dataclass(frozen=True, slots=True)
class Proposal:
    """A task that passed every check but has not been posted: what the draw would be made for."""

    instruction: str
    start_url: str
    hosts: Sequence[str]
    kind: str
    category: str
    overlap: str
    overlap_match: str


def clean_instruction(text: str) -> str:
    """NFC, line ends as ``\\n``, outer white space gone, and so that judges read what agents read: nothing unseen.

    Raises:
        TaskRefused: control characters, or not 10 to 2,000 characters long.
    """
    if len(text) > LONGEST_TYPED:
        raise _too_long(text)
    text = seen_text(text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if any(unicodedata.category(character) in {"Cc", "Cs"} and character not in "\n\t" for character in text):
        raise TaskRefused(
            "The task contains characters that cannot be shown (control characters). Please type it as plain text.",
            code="control_characters",
            field="instruction",
        )
    if seen_length(text) < INSTRUCTION_MIN:
        raise TaskRefused(
            f"Please say what should be done in at least {INSTRUCTION_MIN} characters: what to find or do, and how "
            "to know that it is done.",
            code="instruction_too_short",
            field="instruction",
        )
    if len(text) > INSTRUCTION_MAX:
        raise _too_long(text)
    return text


def _too_long(text: str) -> TaskRefused:
    return TaskRefused(
        f"The task is {len(text):,} characters long; at most {INSTRUCTION_MAX:,} fit. Please shorten it.",
        code="instruction_too_long",
        field="instruction",
    )


def clean_start_url(text: str) -> str:
    """The start address, with ``https://`` added where no scheme is given, and so that judges see what agents open.

    Raises:
        TaskRefused: empty, too long, refused by the egress policy, with the policy's reason, or of a site whose name
            has characters that nobody can see.
    """
    url = text.strip()
    if not url:
        raise TaskRefused(
            "Please give the address where the agents start, for example https://example.org/.",
            code="start_url_missing",
            field="start_url",
        )
    _check_url_length(url)
    if "://" not in url and not url.startswith(("//", "/", "\\")):
        url = f"https://{url}"
    refusal = policy_refusal(url, startable_hosts())
    if refusal is not None:
        raise TaskRefused(f"The agents cannot start there: {refusal}", code="start_url_refused", field="start_url")
    try:
        url = seen_address(url)
    except UnseenInHost:
        raise TaskRefused(
            "The name of the site contains characters that nobody can see. Please type it anew.",
            code="start_url_refused",
            field="start_url",
        ) from None
    _check_url_length(url)
    return url


def _check_url_length(url: str) -> None:
    if len(url) > URL_MAX:
        raise TaskRefused(
            f"The address is longer than {URL_MAX:,} characters. Please start from a shorter one.",
            code="start_url_too_long",
            field="start_url",
        )


def propose_task(
    *, instruction: str, start_url: str, kind: str = "", category: str = "", hosts: Sequence[str] = ()
) -> Proposal:
    """Run every check that needs no person: length, egress, task safety, overlap; guess kind and category.

    Raises:
        TaskRefused: with a stable code, a message that says what to change, and the field it is about.
    """
    instruction = clean_instruction(instruction)
    start_url = clean_start_url(start_url)
    host = urlsplit(start_url).hostname or ""
    unsafe = task_safety_refusal(instruction, host=host)
    if unsafe is not None:
        raise TaskRefused(unsafe.message, code=unsafe.code, field="instruction")
    overlap = screen_overlap(instruction)
    if overlap.tier is Tier.DUPLICATE:
        raise OverlapRefused(overlap.benchmark, overlap.item)
    if category and category not in CATEGORIES:
        raise TaskRefused("Please choose a category from the list.", code="unknown_category", field="category")
    if kind and kind not in Task.Kind.values:
        raise TaskRefused("Please choose what the task asks for.", code="unknown_kind", field="kind")
    return Proposal(
        instruction=instruction,
        start_url=start_url,
        hosts=tuple(dict.fromkeys([host, *hosts])),
        kind=kind or guess_task_kind(instruction),
        category=category or guess_category(instruction, start_url),
        overlap=overlap.tier.value,
        overlap_match=f"{overlap.benchmark} {overlap.item}".strip() if overlap.tier is Tier.NEAR else "",
    )


@transaction.atomic
def submit_task(
    *,
    judge: Judge,
    instruction: str,
    start_url: str,
    kind: str = "",
    category: str = "",
    submission_key: str = "",
    doorbell: Callable[[uuid.UUID], None] = ring,
) -> Battle:
    """Check, draw and queue: the one way a person's task becomes a battle.

    ``doorbell`` is called with the battle's identifier on commit.
    Posting the same ``submission_key`` again returns the battle it made the first time.

    Raises:
        TaskRefused: the task must be changed first.
        ConsentNeeded: the person has not agreed to the current sentence.
        TooMany: the person reached a limit.
        RosterTooSmall: nobody to race.
        SpendLimitReached: the operator's money for model calls is used up.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    if submission_key:
        before = Battle.objects.filter(task__judge=judge, task__submission_key=submission_key).first()
        if before is not None and before.task.instruction == clean_instruction(instruction):
            return before
        if before is not None:
            # A client reused its key for another task: that is a task of its own, and must not be lost.
            submission_key = ""
    proposal = propose_task(instruction=instruction, start_url=start_url, kind=kind, category=category)
    check_label_limit(judge)
    receipt = receipt_in_force(judge)
    check_spending()
    match = pick_battle_pair()
    task = Task.objects.create(
        judge=judge,
        receipt=receipt,
        instruction=proposal.instruction,
        start_url=proposal.start_url,
        hosts=list(proposal.hosts),
        kind=proposal.kind,
        category=proposal.category,
        overlap=proposal.overlap,
        overlap_match=proposal.overlap_match,
        submission_key=submission_key,
    )
    battle = Battle.objects.create(
        task=task,
        kind=Battle.Kind.LIVE,
        agent_a=Agent.objects.get(pk=match.slot_a),
        agent_b=Agent.objects.get(pk=match.slot_b),
        pair_probability=match.pair_probability,
        judges_needed=pick_judges_needed(),
    )
    record(actor=f"judge:{judge.pk}", action="battles:task:submit", subject=str(battle.pk), task=str(task.pk))
    transaction.on_commit(lambda: doorbell(battle.pk))
    return battle
