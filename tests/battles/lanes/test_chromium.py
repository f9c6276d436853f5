"""A lane's browser: found, started behind its proxy with all its protections, and gone without a trace."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from battles.lanes import chromium
from battles.lanes.chromium import LaunchFailed, NoChromium, chromium_for_lane, find_chromium, install_line, user_agent
from battles.lanes.egress import EgressProxy
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from battles.lanes.processes import children_of_this_thread, descendants, is_alive, process_status, processes_naming
from battles.lanes.runtime_dir import browser_user, lane_runtime_dir
from tests.battles.lanes.scripted_proxy import Upstream

ROOT = Path(__file__).resolve().parents[3]
PAGE = b"<title>hello</title><a download=a.txt href=/a.txt>a</a><input type=file>"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PAGE

pytestmark = pytest.mark.browser
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="what root does for the unprivileged user")


@asynccontextmanager
async def browsing(folder, **options):
    """A browser on a page of a pinned site; yields what was launched, its page and the proxy."""
    site = Upstream(ANSWER)
    async with await asyncio.start_server(site.handle, "127.0.0.1", 0) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with (
            EgressProxy({"shop.practice.test:80": address}, folder) as proxy,
            chromium_for_lane(proxy, folder, **options) as launched,
        ):
            page = launched.context.pages[0]
            await page.goto("http://shop.practice.test/")
            assert await page.title() == "hello"
            yield launched, page, proxy


@contextmanager
def no_process_left():
    """What the block starts is gone after it; what has just ended is given the time to be collected."""
    before = children_of_this_thread()
    try:
        yield
    finally:
        deadline = time.monotonic() + 5
        while children_of_this_thread() - before and time.monotonic() < deadline:
            time.sleep(0.02)
        assert children_of_this_thread() <= before


def browse(test, **options):
    """Run a test on a browser, and see that nothing of the browser is left."""

    async def live(folder):
        async with browsing(folder, **options) as parts:
            await test(*parts)

    with lane_runtime_dir() as folder, no_process_left():
        try:
            asyncio.run(asyncio.wait_for(live(folder), 90))
        finally:
            assert list(folder.iterdir()) == []
            assert processes_naming(folder) == []


def test_a_pinned_page_opens_in_a_sandboxed_browser_with_a_network_of_its_own():
    async def test(launched, page, proxy):
        assert launched.facts.sandboxed
        assert launched.facts.isolated_network
        assert os.readlink(f"/proc/{launched.pid}/ns/net") != os.readlink("/proc/self/ns/net")
        if (user := browser_user()) is not None:
            for pid in (launched.pid, *descendants([launched.pid])):
                assert set(process_status(pid)["Uid"].split()) == {str(user.uid)}

    browse(test)


def test_on_its_flags_alone_the_page_opens_and_the_facts_say_so():
    async def test(launched, page, proxy):
        assert not launched.facts.isolated_network
        assert os.readlink(f"/proc/{launched.pid}/ns/net") == os.readlink("/proc/self/ns/net")

    browse(test, isolate=False)


def test_every_lane_is_the_same_to_a_site():
    async def test(launched, page, proxy):
        seen = await page.evaluate(
            "() => [navigator.userAgent, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,"
            " innerWidth, innerHeight, devicePixelRatio, navigator.webdriver]"
        )
        agent, *rest = seen
        assert agent == user_agent(find_chromium())
        assert "Headless" not in agent
        assert rest == ["en-US", "UTC", VIEWPORT_WIDTH, VIEWPORT_HEIGHT, 1, True]

    browse(test)


def test_what_a_page_asks_for_in_vain_is_told():
    async def test(launched, page, proxy):
        await page.evaluate("() => fetch('http://10.0.0.1/', { mode: 'no-cors' }).catch(() => {})")
        assert {"host": "10.0.0.1", "port": 80, "reason": "private"} in proxy.drain_refusals()

    browse(test)


def test_downloads_and_uploads_work_for_the_browsers_user():
    async def test(launched, page, proxy):
        async with page.expect_download() as downloading:
            await page.click("a")
        download = await downloading.value
        assert Path(await download.path()).parent == launched.downloads
        (launched.uploads / "note.txt").write_text("a note")
        await page.set_input_files("input", launched.uploads / "note.txt")
        assert await page.evaluate("() => document.querySelector('input').files[0].text()") == "a note"

    browse(test)


def test_a_killed_browser_is_gone_at_once_and_leaves_the_block_in_time():
    async def test(launched, page, proxy):
        family = [launched.pid, *descendants([launched.pid])]
        launched.kill()
        assert not any(map(is_alive, family))

    began = time.monotonic()
    browse(test)
    assert time.monotonic() - began < 40


def test_a_hanging_page_does_not_keep_the_block():
    async def test(launched, page, proxy):
        hanging = asyncio.create_task(page.evaluate("() => { while (true) {} }"))
        await asyncio.sleep(0.5)
        hanging.cancel()

    browse(test)


def test_an_error_in_the_block_leaves_nothing():
    async def test(launched, page, proxy):
        raise RuntimeError("the lane broke")

    with pytest.raises(RuntimeError, match="the lane broke"):
        browse(test)


def test_nothing_runs_long_after_its_worker_was_killed():
    program = (
        "import asyncio\n"
        "from tests.battles.lanes.test_chromium import browsing\n"
        "from battles.lanes.runtime_dir import lane_runtime_dir\n"
        "async def live(folder):\n"
        "    async with browsing(folder):\n"
        "        print(folder, flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "with lane_runtime_dir() as folder:\n"
        "    asyncio.run(live(folder))\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        folder = Path(worker.stdout.readline().strip())
        assert len(processes_naming(folder)) > 3
        worker.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 15
    while processes_naming(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes_naming(folder) == []
    with lane_runtime_dir():
        assert not folder.exists()


@only_root
def test_a_browser_that_only_root_may_read_is_shown_to_its_user(tmp_path, monkeypatch):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    installed = find_chromium().resolve()
    subprocess.run(["cp", "-a", "--reflink=auto", installed.parent, closed / "chromium"], check=True, timeout=60)
    monkeypatch.setenv(chromium.CHROMIUM_VARIABLE, str(closed / "chromium" / installed.name))

    async def test(launched, page, proxy):
        assert launched.facts.sandboxed
        assert launched.facts.isolated_network

    try:
        browse(test)
        assert closed.stat().st_mode & 0o777 == 0o700
    finally:
        shutil.rmtree(closed)


@pytest.mark.parametrize(
    ("wrapper", "sandboxed", "isolated"),
    [
        # No namespaces at all and no other user than root, as in a locked-down container.
        (
            "unshare -U -r /bin/sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; "
            'echo 0 > /proc/sys/user/max_net_namespaces; exec "$@"\' sh',
            False,
            False,
        ),
        # Root without the right to make namespaces: the unprivileged user makes its own.
        ("setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin", True, True),
        # Not root at all; reading rights are left, since the tests' own Python may be root's.
        (
            "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_read_search "
            "--ambient-caps=+dac_read_search env HOME=/nonexistent",
            True,
            True,
        ),
    ],
    ids=["nothing allowed", "root without rights", "not root"],
)
@only_root
def test_what_a_machine_refuses_is_done_without_and_said(wrapper, sandboxed, isolated):
    program = (
        "import asyncio\n"
        "from tests.battles.lanes.test_chromium import browse\n"
        "async def test(launched, page, proxy):\n"
        "    print(launched.facts.sandboxed, launched.facts.isolated_network)\n"
        "browse(test)\n"
    )
    told = subprocess.run(
        ["/bin/sh", "-c", f'exec {wrapper} "$@"', "sh", sys.executable, "-B", "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert told.stdout.split() == [str(sandboxed), str(isolated)], told.stderr


@pytest.fixture
def standing_in(monkeypatch):
    """Puts a script in the browser's place; returns what reads the arguments of every start of it.

    The script finds the browser in ``$browser`` and the number of its start in ``$start``.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        script, starts = folder / "chromium", folder / "starts"

        def put(lines):
            script.write_text(
                f"#!/bin/sh\nbrowser={find_chromium()}\n"
                f'[ "$*" = --version ] && exec "$browser" --version\n'
                f'echo "$@" >> {starts}\nstart=$(wc -l < {starts})\n{lines}\n'
            )
            script.chmod(0o755)
            monkeypatch.setenv(chromium.CHROMIUM_VARIABLE, str(script))
            return lambda: starts.read_text(encoding="utf-8").splitlines()

        yield put


async def is_sandboxed_here(launched, page, proxy):
    assert launched.facts.sandboxed


@pytest.mark.parametrize(
    "killed",
    [
        pytest.param("kill -9 $$", id="at once"),
        # The driver is connected by then, and says that it started.
        pytest.param('(sleep 1; kill -9 $$) & exec "$browser" "$@" --no-startup-window', id="without a page"),
        # The driver waits for a page that is not ready.
        pytest.param('(sleep 1; kill -9 $$) & exec "$browser" "$@" --renderer-startup-dialog', id="before its page"),
    ],
)
def test_a_browser_that_is_killed_while_it_starts_is_started_again_in_its_sandbox(standing_in, killed):
    starts = standing_in(f'if [ $start = 1 ]; then {killed}; else exec "$browser" "$@"; fi')
    began = time.monotonic()
    browse(is_sandboxed_here)
    assert time.monotonic() - began < chromium.LAUNCH_SECONDS
    assert len(starts()) == 2


def test_a_browser_that_is_killed_again_and_again_is_not_tried_without_its_sandbox(standing_in):
    starts = standing_in("kill -9 $$")
    with pytest.raises(LaunchFailed):
        browse(None)
    assert len(starts()) == chromium.SANDBOX_TRIES
    assert not any("--no-sandbox" in arguments for arguments in starts())


def test_a_browser_that_ends_of_itself_in_its_sandbox_is_tried_again_and_then_without(standing_in):
    starts = standing_in('case "$*" in *--no-sandbox*) exec "$browser" "$@";; esac; exit 1')

    async def test(launched, page, proxy):
        assert not launched.facts.sandboxed

    browse(test)
    assert ["--no-sandbox" in arguments for arguments in starts()] == [*[False] * chromium.SANDBOX_TRIES, True]


def test_a_driver_that_is_killed_while_it_starts_is_a_browser_that_could_not_be_had(monkeypatch, tmp_path):
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\nkill -9 $$\n")
    node.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    with pytest.raises(LaunchFailed, match="driver of the browser"):
        browse(None)


def test_a_browser_that_does_not_start_says_why(monkeypatch, tmp_path):
    broken = tmp_path / "bin" / "chromium"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'no display, no luck' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv(chromium.CHROMIUM_VARIABLE, str(broken))
    with pytest.raises(LaunchFailed, match="no luck"):
        browse(None)


def test_a_file_that_is_no_program_says_so(monkeypatch, tmp_path):
    broken = tmp_path / "chromium"
    broken.write_text("not a program")
    broken.chmod(0o755)
    monkeypatch.setenv(chromium.CHROMIUM_VARIABLE, str(broken))
    with pytest.raises(LaunchFailed, match="cannot be run"):
        browse(None)


def test_a_cancelled_lane_leaves_nothing():
    async def test(launched, page, proxy):
        asyncio.current_task().cancel()
        await asyncio.sleep(30)

    with pytest.raises(asyncio.CancelledError):
        browse(test)


def test_without_a_browser_the_install_line_of_this_machine_is_told(monkeypatch, tmp_path):
    monkeypatch.delenv(chromium.CHROMIUM_VARIABLE, raising=False)
    monkeypatch.setattr(chromium, "BINARIES", ())
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    for manager, line in chromium.INSTALL_LINES.items():
        here = tmp_path / manager
        here.mkdir()
        (here / manager).write_text("#!/bin/sh\n")
        (here / manager).chmod(0o755)
        monkeypatch.setenv("PATH", str(here))
        with pytest.raises(NoChromium, match="no Chromium on this machine") as problem:
            find_chromium()
        assert str(problem.value).endswith(line)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert install_line().endswith("-m playwright install --with-deps chromium")


def test_playwrights_own_browser_is_found_when_there_is_no_other(monkeypatch, tmp_path):
    own = tmp_path / "chromium-1234" / "chrome-linux" / "chrome"
    own.parent.mkdir(parents=True)
    own.write_text("")
    own.chmod(0o755)
    monkeypatch.delenv(chromium.CHROMIUM_VARIABLE, raising=False)
    monkeypatch.setattr(chromium, "BINARIES", ())
    monkeypatch.setattr(chromium, "COMMANDS", ())
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    assert find_chromium() == own


def test_a_snap_is_passed_over(monkeypatch, tmp_path):
    wrapper = tmp_path / "chromium"
    wrapper.write_text('#!/bin/sh\nexec /snap/bin/chromium "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.delenv(chromium.CHROMIUM_VARIABLE, raising=False)
    monkeypatch.setattr(chromium, "BINARIES", (str(wrapper),))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with pytest.raises(NoChromium):
        find_chromium()


def test_a_chosen_browser_must_be_there(monkeypatch, tmp_path):
    monkeypatch.setenv(chromium.CHROMIUM_VARIABLE, str(tmp_path))
    with pytest.raises(NoChromium, match="not an executable file"):
        find_chromium()


@pytest.mark.soak
def test_a_page_cannot_take_all_memory():
    async def test(launched, page, proxy):
        taken = await page.evaluate(
            "() => { const kept = []; try { while (kept.length < 160) kept.push(new Uint8Array(64 << 20).fill(1)); }"
            " catch {} return kept.length * 64; }"
        )
        assert taken < 3072

    browse(test)
