"""``manage.py fit``: ratings with honest intervals from files of votes, without any of the rest."""

from __future__ import annotations

import codecs
import math
import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError, DjangoHelpFormatter

from ratings.estimators.scale import ANCHOR
from ratings.interval_plot import interval_plot
from ratings.votes_file.checking import Votes
from ratings.votes_file.document import (
    document_text,
    fit_document,
    gauge_in_words,
    in_order,
    refusal_document,
    votes_in_words,
)
from ratings.votes_file.fitting import VoteFit, fit_votes
from ratings.votes_file.headers import ALIASES, ColumnChoice
from ratings.votes_file.listing import fit_csv, fit_listing, rejection_lines, visible
from ratings.votes_file.names import agent_name
from ratings.votes_file.options import FitOptions
from ratings.votes_file.reading import read_votes
from ratings.votes_file.rejections import REJECTED_ROWS, Rejection, VotesFileError
from ratings.votes_file.table import Progress
from ratings.votes_file.targets import STDOUT, check_targets, write_whole
from ratings.votes_file.warnings import warnings_of

#: Exit codes: the input cannot be used; the person stopped it.
REFUSED, STOPPED = 2, 130
#: An anchor farther from zero would cost the ratings the digits that tell them apart.
MOST_POINTS = 1_000_000
#: So many votes take long enough that somebody should be told.
LONG_WORK = 200_000
#: Seconds between two lines of progress.
PROGRESS_EVERY = 2.0

EXAMPLES = """
examples:
  manage.py fit votes.csv
      a table of ratings, 95% intervals, intervals for all at once, and ranges of ranks
  manage.py fit votes.csv --json - --audit
      everything as JSON on stdout, with what the order is worth; messages go to stderr
  manage.py fit votes.jsonl.gz --plot ratings.svg --csv ratings.csv
      a picture and a spreadsheet beside the table
  manage.py fit votes.tsv --column winner=label --column judge=rater_email
      columns of other names
  manage.py fit votes.csv --ties davidson --category topic --anchor gpt-4=1000
      ties as an outcome of their own, a fit per topic, the scale held at one agent
  manage.py fit votes.csv --style
      ratings at equal style, by the numbers in columns X_a and X_b

files:
  CSV, TSV, semicolons, JSON Lines, a JSON array or Parquet, also packed by gzip. Every row needs model_a, model_b and
  winner: one of model_a, model_b, tie, tie (bothbad), or the winner's name. A column judge, if there is one, makes
  errors that allow judges to be of one mind with themselves; a column battle makes the k votes on one battle weigh
  1/k; a column weight weighs rows. With --audit, a column timestamp says when votes were cast, so that agents that
  changed are seen. docs/fit.md has all names and labels.

exit codes:
  0  fitted
  2  the input cannot be used, and every bad row was listed by line, column, value and reason; or an output cannot be
     written
  130  stopped by Ctrl-C; what was written by then is said
"""


class _HelpFormatter(DjangoHelpFormatter):
    """Help with the examples as they are written, and Django's own options after ours."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text.strip("\n") if "\n" in text else super()._fill_text(text, width, indent)


class Command(BaseCommand):
    help = (
        "Rate agents from votes in files: Bradley-Terry by maximum likelihood, errors clustered on the judge, ranges "
        "of ranks from all gaps at once. Agents that never met are never compared, agents that never lost get a bound "
        "and no number, and a row that is no vote is never guessed at. Needs no database."
    )
    # Nothing here asks the project's own services for anything.
    requires_system_checks = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        parser = super().create_parser(prog_name, subcommand, epilog=EXAMPLES, **kwargs)
        parser.formatter_class = _HelpFormatter
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="one or more files of votes, fitted together")
        output = parser.add_argument_group("output")
        output.add_argument("--json", metavar="FILE", help="write all as JSON; - for stdout in place of the table")
        output.add_argument("--csv", metavar="FILE", help="write the ratings as CSV")
        output.add_argument("--plot", metavar="FILE", help="write the intervals as a picture (SVG)")
        output.add_argument("--audit", action="store_true", help="ask what the order is worth, probe by probe")
        columns = parser.add_argument_group("columns")
        columns.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="ROLE=NAME",
            help=f"the header of a column with another name; ROLE is {', '.join(ALIASES)}",
        )
        columns.add_argument("--weight", metavar="COLUMN", help="weigh rows by this column (default: weight, if any)")
        columns.add_argument("--category", metavar="COLUMN", help="also fit every category of this column by itself")
        columns.add_argument(
            "--style",
            action="store_true",
            help="hold style equal: all pairs of columns X_a and X_b that hold numbers, as (a - b) / (a + b)",
        )
        columns.add_argument("--style-columns", metavar="X,...", help="hold only these measures of style equal")
        columns.add_argument("--partial", action="store_true", help="fit the good rows of a file that has bad ones")
        model = parser.add_argument_group("model")
        model.add_argument(
            "--ties",
            choices=["half", "davidson", "rao-kupper", "drop"],
            default="half",
            help="half a win for each (default), an outcome of its own in one of two models, or left out",
        )
        model.add_argument(
            "--cluster",
            choices=["judge", "battle"],
            help="whose votes may depend on each other (default: the judge's, where a column says who judged)",
        )
        model.add_argument(
            "--anchor", metavar="NAME[=POINTS]", help="hold the scale at this agent (default: the mean is 1000)"
        )
        model.add_argument(
            "--seed", type=int, default=0, help="of the simulated intervals; no rating depends on it (default: 0)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._fit(options)
        except KeyboardInterrupt:
            self._note(f"Stopped; {', '.join(self._written) or 'nothing'} was written.")
            sys.exit(STOPPED)

    def _fit(self, options: dict[str, Any]) -> None:
        votes: Votes | None = None
        self._written: list[str] = []
        try:
            _check_options(options)
            check_targets({name: options[name] for name in ("json", "csv", "plot")}, options["files"])
            choice = _choice(options)
            votes = read_votes(options["files"], choice, progress=self._progress())
            self._list_rejected(votes.rejected, options)
            if votes.rejected and not options["partial"]:
                raise VotesFileError(
                    f"{len(votes.rejected):,} of {votes.read:,} rows are no votes, so nothing was fitted. Mend them, "
                    "or fit the others with --partial.",
                    code=REJECTED_ROWS,
                    rejected=votes.rejected,
                )
            _check_style(options, votes)
            if len(votes) >= LONG_WORK:
                self._note(f"Fitting {votes_in_words(votes)}")
            self._write(fit_votes(votes, _fit_options(options, votes)), options)
        except VotesFileError as problem:
            self._refuse(problem, votes, options)

    def _list_rejected(self, rejected: Sequence[Rejection], options: dict[str, Any]) -> None:
        if rejected:
            self._note("\n".join(rejection_lines(rejected, len(options["files"]))))

    def _refuse(self, problem: VotesFileError, votes: Votes | None, options: dict[str, Any]) -> None:
        """Say why, also to programs."""
        read = 0 if votes is None else votes.read
        if votes is None and problem.code == REJECTED_ROWS:
            self._list_rejected(problem.rejected, options)
            read = len(problem.rejected)
        if options["json"] and problem.code not in {"bad_target", "unwritable"}:
            document = refusal_document(
                code=problem.code,
                message=problem.message,
                read=read,
                rejected=problem.rejected or (() if votes is None else votes.rejected),
            )
            try:
                self._write_json(document, options["json"])
            except VotesFileError as unwritable:
                self._note(visible(unwritable.message))
        raise CommandError(visible(problem.message), returncode=REFUSED) from problem

    def _write(self, fit: VoteFit, options: dict[str, Any]) -> None:
        for warning in warnings_of(fit):
            self._note(f"note: {visible(warning.message)}")
        # All is made before anything is written, so that what cannot be made leaves nothing half done.
        document = fit_document(fit)
        texts: dict[str, str] = {}
        if options["csv"]:
            texts[options["csv"]] = fit_csv(fit)
        if options["plot"]:
            title = f"Ratings from {votes_in_words(fit.votes)}"
            gauge = gauge_in_words(fit, fit.anchored is not None)
            texts[options["plot"]] = interval_plot(in_order(fit.rows), title=title, gauge=gauge)
        listing = None if options["json"] == STDOUT else fit_listing(fit)
        for target, text in texts.items():
            self._write_file(target, text)
        if options["json"]:
            self._write_json(document, options["json"])
        if listing is not None:
            self._print(listing)

    def _write_json(self, document: dict[str, Any], target: str) -> None:
        if target == STDOUT:
            self._print(document_text(document, only_ascii=self._encoding() != "utf-8"))
        else:
            self._write_file(target, document_text(document) + "\n")

    def _write_file(self, target: str, text: str) -> None:
        write_whole(target, text)
        self._written.append(visible(target))

    def _encoding(self) -> str:
        """How stdout is encoded; a stream of text has no encoding and takes everything, like UTF-8."""
        return codecs.lookup(getattr(self.stdout, "encoding", None) or "utf-8").name

    def _print(self, text: str) -> None:
        """Write to stdout; what its encoding lacks is escaped. Whoever reads it may stop before the end.

        Raises:
            VotesFileError: it is closed, or its disk is full.
        """
        encoding = self._encoding()
        # Where stdout was closed before the start there is no stream at all, nor anything that it would have.
        if not hasattr(self.stdout, "encoding"):
            raise VotesFileError("stdout cannot be written: it is closed.", code="unwritable")
        try:
            self.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
            self.stdout.flush()
        except OSError as problem:
            # What is left in the buffer would fail again when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stdout.fileno())
            if not isinstance(problem, BrokenPipeError):
                why = problem.strerror or problem
                raise VotesFileError(f"stdout cannot be written: {why}.", code="unwritable") from problem

    def _note(self, text: str) -> None:
        """Write to stderr, if anybody listens."""
        with suppress(OSError, AttributeError):
            self.stderr.write(text)

    def _progress(self) -> Progress:
        last = time.monotonic()

        def tell(rows: int) -> None:
            nonlocal last
            if time.monotonic() - last >= PROGRESS_EVERY:
                last = time.monotonic()
                self._note(f"{rows:,} rows read")

        return tell


def _check_options(options: Mapping[str, Any]) -> None:
    if options["seed"] < 0:
        raise VotesFileError("--seed must not be negative.", code="bad_seed")
    for name in ("weight", "category", "style_columns"):
        if options[name] is not None and not options[name].strip(" ,"):
            raise VotesFileError(f"--{name.replace('_', '-')} wants the name of a column.", code="bad_column")


def _check_style(options: Mapping[str, Any], votes: Votes) -> None:
    if (options["style"] or options["style_columns"]) and not votes.measures:
        raise VotesFileError(
            "Style cannot be held equal: no pair of columns X_a and X_b holds numbers in every row.", code="no_style"
        )


def _choice(options: dict[str, Any]) -> ColumnChoice:
    named = {}
    for text in options["column"]:
        role, found, name = text.partition("=")
        if not found or not name.strip():
            raise VotesFileError(f'--column wants ROLE=NAME, such as judge=rater, not "{text}".', code="bad_column")
        named[role.strip()] = name.strip()
    if options["weight"]:
        named["weight"] = options["weight"]
    measures = [name.strip() for name in (options["style_columns"] or "").split(",")]
    return ColumnChoice(
        named=named,
        category=options["category"],
        times=options["audit"],
        style=options["style"],
        measures=tuple(dict.fromkeys(name for name in measures if name)),
    )


def _fit_options(options: dict[str, Any], votes: Votes) -> FitOptions:
    anchor, points = None, None
    if options["anchor"] is not None:
        anchor, points = _anchor(options["anchor"], votes)
    return FitOptions(
        ties=options["ties"],
        cluster=options["cluster"],
        anchor=anchor,
        anchor_points=ANCHOR if points is None else points,
        audit=options["audit"],
        seed=options["seed"],
    )


def _anchor(text: str, votes: Votes) -> tuple[str, float | None]:
    """NAME or NAME=POINTS; a name may have an equals sign of its own."""
    whole = agent_name(text)
    if whole is not None and whole in votes.agents:
        return whole, None
    name, found, number = text.rpartition("=")
    if not found:
        return whole or text, None
    try:
        points = float(number)
    except ValueError:
        points = math.nan
    if math.isnan(points) or abs(points) > MOST_POINTS:
        raise VotesFileError(
            f'--anchor wants NAME or NAME=POINTS, and "{number}" is no number up to {MOST_POINTS:,}.', code="bad_anchor"
        )
    return agent_name(name) or name, points
