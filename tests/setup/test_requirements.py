"""What the code imports is named in the requirements: what is installed here by chance is missing elsewhere."""

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from arena_site.environment import CHECKOUT

PACKAGES = ("arena_site", "governance", "battles", "judging", "ratings", "metrics")

#: Parts of a required package that are distributed apart: messages, clients of an S3 server, and what holds answers
#: against schemas.
COME_WITH = {"kombu": "celery", "botocore": "django-storages", "boto3": "django-storages", "jsonschema": "schemathesis"}


def named_in(file: str) -> set[str]:
    """Distributions that a requirements file names, and those of the files it includes."""
    found: set[str] = set()
    for line in (CHECKOUT / file).read_text().splitlines():
        if line.startswith("-r "):
            found |= named_in(line.removeprefix("-r ").strip())
        elif name := re.match(r"[A-Za-z0-9._-]+", line):
            found.add(canonical(name.group()))
    return found


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported_by(folder: Path) -> dict[str, Path]:
    """Top-level modules of other people that the Python files of a folder import, each with a file that does."""
    found: dict[str, Path] = {}
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            found |= {name.split(".")[0]: file for name in names}
    ours = {*PACKAGES, "tests", "bench", "manage"}
    return {name: file for name, file in found.items() if name not in ours and name not in sys.stdlib_module_names}


#: What an app may do without, and imports only where it is there.
EXTRAS = {"governance": {"requirements-ocr.txt"}}


@pytest.mark.parametrize(
    ("folder", "requirements"),
    [*((name, "requirements.txt") for name in PACKAGES), ("tests", "requirements-dev.txt")],
)
def test_everything_imported_is_required(folder, requirements):
    named = set().union(*(named_in(file) for file in {requirements} | EXTRAS.get(folder, set())))
    distributions = packages_distributions()
    missing = {
        f"{module} in {file.relative_to(CHECKOUT)}"
        for module, file in imported_by(CHECKOUT / folder).items()
        if not named & {canonical(COME_WITH.get(name, name)) for name in distributions.get(module, [module])}
    }
    assert not missing
