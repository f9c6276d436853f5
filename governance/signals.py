"""News of the constitution."""

from django.dispatch import Signal

#: Labels of a judge were taken out, in the transaction that did it. Sends ``withdrawal``.
labels_withdrawn = Signal()
