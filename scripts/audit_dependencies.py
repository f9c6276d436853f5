"""Ask for known weaknesses of what is installed: ``python scripts/audit_dependencies.py``.

``pip-audit`` asks the package index for its advisories, in an environment of its own. Exit status 1 when there is one.
An index that has no advisories (many mirrors) can say nothing: that is told, and is no failure, since it is no finding.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig

TOOL = "pip-audit>=2.9,<3"


def main() -> int:
    installed = sysconfig.get_path("purelib")
    command = [sys.executable, "-m", "uv", "tool", "run", "--from", TOOL, "pip-audit", "--path", installed]
    asked = subprocess.run(  # noqa: S603  # a list of words, no shell
        [*command, "--format", "json", "--progress-spinner", "off"], capture_output=True, text=True, check=False
    )
    try:
        packages = json.loads(asked.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        sys.stdout.write("Advisories could not be asked for: pip-audit cannot be had, or does not answer.\n")
        return 0
    known = [package for package in packages if "skip_reason" not in package]
    weak = [(package, one["id"]) for package in known for one in package["vulns"]]
    for package, advisory in weak:
        sys.stderr.write(f"{package['name']} {package['version']}: {advisory}\n")
    sys.stdout.write(
        f"{len(packages)} packages; the index has advisories on {len(known)} of them, and {len(weak)} weaknesses.\n"
        if known
        else f"{len(packages)} packages; this index has no advisories on any: ask one that does.\n"
    )
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
