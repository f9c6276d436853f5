"""Print this machine's pip configuration as settings for uv, one ``NAME=value`` a line.

uv does not read pip's configuration. Exits with status 1 when it says something that uv cannot be told, so that pip is
used and the configuration honoured. Runs on a bare Python, before anything is installed.
"""

import ast
import subprocess
import sys

#: What uv calls it.
UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "timeout": "UV_HTTP_TIMEOUT",
    "constraint": "UV_CONSTRAINT",
    "no-index": "UV_NO_INDEX",
}
#: How pip talks or where it keeps things: nothing that changes what is installed.
HARMLESS = {
    "disable-pip-version-check",
    "no-cache-dir",
    "cache-dir",
    "progress-bar",
    "no-color",
    "quiet",
    "verbose",
    "no-input",
    "retries",
    "default-timeout",
    "root-user-action",
    "break-system-packages",
    "user",
    "require-virtualenv",
    "no-warn-script-location",
    "no-python-version-warning",
    "config-file",
}


#: The later wins, as in pip: a command's own section over the general one, the environment over both.
SECTIONS = ("global", "install", ":env:")


def uv_settings(listing: str) -> dict[str, str] | None:
    """Settings for uv that say what ``pip config list`` printed, or ``None`` when uv cannot be told all of it."""
    said: dict[str, tuple[int, str]] = {}
    for line in listing.splitlines():
        name, equals, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if not equals or section not in SECTIONS or key in HARMLESS:
            continue
        if key not in UV_NAMES:
            return None
        said[key] = max(said.get(key, (-1, "")), (SECTIONS.index(section), str(ast.literal_eval(value))))
    settings = {UV_NAMES[key]: _value(key, value) for key, (_, value) in said.items()}
    if "extra-index-url" in said:
        # pip takes the best version of all indexes together; uv would take the first index that has any.
        settings["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return settings


def _value(key: str, value: str) -> str:
    words = value.split()
    return ",".join(words) if key == "find-links" else " ".join(words)


def main() -> int:
    listing = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    settings = uv_settings(listing.stdout) if listing.returncode == 0 else None
    if settings is None:
        return 1
    sys.stdout.writelines(f"{name}={value}\n" for name, value in settings.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
