"""What README and docs have people paste: commands that are taken, and a proxy that the site understands."""

import re
import shlex
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.core.management.base import BaseCommand

from arena_site.accounts.models import Account
from arena_site.environment import CHECKOUT

README, OPERATING = CHECKOUT / "README.md", CHECKOUT / "docs" / "operating.md"
PREFIX = ".venv/bin/python manage.py "
#: A line of a block, with what it goes on with, or words within a sentence.
PASTED = re.compile(rf"(?<=`){re.escape(PREFIX)}([^`]+)`|{re.escape(PREFIX)}((?:[^\n`]*\\\n)*[^\n`]*)$", re.MULTILINE)


def pasted(page) -> Iterator[list[str]]:
    """The words of each command of a page."""
    for inline, line in PASTED.findall(page.read_text()):
        command = " ".join((inline or line).replace("\\\n", " ").split())
        # What it is piped into, and a remark behind it.
        command = re.split(r" [|#] ", command)[0]
        yield shlex.split(re.sub(r"<[^>]*>", "...", command))


def refusal(words: list[str]) -> str:
    """What the command's own parser says of them; nothing when it takes them."""
    name, *rest = words
    app = get_commands()[name]
    command = app if isinstance(app, BaseCommand) else load_command_class(app, name)
    try:
        command.create_parser("manage.py", name).parse_args(rest)
    except (CommandError, SystemExit) as error:
        return "" if getattr(error, "code", None) == 0 else f"{' '.join(words)}: {error}"
    return ""


PAGES = [page for page in (README, *sorted((CHECKOUT / "docs").glob("*.md"))) if list(pasted(page))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_is_taken_by_its_own_parser(page, capsys):
    assert {README, OPERATING} < set(PAGES)
    commands = list(pasted(page))
    assert [told for words in commands if (told := refusal(words))] == []


def test_operating_has_one_form_of_a_command_and_it_works_from_the_checkout():
    # What a unit says of itself, or a sentence of the file, is no command.
    bare = re.findall(r"(?<!\.venv/bin/python )manage\.py \w+", OPERATING.read_text())
    assert bare == []


def test_no_block_of_a_page_has_another_form():
    bare = {
        page.name: found
        for page in (CHECKOUT / "docs").glob("*.md")
        if (found := re.findall(r"^ {4}(?:python )?manage\.py .*", page.read_text(), re.MULTILINE))
    }
    assert bare == {}


def test_a_command_that_lacks_a_word_is_found_out():
    assert "required" in refusal(["ledger"])
    assert "invalid choice" in refusal(["operators", "add", "NAME", "--role", "king"])


@pytest.mark.django_db
def test_what_readme_says_makes_somebody_an_operator():
    section = README.read_text().partition("## Operate it")[2].partition("\n## ")[0]
    [block] = re.findall(r"```\n(.*?)```", section, re.DOTALL)
    account = Account.objects.create_user("first-operator", "violet barge pendulum")
    words = shlex.split(block.replace("NAME", account.username))
    assert words[:2] == PREFIX.split()
    call_command(*words[2:])
    account.refresh_from_db()
    assert [group.name for group in account.groups.all()] == ["administrator"]


def proxy() -> str:
    [block] = re.findall(r"```nginx\n(.*?)```", OPERATING.read_text(), re.DOTALL)
    return block


@pytest.mark.django_db
def test_the_site_understands_what_the_proxy_of_the_page_sends(settings, client):
    example = re.search(r"ARENA_HTTPS=true ARENA_TRUSTED_PROXIES=(\d) ARENA_ALLOWED_HOSTS=(\S+)", OPERATING.read_text())
    assert set(re.findall(r"server_name (\S+);", proxy())) == {example[2]}
    settings.ALLOWED_HOSTS = [example[2]]
    settings.ARENA_TRUSTED_PROXIES = int(example[1])
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_SSL_REDIRECT = True
    values = {
        "$host": example[2],
        "$proxy_add_x_forwarded_for": "198.51.100.7",
        "$scheme": "https",
        "$request_id": "0123456789abcdef0123456789abcdef",
    }
    sent = {name: values[value] for name, value in re.findall(r"proxy_set_header (\S+)\s+(\S+);", proxy())}
    answer = client.get("/api/health", headers=sent)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert client.get("/api/health", headers=sent | {"Host": "127.0.0.1:8000"}).status_code == 400
    assert client.get("/api/health", headers=sent | {"X-Forwarded-Proto": "http"}).status_code == 301


def test_the_proxy_of_the_page_takes_requests_whole_and_keeps_the_figures_back():
    assert "proxy_request_buffering on;" in proxy()
    assert re.search(r"location = /metrics \{\s+return 404;", proxy())
    limit = int(re.search(r"client_max_body_size (\d+)m;", proxy())[1]) * 1024 * 1024
    assert limit >= 2_621_440
