"""Mechanisms removed in a scratch copy: what notices, what does not, and that the copy is whole again afterwards."""

import subprocess
from dataclasses import replace

import pytest

from governance import mutating
from governance.mutating import (
    Databases,
    NotApplied,
    Outcome,
    RedAlready,
    mutated,
    run_command,
    run_mutations,
    scratch_copy,
    table,
)
from governance.theses import Cited, CodeMutation, Section, Thesis, theses

WHOLE = "def rule(n):\n    return n > 3\n"


@pytest.fixture
def copy(tmp_path):
    (tmp_path / "rules.py").write_text(WHOLE)
    # A command that notices when the rule is gone, and one that looks elsewhere.
    (tmp_path / "manage.py").write_text(
        "import sys\n"
        "from rules import rule\n"
        "if sys.argv[1] == 'falls_over' and rule(1): raise RuntimeError\n"
        "if sys.argv[1] == 'verify_claims' and rule(1): print('GAP  the-rule: it is gone')\n"
        "sys.exit(1 if sys.argv[1] != 'sleeps' and rule(1) else 0)\n"
    )
    return tmp_path


def removed(*commands: str, old: str = "    return n > 3\n", key: str = "the-rule") -> Thesis:
    mutation = CodeMutation("the rule", "rules.py", old, "    return True\n", red=commands)
    text = "A text."
    return Thesis(
        Section.CLAIMS,
        key,
        text,
        text,
        text,
        Cited("rules", "rule"),
        predicate=bool,
        broken=0,
        mutations=(mutation,),
    )


def outcomes(copy, thesis) -> list[Outcome]:
    told = []
    found = run_mutations([thesis], copy, Databases("postgresql:///nobody"), told.append)
    assert told == found
    return found


def test_what_notices_is_red_and_what_does_not_is_green(copy):
    found = outcomes(copy, removed("verify_claims", "verify_rule", "sleeps", "falls_over"))
    assert [one.red for one in found] == [True, True, False, False]
    assert (copy / "rules.py").read_text() == WHOLE


def test_verify_claims_must_name_the_belief_that_lost_its_mechanism(copy):
    (found,) = outcomes(copy, removed("verify_claims", key="another-belief"))
    assert not found.red


def test_a_command_that_is_red_while_nothing_is_removed_notices_nothing(copy):
    (copy / "rules.py").write_text(WHOLE.replace("> 3", "> 0"))
    with pytest.raises(RedAlready, match="verify_rule"):
        outcomes(copy, removed("verify_rule", old="    return n > 0\n"))


@pytest.mark.parametrize("old", ["nowhere", "n"])
def test_a_text_that_does_not_stand_there_exactly_once_is_out_of_date(copy, old):
    with pytest.raises(NotApplied, match=r"rules\.py"):
        outcomes(copy, removed("verify_rule", old=old))
    assert (copy / "rules.py").read_text() == WHOLE


def test_the_copy_is_whole_again_when_a_command_breaks_off(copy):
    seen = []

    def breaks_off():
        with mutated(removed("x").mutations[0], copy):
            seen.append((copy / "rules.py").read_text())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        breaks_off()
    assert seen[0] != WHOLE
    assert (copy / "rules.py").read_text() == WHOLE


def test_a_command_that_hangs_is_green(copy, monkeypatch):
    def hangs(command, copy, environment):
        if (copy / "rules.py").read_text() == WHOLE:
            return run_command(command, copy, environment)
        raise subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(mutating, "run_command", hangs)
    (found,) = outcomes(copy, removed("verify_rule"))
    assert (found.red, found.said) == (False, "it hung")


def test_the_table_shouts_what_was_not_noticed():
    found = table([Outcome("one", "this", "verify_claims", True, 2.0, ""), Outcome("two", "that", "x", False, 3.0, "")])
    assert "| one | this | `verify_claims` | red | 2.0 |" in found
    assert "**GREEN**" in found.splitlines()[-1]
    hung = Outcome("three", "those", "x", False, mutating.COMMAND_SECONDS, mutating.HUNG)
    assert "**it hung**" in table([hung]).splitlines()[-1]


def test_a_real_mechanism_removed_from_a_real_copy_is_noticed(tmp_path):
    """One of what ``make mutations`` does for all."""
    copy = scratch_copy(tmp_path)
    one = next(one for one in theses() if one.key == "no-caller-input")
    assert run_command(f"verify_claims --belief {one.key}", copy, {}).returncode == 0
    mutation = replace(one.mutations[0], red=("verify_claims",))
    (found,) = outcomes(copy, replace(one, mutations=(mutation,)))
    assert found.red, found.said
