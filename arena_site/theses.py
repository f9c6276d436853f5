"""What the site as a whole is believed to do: what its pages run, and that what is owed to readers is on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from governance.disclosures import Disclosure
from governance.theses import Cited, CodeMutation, Section, Thesis, thesis

DIRECTIVES = ("default-src", "script-src", "style-src", "connect-src", "frame-ancestors", "object-src")


def _strict(policy: Mapping[str, Any]) -> bool:
    """Nothing inline, nothing evaluated, nothing from elsewhere, and nobody frames our pages."""
    directives = policy["DIRECTIVES"]
    sources = {source for name in DIRECTIVES for source in directives.get(name, ["*"])}
    return sources <= {"'self'", "'none'"} and directives["frame-ancestors"] == ["'none'"]


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="pages-run-our-scripts-only",
        belief="Pages run no script and load nothing from anywhere but this site.",
        why="Whoever can run a script on a judge’s page can read their session, and their votes.",
        mechanism="A content security policy without exceptions goes with every answer.",
        cites=Cited("arena_site.settings", "CONTENT_SECURITY_POLICY"),
        predicate=_strict,
        broken={"DIRECTIVES": {"default-src": ["*"], "frame-ancestors": ["'none'"]}},
        mutations=(
            CodeMutation(
                "that scripts come from this site only",
                "arena_site/settings/__init__.py",
                '        "script-src": [SELF],\n',
                '        "script-src": [SELF, "\'unsafe-inline\'"],\n',
            ),
        ),
    )
)


def _discloses(disclosures: Callable[[], tuple[Disclosure, ...]]) -> bool:
    """The governance page has each part that is promised, the operator's own agents and retirements among them."""
    promised = {"consent", "own-agents", "retirements", "exclusions", "redaction", "anomalies", "changes"}
    return promised <= {one.key for one in disclosures()}


thesis(
    Thesis(
        section=Section.CONFLICT_OF_INTEREST,
        key="own-history-is-disclosed",
        belief="The operator’s own agents are named on the governance page, with what becomes of their battles.",
        why="A stake that is known can be allowed for; one that is found out cannot.",
        mechanism="The page is made of parts that each app declares; this one reads the mark of the roster.",
        cites=Cited("governance.disclosures", "disclosures"),
        predicate=_discloses,
        broken=lambda: (),
        mutations=(
            CodeMutation(
                "the disclosure of the operator's own agents",
                "battles/disclosures.py",
                '        key="own-agents",\n',
                '        key="agents-of-others",\n',
            ),
        ),
    )
)
