"""Operators' pages of judging: battles, tasks, judges and their groups, labels, and what waits for a decision."""

from judging.admin import battles, decisions, groups, judges, labels, tasks

__all__ = ["battles", "decisions", "groups", "judges", "labels", "tasks"]
