"""What a failed load means, in our words."""

from __future__ import annotations

import re

#: Signs in the driver's and the browser's error texts, the code of the result ("": no failure), and the words.
_MEANINGS = (
    ("Download is starting", "", "The address is a file, not a page; downloads are not kept."),
    (
        "ERR_INVALID_AUTH_CREDENTIALS",
        "load_failed",
        "The site asks for a name and password in the browser; there is none.",
    ),
    ("ERR_UNSAFE_PORT", "refused_url", "The browser does not open that port."),
    ("ERR_NAME_NOT_RESOLVED", "load_failed", "There is no site of that name."),
    ("ERR_TUNNEL_CONNECTION_FAILED", "load_failed", "The site could not be reached."),
    ("ERR_CONNECTION", "load_failed", "The site could not be reached."),
    ("ERR_CERT", "load_failed", "The site's certificate is not valid."),
    ("ERR_TOO_MANY_REDIRECTS", "load_failed", "The site redirects without end."),
    ("ERR_ABORTED", "load_failed", "The load was stopped; it may be a file or an empty answer."),
    ("interrupted by another navigation", "", "The page went elsewhere by itself meanwhile."),
)


#: The browser's own name for an error. What stands beside it is the address, which may be somebody's own.
_NAME = re.compile(r"\bERR_[A-Z0-9_]+")


def meaning(error: str) -> tuple[str, str]:
    """Code and words for an error text; the browser's own name for it where we have no words."""
    for sign, code, words in _MEANINGS:
        if sign in error:
            return code, words
    name = _NAME.search(error)
    return "load_failed", f"The load failed: {name[0]}." if name else "The load failed."
