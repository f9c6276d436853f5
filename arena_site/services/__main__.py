"""``python -m arena_site.services COMMAND [ARGUMENT...]``: run a command with the embedded services up.

They are those of the supervisor if it runs, else they are started before and stopped after. Exits with the status of
the command.
"""

import os
import subprocess
import sys

from arena_site.environment import read_environment
from arena_site.services.embedded import running_services
from governance.errors import ArenaError


def main(command: list[str]) -> int:
    if not command:
        sys.stderr.write("usage: python -m arena_site.services COMMAND [ARGUMENT...]\n")
        return 2
    try:
        with running_services(read_environment(os.environ), owner=" ".join(command)):
            return subprocess.run(command, check=False).returncode  # noqa: S603 - the command is what was asked for
    except ArenaError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
