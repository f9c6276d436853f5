"""Lines that operators type: names, versions, sources, reasons. They are published, so they must be what they seem."""

from governance.errors import ArenaError


class TextRefused(ArenaError):
    code = "text_refused"


def clean_line(text: str, *, field: str, longest: int) -> str:
    """The text on one line, outer and doubled white space gone; "" when nothing is left.

    Raises:
        TextRefused: it is too long, or holds characters that cannot be seen (control and direction characters, bytes
            that are no text). Nothing is cut silently.
    """
    line = " ".join(text.split())
    words = field.replace("_", " ")
    if len(line) > longest:
        raise TextRefused(f"The {words} is longer than {longest} characters. Please shorten it.", field=field)
    if not line.isprintable():
        raise TextRefused(f"The {words} holds characters that cannot be seen. Please type it anew.", field=field)
    return line
