"""The rival of ``bench.lanes``: BrowserGym's own environment, run by a Python that has ``browsergym-core``.

``python browsergym_rival.py URL CHROMIUM SLOW_MO_MS OBSERVATION_DELAY_S`` ("default" for what it uses by itself). Says
its versions in one line; then, for every line it reads, takes one step (a click on the element ``add`` of the page) and
answers with its milliseconds.
"""

import importlib.metadata
import json
import sys
import time

import browsergym.core  # noqa: F401  (registers the environment)
import gymnasium
from playwright.sync_api import BrowserType


def main(url: str, chromium: str, slow_mo: str, delay: str) -> None:
    use_browser(chromium)
    options: dict[str, object] = {}
    if slow_mo != "default":
        options["slow_mo"] = int(slow_mo)
    if delay != "default":
        options["pre_observation_delay"] = float(delay)
    environment = gymnasium.make(
        "browsergym/openended", task_kwargs={"start_url": url}, viewport={"width": 1280, "height": 800}, **options
    )
    environment.reset(seed=1)
    page = environment.unwrapped.page
    reference = page.locator("#add").get_attribute("bid")
    say({name: importlib.metadata.version(name) for name in ("browsergym-core", "playwright")})
    for _ in sys.stdin:
        before = page.locator("#count").inner_text()
        start = time.perf_counter()
        seen, *_ = environment.step(f"click({reference!r})")
        took = (time.perf_counter() - start) * 1000
        if seen["last_action_error"] or page.locator("#count").inner_text() == before:
            raise SystemExit(f"the step did nothing: {seen['last_action_error']}")
        say(took)
    environment.close()


def use_browser(chromium: str) -> None:
    """Have every browser it starts (it starts two: one shows a chat) be the one that the lanes use too."""
    launch = BrowserType.launch
    BrowserType.launch = lambda self, **options: launch(
        self, **{**options, "executable_path": chromium, "chromium_sandbox": False}
    )


def say(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
