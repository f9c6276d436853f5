"""``manage.py build_overlap_index FILE…``: make or extend the fingerprint index of public benchmarks."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from battles.screening.benchmark_files import read_items
from battles.screening.canonical_wording import words
from battles.screening.overlap import SHIPPED_INDEX
from battles.screening.overlap_index import Fingerprint, ItemName, OverlapIndex, fingerprint_of
from governance.errors import ArenaError


class Command(BaseCommand):
    help = (
        "Build the overlap index from benchmark files (.jsonl, .json, .csv, .tsv, .md, .txt, also .gz). Only hashes "
        "are written. Where benchmarks share an item, the one read first gives it its name: list originals first."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--output", type=Path, default=SHIPPED_INDEX, help="default: the shipped index")
        parser.add_argument("--extend", type=Path, metavar="INDEX", help="keep every item of this index")
        parser.add_argument("--benchmark", default="", help="name for rows that carry none; default: the file's name")
        parser.add_argument("--text-field", default="", help="field that holds the task's text")
        parser.add_argument("--id-field", default="", help="field that holds the item's id")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            kept = OverlapIndex.load(options["extend"]).items() if options["extend"] else iter(())
            index = OverlapIndex.of_items(chain(kept, self._printed(options)))
            index.save(options["output"])
        except (ArenaError, OSError) as error:
            raise CommandError(str(error)) from error
        for benchmark, count in index.benchmarks().items():
            self.stdout.write(f"{benchmark:<28}{count:>7}")
        size = options["output"].stat().st_size
        self.stdout.write(f"{index.size} distinct items, {index.gram_count} grams, {size / 1e6:.1f} MB")

    def _printed(self, options: dict[str, Any]) -> Iterator[tuple[Fingerprint, tuple[ItemName, ...]]]:
        named = {key: options[key] for key in ("benchmark", "text_field", "id_field")}
        for path in options["files"]:
            for item in read_items(path, **named):
                yield fingerprint_of(words(item.text)), (item.name,)
