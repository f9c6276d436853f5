"""The lane's own script inside a page, kept apart from the page's.

It runs in an isolated world: it sees the same document, but no page can see or change it, and
nothing a page does to its built-in objects reaches it.
"""

from pathlib import Path

#: Name of the isolated world; the browser hands out the same world again for the same name.
WORLD = "lane"

_FOLDER = Path(__file__).with_name("in_page")
_PARTS = ("geometry.js", "seeing.js", "naming.js", "elements.js", "examining.js", "page.js")

_BODY = "\n".join((_FOLDER / part).read_text(encoding="utf-8") for part in _PARTS)

#: Defines ``lane`` in the world it is evaluated in; evaluated again it does nothing.
PAGE_SCRIPT = f"if (!globalThis.lane) {{ (() => {{ 'use strict';\n{_BODY}\n}})(); }}"
