"""Identifiers: unguessable, and none of them tells anything about what it names."""

import secrets
import uuid
from datetime import datetime

import uuid_utils


def time_ordered_id() -> uuid.UUID:
    """A UUIDv7: 74 random bits behind a millisecond, so that indexes stay local."""
    return uuid.UUID(bytes=uuid_utils.uuid7().bytes)


def random_id() -> uuid.UUID:
    """A UUIDv4, for what must not be told apart by when it was made (lanes, frames)."""
    return uuid.uuid4()


def judge_identifier() -> str:
    """128 random bits as 32 hexadecimal digits: all that the corpus knows of a person."""
    return secrets.token_hex(16)


def first_id_at(instant: datetime) -> uuid.UUID:
    """The lowest UUIDv7 of an instant: time-ordered rows from then on are those that are not below it."""
    return uuid.UUID(int=(int(instant.timestamp() * 1000) << 80) | (7 << 76) | (2 << 62))
