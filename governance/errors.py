"""The one family of errors a person can cause, turned into words at the edge.

Views turn an :class:`ArenaError` into an HTML message, the REST API into RFC 9457
``problem+json`` and commands into one line on standard error. ``code`` is stable and
part of the public interface; ``message`` says what to change and may be reworded.
"""

from collections.abc import Mapping, Sequence


class ArenaError(Exception):
    """A refusal that a person can do something about.

    Args:
        message: one or two sentences, plain words, saying what to change.
        code: stable snake_case identifier; defaults to the class attribute.
        field: name of the input the refusal is about, when there is one.
    """

    code = "refused"
    status = 400
    #: Where several inputs are refused at once: each with its ``field``, ``code`` and ``detail``.
    errors: Sequence[Mapping[str, str]] = ()

    def __init__(self, message: str, *, code: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.field = field


class NotFound(ArenaError):
    """The thing does not exist, or this person may not know that it does."""

    code = "not_found"
    status = 404


class Conflict(ArenaError):
    """The request came at the wrong time: the state has moved on."""

    code = "conflict"
    status = 409


class Gone(ArenaError):
    """What was asked for took place once and takes no more."""

    code = "gone"
    status = 410


class TooMany(ArenaError):
    """A rate limit; ``retry_after`` is whole seconds until the next try can succeed."""

    code = "too_many"
    status = 429

    def __init__(self, message: str, *, retry_after: int, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after
