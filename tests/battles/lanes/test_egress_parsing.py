"""URLs are read as Chromium reads them: what the policy lets through goes where it thinks."""

import asyncio
import random

import pytest
from playwright.async_api import async_playwright

from battles.lanes.chromium import find_chromium
from battles.lanes.egress_cases import SHIPPED_CASES, read_cases
from battles.lanes.egress_policy import NOWHERE, Destination, judge_url

pytestmark = pytest.mark.browser

PIECES = (
    *(
        "http",
        "https",
        "ws",
        ":",
        "/",
        "//",
        "\\",
        "@",
        "?",
        "#",
        ".",
        "..",
        "%",
        "%40",
        "%2e",
        "\t",
        " ",
        "\n",
        "'",
        "|",
    ),
    *(
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "[::1]",
        "[",
        "]",
        "localhost",
        "example.com",
        "user:pass",
        ":80",
        ":22",
        ":0",
    ),
    *("\u3002", "\u2460", "\u00ad", "\u200b", "\u200d", "xn--", "1", "a", "-", "_", "\u0661", "\x00", "*", "^", "<"),
    *(
        "ß",
        "ü",
        "\u212a",
        "\u2044",
        "\ufe52",
        "\u1680",
        "日本",
        "\U0001f4a9",
        "0x",
        "08",
        "1e3",
        "+",
        "~",
        "!",
        "$",
        "&",
        ";",
    ),
)

READ = """urls => urls.map(url => {
  try { const read = new URL(url); return [read.protocol, read.hostname, read.port, read.username, read.password]; }
  catch { return null; }
})"""


def in_chromium(urls):
    async def read():
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=find_chromium())
            page = await browser.new_page()
            answers = await page.evaluate(READ, urls)
            await browser.close()
            return answers

    return asyncio.run(read())


def sample(count):
    rng = random.Random(20)
    urls = [case["url"] for case in read_cases(SHIPPED_CASES)]
    for _ in range(count):
        middle = "".join(rng.choices(PIECES, k=rng.randint(1, 6)))
        urls.append(
            rng.choice(("http://", "https://", "https://example.com", "http:", ""))
            + middle
            + rng.choice(("", "/", ".com/"))
        )
    return [url for url in urls if "\ud800" not in url]


def test_what_is_let_through_goes_to_the_host_and_port_that_were_judged():
    urls = sample(6000)
    let_through = 0
    for url, read in zip(urls, in_chromium(urls), strict=True):
        verdict = judge_url(url)
        if not isinstance(verdict, Destination) or verdict is NOWHERE:
            continue
        let_through += 1
        assert read is not None, url
        protocol, host, port, username, password = read
        default = {"http:": 80, "https:": 443, "ws:": 80, "wss:": 443}[protocol]
        assert (host.strip("[]").removesuffix("."), int(port or default)) == (verdict.host, verdict.port), url
        assert (username, password) == ("", ""), url
    assert let_through > 100
