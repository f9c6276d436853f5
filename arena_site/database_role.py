"""The role that the site works under: it may read and write rows, and owns nothing.

Whoever owns a table can switch off its triggers, and the triggers keep journal, ledger, consents and publications from
being changed. So the owner's account runs migrations and nothing else.
"""

from __future__ import annotations

from psycopg import sql

#: In order. ``{role}`` exists already; ``{owner}`` is whoever runs migrations.
STATEMENTS = (
    "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA public "
    "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}",
    "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role}",
)


def grants(*, role: str, owner: str) -> list[str]:
    """The statements that let ``role`` work on the tables of ``owner``; tables of later migrations are included."""
    names = {"role": sql.Identifier(role), "owner": sql.Identifier(owner)}
    return [sql.SQL(statement).format(**names).as_string(None) for statement in STATEMENTS]
