"""Beliefs about the tasks, the browsers they are raced in, and where these may go."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connection

from battles.intake import OverlapRefused
from battles.lanes.egress_policy import Destination, Refusal
from battles.lanes.events import Action
from battles.lanes.validation import Invalid, Request
from battles.lanes.vocabulary import VERBS
from battles.models import Agent, Lane, Task
from battles.screening.overlap import judge_fingerprint, load_index
from governance.asking import Anything, Caught, given, mentions, raises
from governance.theses import Cited, CodeMutation, DatabaseMutation, Section, Thesis, thesis

OWN_TASK = "Find out whether the water of my allotment is turned off next week, and until when."
START = "https://example.org/"
#: Items of a benchmark as long as this are sentences, and no accident.
LONG_ITEM = 10

PEOPLE_POST = "a_posted_task_has_a_judge_and_a_receipt"
INTAKE = "battles/intake.py"


def _needs_a_person(task: type[Task]) -> bool:
    """Only practice tasks may be without a person and their consent, for Django and for the database."""
    own: Any = next((each for each in task._meta.constraints if each.name == PEOPLE_POST), None)
    if own is None:
        return False
    with connection.cursor() as cursor:
        stored = connection.introspection.get_constraints(cursor, task._meta.db_table)
    return PEOPLE_POST in stored and raises(ValidationError, own.validate, task, task())


thesis(
    Thesis(
        section=Section.LIVE_TASKS,
        key="no-fixed-task-list",
        belief="There is no fixed list of tasks: what models are rated on was posted by people who consented.",
        why="A list can be trained on, and then says what a model remembers.",
        mechanism="The table of tasks refuses one without a person and a receipt, unless it is for practice.",
        cites=Cited("battles.models.tasks", "Task"),
        predicate=_needs_a_person,
        broken=Agent,
        mutations=(
            CodeMutation(
                "that a posted task has a person",
                "battles/models/tasks.py",
                'condition=~Q(practice_key="") | Q(judge__isnull=False, receipt__isnull=False),',
                "condition=Q(pk__isnull=False),",
            ),
            DatabaseMutation(
                "the same in the database", (f'ALTER TABLE "battles_task" DROP CONSTRAINT "{PEOPLE_POST}"',)
            ),
        ),
    )
)


def _screens(propose: Callable[..., object]) -> bool:
    """An item of the shipped index is refused, wherever the words of the task lead; a task of one's own is not."""
    index = load_index()
    item = next(held for held, _ in index.items() if held.words >= LONG_ITEM)
    met = given(propose, screen_overlap=lambda text: judge_fingerprint(item, index))
    own = raises(OverlapRefused, propose, instruction=OWN_TASK, start_url=START)
    return not own and raises(OverlapRefused, met, instruction=OWN_TASK, start_url=START)


def _screens_nothing(*, instruction: str, start_url: str) -> None:
    """A check of tasks that lets everything pass."""


thesis(
    Thesis(
        section=Section.LIVE_TASKS,
        key="benchmark-copies-refused",
        belief="A copy of a public benchmark item is refused, and told which item it matches.",
        why="Models have met those items in training, so a battle over one measures memory.",
        mechanism="Words are held against a shipped index before anything is drawn; a cosine of {cosine:g} or a "
        "containment of {containment:g} is a copy.",
        cites=Cited("battles.intake", "propose_task"),
        figures={
            "cosine": Cited("battles.screening.overlap", "DUPLICATE_COSINE"),
            "containment": Cited("battles.screening.overlap", "DUPLICATE_CONTAINMENT"),
        },
        predicate=_screens,
        broken=_screens_nothing,
        mutations=(
            CodeMutation(
                "the refusal of copies", INTAKE, "if overlap.tier is Tier.DUPLICATE:", "if overlap.tier is None:"
            ),
            CodeMutation(
                "the bar above which a task is a copy",
                "battles/screening/overlap.py",
                "        if margin[best] >= 1.0:\n",
                "        if margin[best] >= 1e9:\n",
            ),
        ),
    )
)


def _one_vocabulary(validate: Callable[[Action], object]) -> bool:
    """What the vocabulary has can be asked for; what vendors call it, or anything else, cannot."""
    foreign = ("left_click", "computer", "execute_script", "")
    invalid = [validate(Action(name, {})) for name in foreign]
    return isinstance(validate(Action("observe", {})), Request) and all(isinstance(one, Invalid) for one in invalid)


thesis(
    Thesis(
        section=Section.LIVE_TASKS,
        key="one-vocabulary",
        belief="Every agent acts with the same verbs, and with no others.",
        why="Different hands would make it a comparison of tools.",
        mechanism="An action that is no verb of the one vocabulary never reaches a browser, costs a step, and "
        "{in_a_row} of them in a row end the lane.",
        cites=Cited("battles.lanes.validation", "validate"),
        figures={"in_a_row": Cited("battles.lanes.loop", "INVALID_IN_A_ROW")},
        predicate=_one_vocabulary,
        broken=lambda action: Request(VERBS["observe"], {}),
        mutations=(
            CodeMutation(
                "the refusal of unknown verbs",
                "battles/lanes/validation.py",
                "    verb = VERBS.get(action.verb)\n",
                '    verb = VERBS.get(action.verb, VERBS["observe"])\n',
            ),
        ),
    )
)


def _same_budget(start: Callable[..., object]) -> bool:
    """Both lanes of an attempt are written with one budget, before anything runs."""
    lanes = Caught(Lane)
    given(start, Battle=Anything(), Attempt=Anything(), Lane=lanes, record=Anything(), _order=Anything())(
        battle_id=None, worker="nobody"
    )
    budgets = [(row["budget_steps"], row["budget_seconds"]) for row in lanes.rows]
    return [row["slot"] for row in lanes.rows] == ["A", "B"] and budgets[0] == budgets[1]


def _favours_slot_a(*, battle_id: None, worker: str) -> None:
    """A start that grants slot A more."""
    for slot, steps in (("A", 60), ("B", 30)):
        Lane.objects.create(slot=slot, budget_steps=steps, budget_seconds=300.0)


thesis(
    Thesis(
        section=Section.LIVE_TASKS,
        key="one-budget",
        belief="Both lanes have the same {budget.steps} steps and the same {budget.seconds:.0f} seconds on one clock.",
        why="More steps or more time would be bought success.",
        mechanism="Both budgets are written from one constant before a browser starts; a battle with unequal ones "
        "rates nobody.",
        cites=Cited("battles.racing", "start_attempt"),
        figures={"budget": Cited("battles.racing", "BUDGET")},
        predicate=_same_budget,
        broken=_favours_slot_a,
        mutations=(
            CodeMutation(
                "that both lanes have one budget",
                "battles/racing.py",
                "            budget_steps=BUDGET.steps,\n",
                "            budget_steps=BUDGET.steps * (2 if slot == Lane.Slot.A else 1),\n",
            ),
        ),
    )
)


def _one_browser(start: Callable[..., Any]) -> bool:
    """Every lane's browser is started in one place, which is not told whose lane it is."""
    told = set(inspect.signature(start).parameters)
    through = all(
        mentions(start, name) for name in ("EGRESS_ARGUMENTS", "QUIET_ARGUMENTS", "VIEWPORT_WIDTH", "LOCALE", "port")
    )
    return told == {"playwright", "proxy", "place", "sandbox"} and through


async def _browser_of_choice(playwright: object, proxy: object, place: object, sandbox: bool, agent: str) -> None:
    """A start that knows whose browser it is."""


thesis(
    Thesis(
        section=Section.LIVE_TASKS,
        key="one-browser",
        belief="Every lane is a fresh Chromium with the same window, locale and flags, behind its own proxy.",
        why="A page that looks otherwise is another task.",
        mechanism="One function starts every browser, {width} pixels wide, and is not told which agent it is for.",
        cites=Cited("battles.lanes.chromium", "_start_browser"),
        figures={"width": Cited("battles.lanes.events", "VIEWPORT_WIDTH")},
        predicate=_one_browser,
        broken=_browser_of_choice,
        mutations=(
            CodeMutation(
                "the flags that send everything through the proxy",
                "battles/lanes/chromium.py",
                "args=[*EGRESS_ARGUMENTS, *QUIET_ARGUMENTS,",
                "args=[*QUIET_ARGUMENTS,",
            ),
        ),
    )
)


def _stays_outside(judge: Callable[[str], object]) -> bool:
    """Public pages pass; the machine, its network, cloud metadata and other schemes do not, however spelled."""
    inside = (
        "http://127.0.0.1/",
        "http://localhost:8000/",
        "http://10.0.0.1/",
        "http://192.168.178.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://router.local/",
        "file:///etc/passwd",
    )
    return isinstance(judge(START), Destination) and all(isinstance(judge(url), Refusal) for url in inside)


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="no-run-of-the-operators-network",
        belief="A lane reaches public sites, and nothing of the machine or the network it runs in.",
        why="Anybody can post a task, so a browser that goes anywhere would be anybody’s key to the house.",
        mechanism="Every request of a browser goes through one proxy that judges address and answer of the resolver; "
        "verify_egress drives a real Chromium at every way out.",
        cites=Cited("battles.lanes.egress_policy", "judge_url"),
        predicate=_stays_outside,
        broken=lambda url: Destination(host=url, port=80),
        mutations=(
            CodeMutation(
                "the refusal of private addresses",
                "battles/lanes/egress_policy.py",
                '    return refused_address(address) or (None if written == host else "address_spelling")\n',
                '    return None if written == host else "address_spelling"\n',
            ),
            CodeMutation(
                "the look at what the resolver answered",
                "battles/lanes/egress_policy.py",
                '        reason = "reserved" if address is None else refused_address(address)\n',
                '        reason = "reserved" if address is None else None\n',
                red=("verify_egress",),
            ),
        ),
    )
)
