"""Whether a battle that may not be read can be told from one that does not exist, over the site's own HTTP stack.

Status, body, headers and cookies are compared byte for byte, with the identifiers that were asked for blanked; the
statements sent to the database one by one; and the time by class.
"""

import itertools
import statistics
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.http import parse_http_date_safe

from battles.models import Agent, Attempt, Battle, Frame, Lane, Task
from governance.consent import current_text, give_consent
from governance.models import Judge
from judging.accounts import bind_device
from judging.models import Offer, Report
from judging.site_visits import OF_ONE_ANSWER, Address, battle_addresses, body_of, browser_of, rolled_back

#: Visits of each of the two battles, in turns, so that a busy machine is busy for both.
ROUNDS = 15
#: Medians of the same class: within half as much again of each other,
SLOWER = 1.5
#: or closer than anybody can tell through a network, in seconds.
NOT_TOLD_APART = 0.003
#: A difference in time must show every time it is measured; one look can be a hiccup.
LOOKS = 3
#: A date in a header so close to the present is the present.
CLOCK_SECONDS = 5


@dataclass(frozen=True, slots=True)
class AccessReport:
    """What was compared, and every difference in words."""

    comparisons: int
    timed: int
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Visit:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    statements: tuple[str, ...]


def check_access(*, rounds: int = ROUNDS, kinds: Collection[str] = ()) -> AccessReport:
    """Compare every address of battles that may not be read with the same address of battles that are not there.

    Args:
        rounds: timed visits of each address.
        kinds: which of the forbidden battles; all of them by default. The private one is always among them.
    """
    with rolled_back():
        battles = {
            name: make() for name, make in _forbidden().items() if name == "private" or name in kinds or not kinds
        }
        viewers = {
            "nobody": browser_of(None),
            "device": browser_of(_judge()),
            "signed in": browser_of(bind_device(device=_judge(), account="check", actor="system:verify")),
        }
        differences: list[str] = []
        comparisons = 0
        for browser in viewers.values():
            # What a browser's first visit writes is no difference.
            browser.get("/battles/new")
        for address in battle_addresses():
            for who, browser in viewers.items():
                for name, how, what in _compare(browser, address, battles, fragments=who == "signed in"):
                    comparisons += 1
                    differences += [f"{address.name}, {name} battle, {who}: {how}: {words}" for words in what]
        private, frame = battles["private"]
        timed = [address for address in battle_addresses() if _waits(viewers["signed in"], address, private, frame)]
        for address in timed:
            late = _time_apart(viewers["signed in"], address, private, frame, rounds)
            if late:
                differences.append(f"{address.name}, private battle, signed in: {late}")
    return AccessReport(comparisons, len(timed), tuple(differences))


def _compare(
    browser: Client, address: Address, battles: Mapping[str, tuple[uuid.UUID, uuid.UUID]], *, fragments: bool
) -> Iterator[tuple[str, str, list[str]]]:
    """Each forbidden battle's answer to each way of asking, with what tells it from that of one missing battle.

    Args:
        fragments: asks as HTMX does, too.
    """
    asked: list[dict[str, str]] = [{}, {"HX-Request": "true"}] if fragments else [{}]
    for method, headers in itertools.product(("get", "post"), asked):
        how = f"{method.upper()}{' by HTMX' if headers else ''}"
        _, some_frame = battles["private"]
        missing = _visit(browser, method, address, uuid.uuid4(), some_frame, headers)
        for name, (battle, frame) in battles.items():
            forbidden = _visit(browser, method, address, battle, frame, headers)
            yield name, how, list(_told_apart(forbidden, missing))


def _told_apart(forbidden: Visit, missing: Visit) -> Iterator[str]:
    if not 300 <= forbidden.status < 500:
        yield f"answered with {forbidden.status}"
    if forbidden.status != missing.status:
        yield f"status {forbidden.status} against {missing.status}"
    if forbidden.headers != missing.headers:
        yield f"headers {sorted(set(forbidden.headers) ^ set(missing.headers))}"
    if forbidden.body != missing.body:
        yield f"body of {len(forbidden.body)} against {len(missing.body)} bytes, or other words"
    if forbidden.statements != missing.statements:
        yield f"{len(forbidden.statements)} against {len(missing.statements)} statements, or other ones"


def _visit(
    browser: Client, method: str, address: Address, battle: uuid.UUID, frame: uuid.UUID, headers: dict[str, str]
) -> Visit:
    statements: list[str] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        statements.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        response = getattr(browser, method)(address.path(battle, frame), headers=headers)
    headers_sent = [(name, value) for name, value in response.headers.items() if name not in OF_ONE_ANSWER]
    sent = [*headers_sent, *(("Set-Cookie", name) for name in response.cookies)]
    blanked = sorted((name, _settled_clock(_blanked(value, battle, frame))) for name, value in sent)
    # Every byte is one letter of this encoding.
    body = _blanked(body_of(response).decode("latin-1"), battle, frame).encode("latin-1")
    return Visit(response.status_code, tuple(blanked), body, tuple(_settled(statements)))


def _blanked(text: str, battle: uuid.UUID, frame: uuid.UUID) -> str:
    """Without what was asked for, which an answer may repeat."""
    return text.replace(str(battle), "<battle>").replace(str(frame), "<frame>")


def _settled_clock(value: str) -> str:
    """A header that says what time it is differs between any two answers."""
    said = parse_http_date_safe(value)
    return "<now>" if said is not None and abs(said - time.time()) < CLOCK_SECONDS else value


def _settled(statements: list[str]) -> Iterator[str]:
    """Names of savepoints count upwards."""
    for statement in statements:
        yield statement if "SAVEPOINT" not in statement else statement.split('"')[0]


def _waits(browser: Client, address: Address, battle: uuid.UUID, frame: uuid.UUID) -> bool:
    """Whether the address looks at the battle at all when it is opened; one that only takes forms does not."""
    return bool(_visit(browser, "get", address, battle, frame, {}).status == 404)


def _time_apart(browser: Client, address: Address, battle: uuid.UUID, frame: uuid.UUID, rounds: int) -> str:
    """How far apart the medians are, or nothing where one look finds them in one class."""
    words = ""
    for _ in range(LOOKS):
        forbidden, missing = [], []
        for _ in range(rounds):
            forbidden.append(_seconds(browser, address.path(battle, frame)))
            missing.append(_seconds(browser, address.path(uuid.uuid4(), frame)))
        quick, slow = sorted((statistics.median(forbidden), statistics.median(missing)))
        if slow <= quick * SLOWER or slow - quick <= NOT_TOLD_APART:
            return ""
        words = f"{quick * 1000:.1f} ms against {slow * 1000:.1f} ms"
    return words


def _seconds(browser: Client, path: str) -> float:
    start = time.perf_counter()
    browser.get(path)
    return time.perf_counter() - start


def _judge() -> Judge:
    judge = Judge.objects.create()
    text = current_text()
    give_consent(judge=judge, text=text, rendered=text.sentence)
    return judge


def _forbidden() -> dict[str, Callable[[], tuple[uuid.UUID, uuid.UUID]]]:
    """Battles that a judge to whom nothing was handed may not read, with one of their frames."""
    return {
        "queued": lambda: plant_battle(state=Battle.State.QUEUED),
        "private": plant_battle,
        "offered": lambda: plant_battle(offered=True),
        "closed": lambda: plant_battle(state=Battle.State.CLOSED, offered=True),
        "reported": lambda: plant_battle(reported=True, offered=True),
        "reported practice": lambda: plant_battle(kind=Battle.Kind.PRACTICE, reported=True),
        "void": lambda: plant_battle(state=Battle.State.VOID),
        "gold": lambda: plant_battle(kind=Battle.Kind.GOLD),
        "calibration": lambda: plant_battle(kind=Battle.Kind.CALIBRATION),
    }


def plant_battle(
    *, kind: str = Battle.Kind.LIVE, state: str = Battle.State.VOTABLE, offered: bool = False, reported: bool = False
) -> tuple[uuid.UUID, uuid.UUID]:
    """A battle with two lanes, made to be looked at and rolled back; returns its identifier and its frame's."""
    submitter = _judge()
    receipt = submitter.receipts.get()
    now = timezone.now() - timedelta(minutes=1)
    task = Task.objects.create(
        judge=submitter,
        receipt=receipt,
        instruction="Read the hours of the town library.",
        start_url="https://library.example/",
        kind=Task.Kind.ANSWER,
        category="research",
    )
    agents = [_agent(number) for number in (1, 2)]
    battle = Battle.objects.create(
        task=task,
        kind=kind,
        state=state,
        agent_a=agents[0],
        agent_b=agents[1],
        pair_probability=1.0,
        leak_scan=Battle.Leak.CLEAN,
        votable_at=now,
        closed_at=now if state == Battle.State.CLOSED else None,
        voided_at=now if state == Battle.State.VOID else None,
    )
    attempt = Attempt.objects.create(battle=battle, number=1, outcome=Attempt.Outcome.FINISHED, ended_at=now)
    lanes = [
        Lane.objects.create(
            attempt=attempt,
            slot=slot,
            agent=agent,
            agent_version=agent.model_version,
            budget_steps=1,
            budget_seconds=1.0,
            state=Lane.State.ENDED,
            ended="answered",
            ended_at=now,
        )
        for slot, agent in zip(Lane.Slot.values, agents, strict=True)
    ]
    frame = Frame.objects.create(lane=lanes[0], sha256="0" * 64, mime="image/webp", width=1, height=1, size=1)
    if offered:
        Offer.objects.create(battle=battle, judge=submitter, receipt=receipt)
    if reported:
        Report.objects.create(battle=battle, judge=submitter, kind="other", due_at=now)
    return battle.pk, frame.pk


def _agent(number: int) -> Agent:
    key = f"verify-access-{number}"
    agent, _ = Agent.objects.get_or_create(
        key=key, defaults={"name": key, "provider": f"{key}-maker", "adapter": "none", "model_version": key}
    )
    return agent
