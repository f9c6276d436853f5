"""What somebody with the database's owner account could do, for tests that see it found out."""

from django.db import connection

from governance.journal import record

ROSTER = "battles:agent:roster"


def enter(count):
    """That many entries of roster changes."""
    return [record(actor="operator:test", action=ROSTER, subject=f"agent-{number}") for number in range(count)]


def tamper(table, statement, parameters=()):
    """Change rows in spite of the triggers and of what refers to them."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
        cursor.execute(
            "SELECT conrelid::regclass, conname FROM pg_constraint "
            "WHERE contype = 'f' AND (confrelid = %s::regclass OR conrelid = %s::regclass)",
            [table, table],
        )
        for refers, name in cursor.fetchall():
            cursor.execute(f'ALTER TABLE {refers} DROP CONSTRAINT "{name}"')
        cursor.execute(statement, parameters)
        assert cursor.rowcount > 0, "the tampering changed nothing"
        cursor.execute(f'ALTER TABLE "{table}" ENABLE TRIGGER USER')
