"""Operators' pages of judging: battles, judges, labels, and what waits for a decision."""

from judging.admin import battles, decisions, judges, labels

__all__ = ["battles", "decisions", "judges", "labels"]
