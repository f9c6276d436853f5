"""The scan finds what judges must not read, and counts as leaked whatever it could not read."""

import pytest

from battles.blindness.leak_scan import LONGEST_TEXT, LeakResult, SeenText, scan_texts
from battles.blindness.lexicon import maintained_lexicon
from battles.blindness.measuring import SHIPPED_CASES, CasesUnreadable, measure_identity, read_cases
from battles.blindness.scrubbing import BLUNT_MARK, NARROW_MARK
from battles.blindness.self_identification import Voice

LEXICON = maintained_lexicon()


def scan(*texts, **options):
    return scan_texts(texts, LEXICON, **options)


def spoken(text, where="answer"):
    return SeenText(where, Voice.SPOKEN, text)


class Ticking:
    """A clock that goes on by so many seconds whenever it is read."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


class TestResults:
    def test_clean(self):
        assert scan(spoken("The lamp costs 20 EUR."), spoken("")).result is LeakResult.CLEAN

    def test_leaked_says_where_and_what(self):
        report = scan(spoken("Fine."), spoken("I am Claude.", where="lane A, step 3, reasoning"))
        assert report.result is LeakResult.LEAKED
        assert [(found.where, found.text) for found in report.findings] == [("lane A, step 3, reasoning", "Claude")]

    def test_what_the_narrow_scrubber_took_out_is_a_leak(self):
        assert scan(spoken(f"I am {NARROW_MARK}.")).result is LeakResult.LEAKED
        assert scan(SeenText("arguments", Voice.TYPED, NARROW_MARK)).result is LeakResult.LEAKED

    def test_what_the_blunt_scrubber_took_out_is_none(self):
        assert scan(SeenText("detail", Voice.OURS, f"{BLUNT_MARK} did not answer.")).result is LeakResult.CLEAN

    def test_a_name_in_our_own_words_is_a_leak(self):
        assert scan(SeenText("detail", Voice.OURS, "Gemini did not answer.")).result is LeakResult.LEAKED

    @pytest.mark.parametrize(
        "text", ["Claude - Anthropic", "https://openai.com/pricing", "ChatGPT Plus costs 20 EUR", "Disallow: GPTBot"]
    )
    def test_what_a_site_shows_is_no_leak(self, text):
        assert scan(SeenText("title", Voice.SHOWN, text)).result is LeakResult.CLEAN

    @pytest.mark.parametrize("text", ["https://a.example/?utm_source=chatgpt.com", "Thank you. I am Claude."])
    def test_what_an_agent_brought_to_the_site_is_one(self, text):
        assert scan(SeenText("url", Voice.SHOWN, text)).result is LeakResult.LEAKED


class TestFailsClosed:
    def test_a_missing_text(self):
        report = scan(spoken("Fine."), spoken(None, where="lane B, answer"))
        assert report.result is LeakResult.UNSCANNABLE
        assert report.trouble == "lane B, answer is missing"

    def test_nothing_at_all(self):
        assert scan().result is LeakResult.UNSCANNABLE

    def test_a_text_that_is_too_long(self):
        assert scan(spoken("a" * (LONGEST_TEXT + 1))).result is LeakResult.UNSCANNABLE

    def test_a_scan_that_takes_too_long(self):
        report = scan(*[spoken("Fine.")] * 5, seconds=3.0, clock=Ticking(1.0))
        assert report.result is LeakResult.UNSCANNABLE
        assert "too long" in report.trouble

    def test_a_last_text_that_takes_too_long(self):
        assert scan(spoken("Fine."), seconds=1.5, clock=Ticking(1.0)).result is LeakResult.UNSCANNABLE

    def test_an_exception_while_reading(self):
        def broken():
            yield spoken("Fine.")
            raise OSError("the row is gone")

        report = scan_texts(broken(), LEXICON)
        assert report.result is LeakResult.UNSCANNABLE
        assert "OSError" in report.trouble

    def test_an_exception_while_scanning(self):
        assert scan_texts([spoken("I am Claude.")], None).result is LeakResult.UNSCANNABLE

    def test_a_leak_found_before_the_trouble_stays_a_leak(self):
        report = scan(spoken("I am Claude."), spoken(None))
        assert report.result is LeakResult.LEAKED
        assert report.trouble


class TestMeasure:
    def test_the_shipped_cases_keep_their_figures(self):
        measure = measure_identity(read_cases(SHIPPED_CASES), LEXICON)
        assert measure.recall >= 0.99
        assert measure.benign_flagged <= 0.01

    def test_shares_count_their_own_side_only(self, tmp_path):
        path = tmp_path / "cases.jsonl"
        path.write_text(
            '{"id": "a", "kind": "x", "text": "I am Claude.", "leaks": true}\n'
            '{"id": "b", "kind": "x", "text": "A lamp.", "leaks": true}\n\n'
            '{"id": "c", "kind": "y", "text": "A lamp.", "leaks": false}\n'
        )
        measure = measure_identity(read_cases(path), LEXICON)
        assert (measure.recall, measure.benign_flagged, measure.wrong) == (0.5, 0.0, ("b",))
        assert (measure.by_kind["x"].cases, measure.by_kind["x"].right) == (2, 1)

    def test_nothing_to_measure_is_not_zero(self):
        assert measure_identity([], LEXICON).recall is None

    @pytest.mark.parametrize("line", ["no json", "[]", '{"id": "a"}', '{"id":"a","kind":"k","text":1,"leaks":true}'])
    def test_lines_that_are_no_cases_are_named(self, tmp_path, line):
        path = tmp_path / "cases.jsonl"
        path.write_text(line)
        with pytest.raises(CasesUnreadable, match="line 1"):
            read_cases(path)

    def test_a_missing_file_is_named(self, tmp_path):
        with pytest.raises(CasesUnreadable, match="nowhere"):
            read_cases(tmp_path / "nowhere.jsonl")


def test_long_texts_of_any_kind_are_scanned_in_time():
    for case in read_cases(SHIPPED_CASES)[::50]:
        text = (case.text + " ") * (10_000 // (len(case.text) + 1))
        assert not scan(spoken(text), seconds=5.0).trouble, case.case_id


@pytest.mark.parametrize(
    "piece", ["claude, ", "i was made by ", "a b ", "openai.", "my maker ", "12 ", "<|", "%43", "gpt-5-"]
)
def test_texts_made_to_be_slow_are_scanned_in_time(piece):
    assert not scan(spoken((piece * 20_000)[:20_000]), seconds=5.0).trouble
