"""Names: one spelling each, and nothing unseen in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_site.accounts.models import Account
from arena_site.accounts.names import NAME_MAX, NameRefused, clean_name, fold_name
from tests.arena_site.accounts.people import PASSWORD, sign_in, sign_up


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Margot", "margot"),
        ("  margot ", "margot"),
        ("\uff2d\uff41\uff52\uff47\uff4f\uff54", "margot"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("\ufb01nn", "finn"),
        ("cafe\u0301", "café"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("山田花子", "山田花子"),
        ("m-1_2.3", "m-1_2.3"),
    ],
)
def test_one_name_has_one_spelling(typed, name):
    assert clean_name(typed) == name


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ab",
        "x" * (NAME_MAX + 1),
        "\ufdfa" * 3,
        "mar got",
        "mar\u00a0got",
        "mar\u200bgot",
        "mar\u200dgot",
        "\u202emargot",
        "mar\u2066got",
        "mar\u00adgot",
        "mar\ufeffgot",
        "mar\u034fgot",
        "mar\ufe0fgot",
        "mar\u3164got",
        "mar\u115fgot",
        "mar\U000e0101got",
        "mar\U000e0061got",
        "mar\x07got",
        "mar\ngot",
        "margot\x00",
        "mar\ue000got",
        "margot\u0301\u0302\u0303",
        "\u0301margot",
        "-margot",
        "margot@example.org",
        "mar<b>got",
        "mar/got",
        "🦊🦊🦊",
    ],
)
def test_what_cannot_be_seen_or_told_apart_is_refused(typed):
    with pytest.raises(NameRefused) as refusal:
        clean_name(typed)
    assert refusal.value.message.endswith(".")


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing(text):
    assert fold_name(fold_name(text)) == fold_name(text)


@given(st.text(alphabet=st.characters(categories=("L", "N", "M")), min_size=3, max_size=12))
def test_a_clean_name_is_clean_already(text):
    try:
        name = clean_name(text)
    except NameRefused:
        return
    assert clean_name(name) == name
    assert len(name) <= NAME_MAX


@pytest.mark.django_db
def test_whoever_spells_it_otherwise_still_gets_in(visitor):
    assert sign_up(visitor, "Straße").status_code == 302
    assert Account.objects.get().username == "strasse"
    visitor.post("/account/sign-out")
    assert sign_in(visitor, "STRASSE").status_code == 302


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["x" * 5000, "mar\u200bgot", "\u202emargot", "margot\x00", "a@b.example", ""])
def test_hostile_names_are_refused_in_words_on_both_pages(visitor, name):
    for answer in (sign_up(visitor, name, proof=""), sign_in(visitor, name)):
        assert answer.status_code == 422
    assert Account.objects.count() == 0


@pytest.mark.django_db
def test_an_operator_finds_the_account_by_any_spelling():
    Account.objects.create_user("Margot", PASSWORD)
    assert Account.objects.get_by_natural_key("MARGOT").check_password(PASSWORD)
