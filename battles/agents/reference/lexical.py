"""``reference-lexical``: greedy lexical match of the instruction with the page in view. It never turns back."""

from __future__ import annotations

from battles.agents.base import Decision
from battles.agents.reference.policy import ReadingPolicy
from battles.agents.reference.wording import mentions


class LexicalAgent(ReadingPolicy):
    """Fill what is named; else search what is named and not in view; else press what shares most words; else stop."""

    def act(self) -> Decision:
        return (
            self.fill()
            or self._search_first()
            or self._press()
            or self.search(vaguely=True)
            or self.go_home()
            or self.last_word()
        )

    def _search_first(self) -> Decision | None:
        """A thing that is named but not in view is looked for before anything else is pressed."""
        names = [thing.text for thing in self.pending() if thing.kind == "quoted"]
        shown = any(mentions(element.name, name) for element in self.sight.elements for name in names)
        return self.search() if names and not shown and not self.wish.manages else None

    def _press(self) -> Decision | None:
        found = self.targets()
        if not found:
            return None
        return self.open(found[0][1], f'"{found[0][1].name}" shares most words with the task.')
