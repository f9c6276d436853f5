"""Ringing the doorbell: telling a worker that a battle waits."""

import logging
import uuid
from typing import Any

from celery import current_app
from kombu.exceptions import ChannelError, OperationalError

from governance.background import LANES

logger = logging.getLogger(__name__)


def ring(battle_id: uuid.UUID) -> None:
    """Ask a worker to race the battle. A broker that is down loses nothing: the reaper rings again."""
    try:
        current_app.send_task("battles.race", args=[str(battle_id)], queue=LANES, ignore_result=True)
    except OperationalError:
        logger.warning("the broker did not answer; battle %s waits for the reaper", battle_id)


def rings_unheard() -> int:
    """How many rings wait for a worker; one for a battle that somebody races by now counts like any other."""
    with current_app.connection_for_write() as connection:
        channel: Any = connection.channel()
        try:
            return int(channel.queue_declare(queue=LANES, passive=True).message_count)
        except ChannelError:
            # An empty queue is none at all.
            return 0
