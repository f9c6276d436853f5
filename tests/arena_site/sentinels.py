"""A person who left a word of its own in every kind of place, and a walk that finds which of them are anywhere."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
from django.conf import settings
from django.db import connection

from arena_site.accounts.models import SessionStore

#: Invented, so that nothing but a sentinel begins like this; in lower case, as it is compared.
BEGINNING = "vexill"
_WORD = re.compile(rf"{BEGINNING}[a-z]+", re.IGNORECASE)


def sentinel(place: str) -> str:
    """The word that is left in a place."""
    return f"{BEGINNING.title()}{place}"


def found_in(text: str) -> set[str]:
    """The places whose sentinels are in a text."""
    return {word.lower().removeprefix(BEGINNING) for word in _WORD.findall(text)}


def found_in_tables() -> dict[str, set[str]]:
    """By table of the database, whoever made it: places whose sentinels are in any column of any row."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()")
        found = {}
        for (table,) in cursor.fetchall():
            cursor.execute(
                f"""SELECT string_agg(DISTINCT said[1], ' ')
                FROM "{table}" one, regexp_matches(one::text, '{BEGINNING}[a-z]+', 'gi') said"""
            )
            [(words,)] = cursor.fetchall()
            if words:
                found[table] = found_in(words)
    # Sessions are packed, so that the word would not be found in the column.
    sessions = repr([row.get_decoded() for row in SessionStore.get_model_class().objects.all()])
    return found | ({"sessions": found_in(sessions)} if found_in(sessions) else {})


def found_in_files() -> dict[str, set[str]]:
    """By file of the frame store and of the snapshots, those that are being made among them."""
    folders = (Path(settings.STORAGES["frames"]["OPTIONS"]["location"]), Path(settings.ARENA_DATA_DIR) / "snapshots")
    found = {}
    for file in (file for folder in folders for file in folder.rglob("*") if file.is_file()):
        # Parquet is compressed.
        rows = json.dumps(pq.read_table(file).to_pylist(), default=str) if file.suffix == ".parquet" else ""
        words = found_in(rows + file.read_bytes().decode("latin-1") + str(file))
        if words:
            found[str(file)] = words
    return found


def found_in_broker(broker) -> dict[str, set[str]]:
    """By key."""
    values = {key: (key + (broker.dump(key) or b"")).decode("latin-1") for key in broker.scan_iter("*")}
    return {key.decode(): words for key, value in values.items() if (words := found_in(value))}


def places_in(*found: dict[str, set[str]]) -> set[str]:
    """All places together."""
    return set().union(*(words for each in found for words in each.values()))
