"""What the constitution itself is believed to do: for people, and for the claims that are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.utils import timezone

from governance.asking import Anything, frozen, given, raises
from governance.claims import Claim, Gap, finds_out, trial
from governance.errors import ArenaError, TooMany
from governance.ledger.merkle import node_hash
from governance.limits import LABELS_A_DAY, LABELS_AN_HOUR
from governance.models import (
    ConsentReceipt,
    ConsentText,
    JournalEntry,
    Judge,
    LedgerCheckpoint,
    LedgerKey,
    LedgerSignature,
)
from governance.redaction.posture import TEXT_POSTURE
from governance.theses import BadThesis, Cited, CodeMutation, DatabaseMutation, Section, Standing, Thesis, thesis
from governance.withdrawal_clocks import CORPUS_WITHIN, LICENSEES_WITHIN, Clock

KINDS = ["annotation", "click", "step verdict", "task", "vote"]


# ---- People --------------------------------------------------------------------------------------------------------


def _kept_verbatim(archive: type[ConsentText]) -> bool:
    """The database lets nobody change a sentence, and a digest names this very wording."""
    return archive.digest("a") != archive.digest("b") and frozen(archive, ConsentReceipt)


#: A table that anybody may change, whose digests name nothing.
MUTABLE = SimpleNamespace(_meta=Judge._meta, digest=lambda sentence: "")


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="sentence-kept-verbatim",
        belief="The sentence a person agreed to is kept word for word, and never edited.",
        why="Consent to a sentence that can be changed later is consent to nothing.",
        mechanism="The archive of sentences is append-only by triggers of the database; each has its digest, "
        "and verify_consent computes them again.",
        cites=Cited("governance.models", "ConsentText"),
        predicate=_kept_verbatim,
        broken=MUTABLE,
        mutations=(
            DatabaseMutation(
                "the trigger that keeps sentences",
                ('ALTER TABLE "governance_consenttext" DISABLE TRIGGER "governance_consenttext_no_change"',),
            ),
            DatabaseMutation(
                "the trigger, and then the sentence",
                (
                    'ALTER TABLE "governance_consenttext" DISABLE TRIGGER "governance_consenttext_no_change"',
                    "INSERT INTO governance_consenttext (version, language, grantee, scope, sentence, sha256, "
                    "effective_from) VALUES (1, 'en', '', 'tasks', 'First.', repeat('0', 64), now()) "
                    "ON CONFLICT DO NOTHING",
                    "UPDATE governance_consenttext SET sentence = 'I give everything away.'",
                ),
                red=("verify_claims", "verify_consent"),
            ),
        ),
    )
)


def _as_shown(give: Callable[..., object]) -> bool:
    """What was altered on its way, or is not in force any more, is not agreed to."""
    text = ConsentText(version=1, sentence="Yes.", sha256=ConsentText.digest("Yes."))
    other = ConsentText(version=2, sentence="No.", sha256=ConsentText.digest("No."))

    class Receipts:
        objects = Anything()

    class Created:
        def get_or_create(self, **fields: Any) -> tuple[Anything, bool]:
            return Anything(), True

    Receipts.objects = Created()  # type: ignore[assignment]  # as far as it is asked
    agree = given(
        give,
        _hold=Anything(),
        current_text=lambda: text,
        ConsentReceipt=Receipts,
        record=Anything(),
        recovery_code=Anything(),
    )
    judge = Judge()
    return (
        not raises(ArenaError, agree, judge=judge, text=text, rendered="Yes.")
        and raises(ArenaError, agree, judge=judge, text=text, rendered="Yes!")
        and raises(ArenaError, agree, judge=judge, text=other, rendered="No.")
    )


def _agrees_to_anything(*, judge: Judge, text: ConsentText, rendered: str) -> None:
    """A receipt for whatever was shown."""


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="receipt-for-what-was-shown",
        belief="A receipt says which sentence a person saw, and there is none for a sentence altered on its way.",
        why="A box that was ticked under other words is no consent.",
        mechanism="What the browser rendered comes back with the tick, and its digest must be that of the sentence in "
        "force.",
        cites=Cited("governance.consent", "give_consent"),
        predicate=_as_shown,
        broken=_agrees_to_anything,
        mutations=(
            CodeMutation(
                "the comparison with what was rendered",
                "governance/consent.py",
                "    if text != current_text() or ConsentText.digest(rendered) != text.sha256:\n",
                "    if text != current_text():\n",
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.PEOPLE,
        key="withdrawal-covers-every-kind",
        belief="A person can take back whatever they gave: tasks, votes, annotations, step verdicts and clicks.",
        why="Consent that cannot be withdrawn is a sale.",
        mechanism="Every app declares the kinds it stores and how each is erased; a withdrawal goes through all of "
        "them.",
        cites=Cited("governance.contributions", "contributions"),
        predicate=lambda kinds: [kind.kind for kind in kinds()] == KINDS,
        broken=lambda: (),
        mutations=(
            CodeMutation(
                "that clicks can be taken back",
                "judging/contributions.py",
                'register_contribution(Contribution(kind="click",',
                '(Contribution(kind="click",',
            ),
        ),
    )
)


def _two_clocks(clocks: type[Clock]) -> bool:
    """Both run out exactly when they say, and whoever forgets a request is acted for before the first does."""
    received = datetime(2024, 3, 30, 12, tzinfo=UTC)
    found = []
    for one in (clocks("corpus", CORPUS_WITHIN), clocks("licensees", LICENSEES_WITHIN)):
        due = one.due_at(received)
        late = [one.overdue(received, None, now) for now in (due - timedelta(microseconds=1), due)]
        found.append((due - received, late, one.acts_at(received) < due, one.overdue(received, due, due)))
    return found == [
        (CORPUS_WITHIN, [False, True], True, False),
        (LICENSEES_WITHIN, [False, True], True, False),
    ]


class _NeverDue(Clock):
    """A clock that nobody is held to."""

    def overdue(self, received_at: datetime, done_at: datetime | None, now: datetime) -> bool:
        return False


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="withdrawal-has-two-clocks",
        belief="What is taken back is out of the corpus within {corpus.days} days, and who holds delivered data is "
        "told, with a replacement, within {licensees.days}.",
        why="A right without a date is a favour.",
        mechanism="Two clocks run from the instant a request is received; what operators leave undone, a task does "
        "{before.days} day before it is due.",
        cites=Cited("governance.withdrawal_clocks", "Clock"),
        figures={
            "corpus": Cited("governance.withdrawal_clocks", "CORPUS_WITHIN"),
            "licensees": Cited("governance.withdrawal_clocks", "LICENSEES_WITHIN"),
            "before": Cited("governance.withdrawal_clocks", "ACTS_BEFORE"),
        },
        predicate=_two_clocks,
        broken=_NeverDue,
        mutations=(
            CodeMutation(
                "that a clock runs out",
                "governance/withdrawal_clocks.py",
                "        return done_at is None and now >= self.due_at(received_at)\n",
                "        return False\n",
            ),
            CodeMutation(
                "that a forgotten request is acted on before it is due",
                "governance/withdrawal_clocks.py",
                "        return self.due_at(received_at) - ACTS_BEFORE\n",
                "        return self.due_at(received_at) + ACTS_BEFORE\n",
            ),
        ),
    )
)


def _limited(check: Callable[..., None]) -> bool:
    """The last label that fits passes, and the next one does not: in the hour and in the day."""
    now = timezone.now()
    early = now - timedelta(hours=2)

    def refuses(spent: Sequence[Any]) -> bool:
        return raises(TooMany, given(check, spent_instants=lambda judge, since: list(spent)), Judge(), now=now)

    return (
        not refuses([now] * (LABELS_AN_HOUR - 1))
        and refuses([now] * LABELS_AN_HOUR)
        and not refuses([early] * (LABELS_A_DAY - 1))
        and refuses([early] * LABELS_A_DAY)
    )


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="judges-are-rate-limited",
        belief="One person gives at most {hour} labels an hour and {day} a day, of all kinds together.",
        why="More comes from a machine, or from tired eyes.",
        mechanism="Stored labels are counted before the next is taken, so that a restart resets nothing.",
        cites=Cited("governance.limits", "check_label_limit"),
        figures={
            "hour": Cited("governance.limits", "LABELS_AN_HOUR"),
            "day": Cited("governance.limits", "LABELS_A_DAY"),
        },
        predicate=_limited,
        broken=lambda judge, now=None: None,
        mutations=(
            CodeMutation(
                "the refusal over the limit",
                "governance/limits.py",
                "        if len(inside) >= limit:\n",
                "        if len(inside) >= 10**9:\n",
            ),
        ),
    )
)


def _redacts(find: Callable[[str], Any]) -> bool:
    """What has a check digit or a form is gone; ordinary words stay."""
    found = find("Write to ada.example@mailbox.example or pay to GB82 WEST 1234 5698 7654 32.").text
    return "ada.example" not in found and "WEST" not in found and find("Buy two kettles.").text == "Buy two kettles."


class _Untouched:
    """A redaction that returns what it is given."""

    def __init__(self, text: str) -> None:
        self.text = text


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="personal-details-redacted",
        belief="Personal details in texts are replaced by the name of their kind before anything leaves.",
        why="Nobody who posts a task agrees to give away an address that stands in it.",
        mechanism="Detectors with check digits, numbering plans, patterns and context read every field.",
        cites=Cited("governance.redaction.text", "redact"),
        predicate=_redacts,
        broken=_Untouched,
        mutations=(
            CodeMutation(
                "the replacement of what was found",
                "governance/redaction/text.py",
                "    return Redacted(replace(text, spans), spans)\n",
                "    return Redacted(text, spans)\n",
            ),
        ),
    )
)


def _tells_misses(figures: Callable[..., Any]) -> bool:
    """Figures of today's detectors for every kind; none once they speak of others."""
    found = figures()
    labels = {label for posture in TEXT_POSTURE.kinds for label in posture.labels}
    told = found is not None and labels <= set(found["by_kind"]) and found["recall"] < 1
    return told and figures(Path(__file__)) is None


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="redaction-publishes-what-it-misses",
        belief="What redaction misses is measured and published, kind by kind.",
        why="A detector nobody measured protects those who trust it from nothing.",
        mechanism="Figures are kept with the digest of the cases and of the detectors; when either changes they are "
        "stale, and no number is shown until they are measured again.",
        cites=Cited("governance.redaction.posture", "measured_figures"),
        predicate=_tells_misses,
        broken=lambda path=None: {"by_kind": {}, "recall": 1.0},
        mutations=(
            CodeMutation(
                "that stale figures are not shown",
                "governance/redaction/posture.py",
                "    return MeasurementState.MEASURED if same else MeasurementState.STALE\n",
                "    return MeasurementState.STALE\n",
            ),
        ),
    )
)


# ---- Claims --------------------------------------------------------------------------------------------------------


def _believes(one: Thesis) -> Claim:
    """A page that says what it always said."""
    return Claim(one.section, one.key, Standing.PROVEN, one.belief, one.why, one.mechanism, "", "", ())


thesis(
    Thesis(
        section=Section.CLAIMS,
        key="a-belief-needs-its-mechanism",
        belief="A belief whose mechanism is gone disappears from this page, and is listed as a gap.",
        why="A promise that outlives what kept it is a lie that nobody told.",
        mechanism="The page asks each mechanism whether it works, and asks a broken one the same: it must be found "
        "out.",
        cites=Cited("governance.claims", "check_one"),
        predicate=finds_out,
        broken=_believes,
        mutations=(
            CodeMutation(
                "that a false predicate makes a gap",
                "governance/claims.py",
                "        if _asked_of(thesis.predicate, mechanism) is not True:\n",
                "        if _asked_of(thesis.predicate, mechanism) is None:\n",
            ),
            CodeMutation(
                "that a predicate must be false of a broken stand-in",
                "governance/claims.py",
                "        if _asked_of(thesis.predicate, thesis.broken) is not False:\n",
                "        if _asked_of(thesis.predicate, thesis.broken) is None:\n",
            ),
        ),
    )
)


def _told_apart(ask: Callable[[Thesis], Claim | Gap]) -> bool:
    proven, stated = ask(trial(lambda found: found is Judge, ConsentText)), ask(trial(None, None))
    return (
        isinstance(proven, Claim)
        and isinstance(stated, Claim)
        and (proven.standing, stated.standing) == (Standing.PROVEN, Standing.STATED)
    )


thesis(
    Thesis(
        section=Section.CLAIMS,
        key="proven-told-from-stated",
        belief="What was checked just now is told from what is only stated with a place to look at.",
        why="A list that mixes both lends the weight of the checked to the rest.",
        mechanism="Proven needs a predicate that holds of the mechanism and fails of its stand-in; without one a "
        "belief is stated.",
        cites=Cited("governance.claims", "check_one"),
        predicate=_told_apart,
        broken=_believes,
        mutations=(
            CodeMutation(
                "the difference of stated and proven",
                "governance/theses.py",
                "        return Standing.STATED if self.predicate is None else Standing.PROVEN\n",
                "        return Standing.PROVEN\n",
            ),
        ),
    )
)


def _typed_refused(register: Callable[[Thesis], object]) -> bool:
    text, cites = "A trial.", Cited("governance.models", "Judge")
    wrong = ("It takes 7 days.", "It takes seven days.", "It takes {days} days.")
    return all(
        raises(BadThesis, register, Thesis(Section.CLAIMS, "trial", belief, text, text, cites)) for belief in wrong
    )


thesis(
    Thesis(
        section=Section.CLAIMS,
        key="numbers-are-never-typed",
        belief="Every number on this page is read from the constant that decides.",
        why="A typed number is true until somebody changes the code.",
        mechanism="The registry refuses a text with a typed number, and verify_claims fails when the document quotes "
        "another than the code has.",
        cites=Cited("governance.theses", "thesis"),
        predicate=_typed_refused,
        broken=lambda one: one,
        mutations=(
            CodeMutation(
                "the refusal of typed numbers",
                "governance/theses.py",
                "        if typed:\n",
                "        if typed and not one:\n",
            ),
        ),
    )
)


def _tells_leaves(leaf: Callable[[bytes], bytes]) -> bool:
    """Hashing as RFC 6962 says: the empty entry's hash is known, and an inner node is no leaf."""
    known = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    inner = node_hash(leaf(b"a"), leaf(b"b"))
    return leaf(b"").hex() == known and inner != leaf(leaf(b"a") + leaf(b"b"))


thesis(
    Thesis(
        section=Section.CLAIMS,
        key="every-rule-change-enters-one-ledger",
        belief="Sentences, publications, changes of the roster and of trust enter one ledger that strangers can check.",
        why="Whoever can rewrite yesterday can promise anything today.",
        mechanism="A Merkle tree by the hashing of certificate transparency, with signed heads; verify_ledger computes "
        "it again and compares every entry with the row it speaks of.",
        cites=Cited("governance.ledger.merkle", "leaf_hash"),
        predicate=_tells_leaves,
        broken=lambda entry: entry[:32].ljust(32, b"0"),
        mutations=(
            CodeMutation(
                "the prefix that tells leaves from nodes",
                "governance/ledger/merkle.py",
                "    return hashlib.sha256(LEAF_PREFIX + entry).digest()\n",
                "    return hashlib.sha256(entry).digest()\n",
                red=("verify_claims", "verify_ledger"),
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.CLAIMS,
        key="the-ledger-is-append-only",
        belief="What entered the ledger or the journal is never changed or deleted, by nobody.",
        why="A record that its keeper can mend is a diary.",
        mechanism="Triggers of the database refuse it, whoever asks; what went round them is found when the tree is "
        "computed again.",
        cites=Cited("governance.models", "LedgerEntry"),
        predicate=lambda entry: frozen(entry, JournalEntry, LedgerKey, LedgerCheckpoint, LedgerSignature),
        broken=Judge,
        mutations=(
            DatabaseMutation(
                "the trigger that keeps entries, and then an entry",
                (
                    'ALTER TABLE "governance_ledgerentry" DISABLE TRIGGER "governance_ledgerentry_no_change"',
                    "UPDATE governance_ledgerentry SET text = replace(text, 'a', 'b') WHERE index = 0",
                ),
                red=("verify_claims", "verify_ledger"),
            ),
            DatabaseMutation(
                "the trigger that keeps the journal, and then a row of it",
                (
                    'ALTER TABLE "governance_journalentry" DISABLE TRIGGER "governance_journalentry_no_change"',
                    "UPDATE governance_journalentry SET actor = 'somebody else'",
                ),
                red=("verify_claims", "verify_ledger"),
            ),
            DatabaseMutation(
                "the refusal to truncate checkpoints",
                ('DROP TRIGGER "governance_ledgercheckpoint_no_truncate" ON "governance_ledgercheckpoint"',),
            ),
        ),
    )
)
