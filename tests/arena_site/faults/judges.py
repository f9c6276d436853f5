"""People with browsers, without the browsers: each posts tasks and votes over HTTP, and tries again as a client would.

What was answered well is written down; what the arena holds in the end is compared with that.
"""

import http.cookiejar
import random
import re
import secrets
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

ANSWER_SECONDS = 20.0
#: Between two tries of the same request.
PAUSE_SECONDS = (0.3, 1.5)
#: Whoever gets no answer for so long gives up: the arena is not coming back.
GIVE_UP_SECONDS = 600.0

TASKS = (
    ("How much does the stovetop kettle cost in this shop? Answer with the price.", "http://shop.practice.test/"),
    ("When does the branch library at the harbour open on Saturdays?", "http://library.practice.test/"),
    ("Which train leaves first for the coast after nine in the morning?", "http://timetable.practice.test/"),
)


class Stopped(Exception):
    """The run is over, or the arena has not answered for far too long."""


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@dataclass(frozen=True)
class Acknowledged:
    """A vote that was answered well: what the arena must hold."""

    judge: str
    battle: str
    choice: str


@dataclass
class Told:
    """What all judges were told, kept by whoever runs the faults."""

    votes: dict[tuple[str, str], Acknowledged] = field(default_factory=dict)
    #: Every key under which a vote was sent: one that says nothing new keeps the key of the one before.
    keys: set[str] = field(default_factory=set)
    locked: set[tuple[str, str]] = field(default_factory=set)
    #: The key of each posted task, with the battle it was answered with.
    tasks: dict[str, str] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    #: What went wrong on the way, by the fault that came last.
    troubles: Counter[tuple[str, str]] = field(default_factory=Counter)
    requests: int = 0
    after: str = "nothing"
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def trouble(self, what: str) -> None:
        with self._lock:
            self.troubles[self.after, what] += 1


class Person:
    """A browser's worth of cookies, and patience."""

    def __init__(self, root: str, told: Told, chance: random.Random, stop: threading.Event) -> None:
        self.root = root
        self.told = told
        self.chance = chance
        self.stop = stop
        self._jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar), _Stay)

    @property
    def judge(self) -> str:
        """The identifier in the signed cookie."""
        value = next(cookie.value for cookie in self._jar if cookie.name == "ringside_judge")
        return urllib.parse.unquote(str(value)).rpartition(":")[0]

    def ask(self, path: str, fields: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Status, page and ``Location``; the very same request again and again until the arena has an answer."""
        data = urllib.parse.urlencode(fields).encode() if fields is not None else None
        given_up = time.monotonic() + GIVE_UP_SECONDS
        while time.monotonic() < given_up:
            self.told.requests += 1
            try:
                with self._opener.open(f"{self.root}{path}", data, timeout=ANSWER_SECONDS) as answer:
                    return answer.status, answer.read().decode(), ""
            except urllib.error.HTTPError as answer:
                if answer.code < 500:
                    return answer.code, answer.read().decode(), answer.headers.get("Location", "")
                self.told.trouble(str(answer.code))
            except TimeoutError:
                self.told.trouble("no answer")
            except (OSError, http.client.HTTPException) as problem:
                self.told.trouble("no answer" if "timed out" in str(problem) else "no connection")
            time.sleep(self.chance.uniform(*PAUSE_SECONDS))
        raise Stopped

    def post_task(self) -> str:
        """Post a task; returns the battle it became."""
        instruction, start_url = self.chance.choice(TASKS)
        _, page, _ = self.ask("/battles/new")
        fields = {**hidden_fields(page), "instruction": instruction, "start_url": start_url}
        key = fields["idempotency_key"]
        status, _, location = self.ask("/battles/new", {**fields, "consent": "yes", "stage": "submit"})
        if status not in {302, 303}:
            self.told.refused[f"task {status}"] += 1
            return ""
        battle = re.search(r"/battles/([-0-9a-f]{36})", location)[1]
        self.told.tasks[key] = battle
        return battle

    def vote(self, battle: str) -> bool:
        """Vote, or vote anew; whether it was answered well."""
        status, page, _ = self.ask(f"/battles/{battle}")
        form = re.search(r'<form class="vote-form.*?</form>', page, re.DOTALL)
        if status != 200 or form is None:
            self.told.refused[f"page {status}"] += 1
            return False
        lanes = list(dict.fromkeys(re.findall(r'name="completion_([-0-9a-f]{36})"', form[0])))
        choice = self.chance.choice([*lanes, "tie", "both_bad"])
        key = secrets.token_urlsafe(16)
        fields = {**hidden_fields(form[0]), "idempotency_key": key, "choice": choice, "consent": "yes"}
        self.told.keys.add(key)
        fields |= {f"completion_{lane}": self.chance.choice(["done", "partly", "not_done"]) for lane in lanes}
        status, _, _ = self.ask(f"/battles/{battle}/vote", fields)
        if status not in {302, 303}:
            self.told.refused[f"vote {status}"] += 1
            return False
        pair = (self.judge, battle)
        self.told.votes[pair] = Acknowledged(*pair, choice)
        if self.chance.random() < 0.1:
            status, _, _ = self.ask(f"/battles/{battle}/lock", fields)
            if status == 303:
                self.told.locked.add(pair)
        return True


def hidden_fields(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))


def judge_until_stopped(
    person: Person, open_to: Callable[[str], list[str]], wants_task: Callable[[], bool], pause: tuple[float, float]
) -> None:
    """One person's run: a task where one is wanted, else a vote on whatever is open, now and then a second thought.

    Args:
        open_to: battles that can be judged, besides the person's own.
        wants_task: whether somebody should post one; true for one person at a time.
        pause: seconds between two acts, from and to.
    """
    own: list[str] = []
    while not person.stop.wait(person.chance.uniform(*pause)):
        try:
            if wants_task() and (posted := person.post_task()):
                own.append(posted)
                continue
            done = {battle for judge, battle in person.told.votes if own_judge(person) == judge}
            locked = {battle for judge, battle in person.told.locked if own_judge(person) == judge}
            waiting = [battle for battle in open_to(own_judge(person)) if battle not in done]
            again = sorted(done - locked)
            if waiting:
                person.vote(person.chance.choice(waiting))
            elif again and person.chance.random() < 0.2:
                person.vote(person.chance.choice(again))
        except Stopped:
            return


def own_judge(person: Person) -> str:
    try:
        return person.judge
    except StopIteration:
        return ""
