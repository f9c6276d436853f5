"""News that travels upward: apps above subscribe, this one knows none of them."""

from django.dispatch import Signal

#: A battle can be judged now. Sent on commit with ``battle_id``.
battle_votable = Signal()
