"""What is taken out, what stays, and that nothing is taken out twice."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from battles.blindness.database_reading import database_would_refuse
from battles.blindness.lexicon import lexicon_with_roster, maintained_lexicon, roster_spelling
from battles.blindness.look_alikes import LOOK_ALIKES
from battles.blindness.measuring import SHIPPED_CASES, read_cases
from battles.blindness.scrubbing import BLUNT_MARK, NARROW_MARK, scrub_blunt, scrub_narrow
from battles.blindness.self_identification import Voice

LEXICON = maintained_lexicon()
CASES = read_cases(SHIPPED_CASES)
#: Names that nobody says by accident.
DISTINCT = ["claude", "anthropic", "openai", "chatgpt", "gemini", "deepseek", "mistral", "llama", "qwen"]

pieces = st.one_of(
    st.sampled_from(CASES).map(lambda case: case.text),
    st.sampled_from(
        [NARROW_MARK, BLUNT_MARK, " ", "\n", ". ", "I am ", "made by ", "\u200b", "Google", "my maker ", ":"]
    ),
    st.text(max_size=12),
)
texts = st.lists(pieces, max_size=5).map("".join)


class TestBothScrubbers:
    @settings(max_examples=300, deadline=None)
    @given(texts)
    def test_what_comes_out_is_not_scrubbed_again(self, text):
        for scrub in (scrub_blunt, scrub_narrow):
            once = scrub(text, LEXICON)
            assert scrub(once.text, LEXICON).text == once.text
            assert not scrub(once.text, LEXICON).replaced

    @settings(max_examples=300, deadline=None)
    @given(texts)
    def test_only_marks_make_a_text_longer(self, text):
        for scrub, mark in ((scrub_blunt, BLUNT_MARK), (scrub_narrow, NARROW_MARK)):
            scrubbed = scrub(text, LEXICON)
            assert len(scrubbed.text) <= len(text) + len(mark) * len(scrubbed.replaced)
            assert bool(scrubbed.replaced) == (scrubbed.text != text)

    @settings(max_examples=200, deadline=None)
    @given(st.text(st.characters(codec=None, exclude_categories=())))
    def test_no_text_breaks_them(self, text):
        for voice in Voice:
            scrub_narrow(text, LEXICON, voice)

    @settings(deadline=None)
    @given(st.lists(st.sampled_from(["the", "lamp", "costs", "20", "EUR", "and", "is", "red", "I", "clicked", "it"])))
    def test_plain_words_come_back_unchanged(self, words):
        text = " ".join(words)
        assert scrub_blunt(text, LEXICON).text == scrub_narrow(text, LEXICON).text == text


class TestNarrow:
    @pytest.mark.parametrize(
        "text",
        [
            "I'll search Google Scholar for it.",
            "The ChatGPT app has 4.8 stars.",
            "Claude Monet painted this.",
            "Anthropic's careers page lists 12 open roles.",
            "Gemini 8 was crewed by two astronauts.",
            "The page lists GPT-5, Claude Opus 4.1 and Gemini 2.5 Pro.",
            "I am an AI assistant and could not finish.",
        ],
    )
    def test_what_only_mentions_stays_word_for_word(self, text):
        assert scrub_narrow(text, LEXICON).text == text

    @pytest.mark.parametrize(
        ("text", "scrubbed"),
        [
            ("I'm Claude, made by Anthropic.", f"I'm {NARROW_MARK}, made by {NARROW_MARK}."),
            ("gpt-5.2-codex wrote the script", f"{NARROW_MARK} wrote the script"),
            ("Done. I was trained by OpenAI.", f"Done. I was trained by {NARROW_MARK}."),
            ("Tickets cost 12 EUR citeturn0search3", f"Tickets cost 12 EUR {NARROW_MARK}"),
            ("My makers own the bird app. Done.", f"{NARROW_MARK}. Done."),
            ("openai.APITimeoutError: timed out", f"{NARROW_MARK}: timed out"),
        ],
    )
    def test_what_tells_is_taken_out_and_nothing_else(self, text, scrubbed):
        assert scrub_narrow(text, LEXICON).text == scrubbed

    def test_a_models_name_may_be_typed_but_not_as_ones_own(self):
        assert scrub_narrow("Claude Sonnet 4.5", LEXICON, Voice.TYPED).text == "Claude Sonnet 4.5"
        assert scrub_narrow("Claude Sonnet 4.5", LEXICON, Voice.SPOKEN).text == NARROW_MARK
        assert scrub_narrow("I am Claude.", LEXICON, Voice.TYPED).text == f"I am {NARROW_MARK}."

    @settings(deadline=None)
    @given(st.sampled_from(DISTINCT), st.data())
    def test_any_disguise_of_one_letter_gives_a_name_away(self, name, data):
        place = data.draw(st.integers(0, len(name) - 1))
        looks = [look for look, seen in LOOK_ALIKES.items() if seen == name[place]]
        hidden = data.draw(st.sampled_from(["\u200b", "\u00ad", "\u2060"]))
        for written in (
            name[:place] + data.draw(st.sampled_from(looks)) + name[place + 1 :],
            name[: place + 1] + hidden + name[place + 1 :] if place + 1 < len(name) else name[0] + hidden + name[1:],
            " ".join(name),
            "_".join(name.upper()),
        ):
            assert scrub_narrow(f"The lamp is red. {written} it is.", LEXICON).replaced, written


class TestBlunt:
    @settings(deadline=None)
    @given(st.sampled_from(sorted(LEXICON.refused_names())), st.sampled_from([str, str.upper, str.title]))
    def test_no_name_stays_in_our_own_words(self, spelling, case):
        scrubbed = scrub_blunt(f"Failed: {case(spelling)} said no.", LEXICON)
        assert scrubbed.text == f"Failed: {BLUNT_MARK} said no."

    @pytest.mark.parametrize(
        "text",
        [
            "Clicked at (410, 300); the page changed.",
            "www.google.com did not answer in 20 seconds.",
            "The command is not in the vocabulary; the operator was told.",
            "Loaded https://shop.amazon.example/apple.",
        ],
    )
    def test_our_own_messages_stay_as_they_are(self, text):
        assert scrub_blunt(text, LEXICON).text == text

    @settings(max_examples=300, deadline=None)
    @given(texts)
    def test_the_database_has_nothing_left_to_refuse(self, text):
        assert not database_would_refuse(scrub_blunt(text, LEXICON).text, LEXICON)


class TestRoster:
    def test_a_rostered_name_is_known_from_then_on(self):
        lexicon = lexicon_with_roster(["Zorblax Mini", "nebulon-7"])
        assert scrub_blunt("zorblax_mini and NEBULON 7 failed", LEXICON).text == "zorblax_mini and NEBULON 7 failed"
        assert scrub_blunt("zorblax_mini and NEBULON 7 failed", lexicon).text == f"{BLUNT_MARK} and {BLUNT_MARK} failed"
        assert scrub_narrow("nebulon-7 speaking", lexicon).text == f"{NARROW_MARK} speaking"
        assert scrub_narrow("I'm Zorblax Mini.", lexicon).text == f"I'm {NARROW_MARK}."

    @pytest.mark.parametrize("name", ["1.0", "2025-03-11", "v2", "reference", "Local", "", "-", "  "])
    def test_everyday_words_and_bare_numbers_do_not_join(self, name):
        assert roster_spelling(name) is None

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.text(max_size=20), max_size=4))
    def test_any_name_can_be_rostered(self, names):
        lexicon = lexicon_with_roster(names)
        for name in names:
            spelling = roster_spelling(name)
            if spelling is not None and spelling.isascii() and spelling in lexicon.roster:
                assert scrub_blunt(f"( {spelling} )", lexicon).text == f"( {BLUNT_MARK} )"
