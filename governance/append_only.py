"""Tables that the database itself keeps from changing.

A migration lists ``AppendOnly("Model")`` after creating the model. The trigger it installs refuses
UPDATE, DELETE and TRUNCATE, whoever asks. There is one lawful exit: setting every *erasable* column to
NULL while stamping the row, which is how a withdrawal removes content and leaves a tombstone.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Model


class TableTriggers(Operation, ABC):
    """A step of a migration that puts triggers on one model's table, which are no part of the model's state."""

    reversible = True
    reduces_to_sql = True

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return (self.__class__.__name__, [self.model_name], {})

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Nothing changes."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        self.install(to_state.apps.get_model(app_label, self.model_name), schema_editor)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        self.remove(from_state.apps.get_model(app_label, self.model_name), schema_editor)

    @abstractmethod
    def install(self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
        """Put the triggers on the model's table, or renew them."""

    @abstractmethod
    def remove(self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
        """Take them off."""


class AppendOnly(TableTriggers):
    """Freeze a table, except for erasing named columns with a stamp.

    Args:
        model_name: the model whose table is frozen.
        erasable: columns (not fields) that may be set to NULL, all of them at once.
        stamp: the column that must be filled in by the same statement.
    """

    def __init__(self, model_name: str, *, erasable: Sequence[str] = (), stamp: str = "erased_at") -> None:
        super().__init__(model_name)
        self.erasable = list(erasable)
        self.stamp = stamp

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        arguments: dict[str, Any] = {"erasable": self.erasable, "stamp": self.stamp} if self.erasable else {}
        return (self.__class__.__name__, [self.model_name], arguments)

    def install(self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
        schema_editor.execute(self._install(model._meta.db_table), params=None)

    def remove(self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
        table = model._meta.db_table
        schema_editor.execute(
            f"""DROP TRIGGER IF EXISTS "{table}_no_change" ON "{table}";
            DROP TRIGGER IF EXISTS "{table}_no_truncate" ON "{table}";
            DROP FUNCTION IF EXISTS "{table}_append_only"();""",
            params=None,
        )

    def describe(self) -> str:
        return f"Make {self.model_name} append-only"

    def _install(self, table: str) -> str:
        lawful = "FALSE"
        if self.erasable:
            columns = ", ".join(f"'{column}'" for column in [*self.erasable, self.stamp])
            emptied = " AND ".join(f'NEW."{column}" IS NULL' for column in self.erasable)
            lawful = (
                f"TG_OP = 'UPDATE' AND {emptied} AND NEW.\"{self.stamp}\" IS NOT NULL "
                f"AND to_jsonb(OLD) - ARRAY[{columns}] = to_jsonb(NEW) - ARRAY[{columns}]"
            )
        return f"""
            CREATE OR REPLACE FUNCTION "{table}_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF {lawful} THEN
                    RETURN NEW;
                END IF;
                RAISE EXCEPTION '{table} is append-only: % refused', TG_OP
                    USING ERRCODE = 'integrity_constraint_violation';
            END $$;
            CREATE OR REPLACE TRIGGER "{table}_no_change" BEFORE UPDATE OR DELETE ON "{table}"
                FOR EACH ROW EXECUTE FUNCTION "{table}_append_only"();
            CREATE OR REPLACE TRIGGER "{table}_no_truncate" BEFORE TRUNCATE ON "{table}"
                FOR EACH STATEMENT EXECUTE FUNCTION "{table}_append_only"();
            """


class NeverDeleted(TableTriggers):
    """Refuse DELETE and TRUNCATE on a table whose rows may change and stay for good."""

    def install(self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
        table = model._meta.db_table
        schema_editor.execute(
            f"""
            CREATE OR REPLACE FUNCTION "{table}_never_deleted"() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'rows of {table} stay for good: % refused', TG_OP
                    USING ERRCODE = 'integrity_constraint_violation';
            END $$;
            CREATE OR REPLACE TRIGGER "{table}_no_delete" BEFORE DELETE ON "{table}"
                FOR EACH ROW EXECUTE FUNCTION "{table}_never_deleted"();
            CREATE OR REPLACE TRIGGER "{table}_no_truncate" BEFORE TRUNCATE ON "{table}"
                FOR EACH STATEMENT EXECUTE FUNCTION "{table}_never_deleted"();
            """,
            params=None,
        )

    def remove(self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
        table = model._meta.db_table
        schema_editor.execute(
            f"""DROP TRIGGER IF EXISTS "{table}_no_delete" ON "{table}";
            DROP TRIGGER IF EXISTS "{table}_no_truncate" ON "{table}";
            DROP FUNCTION IF EXISTS "{table}_never_deleted"();""",
            params=None,
        )

    def describe(self) -> str:
        return f"Keep every row of {self.model_name}"
