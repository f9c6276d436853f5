"""Look for keys in everything that was ever committed, and in what is about to be.

``python scripts/audit_secrets.py`` reads the lines that any commit added and the files of the checkout that git would
take, by the forms that those who issue keys gave them (``governance.redaction.credentials``). What tests made up
is in ``scripts/made_up_keys.txt``, by digest, so that a new one has to be entered there by hand. Exit status 1 when
something else is found; it is named by file and digest, never printed.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT))

from governance.redaction.credentials import find_issued  # noqa: E402  # after the way to it

MADE_UP = CHECKOUT / "scripts" / "made_up_keys.txt"
#: The beginning of a private key is one, wherever its lines end.
BEGINNING = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?=\s*$|\\n)")
#: Lines of binary files that git shows, and of data that no person typed.
LONGEST_LINE = 20_000


def history() -> Iterator[tuple[str, str]]:
    """Each line that a commit added: (file, text)."""
    command = ["git", "log", "-p", "--all", "--no-textconv", "--unified=0", "--no-color", "--no-renames", "--format="]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, errors="replace") as told:  # noqa: S603
        file = ""
        for line in told.stdout or ():
            if line.startswith("+++ "):
                file = line[6:].strip()
            elif line.startswith("+"):
                yield file, line[1:]
    if told.returncode:
        sys.exit("git cannot read the history.")


def checkout() -> Iterator[tuple[str, str]]:
    """Each line of the files that are committed or could be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=CHECKOUT, capture_output=True, check=True, text=True).stdout  # noqa: S603
    for name in filter(None, names.split("\0")):
        path = CHECKOUT / name
        if path.is_file() and not path.is_symlink():
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                yield name, line


def keys_in(lines: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Digests of the keys in some lines, each with the first file it is in."""
    found: dict[str, str] = {}
    seen: set[int] = set()
    for file, line in lines:
        if len(line) > LONGEST_LINE or hash(line) in seen:
            continue
        seen.add(hash(line))
        texts = [line[span.start : span.end] for span in find_issued(line)]
        texts += [beginning.group(0) for beginning in BEGINNING.finditer(line)]
        for text in texts:
            found.setdefault(hashlib.sha256(text.encode()).hexdigest(), file)
    return found


def made_up() -> set[str]:
    """Digests of the keys that tests and labelled cases were made with."""
    return {line.split()[0] for line in MADE_UP.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"}


def main() -> int:
    found = keys_in(history()) | keys_in(checkout())
    known = made_up()
    unknown = {digest: file for digest, file in sorted(found.items()) if digest not in known}
    for digest, file in unknown.items():
        sys.stderr.write(f"{file}: something in the form of a key, sha256 {digest}\n")
    sys.stdout.write(f"{len(found)} in the form of a key, all but {len(unknown)} made up for tests.\n")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
