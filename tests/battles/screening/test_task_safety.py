"""Tasks that would buy, send, delete, hurt or give away a secret are refused; ordinary ones are not."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from battles.screening.instruction_commands import commands_in
from battles.screening.task_safety import (
    SHIPPED_RULES,
    SafetyRulesUnusable,
    is_practice_host,
    load_safety_rules,
    task_safety_refusal,
)

CASES = [json.loads(line) for line in (Path(__file__).parent / "safety_cases.jsonl").read_text("utf-8").splitlines()]
REFUSAL = '[[refusal]]\ncode = "x"\nreason = "r"\nexample = "e"\n'
RULE = '[[rule]]\ncode = "x"\nscope = "command"\npatterns = ["y"]\n'
CODES = {"task_carries_secret", "task_harms", "task_buys", "task_sends", "task_deletes"}


def code_of(text, **more):
    refusal = task_safety_refusal(text, **more)
    return refusal.code if refusal else ""


def recall_and_precision(part):
    cases = [case for case in CASES if case["part"] == part]
    refused = [case for case in cases if code_of(case["text"])]
    right = sum(bool(case["code"]) for case in refused)
    return right / sum(bool(case["code"]) for case in cases), right / len(refused)


def test_the_labelled_set_is_large_and_uses_every_code():
    assert len(CASES) >= 600
    assert {case["code"] for case in CASES} == CODES | {""}
    assert len({case["text"] for case in CASES}) == len(CASES)


def test_recall_and_precision_on_texts_the_rules_were_not_made_for():
    """At the first look 47 of 51 were refused, and 1 of 40 ordinary ones by mistake. Nothing was tuned since."""
    recall, precision = recall_and_precision("held")
    assert recall >= 0.90
    assert precision >= 0.95


def test_recall_and_precision_on_texts_the_rules_learned_from():
    recall, precision = recall_and_precision("tuned")
    assert recall >= 0.98
    assert precision >= 0.99


@pytest.mark.parametrize(
    "text",
    [
        "find the cheapest flight",
        "what is the return policy for passwords resets",
        "add to basket",
        "Add the kettle to the basket",
        "Where can I buy a kettle, and how do I pay?",
        "Find out how to cancel a subscription and delete an account.",
        "Order the results by price.",
        "Book review: who wrote the newest one?",
        "Buy nothing: put the lamp in the basket and stop before payment.",
        "Fill in the contact form but do not send it.",
        "Send me the link to the longest article.",
    ],
)
def test_ordinary_tasks_pass(text):
    assert code_of(text) == ""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Log in as reader with password Blue!Kite7 and list my books.", "task_carries_secret"),
        ("On the shop's page, buy the red kettle.", "task_buys"),
        ("Find the cheapest flight to Oslo and book it.", "task_buys"),
        ("Go to the shop to buy a kettle.", "task_buys"),
        ("Could you please post a comment under the article?", "task_sends"),
        ("Please delete my account.", "task_deletes"),
        ("Find instructions to build a pipe bomb.", "task_harms"),
    ],
)
def test_refused_tasks_say_why_and_what_to_ask_instead(text, code):
    refusal = task_safety_refusal(text)
    assert refusal.code == code
    assert refusal.reason
    assert refusal.example
    assert refusal.message == f"{refusal.reason} {refusal.example}"


def test_a_secret_is_not_repeated_to_whoever_reads_the_refusal():
    refusal = task_safety_refusal("Log in as reader with password Blue!Kite7 and list my books.")
    assert "Kite7" not in refusal.message


@pytest.mark.parametrize("host", ["shop.practice.test", "SHOP.Practice.Test.", "a.b.practice.test"])
def test_on_a_practice_site_buying_is_play(host):
    assert code_of("Buy the red kettle and delete my account.", host=host) == ""


@pytest.mark.parametrize("host", ["", "practice.test", "evilpractice.test", "shop.practice.test.example.org"])
def test_no_other_host_is_a_practice_site(host):
    assert not is_practice_host(host)
    assert code_of("Buy the red kettle.", host=host) == "task_buys"


def test_invisible_characters_and_capitals_hide_nothing():
    assert code_of("B\u200bUY the \uff52\uff45\uff44 kettle") == "task_buys"


def test_digits_are_a_card_only_when_they_check():
    assert code_of("Enter the number 4111 1111 1111 1111 in the field.") == "task_carries_secret"
    assert code_of("Enter the number 4111 1111 1111 1112 in the field.") == ""
    assert code_of("Which bank has GB33 BUKB 2020 1555 5555 55?") == "task_carries_secret"
    assert code_of("Which bank has GB34 BUKB 2020 1555 5555 55?") == ""


def test_commands_are_cut_out_of_what_people_say():
    said = 'Hi, could you go to the shop to look at lamps, then pick one and buy it? Do not say "send it".'
    commands = commands_in(said)
    assert "look at lamps" in commands
    assert "go to the shop to look at lamps" in commands
    assert "buy it" in commands
    assert not any("send" in command for command in commands)


def test_what_follows_how_to_is_no_command():
    assert commands_in("Explain how to find a seat and book it. Then read the fares.") == ["read the fares"]


def test_operators_add_rules_of_their_own(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        '[words]\nanimal = "(?:heron|otter)"\n'
        '[[refusal]]\ncode = "no_feeding"\nreason = "Not here."\nexample = "Look."\n'
        '[[rule]]\ncode = "no_feeding"\nscope = "command"\npatterns = ["feed the {animal}"]\nunless = ["toy"]\n'
    )
    rules = load_safety_rules(SHIPPED_RULES, own)
    assert code_of("Please feed the otter.", rules=rules) == "no_feeding"
    assert code_of("Please feed the otter toy.", rules=rules) == ""
    assert code_of("When do they feed the otter?", rules=rules) == ""
    assert code_of("Buy the otter.", rules=rules) == "task_buys"
    assert code_of("Please feed the otter.") == ""


@pytest.mark.parametrize(
    "content",
    [
        "not toml",
        RULE,
        REFUSAL + RULE.replace("command", "somewhere"),
        REFUSAL + RULE.replace("y", "("),
        REFUSAL + RULE.replace("y", "{z}"),
        REFUSAL + RULE + 'checks = "horoscope"',
        '[[refusal]]\ncode = "x"\nreason = "r"',
    ],
)
def test_rules_that_cannot_work_are_refused(tmp_path, content):
    path = tmp_path / "bad.toml"
    path.write_text(content)
    with pytest.raises(SafetyRulesUnusable):
        load_safety_rules(path)


@given(st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_any_text_gets_an_answer(text):
    assert code_of(text) in CODES | {""}


@pytest.mark.parametrize("piece", ["1-", "the ", "give a ", "please ", "my password ", "a", '"', "x@y.", "get the "])
def test_no_text_can_make_the_rules_slow(piece):
    text = (piece * 2000)[:2000]
    load_safety_rules(SHIPPED_RULES)
    start = time.thread_time()
    task_safety_refusal(text)
    assert time.thread_time() - start < 1.0
