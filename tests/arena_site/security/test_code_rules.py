"""What the code may not contain at all: a way out to the network beside the lanes', and secrets compared by value."""

import ast
import functools
import re
from collections.abc import Iterator

import pytest

from arena_site.environment import CHECKOUT

PACKAGES = ("arena_site", "governance", "battles", "judging", "ratings", "metrics")

#: What can open a connection. ``urllib.parse`` and ``http.HTTPStatus`` cannot.
CLIENTS = re.compile(
    r"socket|ssl|http\.client|urllib\.request|urllib3|requests|httpx2?|httpcore2?|aiohttp|websockets?|ftplib|poplib|"
    r"imaplib|smtplib|telnetlib|xmlrpc(\..*)?|socketserver|http\.server|playwright(\..*)?|anthropic|openai|"
    r"google\.genai|google\.generativeai|boto3|botocore(\..*)?|storages(\..*)?|paramiko|pycurl|django\.core\.mail(\..*)?"
)
#: Modules with a client, and what it reaches. No view, use case or form is among them.
REACH = {
    "arena_site/photographer.py": "the pages of this site, for pictures of them",
    "arena_site/operators_pictures.py": "the same",
    "arena_site/management/commands/screenshots.py": "the same",
    "arena_site/clock.py": "nothing but one more connection to its own database",
    "arena_site/supervisor.py": "its own first page, on loopback",
    "arena_site/worker_stop.py": "nothing: it asks for the name of its host",
    "battles/agents/hosted/": "providers of the roster, by the address that an administrator entered",
    "battles/imagery/measuring.py": "pages of its own, without a network",
    "battles/lanes/": "what a lane may reach, through its egress proxy",
    "battles/proving_ground/": "task pages on loopback, behind the same fence",
    "battles/tasks.py": "nothing: it asks for the name of its host",
    "governance/object_storage.py": "the bucket that the operator set",
    "governance/dataset/notices.py": "the mail server of its host, for licensees, from a task",
}
#: Those of them that a face imports, however far one follows it; and what the face has from there.
OF_FACES = {
    "arena_site/clock.py": "when a clock last ticked, from the database",
    "battles/lanes/chromium.py": "whether there is a Chromium",
    "governance/dataset/notices.py": "record_notice, which mails nothing",
    "governance/object_storage.py": "screenshots and files of snapshots, from the operator's bucket",
}
#: Calls that open a connection or start a program without an import that says so.
OPENERS = {"urlopen", "open_connection", "create_connection", "open_unix_connection", "getaddrinfo", "system", "popen"}

#: What a name has in it that holds a secret, or what proves that one is known.
SECRET_NAME = re.compile(
    r"(?:\b|_)(?:token|secret|password|passwd|signature|hmac|mac|cookie|api_?key|otp|recovery_code)$"
)
#: Where a digest, too, proves that a secret is known; elsewhere digests are of what is published.
OF_SECRETS = (
    "arena_site/accounts/",
    "governance/licensing.py",
    "governance/recovery_codes.py",
    "judging/identity.py",
)
DIGEST_NAME = re.compile(r"(?:\b|_)(?:digest|sha256|hexdigest|keyed_hash)$")


@functools.cache
def sources() -> tuple[tuple[str, str], ...]:
    paths = [path for package in PACKAGES for path in sorted((CHECKOUT / package).rglob("*.py"))]
    return tuple((str(path.relative_to(CHECKOUT)), path.read_text(encoding="utf-8")) for path in paths)


def modules(mention: str) -> Iterator[tuple[str, ast.Module]]:
    """Modules in which such words occur; reading all of them as code takes long."""
    pattern = re.compile(mention, re.IGNORECASE)
    return ((module, ast.parse(text)) for module, text in sources() if pattern.search(text))


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports() -> dict[str, set[str]]:
    """What each module of ours imports of ours, anywhere in it. The packages that lie around that are not followed."""
    paths = {module.removesuffix(".py").removesuffix("/__init__").replace("/", "."): module for module, _ in sources()}
    return {module: {paths[name] for name in imported(ast.parse(text)) if name in paths} for module, text in sources()}


def clients() -> set[str]:
    return {
        module for module, tree in modules(CLIENTS.pattern) if any(CLIENTS.fullmatch(name) for name in imported(tree))
    }


def may_reach(module: str) -> bool:
    return any(module == known or (known.endswith("/") and module.startswith(known)) for known in REACH)


def test_nothing_but_lanes_and_the_operators_own_services_can_open_a_connection():
    assert {module for module in clients() if not may_reach(module)} == set()


def test_no_connection_is_opened_by_another_name():
    found = []
    for module, tree in modules("|".join(OPENERS)):
        for node in ast.walk(tree):
            called = node.func if isinstance(node, ast.Call) else None
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in OPENERS and not may_reach(module):
                found.append((module, node.lineno, name))
    assert found == []


def test_faces_import_no_client_but_these_however_far_one_follows_them():
    """A page that fetched something on a visitor's behalf would need one in what it imports."""
    faces = re.compile(r"(?:^|/|_)(views|rest|api|admin|forms)(/|\.py$|_)")
    with_client, imported_by = clients(), imports()
    waiting = [module for module, _ in sources() if faces.search(module)]
    assert len(waiting) > 80
    followed: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module not in followed:
            followed.add(module)
            # What a module with a client imports in turn is its own to answer for.
            waiting += imported_by[module] if module not in with_client else ()
    assert len(followed) > 300
    assert followed & with_client == set(OF_FACES)


def test_telling_a_licensee_is_no_work_of_the_web():
    """What mails a notice is called by the tasks of the dataset alone, and never by what an operator's page calls."""
    tree = dict(modules("def tell"))["governance/dataset/notices.py"]
    called = {
        function.name: {getattr(node.func, "id", "") for node in ast.walk(function) if isinstance(node, ast.Call)}
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
    }
    mails = {"send_mail"}
    while further := {name for name, calls in called.items() if calls & mails} - mails:
        mails |= further
    assert mails == {"send_mail", "_mailed", "tell"}
    assert [module for module, tree in modules("notices") if is_named(tree, "tell")] == [
        "governance/dataset/replacing.py"
    ]


def is_named(tree: ast.Module, name: str) -> bool:
    """Whether code names a thing of another module, by importing it or as an attribute of whatever it imported."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr == name)
        or (isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names})
        for node in ast.walk(tree)
    )


@pytest.mark.parametrize(
    "code",
    [
        "from governance.dataset.notices import tell",
        "from governance.dataset.notices import tell as quietly",
        "from governance.dataset import notices\nnotices.tell(row)",
        "import governance.dataset.notices as mails\nmails.tell(row)",
    ],
)
def test_the_rule_knows_what_names_a_thing(code):
    assert is_named(ast.parse(code), "tell")
    assert not is_named(ast.parse(code), "telling")


def test_no_secret_is_compared_by_value():
    """``==`` ends at the first character that differs; how long it took says how many were right."""
    patterns = "|".join(pattern.replace("$", r"\b") for pattern in (SECRET_NAME.pattern, DIGEST_NAME.pattern))
    found = []
    for module, tree in modules(patterns):
        found += [(module, *compared) for compared in secrets_compared(module, tree)]
    assert found == []


def secrets_compared(module: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or not all(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            continue
        sides = [node.left, *node.comparators]
        # What is compared with a word of the code is no secret, and a name in capitals is such a word.
        if any(isinstance(side, ast.Constant) for side in sides):
            continue
        for name in [name for side in sides for name in _named(side)]:
            if SECRET_NAME.search(name) or (module.startswith(OF_SECRETS) and DIGEST_NAME.search(name)):
                yield node.lineno, name


def _named(side: ast.expr) -> Iterator[str]:
    """What one side of a comparison is called, or each of what it may be."""
    match side:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            yield name
        case ast.Call(func=inner):
            yield from _named(inner)
        case ast.IfExp(body=one, orelse=other):
            yield from (name for each in (one, other) for name in _named(each))
        case ast.BoolOp(values=several):
            yield from (name for each in several for name in _named(each))


@pytest.mark.parametrize(
    ("code", "caught"),
    [
        ("given == settings.TOKEN.token", True),
        ("_digest(text) == (token.digest if token is not None else _NO_DIGEST)", True),
        ("row['digest'] != shown", True),
        ("kept.hexdigest() == (shown or other)", True),
        ("(known or account.password) == given", True),
        ("token == ''", False),
        ("scheme == TOKEN", False),
        ("hmac.compare_digest(_digest(text), token.digest)", False),
    ],
)
def test_the_rule_knows_a_secret(code, caught):
    assert bool(list(secrets_compared("arena_site/accounts/tokens.py", ast.parse(code)))) is caught


@pytest.mark.parametrize(
    ("code", "caught"),
    [("import httpx2", True), ("from urllib import request", True), ("from urllib.parse import urlsplit", False)],
)
def test_the_rule_knows_a_client(code, caught):
    assert any(CLIENTS.fullmatch(name) for name in imported(ast.parse(code))) is caught


#: Text that a template would not escape, scripts and styles that the policy would refuse.
IN_TEMPLATES = r"\|\s*safe(seq)?\b|\bautoescape\s+off|<script(?![^>]*\bsrc=)|\sstyle=|\son[a-z]+="
#: What makes elements or code out of text.
IN_SCRIPTS = r"\.(?:outer|inner)HTML\s*=(?!=)|insertAdjacentHTML|document\.write|\beval\(|new Function"
#: Puts a part of a page of ours, as the server made it, in the place of the one before.
FROM_THE_SERVER = ("arena_site/static/ringside/live.js", ".innerHTML =")


def test_nothing_makes_markup_of_text():
    """Everything that is shown is escaped by its template; scripts make text nodes."""
    found = set(_written("templates", "html", IN_TEMPLATES))
    for package in PACKAGES:
        found.update(_written(f"{package}/templates", "html", IN_TEMPLATES))
        found.update(_written(f"{package}/static", "js", IN_SCRIPTS))
    assert found == {FROM_THE_SERVER}


def _written(folder: str, suffix: str, pattern: str) -> Iterator[tuple[str, str]]:
    for path in (CHECKOUT / folder).rglob(f"*.{suffix}"):
        for found in re.finditer(pattern, path.read_text(encoding="utf-8")):
            yield str(path.relative_to(CHECKOUT)), found.group(0)
