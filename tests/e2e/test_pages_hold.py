"""What holds on every page: axe is content, nothing scrolls sideways, motion and keys can be switched off."""

import gzip

import pytest

from battles.models import Agent, Battle
from judging.votes import Ballot, cast_vote, lock_vote
from ratings.models import Board
from ratings.publications import SHARE_FLOOR
from ratings.refit import refit
from tests.battles.factories import lane_of, make_battle, make_judge, make_task, make_votable, set_on
from tests.e2e.axe import defects, defects_in_every_look
from tests.judging.handing import hand_to, make_signed_in, offer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: The first page without its frames, as it goes over the wire.
HEAVIEST_BYTES = 100_000


@pytest.fixture
def judge(site):
    return make_signed_in()


@pytest.fixture
def agents(site):
    return tuple(Agent.objects.filter(kind="baseline").order_by("key"))


def publish(agents, *, of_the_first_pair=4):
    """Standings with something to say, from so many votes on the first pair and four on each other."""
    crowd = [make_judge() for _ in range(4)]
    for one, other, slots in ((0, 1, "AABA" * (of_the_first_pair // 4)), (1, 2, "ABAA"), (0, 2, "AABA")):
        for number, slot in enumerate(slots):
            battle = make_votable(kind=Battle.Kind.PRACTICE, agents=(agents[one], agents[other]))
            voter = crowd[number % len(crowd)]
            cast_vote(battle=battle, judge=voter, ballot=Ballot(choice=str(lane_of(battle, slot).pk)))
            lock_vote(battle=battle, judge=voter)
    assert refit(board=Board.DEMO, actor="system:test").outcome == "published"


@pytest.fixture
def paths(judge, agents):
    """Every kind of page and every state of a battle."""
    publish(agents, of_the_first_pair=SHARE_FLOOR + 4)
    own = {name: make_votable(task=make_task(judge), agents=agents[:2]) for name in ("votable", "saved", "locked")}
    for name in ("saved", "locked"):
        cast_vote(battle=own[name], judge=judge, ballot=Ballot(choice="tie", note="Both stop early."))
    lock_vote(battle=own["locked"], judge=judge)
    queued = make_battle(task=make_task(judge), agents=agents[:2])
    void = make_battle(task=make_task(judge), agents=agents[:2])
    set_on(Battle.objects.filter(pk=void.pk), state="void", voided_at=void.created_at, void_reason="The disk was full.")
    in_hand = offer(make_votable(agents=agents[:2]))
    hand_to(in_hand, judge)
    battles = [*own.values(), queued, void, in_hand]
    plain = [
        "/",
        "/battles/new",
        "/judge/me",
        "/standings",
        "/methods",
        "/methods/rubric",
        "/status",
        "/withdraw",
        "/api/docs",
    ]
    return [*plain, f"/standings/{agents[0].key}", *(f"/battles/{battle.pk}" for battle in battles)]


def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page, judge, paths):
    page = open_page("/standings", judge=judge)
    assert page.locator(".matrix").is_visible()
    found = []
    for path in paths:
        page.goto(path)
        if page.locator("[data-next-change]").is_visible():
            page.keyboard.press("1")
        found += [(path, *defect) for defect in defects_in_every_look(page)]
    assert found == []


def test_axe_would_find_something(open_page, site):
    page = open_page("/status")
    page.evaluate("document.querySelector('h1').replaceChildren(new Image())")
    page.evaluate("document.documentElement.removeAttribute('lang')")
    assert {"html-has-lang", "image-alt"} <= {defect.split(":")[0] for defect in defects(page)}


def test_axe_finds_nothing_on_refused_and_missing_pages(chromium, site):
    page = chromium.new_page(base_url=site)
    page.goto("/battles/new")
    page.get_by_label("Where do they start?").fill("http://10.0.0.1/")
    page.locator("form").evaluate("form => { form.noValidate = true; }")
    page.get_by_role("button", name="Start the race").click()
    page.get_by_text("Not posted yet").wait_for()
    assert defects(page) == []
    page.goto("/no-such-page")
    assert page.get_by_role("heading", level=1).inner_text() == "There is nothing here"
    assert defects(page) == []
    page.close()


def test_a_definition_opens_and_closes_from_the_keyboard(open_page, agents):
    publish(agents)
    page = open_page("/standings")
    button = page.get_by_role("button", name="Rating", exact=True)
    button.press("Enter")
    assert page.locator("#def-rating").is_visible()
    assert defects(page) == []
    page.keyboard.press("Escape")
    assert not page.locator("#def-rating").is_visible()
    assert button.evaluate("button => button === document.activeElement")


def test_single_keys_can_be_switched_off_and_stay_off(open_page, agents):
    battle = make_votable(kind=Battle.Kind.PRACTICE, agents=agents[:2])
    page = open_page(f"/battles/{battle.pk}")
    page.keyboard.press("?")
    page.get_by_label("Single keys are on").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.keyboard.press("1")
    assert page.locator(".pick input:checked").count() == 0


def test_nothing_moves_where_less_motion_is_asked_for(open_page, agents):
    battle = make_battle(kind=Battle.Kind.PRACTICE, agents=agents[:2])
    set_on(Battle.objects.filter(pk=battle.pk), state="racing")
    moving = """[...document.querySelectorAll('*')].filter((element) => {
      const style = getComputedStyle(element);
      return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0;
    }).length"""
    page = open_page(f"/battles/{battle.pk}", reduced_motion="reduce")
    assert page.evaluate(moving) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) > 0


def test_the_chosen_scheme_is_kept(open_page, site):
    page = open_page("/", color_scheme="light")
    page.get_by_role("button", name="Switch to dark colours").click()
    page.goto("/standings")
    assert page.evaluate("document.documentElement.dataset.scheme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 20, 22)"


def test_the_time_line_is_in_sight_above_the_vote_bar(open_page, judge, agents):
    battle = make_votable(task=make_task(judge), agents=agents[:2])
    set_on(Battle.objects.filter(pk=battle.pk), starts_differ=True)
    page = open_page(f"/battles/{battle.pk}", judge=judge)
    for width, height in ((1280, 800), (1366, 650), (1440, 900), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        bottom = page.locator(".scrubber").evaluate("scrubber => scrubber.getBoundingClientRect().bottom")
        assert bottom <= page.locator("#vote-bar").evaluate("bar => bar.getBoundingClientRect().top"), (width, height)


def test_the_focus_is_never_under_the_vote_bar(open_page, judge, agents):
    votable = make_votable(task=make_task(judge), agents=agents[:2])
    for width in (360, 1280):
        page = open_page(f"/battles/{votable.pk}", judge=judge, width=width)
        hidden = []
        for _ in range(30):
            page.keyboard.press("Tab")
            covered = page.evaluate(
                """() => {
                  const focus = document.activeElement, bar = document.getElementById('vote-bar');
                  if (focus === document.body || bar.contains(focus)) return '';
                  const at = focus.getBoundingClientRect(), over = bar.getBoundingClientRect();
                  const under = at.height && at.top >= over.top && at.bottom <= over.bottom;
                  return under ? focus.outerHTML.slice(0, 120) : '';
                }"""
            )
            hidden += [covered] if covered else []
        assert hidden == []


def test_the_first_page_is_light(open_page, agents):
    make_votable(kind=Battle.Kind.PRACTICE, agents=agents[:2])
    page = open_page("/status")
    page.wait_for_load_state("networkidle")
    sizes = {}

    def weigh(response):
        if "/frames/" not in response.url:
            text = "/static/" in response.url
            body = response.body()
            sizes[response.url] = len(gzip.compress(body)) if text else len(body)

    page.on("response", weigh)
    page.goto("/")
    page.wait_for_load_state("networkidle")
    assert len(sizes) >= 4
    assert sum(sizes.values()) < HEAVIEST_BYTES, sizes
