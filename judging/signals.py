"""News of judging that apps above subscribe to."""

from django.dispatch import Signal

#: A vote is final. Sent on commit with ``vote_id``.
vote_locked = Signal()
